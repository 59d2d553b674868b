"""Places in Python source and call stacks of them, each kept once, whichever program text named them.

In: frames from the equations, StableHLO and HLO.  Out: numbers of frames and stacks, and columns of them.
"""

from typing import NamedTuple

from ...jaxcompat.texts.locations import Chain

NOWHERE = -1
_OWN = ("jax/", "jitviz/")


class FrameNumbers(NamedTuple):
    """Numbers of its file and function, lines from 1, columns from 0 in bytes; -1 is unknown."""

    file: int
    function: int
    line: int
    column: int
    end_line: int
    end_column: int


class TextNumbers(dict[str, int]):
    """Texts and their numbers, in order of arrival."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class Places:
    """Frames, and the tree of stacks."""

    def __init__(self) -> None:
        self.files, self.functions = TextNumbers(), TextNumbers()
        self.frames: list[FrameNumbers] = []
        self.sources: list[str] = []  # of each frame: "train.py:12"
        self._frame_at: dict[tuple[int, ...], int] = {}
        self._stacks: dict[tuple[int, int], int] = {}  # by the stack that called and the frame
        self._chains: list[Chain] = []
        self._joined: dict[tuple[int, Chain], int] = {}

    def frame(self, file: str, function: str, *span: int) -> int | None:
        """The number of a place; None for places in JAX and jitviz, which are never shown. `span` is as in
        `FrameNumbers`: the line and column where it starts, and where it ends."""
        if file.startswith(_OWN):
            return None
        place = self.files[file], *span
        if place not in self._frame_at:
            self._frame_at[place] = len(self.frames)
            self.frames.append(FrameNumbers(place[0], self.functions[function], *span))
            self.sources.append(f"{file}:{span[0]}")
        return self._frame_at[place]

    def join(self, outer: int, chain: Chain) -> int:
        """The stack of `chain` called from stack `outer`.

        If the end of the one is the start of the other, they share these frames: an inner program is located from the
        line that runs it, and JAX's own frames between two frames of user code are left out.
        """
        if (outer, chain) not in self._joined:
            stack = outer
            for number in chain[overlap(self.chain(outer), chain) :]:
                if stack == NOWHERE or self._chains[stack][-1] != number:
                    stack = self._push(stack, number)
            self._joined[outer, chain] = stack
        return self._joined[outer, chain]

    def _push(self, parent: int, number: int) -> int:
        if (parent, number) not in self._stacks:
            self._stacks[parent, number] = len(self._chains)
            self._chains.append((*self.chain(parent), number))
        return self._stacks[parent, number]

    def chain(self, stack: int) -> Chain:
        return () if stack == NOWHERE else self._chains[stack]

    def __len__(self) -> int:
        return len(self._chains)

    def line(self, number: int) -> tuple[int, int]:
        """The file and line of a frame."""
        return self.frames[number].file, self.frames[number].line

    def stacks(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The frame of each stack, and the stack that called it (-1: called from outside)."""
        return tuple(number for _, number in self._stacks), tuple(parent for parent, _ in self._stacks)


def overlap(outer: Chain, inner: Chain) -> int:
    """How many frames the end of `outer` and the start of `inner` have in common."""
    for length in range(min(len(outer), len(inner)), 0, -1):
        if outer[-length:] == inner[:length]:
            return length
    return 0
