"""Recordings are read in Pyodide, without jax, threads and sockets, and what is said of them is the same."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import jitviz
from tests.display import samples

ROOT = Path(jitviz.__file__).parents[1]
NODE = shutil.which("node")
PYODIDE = ROOT / "js" / "node_modules" / "pyodide" / "pyodide.mjs"
READ = """
def read(path):
    rec = jitviz.load(path)
    page = rec.to_html(path + ".html").read_text("utf-8")
    return [str(rec), jitviz.explain(rec), *map(repr, rec.findings), rec.to_json(), rec._repr_html_(), page]
"""
PROGRAM = """
const [pyodide, root, folder, code] = process.argv.slice(1);
const { loadPyodide } = await import(pyodide);
const python = await loadPyodide();
for (const [place, path] of [["/root", root], ["/folder", folder]]) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: path }, place);
}
console.log(python.runPython(`
import json, sys
sys.path.insert(0, "/root")
import jitviz
${code}
json.dumps([read("/folder/run.jsonl"), "jax" in sys.modules])
`));
"""


@pytest.mark.skipif(NODE is None or not PYODIDE.exists(), reason="needs Node, and `npm ci` in js/")
def test_what_is_read_of_a_recording_is_the_same_in_pyodide(tmp_path: Path) -> None:
    recorded = samples.recompile_by_treedef()
    recorded.save(tmp_path / "run.jsonl")
    here: dict[str, object] = {"jitviz": jitviz}
    exec(READ, here)
    expected = here["read"](str(tmp_path / "run.jsonl"))  # type: ignore[operator]
    command = [NODE, "--input-type=module", "-e", PROGRAM, str(PYODIDE), str(ROOT), str(tmp_path), READ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [json.loads(json.dumps(expected)), False]
