"""What can be seen on the stack at the moment of one of JAX's events, without anything of jitviz's watching."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import jax

from jitviz.capture import _jaxcompat as compat
from jitviz.model import PhaseName


def at_start(phase: PhaseName, run: Callable[[], object], look: Callable[[FrameType], Any]) -> list[Any]:
    """What `look` says of the stack at each start of a phase while `run` runs."""
    found: list[Any] = []

    def listener(event: str, value: float | int, **kwargs: str | int) -> None:
        if compat.PHASE_OF_EVENT.get(event) == phase:
            found.append(look(sys._getframe()))

    jax.monitoring.register_scalar_listener(listener)
    try:
        run()
    finally:
        jax.monitoring.unregister_scalar_listener(listener)
    return found


def at_end(phase: PhaseName, run: Callable[[], object], look: Callable[[FrameType], Any]) -> list[Any]:
    """The same at each end."""
    found: list[Any] = []

    def listener(event: str, start_time: float, end_time: float, **kwargs: str | int) -> None:
        if compat.PHASE_OF_EVENT.get(event) == phase:
            found.append(look(sys._getframe()))

    jax.monitoring.register_event_time_span_listener(listener)
    try:
        run()
    finally:
        jax.monitoring.unregister_event_time_span_listener(listener)
    return found
