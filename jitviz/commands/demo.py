"""`jitviz demo`: the notebook of a training loop, run or opened.

In: the notebooks that come with jitviz.  Out: what the most instructive cell of that notebook did, as a few lines and
as a page; or JupyterLab on a copy of all, which is kept.
"""

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..display.text import summarize
from ..model.printable import print_safely
from ..recording import Recording, RefusedError
from .parsers import Commands, add_width, check_outputs, progress

NAME = "01_first_look.ipynb"
COURSE = Path("jitviz-course")
_LEFT_OUT = ("images", "manual", "gallery", "pictures.py", ".*", "__pycache__")
_NEEDED = ("IPython", "equinox", "optax")


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "demo",
        help="run the start of a notebook with a training loop, and show what it found",
        description="Run a bundled notebook up to its most instructive cell, and show what jitviz found there.",
    )
    parser.set_defaults(main=_main)
    parser.add_argument("--html", type=Path, default=Path("jitviz-demo.html"), metavar="P", help="the page to write")
    text = "open the course in JupyterLab, in the folder jitviz-course, with options of its own: `--lab --allow-root`"
    parser.add_argument("--lab", nargs=argparse.REMAINDER, metavar="OPTION", help=text)
    add_width(parser)


def _main(options: argparse.Namespace) -> int:
    needed = _NEEDED if options.lab is None else (*_NEEDED, "jupyterlab")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise RefusedError(f"{', '.join(missing)} {are} missing: pip install {' '.join(missing)}")
    if options.lab is not None:
        copy = copy_course() / NAME
        print_safely(f"notebooks: {copy.parent.resolve()}")
        return subprocess.run([sys.executable, "-m", "jupyterlab", *options.lab, str(copy)], check=False).returncode
    check_outputs((options.html,))
    _run_notebook(options.html, options.width)
    return 0


def copy_course() -> Path:
    """A folder here with all notebooks, without their outputs, and puzzles. Files that are there already stay as they
    are."""

    def copy_new(source: str, target: str) -> None:
        if Path(target).exists():
            return
        if source.endswith(".ipynb"):
            bare = _without_outputs(Path(source).read_text(encoding="utf-8"))
            Path(target).write_text(bare, encoding="utf-8")
        else:
            shutil.copyfile(source, target)

    ignore = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(find_notebook().parent, COURSE, ignore=ignore, copy_function=copy_new, dirs_exist_ok=True)
    return COURSE


def _without_outputs(text: str) -> str:
    """A notebook for readers who guess before they run a cell."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return json.dumps(notebook, indent=1, ensure_ascii=False)


def find_notebook() -> Path:
    """The path of the notebook: inside a package installed from a wheel, beside the package in a checkout."""
    package = Path(__file__).parents[1]
    folders = (package / "_notebooks", package.parent / "notebooks")
    return next(folder / NAME for folder in folders if (folder / NAME).exists())


def _run_notebook(page: Path, width: int) -> None:
    """Run the notebook up to its most instructive cell, print a summary of that cell, and write its page."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    print_safely(f"Running the start of {NAME}. This takes about half a minute.\n", flush=True)
    cells = json.loads(find_notebook().read_text(encoding="utf-8"))["cells"]
    (last,) = [at for at, cell in enumerate(cells) if "telling" in cell["metadata"].get("tags", [])]
    shell: Any = InteractiveShell.instance()
    shell.history_manager.enabled = False  # these cells are not the user's
    with progress("running"), capture_output():
        for cell in cells[: last + 1]:
            if cell["cell_type"] == "code":
                shell.run_cell("".join(cell["source"]), store_history=True).raise_error()
        recording: Recording = shell.run_line_magic("jitviz", "last")
    print_safely(summarize(recording, width))
    print_safely(f"\nThe whole panel: {recording.to_html(page).resolve()}\nThe notebook: jitviz demo --lab")
