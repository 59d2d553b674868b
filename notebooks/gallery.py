"""Run the notebooks and the puzzles, and write a gallery of pages that open offline: `python notebooks/gallery.py`.

In: the folder of this file, with `puzzles/before/` and `puzzles/after/`; it needs the extra `lab`.
Out: `gallery/` there: `index.html`, a page for each notebook and one for its panel, and two for each puzzle.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

import jitviz

FOLDER = Path(__file__).parent
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
pre { white-space: pre-wrap; font-size: 13px; line-height: 1.35 }
.jp-InputPrompt, .jp-OutputPrompt, .prompt { color: #767676; font: 12px monospace }
.highlight, .input_area { background: #f6f6f6; color: #202020; padding: 0.2rem 0.6rem }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width"><style>{style}</style></head><body>{body}</body></html>
"""


def build(folder: Path) -> Path:
    """Write the gallery into `folder / "gallery"`, and return its first page."""
    gallery = folder / "gallery"
    gallery.mkdir(exist_ok=True)
    style = STYLE + HtmlFormatter(style="default").get_style_defs(".highlight")
    parts = ["<h1>jitviz: a gallery</h1><h2>Notebooks</h2><ul>"]
    for path in sorted(folder.glob("*.ipynb")):
        print(path.name, flush=True)
        title, body = _run_notebook(path, gallery / f"{path.stem}_panel.html")
        (gallery / f"{path.stem}.html").write_text(PAGE.format(title=title, style=style, body=body), encoding="utf-8")
        parts.append(f'<li><a href="{path.stem}.html">{escape(title)}</a>')
        if (gallery / f"{path.stem}_panel.html").exists():
            parts.append(f' · <a href="{path.stem}_panel.html">its panel</a>')
    parts.append("</ul><h2>Puzzles</h2><p>Each compiles too often. Why? The panel knows, and so does the edit.</p>")
    for before in sorted(folder.glob("puzzles/before/*.py")):
        print(before.name, flush=True)
        parts += _run_puzzle(before, before.parents[1] / "after" / before.name, gallery)
    index = gallery / "index.html"
    index.write_text(PAGE.format(title="jitviz: a gallery", style=style, body="\n".join(parts)), encoding="utf-8")
    return index


def _run_notebook(path: Path, panel: Path) -> tuple[str, str]:
    """The title of a notebook and its cells as HTML, with static panels; all its recordings are written to `panel`."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as elsewhere:
        saved = Path(elsewhere) / "cells.jsonl"
        notebook.cells.append(nbformat.v4.new_code_cell(f"%jitviz save {saved}"))
        NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": elsewhere}}).execute()
        recording = jitviz.load(saved)
    if recording.compiles:  # of cells, and not only of `with jitviz.record()`
        recording.to_html(panel)
    notebook.cells.pop()
    for cell in notebook.cells:
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if not _is_widget(output)]
    body, _ = HTMLExporter(template_name="basic", exclude_anchor_links=True).from_notebook_node(notebook)
    return notebook.cells[0].source.splitlines()[0].removeprefix("# "), body


def _is_widget(output: nbformat.NotebookNode) -> bool:
    return any(kind.startswith("application/vnd.jupyter.widget") for kind in output.get("data", {}))


def _run_puzzle(before: Path, after: Path, gallery: Path) -> Iterator[str]:
    texts = [path.read_text(encoding="utf-8") for path in (before, after)]
    recordings = []
    for name, text in zip(("before", "after"), texts):
        with TemporaryDirectory() as elsewhere:
            script, saved = Path(elsewhere) / before.name, Path(elsewhere) / "run.jsonl"
            script.write_text(text, encoding="utf-8")
            command = [sys.executable, "-m", "jitviz", "run", "--save", saved.name, script.name]
            subprocess.run(command, cwd=elsewhere, check=True, capture_output=True)
            recordings.append(jitviz.load(saved))
            recordings[-1].to_html(gallery / f"{before.stem}_{name}.html")
    question = texts[0].splitlines()[0].strip('"')
    yield f"<h3>{escape(before.stem[:2].lstrip('0'))}. {escape(question)}</h3>"
    links = [f'<a href="{before.stem}_{name}.html">{name}</a>' for name in ("before", "after")]
    yield f"<p>The panel {' and '.join(links)}</p><pre>{escape(texts[0].partition(chr(10))[2].strip())}</pre>"
    patch = difflib.unified_diff(*(text.splitlines() for text in texts), "before", "after", n=1, lineterm="")
    answer = [str(jitviz.compare(*recordings)), "", *patch]
    yield f"<details><summary>The answer</summary><pre>{escape(chr(10).join(answer))}</pre></details>"


if __name__ == "__main__":
    print(f"\n{build(FOLDER).resolve()}")
