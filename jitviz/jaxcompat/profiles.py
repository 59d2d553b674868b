"""What `jax.profiler` writes of a compile: the spans of JAX's and XLA's own work, thread by thread.

In: a folder to write to; the bytes of a profile.  Out: those bytes; `Span`s, outer ones first.
Must never: start a session where one is open, or leave one open that it started.

Only the public interface is used. What the lines and the events of a profile are called is XLA's own.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax

_CALLER = "backend_compile_and_load"  # the event of JAX's own that lasts as long as the compile
_PYTHON = "python"  # what a thread of Python's is called
_COMPILER_THREADS = re.compile("ompile|codegen|llvm", re.IGNORECASE)
_LISTENER = "ThreadpoolListener"
_OF_TYPES = ("ignore", re.compile("builtin type .* has no __module__"), DeprecationWarning, None, 0)
_MOST = 4096  # spans of one compile, the longest


class Span(NamedTuple):
    """One pass, or what is as long as several. `parent` is the number of the one that it lies in, or -1."""

    name: str
    start_ns: float
    duration_ns: float
    parent: int = -1


def start(folder: Path) -> None:
    """Begin a session.

    Raises:
        RuntimeError: one is open already.
    """
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = 2
    options.raise_error_on_start_failure = True
    jax.profiler.start_trace(folder, profiler_options=options)


def stop(folder: Path) -> bytes:
    """End the session; what it wrote into the folder."""
    jax.profiler.stop_trace()  # type: ignore[no-untyped-call]
    return next(iter(folder.rglob("*.xplane.pb"))).read_bytes()


def spans(profile: bytes) -> list[Span]:
    """The longest spans of the thread that compiled, and of XLA's own threads beside it; nested by time."""
    with _silent_of_its_types():
        threads = list(_threads(jax.profiler.ProfileData.from_serialized_xspace(profile)))
    callers = [found for name, found in threads if name == _PYTHON and any(one[0] == _CALLER for one in found)]
    ranked = callers[:1] + [found for name, found in threads if _COMPILER_THREADS.search(name)]
    rows = [
        (start_ns, -spent_ns, rank, name) for rank, found in enumerate(ranked) for name, start_ns, spent_ns in found
    ]
    return list(_nested(sorted(sorted(rows, key=lambda row: row[1])[:_MOST])))


@contextlib.contextmanager
def _silent_of_its_types() -> Iterator[None]:
    """Python warns of a type of a profile's, since it tells of no module. `warnings.catch_warnings` would have Python
    forget which warnings of the user's it has shown."""
    filters: list[Any] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, _OF_TYPES)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the user has put other filters there
            filters.remove(_OF_TYPES)


def _threads(data: Any) -> Iterator[tuple[str, list[tuple[str, float, float]]]]:
    for plane in data.planes:
        if plane.name.startswith("/host:"):
            for line in plane.lines:
                named = ((_name(event), event.start_ns, event.duration_ns) for event in line.events)
                yield line.name, [one for one in named if one[0]]


def _name(event: Any) -> str:
    """With the module that a fusion is compiled as; "" for what is no span of work."""
    if event.duration_ns <= 0 or event.name.startswith(_LISTENER):
        return ""
    module = dict(event.stats).get("module", "")
    return event.name if not module or str(module) in event.name else f"{event.name} ({module})"


def _nested(rows: list[tuple[float, float, int, str]]) -> Iterator[Span]:
    """In a thread, a span lies in the one that has not ended. The outermost of another thread lies in the innermost of
    those that compile on the threads before it."""
    opened: list[tuple[int, int, float]] = []  # number, rank, end
    for number, (start_ns, minus_ns, rank, name) in enumerate(rows):
        opened = [one for one in opened if one[2] > start_ns]
        mine = [one for one in opened if one[1] == rank]
        around = mine or [one for one in opened if one[1] < rank and one[2] >= start_ns - minus_ns]
        yield Span(name, start_ns, -minus_ns, around[-1][0] if around else -1)
        opened.append((number, rank, start_ns - minus_ns))
