"""What an exception itself tells: its type, its text, the user's frames that it came through.

In: an exception.  Out: `Facts`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FrameType
from typing import Any

from ..capture import sources
from ..capture.raising import Failed, failed_miss
from ..jaxcompat import raw
from ..jaxcompat.origins import message_of
from .syntax import Spot

_DEPTH = 500  # steps of a traceback


@dataclass(frozen=True)
class ErrorFrame:
    """A frame that the exception came through."""

    frame: FrameType
    offset: int
    line: int

    @property
    def owner(self) -> str:
        file = self.frame.f_code.co_filename
        return "library" if file.endswith(".pyx") else sources.frame_owner(file)  # Cython's files have no folder


class Facts:
    """An exception while it is explained; it must not be kept."""

    def __init__(self, error: BaseException, *, is_in_flight: bool = False) -> None:
        self.error = error
        self.type = raw.type_name(type(error)).rpartition(".")[2]
        self.module = raw.type_name(type(error)).partition(".")[0]
        self.message = message_of(error)
        steps = tuple(_steps(error))
        self.steps = (*_callers(steps[0].frame), *steps) if is_in_flight and steps else steps

    def is_a(self, *names: str) -> bool:
        """Whether the exception is of a class with one of these names, or of one derived from it."""
        return any(kind.__name__ in names for kind in raw.mro_of(type(self.error)))

    def says(self, *texts: str) -> bool:
        """Whether the message has one of these texts."""
        return any(text in self.message for text in texts)

    @cached_property
    def users(self) -> tuple[ErrorFrame, ...]:
        """The user's frames, outermost first."""
        return tuple(step for step in self.steps if step.owner == "user")

    @cached_property
    def spot(self) -> Spot | None:
        """Where the user's innermost frame stands."""
        return self.spot_of(self.users[-1]) if self.users else None

    @cached_property
    def failed(self) -> Failed | None:
        """The miss whose trace raised, if jitviz watched."""
        return failed_miss(self.error)

    @property
    def below(self) -> tuple[str, ...]:
        """The names of the functions below the user's innermost frame: "nonzero", "_arange"."""
        last = self.steps.index(self.users[-1]) if self.users else -1
        return tuple(step.frame.f_code.co_name for step in self.steps[last + 1 :])

    def spot_of(self, step: ErrorFrame) -> Spot:
        return Spot(step.frame, step.offset, step.line)

    @property
    def spots(self) -> Iterator[Spot]:
        """Where the user's frames stand, innermost first."""
        return map(self.spot_of, reversed(self.users))


def _steps(error: BaseException) -> Iterator[ErrorFrame]:
    step: Any = raw.member(error, BaseException, "__traceback__")
    for _ in range(_DEPTH):
        if step is None:
            return
        yield ErrorFrame(step.tb_frame, step.tb_lasti, step.tb_lineno)
        step = step.tb_next


def _callers(frame: FrameType) -> Sequence[ErrorFrame]:
    """The frames that called one, outermost first."""
    found: list[ErrorFrame] = []
    caller = frame.f_back
    while caller is not None and len(found) < _DEPTH:
        found.append(ErrorFrame(caller, caller.f_lasti, caller.f_lineno))
        caller = caller.f_back
    return found[::-1]
