"""Call stacks of equations, as a tree that stores each frame once.

In: the tracebacks that JAX keeps with equations.  Out: numbers of stacks; frames and stacks as rows for JSON.
Must never: outlive the miss, or let a traceback out; its results are numbers and labels.

The frames of JAX, jitviz and Python's standard library are left out, and so are those of other libraries outside the
user's outermost frame, such as Equinox' in a `filter_jit`. Inside it, the frames of libraries stay.

JAX cuts a traceback off where a trace begins (`TracebackScope` in
https://github.com/jax-ml/jax/blob/main/jax/_src/interpreters/partial_eval.py), so that an equation inside `scan` has
only the frames of the body. They are put inside the stack of the equation that runs it.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from ...jaxcompat import jaxprs
from ..sources import file_label, frame_owner

# file label, function, line, column, last line, last column
FrameRow = tuple[str, str, int, int, int, int]

NONE = -1  # as a parent: nothing is outside; as a stack: the source is unknown


class Stacks:
    """Numbers stacks in order of appearance; the numbers are indices into `frames` and `stacks`.

    A stack is a pair (frame, the stack outside it or -1). `files` has Python's names of the user's files, with the
    lines of each that occur in frames.
    """

    def __init__(self) -> None:
        self.frames: list[FrameRow] = []
        self.stacks: list[tuple[int, int]] = []
        self.files: dict[str, set[int]] = {}
        self._is_users: list[bool] = []  # by frame
        self._numbers: dict[tuple[Any, int], int] = {}  # (traceback, stack outside) -> stack
        self._frames: dict[tuple[int, int], int] = {}  # (address of a code object, offset) -> frame
        self._stacks: dict[tuple[int, int], int] = {}
        self._paths: dict[int, tuple[int, ...]] = {NONE: ()}  # stack -> its frames, outermost first

    def number_of(self, traceback: Any, outside: int = NONE) -> int:
        """The stack of a traceback inside another stack; that other one if no frame of the traceback is shown."""
        key = traceback, outside
        number = self._numbers.get(key)  # most tracebacks are equal to an earlier one
        if number is None:
            number = self._numbers[key] = self._inside(outside, self._read(traceback))
        return number

    def _inside(self, outside: int, shown: tuple[int, ...]) -> int:
        known = self._paths[outside]
        stack = NONE if shown[: len(known)] == known else outside  # a trace that goes on in the same traceback
        for frame in shown:
            key = frame, stack
            if key not in self._stacks:
                self._paths[len(self.stacks)] = (*self._paths[stack], frame)
                self._stacks[key] = len(self.stacks)
                self.stacks.append(key)
            stack = self._stacks[key]
        return stack

    def place(self, number: int) -> tuple[str, int] | None:
        """(file label, line) of the user's innermost frame in a stack, or of a library's if there is none."""
        fallback = None
        while number != NONE:
            frame, number = self.stacks[number]
            if self._is_users[frame]:
                return self.frames[frame][0], self.frames[frame][2]
            fallback = fallback or (self.frames[frame][0], self.frames[frame][2])
        return fallback

    def _read(self, traceback: Any) -> tuple[int, ...]:
        found = [(code, offset, frame_owner(code.co_filename)) for code, offset in jaxprs.raw_frames(traceback)]
        shown = [row for row in found if row[2] in ("user", "library")]
        users = (place for place, row in enumerate(shown) if row[2] == "user")
        return tuple(self._frame(code, offset, owner == "user") for code, offset, owner in shown[next(users, 0) :])

    def _frame(self, code: CodeType, offset: int, is_users: bool) -> int:
        key = id(code), offset
        if key not in self._frames:
            self._frames[key] = len(self.frames)
            place = jaxprs.code_place(code, offset)
            self.frames.append((file_label(code.co_filename), code.co_qualname, *place))
            self._is_users.append(is_users)
            if is_users:
                self.files.setdefault(code.co_filename, set()).add(place[0])
        return self._frames[key]
