"""Running the user's program as `python SCRIPT ARGS` or `python -m MODULE ARGS` does.

In: a script or module, and its arguments.  Out: the exit status that Python itself would end with.
Must never: change what the program sees: its arguments, its `__main__`, its streams, its signals.
"""

from __future__ import annotations

import atexit
import os
import runpy
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, TracebackType

from ..recording import RefusedError

INTERRUPTED = 130  # the exit status in a shell of a program that Ctrl-C ended
_OWN = (__file__, runpy.__file__, "<frozen runpy>")


def run_script(path: Path, args: Sequence[str]) -> int:
    """Run a file.

    Raises:
        OSError: it cannot be read.
    """
    source, full = path.read_bytes(), str(path.absolute())
    module = ModuleType("__main__")
    module.__file__ = full

    def run() -> None:
        exec(compile(source, full, "exec"), module.__dict__)

    return _run(run, [str(path), *args], str(path.resolve().parent), module)


def run_module(name: str, args: Sequence[str]) -> int:
    """Run a module, or the `__main__` of a package.

    Raises:
        RefusedError: there is no module of this name.
    """
    folder = sys.path[0] = str(Path.cwd())
    if not _is_found(name):
        raise RefusedError(f"no module named {name}")

    def run() -> None:
        # As Python does for -m. The public `run_module` restores the former main module too early.
        runpy._run_module_as_main(name)  # type: ignore[attr-defined]  # noqa: SLF001

    return _run(run, [name, *args], folder, ModuleType("__main__"))


def _is_found(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        return False


def _run(run: Callable[[], None], argv: list[str], folder: str, main: ModuleType) -> int:
    """Run the program until its last thread ends; print its errors as Python does."""
    others = set(threading.enumerate())
    before = _get()
    _set(argv, folder, main)
    try:
        status = _status_of(run)
        for thread in set(threading.enumerate()) - others - _pooled():
            if not thread.daemon:
                thread.join()
        return status
    finally:
        atexit.register(_set, *_get())  # registered last, so called first: what runs at exit is the program's own
        _set(*before)


def _get() -> tuple[list[str], str, ModuleType]:
    return sys.argv, sys.path[0], sys.modules["__main__"]


def _set(argv: list[str], folder: str, main: ModuleType) -> None:
    sys.argv, sys.path[0], sys.modules["__main__"] = argv, folder, main


def _pooled() -> set[threading.Thread]:
    """The threads of executors that were not shut down: they wait for work until Python ends them."""
    pools = sys.modules.get("concurrent.futures.thread")
    return set(getattr(pools, "_threads_queues", ()))


def _status_of(run: Callable[[], None]) -> int:
    try:
        run()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:  # noqa: BLE001  # as Python itself does at the end of a program
        error.__traceback__ = _without_own(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _without_own(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename in _OWN:
        traceback = traceback.tb_next
    return traceback


def end_by_interrupt() -> None:
    """End this process as an uncaught Ctrl-C does, so that its parent process can tell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
