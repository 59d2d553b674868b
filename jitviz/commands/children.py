"""Recording the processes below one that has `JITVIZ=DIR` in its environment: each that imports jax has a file in DIR.

In: the folder, from `jitviz run` or by hand.  Out: a recording for each process, saved while it runs.
Must never: change a process that does not import jax, print to its stdout, or write into a file of its parent.

A new interpreter passes through `children.pth`, which lies in site-packages as `jitviz.pth` and calls `find_jax`. A
fork does not, so it begins a recording of its own here. Its file is written once it has called a jitted function.
"""

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from ..model.printable import one_line
from ..recording import Recording, RefusedError, load
from ..recording import events as ev
from .jax_import import call_when_jax_is_imported

VARIABLE = "JITVIZ"
_own: Recording | None = None  # of this process


def find_jax(instead_of: Any, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
    """Find jax for the finder of `children.pth`, which has done its work, and record this process once it is loaded."""
    with contextlib.suppress(ValueError):  # another thread has found it
        sys.meta_path.remove(instead_of)
    return call_when_jax_is_imported(begin).find_spec("jax", path, target)


def begin() -> None:
    """Record this process into the folder, from now on."""
    with _complaints():
        if begun := _begin():
            recording, path = begun
            recording.save(path)


def _begin(*, is_fork: bool = False) -> tuple[Recording, Path] | None:
    from .. import capture

    if not os.environ.get(VARIABLE):
        return None
    label = (sys.argv[:1] or [""])[0]
    is_worker = is_fork or _of_multiprocessing() is not None
    below: ev.Below = "worker" if is_worker else "child"
    recording = capture.begin(label and Path(label).name, thread=threading.main_thread(), below=below)
    follow_forks(recording)
    _end_with_multiprocessing()
    folder = Path(os.environ[VARIABLE])
    folder.mkdir(parents=True, exist_ok=True)
    return recording, folder / f"{recording.facts.processes[''].process}.jsonl"


def follow_forks(recording: Recording) -> None:
    """From now on, a fork of this process has a recording of its own instead of this one."""
    global _own
    is_first, _own = _own is None, recording
    if is_first:
        atexit.register(_end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_after_fork)  # after that of `capture`, which renews the locks


def _after_fork() -> None:
    from .. import capture

    with _complaints():
        if _own is None or not capture.leave(_own) or not (begun := _begin(is_fork=True)):
            return
        _save_once_used(*begun)
        if util := sys.modules.get("multiprocessing.util"):  # which forgets in a fork what is to be done at its end
            util.register_after_fork(begun[0], lambda _: _end_with_multiprocessing())


def _save_once_used(recording: Recording, path: Path) -> None:
    def look(event: ev.Event) -> None:
        if isinstance(event, ev.FunctionSeen | ev.OpCompiled):
            stop()
            with _complaints():
                recording.save(path)

    stop = recording.listen(look)


def _end_with_multiprocessing() -> None:
    """A process that `multiprocessing` has forked ends without `atexit`."""
    if util := _of_multiprocessing():
        util.Finalize(None, _end, exitpriority=-100)


def _of_multiprocessing() -> Any:
    """The module that ends this process, if `multiprocessing` has started it."""
    process = sys.modules.get("multiprocessing.process")
    is_child = process is not None and process.parent_process() is not None
    return sys.modules.get("multiprocessing.util") if is_child else None


def _end() -> None:
    from .. import capture

    if _own is not None:
        capture.end(_own, "")


@contextlib.contextmanager
def _complaints() -> Iterator[None]:
    """Say on stderr what jitviz could not do, which the program must not see."""
    try:
        yield
    except Exception as error:  # noqa: BLE001
        what = getattr(error, "strerror", "") or f"{type(error).__name__}: {error}"
        with contextlib.suppress(OSError):
            os.write(2, f"jitviz: process {os.getpid()} is not recorded in JITVIZ: {one_line(what)}\n".encode())


@contextlib.contextmanager
def recorded(save: Path | None) -> Iterator[Callable[[], list[Recording]]]:
    """Have the processes that are started in the block recorded; yield what loads their recordings. They are kept
    beside the file `save`, or where `JITVIZ` says already."""
    process, before = os.getpid(), os.environ.get(VARIABLE)
    folder = Path(before) if before else beside(save) if save else Path(tempfile.mkdtemp(prefix="jitviz-"))
    if save and not before:
        for replaced in files_in(folder):
            replaced.unlink()
    known = set(files_in(folder))
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if type(finder).__module__ != "jitviz.pth"
    ]  # this one is recorded already
    os.environ[VARIABLE] = str(folder)
    try:
        yield lambda: [recording for path in files_in(folder) if path not in known for recording in _loaded(path)]
    finally:
        if os.getpid() == process:  # and no fork that ends by itself
            os.environ.pop(VARIABLE, None)
            if before:
                os.environ[VARIABLE] = before
            elif not save:
                shutil.rmtree(folder, ignore_errors=True)


def _loaded(path: Path) -> list[Recording]:
    try:
        return [load(path)]
    except (OSError, RefusedError):  # somebody else's
        return []


def beside(save: Path) -> Path:
    """The folder of the children's recordings of a run with the recording `save`."""
    return save.with_name(f"{save.name}.children")


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.jsonl") if path.is_file())  # opening a pipe would block


def files_at(place: Path) -> list[Path]:
    """The recordings in a folder; or a file, with those of the processes that its program started. A run that imports
    no jax itself has no file, and only those."""
    if place.is_dir():
        return files_in(place)
    below = files_in(beside(place))
    return [place, *below] if place.exists() or not below else below


def jobs_of(recordings: Sequence[Recording]) -> list[list[Recording]]:
    """The recordings of a folder, those of one job together: processes of `jax.distributed`, a process and what it
    started, and what one process has started side by side."""
    jobs: list[list[Recording]] = []
    for recording in recordings:
        own = [job for job in jobs if any(_are_related(recording, other) for other in job)]
        jobs = [job for job in jobs if job not in own] + [[*chain.from_iterable(own), recording]]
    return jobs


def _are_related(recording: Recording, other: Recording) -> bool:
    here, there = (rec.facts.processes.get("") for rec in (recording, other))
    if here is None or there is None:
        return False
    if here.process_index is not None and there.process_index is not None:
        return True
    starts = [rec.facts.started_s or 0.0 for rec in (recording, other)]
    ends = [start_s + rec.facts.wall_s for start_s, rec in zip(starts, (recording, other), strict=True)]
    is_beside = max(starts) <= min(ends) and here.parent == there.parent != 0
    is_below = here.parent == there.pid or there.parent == here.pid
    return here.host == there.host and (is_beside or is_below or here.process == there.process != "")
