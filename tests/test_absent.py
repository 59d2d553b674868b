"""jitviz without each of its optional packages in turn: everything else works, and the error names the package.

Each case runs in a process of its own, forked from one that has imported only jax, so that it imports jitviz first.
"""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, os, sys, tempfile
import jax, numpy as np

def note(what, do):
    try:
        do()
    except Exception as error:
        failed[what] = str(error)

def start_ipython():
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    with capture_output():
        shell.run_line_magic("load_ext", "jitviz")
        shell.run_cell("%%filterjit\\n1 + 1").raise_error()

def work():
    import jitviz

    with jitviz.record() as rec:
        step = jitviz.filter_jit(lambda x, n: x * n)
        assert step(np.ones(3), 2).sum() == 6
    assert [call.outcome for call in rec.calls] == ["compile"], rec.calls
    note("text", lambda: (str(rec), jitviz.explain(rec)))
    note("page", lambda: rec.to_html("a.html"))
    note("static HTML", rec._repr_html_)
    note("perfetto", lambda: rec.to_perfetto("a.json"))
    note("json", rec.to_json)
    note("file", lambda: jitviz.load(rec.save("a.jsonl")).calls)
    note("graph", lambda: jitviz.graph(rec.compiles[0]))
    note("extension", lambda: jitviz.load_ipython_extension)
    if sys.modules.get("IPython", 1) is not None:
        note("cell", start_ipython)
    failed.update({failure: "" for failure in rec.facts.failures})

readers = {}
for name in ("equinox", "flax", "anywidget", "graphviz", "IPython"):
    reader, writer = os.pipe()
    if not os.fork():
        os.chdir(tempfile.mkdtemp())
        sys.modules[name], failed = None, {}
        note("work", work)
        os.write(writer, json.dumps(failed).encode())
        os._exit(0)
    os.close(writer)
    readers[name] = reader
print(json.dumps({name: json.loads(os.read(reader, 65536)) for name, reader in readers.items()}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_everything_else_works_and_the_error_says_how_to_install_the_package() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "equinox": {},
        "flax": {},
        "anywidget": {},
        "graphviz": {"graph": "A graph needs graphviz, which is not installed: pip install graphviz"},
        "IPython": {
            "extension": "jitviz.load_ipython_extension needs IPython, which is not installed: pip install ipython"
        },
    }
