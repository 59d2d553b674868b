"""Switching capture on and off.

In: `watch()`, `record()`, `begin()` / `end()`.  Out: installed hooks, and recordings.
Must never: leave a hook behind, or remove one that is not ours.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import platform
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator

import jax
import jax.monitoring

from ..jaxcompat import arrays, caches, disk_cache, events, private
from ..recording import Recording, redaction
from ..recording import events as ev
from . import failures, identity, sampler, sources
from .hooks import equinox as equinox_calls
from .hooks import filters as filter_calls
from .hooks import hits, phases, profiles
from .hooks.watcher import Guard, Sink, watcher

_TOKEN = secrets.token_hex(8)
_is_watching = False


def watch() -> None:
    """Begin the process-wide history: from now on every miss is noted, so that later ones can be compared with it.

    Costs nothing on a hit. Calling it again changes nothing, unless somebody cleared all listeners meanwhile.
    """
    global _is_watching
    with watcher.lock:
        was_watching, _is_watching = _is_watching, True
        if not was_watching:
            failures.report = watcher.emit
            watcher.probe = caches.ClearedProbe()
            watcher.functions.note_warm()
        hears_starts, hears_ends, hears_loads = _is_listening(was_watching)
        if not hears_starts:
            _ask("register_scalar_listener", phases.on_start)
        if not hears_ends:
            _ask("register_event_time_span_listener", phases.on_end)
        if not hears_loads:
            _ask("register_event_duration_secs_listener", phases.on_duration)


def _ask(name: str, listener: Callable[..., None]) -> None:
    """Ask JAX to call a listener, or to call it no more; where it has no such function, nobody is called."""
    function = getattr(jax.monitoring, name, None)
    if function is not None:
        function(listener)


def unwatch() -> None:
    """Remove every hook of ours. Open recordings end; the history stays, for the next `watch()`."""
    _stop()
    watcher.read_all()  # the names of cells go with the extension


def _stop() -> None:
    global _is_watching
    for sink in list(watcher.sinks):
        end(sink.recording)
    with watcher.lock:
        if not _is_watching:
            return
        _is_watching, watcher.probe = False, None
        hears_starts, hears_ends, hears_loads = _is_listening(True)
        if hears_starts:
            _ask("unregister_scalar_listener", phases.on_start)
        if hears_ends:
            _ask("unregister_event_time_span_listener", phases.on_end)
        if hears_loads:
            _ask("unregister_event_duration_listener", phases.on_duration)
        failures.report = None


atexit.register(_stop)  # while all that a hook and a file need is there still


def _is_listening(before: bool) -> tuple[bool, ...]:
    return events.is_listening(phases.on_start, phases.on_end, phases.on_duration, before=before)


def is_watching() -> bool:
    """Whether misses are being noted."""
    return _is_watching


MAX_BYTES = 64 << 20


def begin(
    label: str = "", *, profile: bool = False, sample: bool = True, max_bytes: int | None = MAX_BYTES
) -> Recording:
    """Open a recording: from now on it is told of every call and every compile in the process.

    With `sample`, a thread notes every few milliseconds which of the user's lines this thread is at.

    Raises:
        RuntimeError: XLA's passes are to be noted with `profile`, while a session of `jax.profiler` is open.
    """
    if profile and profiles.is_refused():
        raise RuntimeError(profiles.IS_OPEN)
    watch()
    sources.forget_labels()
    recording = Recording(catch_up=watcher.tell_hits, max_bytes=max_bytes)
    with watcher.lock:
        _hear_of_calls()
        watcher.look_anew()
        watcher.sinks.append(Sink(recording, has_profile=profile))
        thread = threading.current_thread().name
        recording.append(
            ev.RecordingStarted(
                at_s=time.time(),
                label=redaction.redacted(label),
                versions=versions(),
                limits=(*hits.limits(), *private.limits()),
                process=_process(),
                hits_seen=hits.seen(),
                thread=thread,
                host=redaction.without_user(platform.node()),
                pid=os.getpid(),
                process_index=watcher.process_index,
            )
        )
        if sample:
            sampler.begin(recording, watcher.phases)
    hits.look_again()
    return recording


def end(recording: Recording) -> Recording:
    """Close a recording. Closing it again changes nothing."""
    with watcher.lock:
        mine = [sink for sink in watcher.sinks if sink.recording is recording]
        if not mine:
            return recording
        watcher.tell_hits()
        lines = sampler.end(recording)
        if lines is not None:
            recording.append(lines)
        _note_what_is_gone(mine[0])
        recording.append(ev.RecordingFinished(time.time(), versions(), _disk_key() or ()))
        watcher.sinks = [sink for sink in watcher.sinks if sink.recording is not recording]
        if not any(sink.has_profile for sink in watcher.sinks):
            profiles.close()
        _hear_no_more()
    recording.close()
    return recording


@failures.guarded(())
def _disk_key() -> tuple[tuple[str, str], ...]:
    return disk_cache.key_of_process()


@failures.guarded(None)
def _note_what_is_gone(sink: Sink) -> None:
    """Versions that caches hold no more: those that were cleared, and those whose function is gone."""
    watcher.look_for_clearing(time.time())
    if gone := watcher.gone(sink):
        sink.recording.append(ev.FunctionsGone(time.time(), gone))


def _hear_of_calls() -> None:
    """Begin to hear of every call, for the first who wants to."""
    if not _wants_calls():
        watcher.forget_open_calls()
        equinox_calls.install()
        filter_calls.install()
        hits.install()


def _hear_no_more() -> None:
    """End it after the last one."""
    if not _wants_calls():
        equinox_calls.uninstall()
        filter_calls.uninstall()
        hits.uninstall()


def _wants_calls() -> bool:
    return bool(watcher.sinks) or any(guard.hit is not None for guard in watcher.guards)


@contextlib.contextmanager
def guarding(guard: Guard) -> Iterator[None]:
    """Have a guard told of every miss, and of every hit if it wants to."""
    watch()
    with watcher.lock:
        if guard.hit is not None:
            _hear_of_calls()
            watcher.look_anew()
        watcher.guards.append(guard)
    if guard.hit is not None:
        hits.look_again()
    try:
        yield
    finally:
        with watcher.lock:
            watcher.guards.remove(guard)
            if guard.hit is not None:
                _hear_no_more()


@contextlib.contextmanager
def record(
    label: str = "", *, profile: bool = False, sample: bool = True, max_bytes: int | None = MAX_BYTES
) -> Iterator[Recording]:
    """Record every jitted call of the block, as `%%filterjit` does for a cell.

    A thread looks every few milliseconds which line of yours is running, for `Recording.account`; `sample=False` does
    without. With `profile=True`, `Compile.passes` has XLA's own passes, from `jax.profiler`. Of a recording that grows
    beyond `max_bytes`, the oldest hits become sums by line and minute, and the biggest texts go; None keeps all.

    >>> with jitviz.record() as rec:
    ...     step(params, batch)
    >>> print(rec)

    The recording is live: `rec.calls` and `rec.compiles` can be read inside the block.

    Raises:
        RuntimeError: `profile` is asked for while a session of `jax.profiler` is open; there can be only one.
    """
    recording = begin(label, profile=profile, sample=sample, max_bytes=max_bytes)
    try:
        yield recording
    finally:
        end(recording)


def _after_fork() -> None:
    """In a forked child: locks that other threads held are held for ever, and files belong to the parent."""
    watcher.lock = threading.RLock()
    identity.renew_lock()
    sampler.forget()
    for sink in watcher.sinks:
        sink.recording.leave_file()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=sampler.pause, after_in_parent=sampler.go_on, after_in_child=_after_fork)


def _process() -> str:
    """What is equal for recordings that share the numbers of `watcher`; a forked child counts on by itself."""
    return f"{os.getpid()}-{_TOKEN}"


def versions() -> tuple[tuple[str, str], ...]:
    """What this process records with."""
    names = [name for name in ("jitviz", "jax", "equinox", "flax") if name in sys.modules]
    found: dict[str, str] = {name: str(getattr(sys.modules[name], "__version__", "?")) for name in names}
    found["python"] = platform.python_version()
    if backend := arrays.backend_name():
        found["backend"] = backend
    return tuple(found.items())
