"""Of the packages that jitviz can do without, each is away in turn: all else works, and what needs it says so.

In processes of their own, forked from one that has imported jax alone: each imports jitviz for the first time.
"""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, os, sys, tempfile
import jax, numpy as np

def tell(what, do):
    try:
        do()
    except Exception as error:
        told[what] = str(error)

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
    tell("text", lambda: (str(rec), jitviz.explain(rec)))
    tell("page", lambda: rec.to_html("a.html"))
    tell("static HTML", rec._repr_html_)
    tell("perfetto", lambda: rec.to_perfetto("a.json"))
    tell("json", rec.to_json)
    tell("file", lambda: jitviz.load(rec.save("a.jsonl")).calls)
    tell("graph", lambda: jitviz.graph(rec.compiles[0]))
    tell("extension", lambda: jitviz.load_ipython_extension)
    if sys.modules.get("IPython", 1) is not None:
        tell("cell", start_ipython)
    told.update({failure: "" for failure in rec.facts.failures})

readers = {}
for name in ("equinox", "flax", "anywidget", "graphviz", "IPython"):
    reader, writer = os.pipe()
    if not os.fork():
        os.chdir(tempfile.mkdtemp())
        sys.modules[name], told = None, {}
        tell("work", work)
        os.write(writer, json.dumps(told).encode())
        os._exit(0)
    os.close(writer)
    readers[name] = reader
print(json.dumps({name: json.loads(os.read(reader, 65536)) for name, reader in readers.items()}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_all_else_works_and_what_needs_the_package_says_how_to_install_it() -> None:
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
