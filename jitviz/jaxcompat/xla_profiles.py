"""Profiles of a compile, written by `jax.profiler`: the spans of JAX's and XLA's own work on each thread.

In: a folder to write to; the bytes of a profile.  Out: those bytes; spans as `Pass`es, outer ones first.
Must never: start a session while one is open, or leave open a session that it started.

It uses the public interface only, but the names of lines and events in a profile are XLA's own.
"""

import contextlib
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax

from ..model import Pass

_CALLER = "backend_compile_and_load"  # JAX's event that spans the compile
_PYTHON = "python"  # the name of a Python thread
_COMPILER_THREADS = re.compile("ompile|codegen|llvm", re.IGNORECASE)
_LISTENER = "ThreadpoolListener"
_TYPE_WARNINGS = ("ignore", re.compile("builtin type .* has no __module__"), DeprecationWarning, None, 0)
_MOST = 4096  # spans of one compile; the longest are kept


def start(folder: Path) -> None:
    """Start a session.

    Raises:
        RuntimeError: a session is already open.
    """
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = 2
    options.raise_error_on_start_failure = True
    jax.profiler.start_trace(folder, profiler_options=options)


def stop(folder: Path) -> bytes:
    """End the session and return the profile that it wrote into the folder."""
    end_session: Callable[[], None] = jax.profiler.stop_trace  # JAX gives it a type from 0.12 on
    end_session()
    return next(iter(folder.rglob("*.xplane.pb"))).read_bytes()


def spans(profile: bytes) -> list[Pass]:
    """The longest spans of the thread that compiled and of XLA's own threads, nested by time, which counts from
    the start of the session."""
    with _without_type_warnings():
        threads = list(_threads(jax.profiler.ProfileData.from_serialized_xspace(profile)))
    callers = [events for name, events in threads if name == _PYTHON and any(event[0] == _CALLER for event in events)]
    ranked = callers[:1] + [events for name, events in threads if _COMPILER_THREADS.search(name)]
    ranks = enumerate(ranked)
    rows = [(start_ns, -spent_ns, rank, name) for rank, events in ranks for name, start_ns, spent_ns in events]
    return list(_nested(sorted(sorted(rows, key=lambda row: row[1])[:_MOST])))


@contextlib.contextmanager
def _without_type_warnings() -> Iterator[None]:
    """Silence Python's warning about a type in a profile that has no `__module__`. `warnings.catch_warnings` would make
    Python forget which of the user's warnings it has already shown."""
    filters: list[Any] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, _TYPE_WARNINGS)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the user has set other filters meanwhile
            filters.remove(_TYPE_WARNINGS)


def _threads(data: Any) -> Iterator[tuple[str, list[tuple[str, float, float]]]]:
    for plane in data.planes:
        if plane.name.startswith("/host:"):
            for line in plane.lines:
                named = ((_name(event), event.start_ns, event.duration_ns) for event in line.events)
                yield line.name, [event for event in named if event[0]]


def _name(event: Any) -> str:
    """The name of an event, with the module if it compiles a single fusion; "" if the event is not a span of work."""
    if event.duration_ns <= 0 or event.name.startswith(_LISTENER):
        return ""
    module = dict(event.stats).get("module", "")
    return event.name if not module or str(module) in event.name else f"{event.name} ({module})"


def _nested(rows: list[tuple[float, float, int, str]]) -> Iterator[Pass]:
    """Give each span its parent: the open span of its own thread; for the outermost spans of a thread, the innermost
    span on the threads before it that covers them."""
    opened: list[tuple[int, int, float]] = []  # number, rank, end
    for number, (start_ns, minus_ns, rank, name) in enumerate(rows):
        opened = [span for span in opened if span[2] > start_ns]
        own = [span for span in opened if span[1] == rank]
        around = own or [span for span in opened if span[1] < rank and span[2] >= start_ns - minus_ns]
        yield Pass(name, start_ns * 1e-9, -minus_ns * 1e-9, around[-1][0] if around else None)
        opened.append((number, rank, start_ns - minus_ns))
