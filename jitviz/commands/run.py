"""`jitviz run`: run a script or a module as Python does, and record it.

In: the program and its arguments.  Out: its own output and exit status; findings on stderr and in files.
"""

import argparse
import contextlib
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO, TypeAlias

from ..findings.lock_section import read_section
from ..model import count, is_avoidable, system
from ..model.printable import print_safely
from ..recording import Recording, merge
from ..recording.events import CaptureFailed, ErrorRaised, RecordingFinished, RecordingStarted
from ..recording.redaction import this_host
from ..recording.whole_file import refuse_if_taken
from . import children
from .jax_import import when_jax_is_imported
from .lock import NAME, compare_with, locked_section, save_section
from .now import is_recording
from .parsers import Commands, RefusedError, add_width, at_least, check_outputs, progress
from .user_program import INTERRUPTED, end_by_interrupt, run_module, run_script

_OPTIONS = {"--save", "--html", "--json", "--max-recompiles", "--locked"}
# A file of the report: what it is, its path as the user wrote it and in full, if any, and what writes it.
Output: TypeAlias = tuple[str, Path | None, Path | None, Callable[[Path], object]]


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "run",
        help="run a script or a module, and report what its jitted functions did",
        usage="jitviz run [--save P] [--html P] [--json P] [--max-recompiles N] [--locked] (SCRIPT | -m MODULE) [ARGS]",
        description="Run a program as Python does, with its own arguments, streams and exit status. What jitviz found "
        "goes to stderr when the program ends, and to the files that you name.",
        epilog="example: jitviz run --save run.jsonl --html run.html train.py --epochs 3",
    )
    parser.set_defaults(main=_main, parser=parser)
    parser.add_argument("--save", type=Path, metavar="P", help="write the recording, event by event")
    parser.add_argument("--html", type=Path, metavar="P", help="write a page that opens offline")
    parser.add_argument("--json", type=Path, metavar="P", help="write the findings as JSON")
    text = "exit with status 1 if more than N recompiles could have been avoided"
    parser.add_argument("--max-recompiles", type=at_least(0), metavar="N", help=text)
    text = f"exit with status 1 if it compiles something that is not in {NAME}, which `jitviz lock` writes"
    parser.add_argument("--locked", action="store_true", help=text)
    parser.add_argument("--lock", action="store_true", help=argparse.SUPPRESS)  # of `jitviz lock`
    add_width(parser)
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="the module to run")
    parser.add_argument("script", nargs="?", metavar="SCRIPT", help="the Python file to run")
    parser.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="arguments of the program")


def _main(options: argparse.Namespace) -> int:
    if not (options.module or options.script):
        named = {"--save": options.save, "--html": options.html, "--json": options.json}
        taken = [f". {name} took {path} as its output" for name, path in named.items() if path and path.suffix == ".py"]
        options.parser.error(f"give a script, or -m and a module{''.join(taken)}")
    if options.script and is_recording(Path(options.script)):
        raise RefusedError(f"{options.script} is a recording. Write: jitviz show {shlex.quote(options.script)}")
    check_outputs((options.save, options.html, options.json), [Path(options.script)] if options.script else ())
    save, html, json = (path and path.absolute() for path in (options.save, options.html, options.json))
    if save:
        refuse_if_taken(save)  # before the program runs
    lock = Path(NAME).absolute()
    label = options.module[0] if options.module else Path(options.script).absolute().name
    program = ["-m", *options.module] if options.module else [options.script, *options.args]
    to_lock = shlex.join(["jitviz", "lock", *program])
    locked = locked_section(lock, label, to_lock) if options.locked else None
    stderr, process = sys.stderr, os.getpid()  # the program may change its streams, and the working directory
    folder = Path(os.environ.get(children.VARIABLE) or f"{options.save}.children")
    with children.recorded(save) as load_children:
        recording, status, is_saved = _record(options, save, label)
        with contextlib.suppress(ValueError, OSError):  # closed, or a pipe without a reader
            sys.stdout.flush()
        if os.getpid() == process:  # a fork leaves the report to its parent
            below = load_children()
            whole = merge(recording, *below) if below else recording
            outputs: list[Output] = [
                ("page", options.html, html, whole.to_html),
                ("findings", options.json, json, whole.to_json),
                ("recording", options.save, save, (lambda _: None) if is_saved else recording.save),
            ]
            if below and save:
                many = count(len(below), "child process")
                outputs.append((f"recordings of {many}", folder, folder, lambda _: None))
            if options.lock and not status:
                outputs.append(("lock", Path(NAME), lock, lambda path: save_section(path, label, read_section(whole))))
            told = compare_with(locked, read_section(whole), to_lock) if locked and not status else []
            status = _report(options, whole, status, outputs, stderr, told)
    if status == INTERRUPTED:
        end_by_interrupt()
    return status


def _report(
    options: argparse.Namespace,
    recording: Recording,
    status: int,
    outputs: Sequence[Output],
    stderr: TextIO | None,
    differences: Sequence[str],
) -> int:
    """Say what was found, write the files, and return the status, or a worse one."""

    def tell(text: str) -> None:
        if stderr is not None:  # None would mean stdout
            with contextlib.suppress(ValueError, OSError):
                print_safely(text, file=stderr)

    from ..display.access import OF_A_RUN, in_files
    from ..display.text import render_beginning

    kept = [str(named) for what, named, *_ in outputs if named and what.startswith("recording")]
    access = in_files(kept, are_merged=len(kept) > 1) if kept else OF_A_RUN
    try:
        tell(render_beginning(recording, options.width, access=access))
    except Exception as error:  # noqa: BLE001 - in jitviz, and neither the program nor its files are to suffer from it
        tell(f"jitviz run: the report failed: {type(error).__name__}: {error}")
    for what, named, path, write in outputs:
        if path is None:
            continue
        try:
            with progress(f"writing {named}", stderr):
                write(path)
        except Exception as error:  # noqa: BLE001 - the program did it, or jitviz; its own status matters more
            tell(f"jitviz run: {named}: {getattr(error, 'strerror', None) or error}")
            status = status or 2
        else:
            tell(f"{what}: {named}")
    objections = [] if status else _objections(options, recording, differences)
    for sentence in (*_misplaced(options), *objections):
        tell(sentence)
    return 1 if objections else status


def _objections(options: argparse.Namespace, recording: Recording, differences: Sequence[str]) -> Sequence[str]:
    """Why a run that ended well has status 1."""
    n_avoidable, most = sum(map(is_avoidable, recording.compiles)), options.max_recompiles
    if most is not None and n_avoidable > most:
        return [f"jitviz run: {count(n_avoidable, 'recompile')} could have been avoided, and the limit is {most}"]
    return differences


def _misplaced(options: argparse.Namespace) -> list[str]:
    """Which options of jitviz the program got."""
    names = sorted(_OPTIONS.intersection(options.args))
    return [f"jitviz run: {name} went to {options.script}. Options of jitviz come before the script." for name in names]


def _record(options: argparse.Namespace, save: Path | None, label: str) -> tuple[Recording, int, bool]:
    """Run the program, recorded from the moment it imports jax. Returns the recording, the exit status, and whether the
    recording is saved."""
    started_s = system.time()
    recordings: list[Recording] = []
    saved: list[Path] = []
    process, ended, thread = os.getpid(), None, system.current_thread()  # which may not be the one that imports jax

    def begin() -> None:
        from ..capture import begin

        if os.getpid() != process:  # a fork that imports jax itself
            children.begin()
            return
        recordings.append(begin(label, thread=thread))
        children.follow_forks(recordings[0])
        if save:
            with contextlib.suppress(OSError):  # a full disk, say; the program goes on
                saved.append(recordings[0].save(save))  # from now on the file is complete even if it is killed

    try:
        with when_jax_is_imported(begin) as failures:
            ran = run_module(label, options.module[1:]) if options.module else run_script(options.script, options.args)
        ended = ran.cause
        if recordings and ran.raised is not None:
            recordings[0].append(ErrorRaised(system.time(), ran.raised))
    finally:
        if recordings:
            from ..capture import end

            end(recordings[0], ended)
    return recordings[0] if recordings else _unrecorded(label, started_s, ended, failures), ran.status, bool(saved)


def _unrecorded(label: str, started_s: float, ended: str, failures: Sequence[Exception]) -> Recording:
    """The recording of a program that did not import jax, or imported it unseen."""
    has_jax, now = sys.modules.get("jax") is not None, system.time()
    why = "; ".join(f"{type(error).__name__}: {error}" for error in failures) or "its import was not seen"
    return Recording(
        [
            RecordingStarted(started_s, label, (("jax", "?"),) * has_jax, host=this_host(), pid=os.getpid()),
            *[CaptureFailed(now, "jax", why)] * has_jax,
            RecordingFinished(now, ended=ended),
        ]
    )
