"""The README and the manual: their size and their links, and the pages that a script writes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import jitviz

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "notebooks/README.md", *sorted((ROOT / "notebooks/manual").rglob("*.md"))]
_TARGET = re.compile(r'(?:\]\(|src(?:set)?=")(?!https?:|#)([^)#"\s]+)(?:#([^)]+))?')


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 8_000


@pytest.mark.skipif(not (ROOT / ".github").exists(), reason="the sdist lacks what some pages link to")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_all_that_a_page_links_to_is_there(page: Path) -> None:
    targets = _TARGET.findall(page.read_text(encoding="utf-8"))
    assert [path for path, _ in targets if not (page.parent / path).exists()] == []
    assert [anchor for path, anchor in targets if anchor and anchor not in anchors_of(page.parent / path)] == []


def anchors_of(page: Path) -> set[str]:
    """The anchors of the headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


# What the examples leave to the reader.
PRELUDE = """
import jax, jitviz, pytest
double = jax.jit(lambda x: 2 * x)
def train(): double(1.0)
"""
IN_A_SHELL = """
import sys
from IPython.core.interactiveshell import InteractiveShell
for cell in sys.argv[1:]:
    InteractiveShell.instance().run_cell(cell, store_history=True).raise_error()
"""


@pytest.mark.parametrize("name", ["README.md", "notebooks/manual/scripts.md", "notebooks/manual/tests.md"])
def test_the_code_of_a_page_runs(name: str, tmp_path: Path) -> None:
    cells = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)
    assert len(cells) > 0
    command = [sys.executable, "-c", IN_A_SHELL, PRELUDE, *cells]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


def test_the_pages_of_causes_errors_and_words_are_what_their_script_writes(tmp_path: Path) -> None:
    manual = ROOT / "notebooks/manual"
    subprocess.run([sys.executable, manual / "write.py", tmp_path], check=True, capture_output=True)
    by_hand = {page.name for page in manual.glob("*.md")} - {"glossary.md", "api.md"}
    committed = {name: lines for name, lines in pages_below(manual).items() if name not in by_hand}
    assert committed == pages_below(tmp_path), "run python notebooks/manual/write.py"


def test_the_reference_has_every_public_name() -> None:
    page = (ROOT / "notebooks/manual/api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `jitviz\.(\w+)` ", page, re.MULTILINE)
    of_a_shell = {"load_ipython_extension", "unload_ipython_extension", "__version__"}
    assert sorted(listed) == sorted({*jitviz.__all__} - of_a_shell)


def pages_below(folder: Path) -> dict[str, list[str]]:
    """The lines of each page, without the words of JAX, which differ between its versions."""
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    return {name: [line for line in text.splitlines() if line[:2] != "> "] for name, text in texts.items()}
