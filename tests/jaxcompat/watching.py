"""Looks at the stack at one of JAX's events, without jitviz' own listeners."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import jax

from jitviz.jaxcompat import frame_locals, jax_frames, monitoring
from jitviz.model import PhaseName


def at_start(phase: PhaseName, run: Callable[[], object], look: Callable[[FrameType], Any]) -> list[Any]:
    """What `look` returns for the stack at each start of a phase while `run` runs."""
    return _seen(phase, run, look, "scalar")


def at_end(phase: PhaseName, run: Callable[[], object], look: Callable[[FrameType], Any]) -> list[Any]:
    """The same at each end."""
    return _seen(phase, run, look, "event_time_span")


def _seen(phase: PhaseName, run: Callable[[], object], look: Callable[[FrameType], Any], kind: str) -> list[Any]:
    found: list[Any] = []

    def listener(event: str, *times: float, **kwargs: str | int) -> None:
        if monitoring.PHASE_OF_EVENT.get(event) == phase:
            found.append(look(sys._getframe()))

    with listening(listener, kind):
        run()
    return found


@contextlib.contextmanager
def listening(listener: Callable[..., None], *kinds: str) -> Iterator[None]:
    """Register a listener of `jax.monitoring` for the block, for each of these kinds of events."""

    def change(*, should_listen: bool) -> None:
        for kind in kinds:
            register = monitoring.change_of(kind, should_listen=should_listen)
            assert register is not None
            register(listener)

    change(should_listen=True)
    try:
        yield
    finally:
        change(should_listen=False)


def fresh(**options: Any) -> Any:
    """A jitted function that was never called."""

    def step(x: Any, *rest: Any, **named: Any) -> Any:
        return x

    return jax.jit(step, **options)


def frame_of(frame: FrameType, *names: tuple[str, str]) -> FrameType:
    """The innermost frame above that runs one of these functions."""
    found = jax_frames.find_frame(frame, *names)
    assert found is not None
    return found


def names_above(frame: FrameType | None) -> list[tuple[str, str]]:
    """(function, file) of every frame of jax, innermost first."""
    found = []
    while frame is not None:
        if jax_frames.is_jax_file(frame.f_code.co_filename):
            found.append((frame.f_code.co_name, frame.f_code.co_filename))
        frame = frame.f_back
    return found


def outputs_of(run: Any) -> Any:
    """What JAX has inferred of the last call in `run`."""
    return at_end("lower", run, frame_locals.inferred)[-1]


def caller_at_trace(run: Any) -> FrameType:
    """The frame that calls the function that `run` traces last."""

    def look(frame: FrameType | None) -> FrameType | None:
        frame = jax_frames.find_frame(frame, jax_frames.CACHE_MISS)
        while frame is not None and jax_frames.is_jax_file(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    frames: list[FrameType] = at_start("trace", run, look)
    return frames[-1]
