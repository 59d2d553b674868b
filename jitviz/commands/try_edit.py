"""`jitviz try`: run a script as it is, changed, and as it is again, and say whether the change holds.

In: a script, and the changed one or the number of a finding.  Out: the change as a unified diff, and the verdict.
Must never: write to the user's folder, or call equal what follows from what an earlier run left.

Each run has a new copy of the folder. What a run leaves elsewhere shows where the third run differs from the first.
"""

import argparse
import difflib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..model import count, has_compiled, size
from ..model.printable import one_line, print_safely
from ..recording import Recording, load
from .now import is_recording
from .parsers import Commands, RefusedError, at_least, progress

_MOST_BYTES = 2**30  # of the folder
_NOT_COPIED = (".git", ".hg", ".venv", "venv", "node_modules", "__pycache__")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TIME = re.compile(
    rf"(?i:time|took|elapsed)\W{{0,3}}{_NUMBER.pattern}"
    rf"|{_NUMBER.pattern} ?(?:s|ms|us|[µμ]s|ns|min|sec|secs|seconds?|it/s)\b|\d+:\d\d(?:[:.]\d+)+"
)
# What a run must not take from the one before, and what would wait for somebody.
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "JITVIZ": "", "JAX_ENABLE_COMPILATION_CACHE": "false", "MPLBACKEND": "agg"}
_SLOWER, _SLACK_S = 1.2, 0.5  # how much slower than the slower run without the change


@dataclass(frozen=True)
class Trial:
    """One run: what was recorded, how it ended, what it printed."""

    recording: Recording
    status: int
    output: str
    errors: str

    @property
    def n_compiles(self) -> int:
        return sum(map(has_compiled, self.recording.compiles))

    @property
    def compiling_s(self) -> float:
        """The seconds of tracing, lowering, compiling and loading, inside and outside of any jit."""
        return sum(map(self._seconds, ("trace", "lower", "compile", "load", "op_by_op")))

    @property
    def running_s(self) -> float:
        """All other seconds, but for those that jitviz took."""
        account = self.recording.account
        return max(0.0, account.wall_s - self.compiling_s - self._seconds("jitviz"))

    @property
    def end(self) -> str:
        lines = (self.errors.strip() or self.output.strip()).splitlines()[-1:]
        return f"status {self.status} ({self.recording.facts.ended or ''.join(lines)})"

    def _seconds(self, what: str) -> float:
        return sum(part.seconds for part in self.recording.account.parts if part.what == what)


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "try",
        help="run a script before and after a change, in copies, and compare",
        usage="jitviz try BEFORE [AFTER] [--finding N] [--args ARGS]",
        description="Run a script as it is, changed, and as it is again, each in a new copy of its folder; compare "
        "outputs, compiles and seconds. The change is AFTER, or the edit of a finding. The exit status is 1 if it does "
        "not hold.",
        epilog="example: jitviz try train.py --finding 2 --args --epochs 3",
    )
    parser.set_defaults(main=_main)
    parser.add_argument("before", type=Path, metavar="BEFORE", help="the script")
    parser.add_argument("after", type=Path, nargs="?", metavar="AFTER", help="the changed script")
    text = "the number of the finding, as `jitviz run` shows it (default: the first that has an edit)"
    parser.add_argument("--finding", type=at_least(1), metavar="N", help=text)
    parser.add_argument("--args", nargs=argparse.REMAINDER, default=[], metavar="ARGS", help="arguments of the script")


def _main(options: argparse.Namespace) -> int:
    for path in filter(None, (options.before, options.after)):
        if is_recording(path) or path.suffix == ".ipynb":
            raise RefusedError(f"{path} is not a script.")
        path.open("rb").close()  # a wrong path is refused before anything runs
    script, here = options.before.resolve(), Path.cwd()
    folder = here if here in script.parents else script.parent
    name = str(script.relative_to(folder))
    command = [name, *options.args]
    _tell_plan(folder, command)
    before = _run(folder, command, {}, "as it is")
    if before.status:
        raise RefusedError(f"{name} ends with {before.end} as it is")
    if options.after is not None:
        file, text, changed = name, _read(script), _read(options.after)
    else:
        file, text, changed = _chosen(before.recording, options.finding, folder)
    patch = difflib.unified_diff(text.splitlines(), changed.splitlines(), f"a/{file}", f"b/{file}", lineterm="")
    print_safely("\n".join(line.rstrip() for line in patch), flush=True)
    after = _run(folder, command, {file: changed}, "with the change")
    problem = _problem(before, after, _run(folder, command, {}, "as it is again"))
    spent = [(before.compiling_s, after.compiling_s), (before.running_s, after.running_s)]
    compiling, running = (" → ".join(f"{seconds:.2f}" for seconds in pair) for pair in spent)
    print_safely(f"\n{f'does not hold: {problem}' if problem else 'holds'}")
    print_safely(f"{before.n_compiles:,} → {after.n_compiles:,} compiles, compiling {compiling} s, running {running} s")
    print_safely(f"outputs: {_compare(before.output, after.output)}")
    return 1 if problem else 0


def _tell_plan(folder: Path, command: list[str]) -> None:
    """Say what will be run, and where."""
    within = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    sizes = [(folder / path).stat().st_size for path in within if not set(path.parts) & set(_NOT_COPIED)]
    copied = f"{folder} ({count(len(sizes), 'file')}, {size(sum(sizes))})"
    if sum(sizes) > _MOST_BYTES:
        raise RefusedError(f"{copied} is more to copy than {size(_MOST_BYTES)}. Run it from a smaller folder.")
    ran = one_line(f"python {' '.join(command)}")
    print_safely(f"{ran} runs three times, as it is, changed, as it is; each time in a copy of {copied}.")
    print_safely("What it does elsewhere, to other files or over a network, it does three times.\n", flush=True)


def _run(folder: Path, command: list[str], texts: dict[str, str], how: str) -> Trial:
    """Run a command in a new copy of a folder in which some files have other texts, recorded."""
    with tempfile.TemporaryDirectory(prefix="jitviz-try-") as place, progress(f"running {command[0]} {how}"):
        copy, saved = Path(place, folder.name), Path(place, "run.jsonl")
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))
        for file, text in texts.items():
            (copy / file).write_text(text, encoding="utf-8")
        paths = os.environ.get("PYTHONPATH", "").replace(str(folder), str(copy))
        done = subprocess.run(
            [sys.executable, "-m", "jitviz", "run", "--save", str(saved), *command],
            cwd=copy,
            env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        recording = load(saved) if saved.exists() else Recording([], is_closed=True)
        return Trial(recording, done.returncode, done.stdout.replace(str(copy), str(folder)), done.stderr)


def _chosen(recording: Recording, number: int | None, folder: Path) -> tuple[str, str, str]:
    """The file that the edit of a finding is for, its text, and the edited one; of the first finding that has an edit
    if none is named."""
    found = recording.findings
    if number is not None and number > len(found):
        raise RefusedError(f"there is no finding {number}: {count(len(found), 'finding')} in this run")
    at = number or next((at for at, finding in enumerate(found, 1) if finding.edit), 0)
    edit = found[at - 1].edit if at else None
    if edit is None:
        which = f"finding {at} has no edit" if at else "no finding of this run has an edit"
        raise RefusedError(f"{which}. Give the changed script as AFTER.")
    print_safely(f"finding {at}: {found[at - 1].advice}\n")
    if not (folder / edit.file).is_file():
        raise RefusedError(f"the edit is for {edit.file}, which is not in {folder}")
    text = _read(folder / edit.file)
    lines, old, first = text.split("\n"), edit.old.split("\n"), edit.line - 1
    if lines[first : first + len(old)] != old:
        raise RefusedError(f"{edit.file}, line {edit.line}, is not what ran")
    return edit.file, text, "\n".join([*lines[:first], edit.new, *lines[first + len(old) :]])


def _read(path: Path) -> str:
    """The text of a file, with plain line ends."""
    try:
        return path.read_text(encoding="utf-8")
    except ValueError:
        raise RefusedError(f"{path} is not UTF-8") from None


def _problem(before: Trial, after: Trial, again: Trial) -> str:
    """Why the change does not hold; "" if it does."""
    if (before.n_compiles, before.status) != (again.n_compiles, again.status):
        told = f"{count(before.n_compiles, 'compile')}, then {again.n_compiles:,}"
        return f"as it is, it does not do the same twice: {told}. A run reads what an earlier one left elsewhere."
    if _differ(before.output, again.output):
        return f"as it is, its outputs differ from run to run: {_difference(before.output, again.output)}"
    if before.status != after.status:
        return f"it ends with {after.end}"
    if _differ(before.output, after.output):
        return f"the outputs differ: {_difference(before.output, after.output)}"
    if after.n_compiles >= before.n_compiles:
        return "it saves no compile"
    running_s = max(run.running_s for run in (before, again))
    all_s = max(run.running_s + run.compiling_s for run in (before, again))
    is_slower = after.running_s > _SLOWER * running_s + _SLACK_S
    return "it is slower" if is_slower or after.running_s + after.compiling_s > _SLOWER * all_s + _SLACK_S else ""


def _difference(old: str, new: str) -> str:
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    was, now = next((pair for pair in pairs if _differ(*pair)), ("", "lines came or went"))
    return f"{now.strip()!r}, and it was {was.strip()!r}"


def _differ(old: str, new: str) -> bool:
    return _compare(old, new) == "different"


def _compare(old: str, new: str) -> str:
    """How equal two outputs are, in words."""
    if old == new:
        return "equal" if old.strip() else "equal (nothing was printed)"
    for changing, what in ((_ADDRESS, "addresses"), (_TIME, "times")):
        old, new = changing.sub("#", old), changing.sub("#", new)
        if old == new:
            return f"equal but for {what}"
    pairs = zip(*(map(float, _NUMBER.findall(text)) for text in (old, new)), strict=False)
    texts = [_NUMBER.sub("#", text).split() for text in (old, new)]
    are_close = texts[0] == texts[1] and all(math.isclose(*pair, rel_tol=1e-5, abs_tol=1e-7) for pair in pairs)
    return "equal to 5 digits" if are_close else "different"
