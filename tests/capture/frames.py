"""What can be seen on the stack at the moment of one of JAX's events, without anything of jitviz's watching."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import jax

from jitviz.jaxcompat import events
from jitviz.model import PhaseName


def at_start(phase: PhaseName, run: Callable[[], object], look: Callable[[FrameType], Any]) -> list[Any]:
    """What `look` says of the stack at each start of a phase while `run` runs."""
    on, off = jax.monitoring.register_scalar_listener, jax.monitoring.unregister_scalar_listener
    return _seen(phase, run, look, on, off)


def at_end(phase: PhaseName, run: Callable[[], object], look: Callable[[FrameType], Any]) -> list[Any]:
    """The same at each end."""
    on, off = jax.monitoring.register_event_time_span_listener, jax.monitoring.unregister_event_time_span_listener
    return _seen(phase, run, look, on, off)


def _seen(
    phase: PhaseName,
    run: Callable[[], object],
    look: Callable[[FrameType], Any],
    register: Callable[[Any], None],
    unregister: Callable[[Any], None],
) -> list[Any]:
    found: list[Any] = []

    def listener(event: str, *times: float, **kwargs: str | int) -> None:
        if events.PHASE_OF_EVENT.get(event) == phase:
            found.append(look(sys._getframe()))

    register(listener)
    try:
        run()
    finally:
        unregister(listener)
    return found
