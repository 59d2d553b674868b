"""XLA's own passes: a profiler session for the compile phase of each miss, for recordings with `profile=True`.

In: the start and the end of compile phases.  Out: a profile that is read later.
Must never: start a session while the user has one, leave one open, or profile anything but a compile.

A process has one session at a time: of two simultaneous compiles, only the first is profiled.
"""

import contextlib
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...jaxcompat import devices, xla_profiles
from ...recording import events as ev
from ...recording.unread_programs import Unread
from ..failures import guarded
from ..log.watcher import watcher

IS_OPEN = (
    "XLA's passes are not recorded: another jax.profiler session is open, and JAX allows one at a time. End it with "
    "jax.profiler.stop_trace() and record again."
)
_OF_PROFILE = 40  # bytes of spans for each byte of the profile


class _Open(NamedTuple):
    number: ev.CompileNumber
    thread: int
    folder: tempfile.TemporaryDirectory[str]
    started_s: float


_open: _Open | None = None


def is_refused() -> bool:
    """Whether another profiler session is open. JAX has no function that returns this. It allows one session at a time,
    and starting another one raises (https://github.com/jax-ml/jax/blob/main/jax/_src/profiler.py)."""
    if not devices.backend_name():  # a session would start a backend, and the choice is the user's
        return False
    with tempfile.TemporaryDirectory(prefix="jitviz") as name:
        try:
            xla_profiles.start(Path(name))
        except RuntimeError:
            return True
        xla_profiles.stop(Path(name))
    return False


@guarded(None)
def begin(number: ev.CompileNumber) -> None:
    """The compile phase of this miss begins."""
    global _open
    if not any(sink.has_profile for sink in watcher.sinks):
        return
    with watcher.lock:
        if _open is not None and _open.thread == threading.get_ident():
            close()  # the end of its phase never came
        if _open is not None:
            return
        folder = tempfile.TemporaryDirectory(prefix="jitviz", ignore_cleanup_errors=True)
        started_s = time.time()
        try:
            xla_profiles.start(Path(folder.name))
        except RuntimeError:
            folder.cleanup()
            watcher.emit(ev.CaptureFailed(started_s, "profile", IS_OPEN))
        else:
            _open = _Open(number, threading.get_ident(), folder, started_s)


@guarded(None)
def end(number: ev.CompileNumber, at_s: float) -> None:
    """The compile phase of this miss ended."""
    global _open
    if _open is None or _open.number != number:
        return
    opened, _open = _open, None
    with opened.folder as name:
        profile = xla_profiles.stop(Path(name))
    read = partial(_passes, number, at_s, opened.started_s, profile)
    watcher.expect(Unread(len(profile) * _OF_PROFILE, read, number))


def close() -> None:
    """End a session that jitviz left open, and drop its profile."""
    global _open
    opened, _open = _open, None
    if opened is not None:
        with opened.folder as name, contextlib.suppress(Exception):
            xla_profiles.stop(Path(name))


def _passes(number: ev.CompileNumber, at_s: float, started_s: float, profile: bytes) -> Iterator[ev.Event]:
    passes = (replace(span, start_s=started_s + span.start_s) for span in xla_profiles.spans(profile))
    yield ev.PassesSeen(at_s, number, tuple(passes))
