"""`jitviz try`: apply the edit of a finding to a copy, run both, and say whether it keeps its word.

In: a script or a notebook.  Out: the edit as a unified diff, and the verdict; with `--apply`, the edited file.
Must never: write anything of the user's without `--apply`, or what did not hold, or over a file that has changed.
"""

from __future__ import annotations

import argparse
import difflib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..model.counting import has_compiled
from ..model.finding import Edit
from ..model.quantities import count
from ..model.source_places import cell_of
from ..recording import Recording, load
from ..recording.whole_file import whole_file
from .parsers import Commands, RefusedError, at_least

_DIGITS = 1e-5
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TIME = re.compile(rf"{_NUMBER.pattern} ?(?:s|ms|us|[µμ]s|ns|min|sec|secs|seconds?|it/s)\b|\d+:\d\d(?:[:.]\d+)+")
# What a run must not take from the one before, and what would wait for somebody.
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "JAX_ENABLE_COMPILATION_CACHE": "false",
    "MPLBACKEND": "agg",
    "JITVIZ_TRIAL": "1",
}


@dataclass(frozen=True)
class Program:
    """What is run: a script with its arguments, or the cells of a notebook that are not empty."""

    path: Path
    folder: Path  # to run in
    args: tuple[str, ...] = ()
    cells: tuple[str, ...] | None = None
    goes_on: bool = False  # after a cell that raises, as a person does


@dataclass(frozen=True)
class Run:
    """How one run went."""

    recording: Recording
    status: int
    output: str
    errors: str

    @property
    def n_compiles(self) -> int:
        return sum(map(has_compiled, self.recording.compiles))


def add(commands: Commands) -> None:
    """Add `jitviz try` to the command line."""
    parser = commands.add_parser(
        "try",
        help="apply a finding's edit to a copy, run both, and compare",
        usage="jitviz try SCRIPT_OR_NOTEBOOK [--finding N] [--apply] [--args ARGS]",
        description="Run a script or a notebook as it is, and again with the edit of one finding, each in a process of "
        "its own; compare outputs, compiles and seconds. The exit status is 1 if the edit is withdrawn.",
        epilog="example: jitviz try train.py --finding 2 --args --epochs 3",
        allow_abbrev=False,
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
        before = _run(program, {}, Path(folder, "before"))
        if options.edit is None:
            number, edit = _chosen(before.recording, options.finding)
            print(f"finding {number}: {before.recording.findings[number - 1].advice}\n")
        else:
            edit = Edit(**json.loads(options.edit.read_text(encoding="utf-8")))
        path, text = _text_of(edit, program)
        edited = _edited(text, edit)
        print("\n".join(_patch(edit.file, text, edited)), flush=True)
        texts = {} if _is_of_cell(edit) else {str(path.resolve()): edited}
        after = _run(_with_cell(program, edit, edited), texts, Path(folder, "after"))
    problem, verdict = _problem(before, after), _compared(before, after)
    print(f"\nwithdrawn: {problem}\n{verdict}" if problem else f"\n{verdict}")
    if problem or not options.apply:
        return 1 if problem else 0
    _write(path, text, edited, edit)
    print(f"written: {path}")
    return 0


def _program(options: argparse.Namespace) -> Program:
    path: Path = options.program
    text = path.read_bytes()
    if path.suffix != ".ipynb":
        return Program(path, Path(), tuple(options.args))
    folder = path.resolve().parent if options.edit is None else Path()
    try:
        cells = [_source(cell) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    except (ValueError, LookupError, TypeError):
        raise RefusedError(f"{path} is not a notebook") from None
    return Program(path, folder, (), tuple(cell for cell in cells if cell.strip()), options.edit is not None)


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _chosen(recording: Recording, number: int | None) -> tuple[int, Edit]:
    """The number of the finding to try, and its edit."""
    found = recording.findings
    if number is not None and number > len(found):
        raise RefusedError(f"there is no finding {number}: {count(len(found), 'finding')} in this run")
    edits = [(at, one.edit) for at, one in enumerate(found, 1) if one.edit and number in (None, at)]
    if not edits:
        which = "no finding of this run has" if number is None else f"finding {number} has no edit:"
        what = " an edit: nothing is tried" if number is None else f" {found[number - 1].advice or 'nothing to do'}"
        raise RefusedError(which + what)
    return edits[0]


def _place(edit: Edit) -> int:
    """The place of the cell among those that are not empty."""
    return int(edit.file.strip("In []") or 0) - 1


def _text_of(edit: Edit, program: Program) -> tuple[Path, str]:
    """The file that an edit is for, and its text or that of its cell."""
    if program.cells is not None and _is_of_cell(edit):
        return program.path, program.cells[_place(edit)]
    for path in (program.folder / edit.file, program.path.parent / edit.file):
        if path.is_file():
            return path, path.read_text(encoding="utf-8")
    raise RefusedError(f"the edit is for {edit.file}, which is not here")


def _is_of_cell(edit: Edit) -> bool:
    return bool(cell_of(edit.file))


def _with_cell(program: Program, edit: Edit, edited: str) -> Program:
    if program.cells is None or not _is_of_cell(edit):
        return program
    place = _place(edit)
    return replace(program, cells=(*program.cells[:place], edited, *program.cells[place + 1 :]))


def _edited(text: str, edit: Edit) -> str:
    lines, old = text.split("\n"), edit.old.split("\n")
    first = edit.line - 1
    if lines[first : first + len(old)] != old:
        raise RefusedError(f"{edit.file}, line {edit.line}, is not what ran")
    return "\n".join([*lines[:first], *edit.new.split("\n"), *lines[first + len(old) :]])


def _patch(name: str, old: str, new: str) -> Iterator[str]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    return (line.rstrip() for line in lines)


def _run(program: Program, texts: dict[str, str], place: Path) -> Run:
    """Run a program in a process of its own, recorded."""
    saved, task = place.with_suffix(".jsonl"), place.with_suffix(".json")
    what = {"script": str(program.path), "args": program.args, "cells": program.cells, "goes_on": program.goes_on}
    task.write_text(json.dumps({"texts": texts, "save": str(saved), **what}), encoding="utf-8")
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
    if "differ" in _outputs(before.output, after.output):
        pairs = zip(before.output.splitlines(), after.output.splitlines(), strict=False)
        was, now = next((pair for pair in pairs if _outputs(*pair) == "outputs differ"), ("", "lines came or went"))
        return f"the outputs differ: {now.strip()!r}, and it was {was.strip()!r}"
    if after.n_compiles >= before.n_compiles:
        return "it saves no compile"
    return ""


def _compared(before: Run, after: Run) -> str:
    """ "4 → 1 compiles, 8.9 → 4.2 s, outputs equal"."""
    seconds = " → ".join(_seconds(run.recording.facts.wall_s) for run in (before, after))
    compiles = f"{before.n_compiles:,} → {after.n_compiles:,} compiles"
    return f"{compiles}, {seconds} s, {_outputs(before.output, after.output)}"


def _seconds(spent_s: float) -> str:
    return f"{spent_s:.1f}" if spent_s >= 0.95 else f"{spent_s:.2f}"


def _outputs(old: str, new: str) -> str:
    """How two outputs compare."""
    if old == new:
        return "outputs equal" if old.strip() else "outputs equal (nothing was printed)"
    for pattern, what in ((_ADDRESS, "addresses"), (_TIME, "times")):
        old, new = pattern.sub("#", old), pattern.sub("#", new)
        if old == new:
            return f"outputs equal but for {what}"
    numbers = [list(map(float, _NUMBER.findall(text))) for text in (old, new)]
    texts = [_NUMBER.sub("#", text).split() for text in (old, new)]
    if texts[0] == texts[1] and all(map(_is_close, *numbers)):
        return "outputs equal to 5 digits"
    return "outputs differ"


def _is_close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_DIGITS, abs_tol=1e-7)


def _write(path: Path, text: str, edited: str, edit: Edit) -> None:
    """Write the edited text to the user's file."""
    now = path.read_text(encoding="utf-8")
    if _is_of_cell(edit):
        notebook = json.loads(now)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and _source(cell).strip()]
        cell = cells[_place(edit)]
        if _source(cell) != text:
            raise RefusedError(f"{path} has changed meanwhile, and is left as it is")
        cell["source"] = edited.splitlines(keepends=True)
        edited = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    elif now != text:
        raise RefusedError(f"{path} has changed meanwhile, and is left as it is")
    with whole_file(path) as place:
        place.write_text(edited, encoding="utf-8")
        place.chmod(path.stat().st_mode)
