"""Running the user's program as `python SCRIPT ARGS` or `python -m MODULE ARGS` does.

In: a script or module, and its arguments.  Out: the exit status that Python itself would end with, and why.
Must never: change what the program sees: its arguments, its `__main__`, its streams, its signals.
"""

import atexit
import builtins
import os
import pkgutil
import runpy
import signal
import sys
import threading
from collections.abc import Callable, MutableMapping, Sequence
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ..model import Raised
from ..recording import RefusedError

_CONTROL_C = -0x3FFFFEC6  # STATUS_CONTROL_C_EXIT
INTERRUPTED = 130  # the exit status in a shell of a program that Ctrl-C ended
_OWN = (__file__, runpy.__file__, "<frozen runpy>")
_GONE = object()
_NAME_OF = type.__dict__["__name__"].__get__  # a metaclass of the user's may have its own

# What belongs to one of the two programs in this process, the user's or jitviz: where it is, its name, its value.
_Place = list[tuple[MutableMapping[str, Any], str, object]]


class End(NamedTuple):
    """How a program ended: its exit status, and its cause ("ZeroDivisionError", "status 3"), "" for a normal end; an
    exception is explained."""

    status: int
    cause: str = ""
    raised: Raised | None = None


def run_script(named: str, args: Sequence[str]) -> End:
    """Run a file, or the `__main__.py` of a folder or a zip file."""
    main = _new_main()
    full = str(Path.cwd()) if named == "." else os.path.join(Path.cwd(), named)  # noqa: PTH118  # as Python joins them
    if pkgutil.get_importer(full) is not None:  # so Python decides, too
        return _run(lambda: _run_module("__main__", is_named=False), [named, *args], full, main)
    is_compiled = named.endswith(".pyc")
    loader = (SourcelessFileLoader if is_compiled else SourceFileLoader)("__main__", full)
    source = loader.get_data(named)
    vars(main).update(__file__=full, __cached__=None, __loader__=loader)

    def run() -> None:
        code = loader.get_code("__main__") if is_compiled else compile(source, full, "exec", dont_inherit=True)
        exec(code, vars(main))  # type: ignore[arg-type]  # the loader of a file returns its code, or raises

    folder = "" if sys.flags.safe_path else str(Path(full).resolve().parent)
    return _run(run, [named, *args], folder, main)


def run_module(name: str, args: Sequence[str]) -> End:
    folder = "" if sys.flags.safe_path else str(Path.cwd())
    return _run(lambda: _run_module(name, is_named=True), ["-m", *args], folder, _new_main())


def _new_main() -> ModuleType:
    """A main module as Python makes it, before it knows what to run."""
    module = ModuleType("__main__")
    vars(module).update(__annotations__={}, __builtins__=builtins)
    return module


def _run_module(name: str, *, is_named: bool) -> None:
    # As Python does. The public `run_module` restores the former main module too early.
    runpy._run_module_as_main(name, is_named)  # type: ignore[attr-defined]  # noqa: SLF001


def _run(run: Callable[[], None], argv: list[str], folder: str, main: ModuleType) -> End:
    """Run the program until its last thread ends; print its errors as Python does."""
    others = set(threading.enumerate())
    before = _get()
    path = [folder] * bool(folder) + (sys.path if sys.flags.safe_path else sys.path[1:])  # which is jitviz's own folder
    _set([(vars(sys), "argv", argv), (vars(sys), "path", path), (sys.modules, "__main__", main)])
    try:
        end = _end_of(run)
        while left := [thread for thread in threading.enumerate() if not (thread.daemon or thread in others)]:
            for tell_end in reversed(vars(threading).get("_threading_atexits", ())):  # to executors, as Python does
                tell_end()
            for thread in left:
                thread.join()
        return end
    finally:
        atexit.register(_set, _get())  # registered last, so called first: what runs at exit is the program's own
        _set(before)


def _get() -> _Place:
    """What the program has left there: it may delete all of it."""
    names = ((vars(sys), "argv"), (vars(sys), "path"), (sys.modules, "__main__"))
    return [(space, name, space.get(name, _GONE)) for space, name in names]


def _set(place: _Place) -> None:
    for space, name, value in place:
        space[name] = value
        if value is _GONE:
            del space[name]


def _end_of(run: Callable[[], None]) -> End:
    try:
        run()
    except SystemExit as end:
        if isinstance(end.__context__, runpy._Error):  # type: ignore[attr-defined]  # noqa: SLF001
            raise RefusedError(str(end.__context__)) from None
        if end.code is None or isinstance(end.code, int):
            return End(end.code, f"status {end.code}") if end.code else End(0)
        print(end.code, file=sys.stderr)
        return End(1, "status 1")
    except BaseException as error:  # noqa: BLE001  # as Python itself does at the end of a program
        while error.__traceback__ is not None and error.__traceback__.tb_frame.f_code.co_filename in _OWN:
            error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        is_interrupt = isinstance(error, KeyboardInterrupt)
        return End(
            INTERRUPTED if is_interrupt else 1, _NAME_OF(type(error)), None if is_interrupt else _explained(error)
        )
    return End(0)


def _explained(error: BaseException) -> Raised | None:
    """The exception of a program that uses jax, explained."""
    if sys.modules.get("jax") is None:
        return None
    try:
        from ..errors import explained

        return explained(error)
    except Exception:  # noqa: BLE001  # in jitviz; the program has ended, and its report follows
        return None


def end_by_interrupt() -> None:
    """End this process as an uncaught Ctrl-C does, so that its parent process can tell."""
    if sys.platform == "win32":  # where `os.kill` ends it with the number of the signal as its status
        os._exit(_CONTROL_C)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
