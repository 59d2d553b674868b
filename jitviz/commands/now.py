"""`jitviz now`: what running programs are doing, or what killed ones were doing last.

In: files of recordings, folders of them, or numbers of processes that write one.  Out: a line for each.
Must never: signal a process, or write anything.

A process holds its file open, so that no list of recordings is needed: Linux and macOS say which files those are.
"""

import argparse
import math
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..findings.last_activity import tell_state
from ..model.printable import one_line, print_safely
from ..model.quantities import count
from ..recording import Recording, RefusedError, load
from .children import files_at
from .parsers import Commands


def add(commands: Commands) -> None:
    now = commands.add_parser(
        "now",
        help="say what a recorded program is doing now: phase, function, line, and for how long",
        description="Say what a program is doing that is recorded to a file, and since when. If it was killed, say "
        "what it did last. A folder stands for all recordings in it, with a line for each.",
        epilog="example: jitviz now run.jsonl",
    )
    now.set_defaults(main=_now)
    text = "a recording, a folder of them, or the number of a process that writes one, or whose children do"
    now.add_argument("places", nargs="+", metavar="FILE | DIR | PID", help=text)


def _now(options: argparse.Namespace) -> int:
    rows, n_unread = [], 0
    for path in dict.fromkeys(path for place in options.places for path in files_of(place)):
        try:
            rows.append((path, load(path)))
        except RefusedError:
            if str(path) in options.places:
                raise
            n_unread += 1
    if not rows:
        named = " ".join(options.places)
        raise RefusedError(f"{named}: no recordings here. Record a program with jitviz run --save P.")
    rows.sort(key=lambda row: _numbers(row[1]))
    names = [f"{_name(*row)}  " if len(rows) > 1 else "" for row in rows]
    for name, (_, recording) in zip(names, rows, strict=True):
        ended = f"ended with {recording.facts.ended}" if recording.facts.ended else "has ended"
        print_safely(f"{name:{max(map(len, names))}}{tell_state(recording) or ended}")
    if n_unread:
        print_safely(f"{count(n_unread, 'file')} there {'is' if n_unread == 1 else 'are'} no recording")
    return 0


def _numbers(recording: Recording) -> tuple[float, int]:
    """The number of a process among those of `jax.distributed`, and its own; infinite and 0 if they are not known."""
    process = recording.facts.processes.get("")
    index = None if process is None else process.process_index
    return math.inf if index is None else index, 0 if process is None else process.pid


def _name(path: Path, recording: Recording) -> str:
    """What tells the recordings apart: "process 0 (pid 12, run.jsonl)"."""
    index, pid = _numbers(recording)
    return f"{'' if index == math.inf else f'process {index} '}({f'pid {pid}, ' if pid else ''}{one_line(path.name)})"


def files_of(place: str) -> Iterator[Path]:
    """The recordings at a place that the user named: a file, a folder, or the number of a process."""
    if not place.isdecimal() or Path(place).exists():
        yield from files_at(Path(place))
        return
    found, pids = [], [place]
    for pid in pids:
        found += [path for path in _open_files(pid) if is_recording(path)]
        pids += _children(pid)
    if not found:
        raise RefusedError(f"No process {place} writes a recording. Start it with jitviz run --save P.")
    yield from found


def _children(pid: str) -> list[str]:
    """The processes that a process has started, which Linux says."""
    try:
        return [pid for path in Path(f"/proc/{pid}/task").glob("*/children") for pid in path.read_text().split()]
    except OSError:  # it has ended meanwhile
        return []


def _open_files(pid: str) -> Sequence[Path]:
    """The files that a process holds open, as far as this user may know them."""
    try:
        if Path("/proc").exists():
            return sorted({link.readlink() for link in Path(f"/proc/{pid}/fd").iterdir()})
        said = subprocess.run(["lsof", "-a", "-p", pid, "-Fn"], capture_output=True, text=True, check=False)  # macOS
    except OSError:
        return ()
    return sorted({Path(line[1:]) for line in said.stdout.splitlines() if line.startswith("n/")})


def is_recording(path: Path) -> bool:
    """Whether a file begins as recordings do."""
    if not path.is_file():  # opening a pipe would block
        return False
    try:
        with path.open("rb") as file:
            return file.read(10) == b'{"jitviz":'
    except OSError:
        return False
