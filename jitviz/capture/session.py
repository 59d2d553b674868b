"""Switching capture on and off.

In: `watch()`, `record()`, `begin()` / `end()`.  Out: installed hooks, and recordings.
Must never: leave a hook behind, or remove a hook of other code.
"""

import atexit
import contextlib
import os
import platform
import secrets
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import _GeneratorContextManager  # what `contextlib.contextmanager` makes
from typing import NoReturn

from ..jaxcompat import caches, devices, disk_cache, monitoring, private
from ..model import system
from ..recording import Recording, redaction
from ..recording import events as ev
from ..recording.unread_programs import reading
from . import failures, sampler, sources, tokens
from .adapters.registry import install_hooks, uninstall_hooks
from .hooks import call_sites, hits, phases
from .in_progress import forget_open_calls
from .log.watcher import Guard, Sink, watcher

_TOKEN = secrets.token_hex(8)
_is_watching = False
_MOST_FILES = 20_000  # to look at, which takes about 0.1 s
_LISTENERS: tuple[tuple[Callable[..., None], str], ...] = (
    (phases.on_start, "scalar"),
    (phases.on_end, "event_time_span"),
    (phases.on_event, "event"),
    (phases.on_duration, "event_duration_secs"),
)


def watch() -> None:
    """Begin the process-wide history: from now on every miss is noted, so that later ones can be compared with it.

    This costs nothing at a hit. Another call changes nothing, unless other code has cleared all listeners meanwhile.
    """
    global _is_watching
    with watcher.lock:
        was_watching, _is_watching = _is_watching, True
        if not was_watching:
            failures.take_failures()  # of a time when nobody watched
            watcher.probe = caches.ClearedProbe()
            watcher.functions.note_warm()
        _listen(should_listen=True, before=was_watching)


def _listen(*, should_listen: bool, before: bool) -> None:
    """Register or unregister each listener that needs it. A JAX that has lost one of the functions is left alone."""
    registered = monitoring.is_listening(*(listener for listener, *_ in _LISTENERS), before=before)
    for (listener, kind), is_registered in zip(_LISTENERS, registered, strict=True):
        change = monitoring.change_of(kind, should_listen=should_listen)
        if change is not None and is_registered != should_listen:
            change(listener)


def unwatch() -> None:
    """Remove every hook of jitviz. Open recordings end; the history stays, for the next `watch()`."""
    _stop()
    watcher.read_all()  # the names of cells are lost with the extension


def _stop() -> None:
    global _is_watching
    for sink in list(watcher.sinks):
        end(sink.recording)
    with watcher.lock:
        if not _is_watching:
            return
        _is_watching, watcher.probe = False, None
        _listen(should_listen=False, before=True)


atexit.register(_stop)  # while everything that hooks and files need still exists


def is_watching() -> bool:
    """Whether misses are being noted."""
    return _is_watching


MAX_BYTES = 64 << 20


def begin(
    label: str = "",
    *,
    sample: bool = True,
    max_bytes: int | None = MAX_BYTES,
    thread: threading.Thread | None = None,
    below: ev.Below = "",
) -> Recording:
    """Open a recording: from now on it receives every call and every compile in the process.

    The account is that of `thread`, or of this thread. With `sample`, another thread notes every few milliseconds which
    of the user's lines it is running.
    """
    watch()
    sources.forget_labels()
    recording = Recording(catch_up=watcher.flush_hits, max_bytes=max_bytes)
    with watcher.lock:
        _install_call_hooks()
        watcher.forget_rows()
        watcher.sinks.append(Sink(recording))
        thread = thread or system.current_thread()
        recording.append(
            ev.RecordingStarted(
                at_s=system.time(),
                label=redaction.redacted(label),
                versions=versions(),
                limits=(*hits.limits(), *private.limits()),
                process=f"{system.getpid()}-{_TOKEN}",  # shared by recordings that share numbers; a fork has its own
                hits_seen=hits.seen(),
                thread=thread.name,
                host=redaction.this_host(),
                pid=system.getpid(),
                process_index=watcher.process_index,
                parent=system.getppid(),
                below=below,
            )
        )
        if sample:
            sampler.begin(recording, thread, watcher.functions.get)
    hits.look_again()
    return recording


def end(recording: Recording, ended: str | None = None) -> Recording:
    """Close a recording; `ended` is as in `RecordingFinished`. Closing it again changes nothing."""
    states = failures.guarded(())(_states_on_disk)(recording) if recording.is_live else ()
    with watcher.lock:
        sink = next((sink for sink in watcher.sinks if sink.recording is recording), None)
        if sink is None:
            return recording
        watcher.flush_hits()
        lines = sampler.end(recording, call_sites.calls_at)
        if lines is not None:
            recording.append(lines)
        _note_dropped_versions(sink)
        sink.check_clock(system.time())
        problem = failures.guarded("")(disk_cache.problem)()
        disk_key = failures.guarded(())(disk_cache.key_of_process)()
        recording.append(ev.RecordingFinished(system.time(), versions(), disk_key, ended, states, problem))
        watcher.sinks = [other for other in watcher.sinks if other is not sink]
        _uninstall_call_hooks()
    recording.close()
    return recording


def _states_on_disk(recording: Recording) -> tuple[tuple[str, str], ...]:
    """What `RecordingFinished.disk_states` says; nothing if the folder is elsewhere, or has too many files."""
    folder = disk_cache.folder()
    if folder is None or not folder.is_dir():
        return ()
    with reading("nothing"):
        events = recording.events
    missed = [event.key for event in events if isinstance(event, ev.ProgramMissed)]
    missed += [op.disk_key for op in recording.op_by_op if op.disk_least_s is not None]
    files = disk_cache.cached_files(folder, _MOST_FILES) if missed else None
    if files is None:
        return ()
    began_s, there = events[0].at_s, {file.key for file in files}
    older = {file.name for file in files if file.written_s < began_s}
    states = {key: "other" if disk_cache.name_of(key) in older else "" if key in there else "absent" for key in missed}
    return tuple((key, state) for key, state in states.items() if state)


def leave(recording: Recording) -> bool:
    """In a forked child, forget a recording of the parent, which goes on there; say whether it was open."""
    with watcher.lock:
        before, watcher.sinks = watcher.sinks, [sink for sink in watcher.sinks if sink.recording is not recording]
        return len(watcher.sinks) < len(before)


@failures.guarded(None)
def _note_dropped_versions(sink: Sink) -> None:
    """Log which versions the caches no longer hold: those that were cleared, and those of functions that have died."""
    watcher.check_for_clearing(system.time())
    known = {row.token for number in sink.functions if (row := watcher.functions.get(number)) is not None}
    gone = tuple(sorted(known - tokens.living_tokens()))
    if gone:
        sink.recording.append(ev.FunctionsGone(system.time(), gone))


def _install_call_hooks() -> None:
    """Install the hooks for calls, unless a recording or a guard already needs them."""
    if not _needs_calls():
        forget_open_calls()
        install_hooks()
        hits.install()


def _uninstall_call_hooks() -> None:
    """Uninstall the hooks for calls, unless a recording or a guard still needs them."""
    if not _needs_calls():
        uninstall_hooks()
        hits.uninstall()


def _needs_calls() -> bool:
    return bool(watcher.sinks) or any(guard.hit is not None for guard in watcher.guards)


@contextlib.contextmanager
def guarding(guard: Guard) -> Iterator[None]:
    """Call a guard at every miss in the block, and at hits if it has a function for them."""
    watch()
    with watcher.lock:
        if guard.hit is not None:
            _install_call_hooks()
            watcher.forget_rows()
        watcher.guards.append(guard)
    if guard.hit is not None:
        hits.look_again()
    try:
        yield
    finally:
        with watcher.lock:
            watcher.guards.remove(guard)
            if guard.hit is not None:
                _uninstall_call_hooks()


class Block(_GeneratorContextManager[Recording]):
    """What `record` returns. It is no recording, and says so where it is taken for one."""

    def __getattr__(self, name: str) -> NoReturn:
        problem = f"nothing is recorded yet. Write `with jitviz.record() as rec:`, and then read `rec.{name}`"
        raise AttributeError(problem, name=name, obj=self)


def record(label: str = "", *, sample: bool = True, max_bytes: int | None = MAX_BYTES) -> Block:
    """Record every jitted call of the block, as `%%filterjit` does for a cell.

    >>> with jitviz.record() as rec:
    ...     step(params, batch)
    >>> print(rec)

    You can read `rec.calls` and `rec.compiles` inside the block as well.

    Args:
        label: a name for the recording, which the panel shows.
        sample: note every few milliseconds which of your lines is running, for `Recording.account`. A thread does it.
        max_bytes: the size of hits and program texts, in bytes. Beyond it, the oldest calls become sums by line and
            time, and the largest texts are dropped. None keeps everything.

    Raises:
        TypeError: `label` is not a string, or `max_bytes` is not a number of bytes.
    """
    if not isinstance(label, str):
        raise TypeError(f"record takes a label, not {type(label).__name__}. Write `with jitviz.record() as rec:`.")
    if not isinstance(max_bytes, int | None):
        raise TypeError(f"max_bytes is a number of bytes, such as 64_000_000, or None, not {max_bytes!r}.")
    return Block(_recorded, (label, sample, max_bytes), {})


def _recorded(label: str, sample: bool, max_bytes: int | None) -> Generator[Recording, None, None]:
    recording = begin(label, sample=sample, max_bytes=max_bytes)
    try:
        yield recording
    except BaseException as error:
        from ..errors import note_error  # a layer above, which most blocks never need

        note_error(recording, error)
        raise
    finally:
        end(recording)


def _before_fork() -> None:
    """End jitviz's threads: Python warns of a fork where there are several."""
    sampler.pause()
    for sink in list(watcher.sinks):
        sink.recording.pause_writing()


def _go_on() -> None:
    sampler.go_on()
    for sink in list(watcher.sinks):
        sink.recording.go_on_writing()


def _after_fork() -> None:
    """In a forked child, locks that other threads held are never released, and files belong to the parent."""
    watcher.lock = system.RLock()
    tokens.renew_lock()
    sampler.forget()
    for sink in watcher.sinks:
        sink.recording.leave_file()


if hasattr(os, "register_at_fork"):
    # Python warns only after all of these have run.
    os.register_at_fork(
        before=_before_fork, after_in_parent=lambda: hits.at_next_call(_go_on), after_in_child=_after_fork
    )


def versions() -> tuple[tuple[str, str], ...]:
    """Names and versions of the software that this process records with."""
    names = [name for name in ("jitviz", "jax", "equinox", "flax") if sys.modules.get(name)]
    found: dict[str, str] = {name: str(getattr(sys.modules[name], "__version__", "?")) for name in names}
    found["python"] = platform.python_version()
    if backend := devices.backend_name():
        found["backend"] = backend
    return tuple(found.items())
