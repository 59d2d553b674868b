"""Call stacks of equations, as a tree of frames that holds each only once.

In: the tracebacks that JAX keeps with equations.  Out: numbers of stacks; frames and stacks as rows for JSON.
Must never: outlive the miss, or keep a traceback; only numbers and labels leave.

JAX's own frames, jitviz' and those of Python's library are left out, and those of a library that stand outside of the
user's outermost one, as Equinox' do in a `filter_jit`. Inside of it the frames of libraries stay.

JAX cuts a traceback off where a trace begins (`TracebackScope` in
https://github.com/jax-ml/jax/blob/main/jax/_src/interpreters/partial_eval.py), so that an equation inside `scan`
tells of no more than the body: its frames are put inside the stack of the equation that runs it.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from ...jaxcompat import jaxprs
from ..sources import file_label, frame_owner

# file label, function, line, column, last line, last column
FrameRow = tuple[str, str, int, int, int, int]

NONE = -1  # of a parent: nothing is outside; of a stack: no source is known


class Stacks:
    """Numbers stacks in order of appearance; `frames` and `stacks` are what the numbers stand for.

    A stack is a pair (frame, stack that is outside of it or -1). `files` are the names under which Python knows the
    user's files, with the lines of each that a frame is on.
    """

    def __init__(self) -> None:
        self.frames: list[FrameRow] = []
        self.stacks: list[tuple[int, int]] = []
        self.files: dict[str, set[int]] = {}
        self._is_users: list[bool] = []  # by frame
        self._numbers: dict[tuple[int, int], int] = {}  # (address of a traceback, stack outside) -> stack
        self._equal: dict[tuple[Any, int], int] = {}  # (traceback, stack outside) -> stack
        self._frames: dict[tuple[int, int], int] = {}  # (address of a code object, offset) -> frame
        self._stacks: dict[tuple[int, int], int] = {}
        self._paths: dict[int, tuple[int, ...]] = {NONE: ()}  # stack -> its frames, outermost first

    def number_of(self, traceback: Any, outside: int = NONE) -> int:
        """The stack of a traceback inside of another stack; that one where no frame of the traceback is told of."""
        key = id(traceback), outside  # all tracebacks live as long as the jaxpr does
        number = self._numbers.get(key)
        if number is None:
            number = self._equal.get((traceback, outside))  # most are equal to one that was seen
            if number is None:
                number = self._equal[traceback, outside] = self._inside(outside, self._read(traceback))
            self._numbers[key] = number
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
        """(file label, line) of the innermost frame of the user's in a stack, of a library's if there is none."""
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
        number = self._frames.get(key)
        if number is None:
            number = self._frames[key] = self._new_frame(code, offset, is_users)
        return number

    def _new_frame(self, code: CodeType, offset: int, is_users: bool) -> int:
        place = jaxprs.code_place(code, offset)
        self.frames.append((file_label(code.co_filename), code.co_qualname, *place))
        self._is_users.append(is_users)
        if is_users:
            self.files.setdefault(code.co_filename, set()).add(place[0])
        return len(self.frames) - 1
