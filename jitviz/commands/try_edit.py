"""`jitviz try`: apply the edit of a finding to a copy, run both, and say whether it keeps its word.

In: a script or a notebook.  Out: the edit as a unified diff, and the verdict; with `--apply`, the edited file.
Must never: write anything of the user's without `--apply`, or what did not hold, or over a file that has changed.
"""

import argparse
import difflib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..model import Edit, Finding, cell_of, count, has_compiled
from ..recording import Recording, load, whole_file
from .parsers import Commands, RefusedError, at_least
from .progress import progress

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TIME = re.compile(
    rf"(?i:time|took|elapsed)\W{{0,3}}{_NUMBER.pattern}"
    rf"|{_NUMBER.pattern} ?(?:s|ms|us|[µμ]s|ns|min|sec|secs|seconds?|it/s)\b|\d+:\d\d(?:[:.]\d+)+"
)
# What a run must not take from the one before, and what would wait for somebody.
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "JITVIZ": "",
    "JAX_ENABLE_COMPILATION_CACHE": "false",
    "MPLBACKEND": "agg",
    "JITVIZ_TRIAL": "1",
}


@dataclass(frozen=True)
class Program:
    """What is run: a script with its arguments, or the cells of a notebook; `texts` take the place of files."""

    path: Path
    folder: Path = Path()  # to run in
    args: tuple[str, ...] = ()
    cells: dict[str, str] | None = None  # by label, as in "In [1]"
    goes_on: bool = False  # after a cell that raises, as a person does
    texts: dict[str, str] = field(default_factory=dict)  # by path


@dataclass(frozen=True)
class Run:
    recording: Recording
    status: int
    output: str
    errors: str

    @property
    def n_compiles(self) -> int:
        return sum(map(has_compiled, self.recording.compiles))


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "try",
        help="apply a finding's edit to a copy, run both, and compare",
        usage="jitviz try SCRIPT_OR_NOTEBOOK [--finding N] [--apply] [--args ARGS]",
        description="Run a script or a notebook as it is, and again with the edit of one finding, each in a process of "
        "its own; compare outputs, compiles and seconds. The exit status is 1 if the edit is withdrawn.",
        epilog="example: jitviz try train.py --finding 2 --args --epochs 3",
    )
    parser.set_defaults(main=_main)
    parser.add_argument("program", type=Path, metavar="SCRIPT_OR_NOTEBOOK", help="the file to run, twice")
    text = "the number of the finding, as `jitviz run` shows it (default: the first that has an edit)"
    parser.add_argument("--finding", type=at_least(1, "findings"), metavar="N", help=text)
    parser.add_argument("--apply", action="store_true", help="if it holds, write the edit to your file")
    parser.add_argument("--args", nargs=argparse.REMAINDER, default=[], metavar="ARGS", help="arguments of the script")
    parser.add_argument("--edit", type=Path, help=argparse.SUPPRESS)  # of `%jitviz try`: run here, with this edit


def _main(options: argparse.Namespace) -> int:
    program = _program(options)
    with tempfile.TemporaryDirectory(prefix="jitviz-try-") as folder:
        with progress(f"running {options.program.name} as it is"):
            before, saves = _run(program, Path(folder, "before")), 0
        if options.edit is None:
            number, finding, edit = _chosen(before.recording, options.finding)
            saves = finding.saves or 0
            print(f"finding {number}: {finding.advice}\n")
        else:
            edit = Edit(**json.loads(options.edit.read_text(encoding="utf-8")))
        path, text = _text_of(edit, program)
        edited = _edited(text, edit)
        changed = replace(program, texts={str(path.resolve()): edited})
        if program.cells is not None and edit.file in program.cells:
            changed = replace(program, cells=program.cells | {edit.file: edited})
        names = f"a/{edit.file}", f"b/{edit.file}"
        patch = difflib.unified_diff(text.splitlines(), edited.splitlines(), *names, lineterm="")
        print("\n".join(line.rstrip() for line in patch), flush=True)
        with progress(f"running {options.program.name} with the edit"):
            after = _run(changed, Path(folder, "after"))
        problem = _problem(before, after)
        if problem.startswith("the outputs") and _differ(before.output, _run(program, Path(folder, "again")).output):
            problem += "; without the edit, they differ from run to run as well"
    seconds = " → ".join(f"{run.recording.facts.wall_s:.2f}"[:4].rstrip(".") for run in (before, after))
    saved = before.n_compiles - after.n_compiles
    print(f"\nwithdrawn: {problem}" if problem else "")
    outputs = _outputs(before.output, after.output)
    print(f"{before.n_compiles:,} → {after.n_compiles:,} compiles, {seconds} s, {outputs}")
    if saved < saves:
        print(f"jitviz said that it saves {count(saves, 'compile')}, and it saves {saved:,}")
    if problem or not options.apply:
        return 1 if problem else 0
    _write(path, text, edited, edit)
    print(f"written: {path}")
    return 0


def _program(options: argparse.Namespace) -> Program:
    path: Path = options.program
    text = path.read_bytes()
    if path.suffix != ".ipynb":
        return Program(path, args=tuple(options.args))
    try:
        cells = {f"In [{n}]": _source(cell) for n, cell in enumerate(_code_cells(json.loads(text)), 1)}
    except (ValueError, LookupError, TypeError):
        raise RefusedError(f"{path} is not a notebook") from None
    of_session = options.edit is not None
    return Program(path, Path() if of_session else path.resolve().parent, cells=cells, goes_on=of_session)


def _code_cells(notebook: Any) -> list[dict[str, Any]]:
    """The cells that get a number when they run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and _source(cell).strip()]


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _chosen(recording: Recording, number: int | None) -> tuple[int, Finding, Edit]:
    found = recording.findings
    if number is not None and number > len(found):
        raise RefusedError(f"there is no finding {number}: {count(len(found), 'finding')} in this run")
    edits = ((at, one, one.edit) for at, one in enumerate(found, 1) if one.edit and number in (None, at))
    if (chosen := next(edits, None)) is not None:
        return chosen
    if number is not None:
        raise RefusedError(f"finding {number} has no edit: {found[number - 1].advice or 'nothing to do'}")
    raise RefusedError("no finding of this run has an edit: nothing is tried")


def _text_of(edit: Edit, program: Program) -> tuple[Path, str]:
    """The file that an edit is for, and its text or that of its cell."""
    if program.cells is not None and edit.file in program.cells:
        return program.path, program.cells[edit.file]
    for path in (program.folder / edit.file, program.path.parent / edit.file):
        if path.is_file():
            return path, _read(path)
    raise RefusedError(f"the edit is for {edit.file}, which is not here")


def _read(path: Path) -> str:
    """The text of a file, with plain line ends."""
    try:
        return path.read_text(encoding="utf-8")
    except ValueError:
        raise RefusedError(f"{path} is not UTF-8") from None


def _edited(text: str, edit: Edit) -> str:
    lines, old, first = text.split("\n"), edit.old.split("\n"), edit.line - 1
    if lines[first : first + len(old)] != old:
        raise RefusedError(f"{edit.file}, line {edit.line}, is not what ran")
    return "\n".join([*lines[:first], edit.new, *lines[first + len(old) :]])


def _run(program: Program, place: Path) -> Run:
    """Run a program in a process of its own, recorded."""
    saved, task = place.with_suffix(".jsonl"), place.with_suffix(".json")
    task.write_text(json.dumps({**asdict(program), "save": str(saved)}, default=str), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", f"{__package__}.edited_program", str(task)],
        cwd=program.folder,
        env={**os.environ, **_ENVIRONMENT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    recording = load(saved) if saved.exists() else Recording([], is_closed=True)
    return Run(recording, done.returncode, done.stdout, done.stderr)


def _problem(before: Run, after: Run) -> str:
    """Why the edit is withdrawn; "" if it holds."""
    if before.status != after.status:
        last = (after.recording.facts.ended or after.errors.strip() or after.output.strip()).splitlines()[-1:]
        return f"the exit status is {after.status} and was {before.status} ({''.join(last)})"
    if _differ(before.output, after.output):
        pairs = zip(before.output.splitlines(), after.output.splitlines(), strict=False)
        was, now = next((pair for pair in pairs if _differ(*pair)), ("", "lines came or went"))
        return f"the outputs differ: {now.strip()!r}, and it was {was.strip()!r}"
    return "" if after.n_compiles < before.n_compiles else "it saves no compile"


def _differ(old: str, new: str) -> bool:
    return _outputs(old, new) == "outputs differ"


def _outputs(old: str, new: str) -> str:
    if old == new:
        return "outputs equal" if old.strip() else "outputs equal (nothing was printed)"
    for changing, what in ((_ADDRESS, "addresses"), (_TIME, "times")):
        old, new = changing.sub("#", old), changing.sub("#", new)
        if old == new:
            return f"outputs equal but for {what}"
    pairs = zip(*(map(float, _NUMBER.findall(text)) for text in (old, new)), strict=False)
    texts = [_NUMBER.sub("#", text).split() for text in (old, new)]
    are_close = texts[0] == texts[1] and all(math.isclose(*pair, rel_tol=1e-5, abs_tol=1e-7) for pair in pairs)
    return "outputs equal to 5 digits" if are_close else "outputs differ"


def _write(path: Path, text: str, edited: str, edit: Edit) -> None:
    """Write the edited text to the user's file, which still has the text that was tried."""
    now = whole = _read(path)
    if cell_of(edit.file):
        notebook = json.loads(now)
        cell = _code_cells(notebook)[int(edit.file.strip("In []")) - 1]
        now, cell["source"] = _source(cell), edited.splitlines(keepends=True)
        edited = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n" * whole.endswith("\n")
    if now != text:
        raise RefusedError(f"{path} has changed meanwhile, and is left as it is")
    line_end = "\r\n" if b"\r\n" in path.read_bytes() else "\n"
    with whole_file(path) as place:
        place.write_text(edited, encoding="utf-8", newline=line_end)
        place.chmod(path.stat().st_mode)
