"""Places in Python source and call stacks of them, each kept once, whichever program text named them.

In: frames from the equations, StableHLO and HLO.  Out: numbers of frames and stacks, and columns of them.
Must never: look at a file; a place is what a text says it is.

The stacks of the equations are complete and start in the jitted function. Those of StableHLO and HLO start outside it,
where it was called, and lack their outer end if they are deep. So the equations are read first, and the stacks of the
other texts are looked up among theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ...jaxcompat.texts.locations import Chain

NOWHERE = -1
_OWN = ("jax/", "jitviz/")


class Frame(NamedTuple):
    """Numbers of its file and function, lines from 1, columns from 0 in bytes; -1 is unknown."""

    file: int
    function: int
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass
class Texts:
    """Texts and their numbers, in order of arrival."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


class Places:
    """Frames, and the tree of stacks."""

    def __init__(self) -> None:
        self.files, self.functions = Texts(), Texts()
        self._numbers: dict[tuple[int, ...], int] = {}
        self.frames: list[Frame] = []
        self._stacks: dict[tuple[int, int], int] = {}
        self._chains: list[Chain] = []
        self._joined: dict[tuple[int, Chain], int] = {}

    def frame(self, file: str, function: str, line: int, column: int, end_line: int, end_column: int) -> int | None:
        """The number of a place; None for places in JAX and jitviz, which are never shown."""
        if file.startswith(_OWN):
            return None
        place = (self.files.number(file), line, column, end_line, end_column)
        number = self._numbers.setdefault(place, len(self.frames))
        if number == len(self.frames):
            self.frames.append(Frame(place[0], self.functions.number(function), line, column, end_line, end_column))
        return number

    def join(self, outer: int, chain: Chain) -> int:
        """The stack of `chain` called from stack `outer`.

        If the end of the one is the start of the other, they share these frames: an inner program is located from the
        line that runs it, and JAX's own frames between two frames of user code are left out.
        """
        if (known := self._joined.get((outer, chain))) is not None:
            return known
        stack = outer
        for number in chain[overlap(self.chain(outer), chain) :]:
            if stack == NOWHERE or self._chains[stack][-1] != number:
                stack = self._push(stack, number)
        self._joined[outer, chain] = stack
        return stack

    def _push(self, parent: int, number: int) -> int:
        stack = self._stacks.setdefault((parent, number), len(self._chains))
        if stack == len(self._chains):
            self._chains.append((*self.chain(parent), number))
        return stack

    def chain(self, stack: int) -> Chain:
        return () if stack == NOWHERE else self._chains[stack]

    def __len__(self) -> int:
        return len(self._chains)

    def line(self, number: int) -> tuple[int, int]:
        """The file and line of a frame."""
        return self.frames[number].file, self.frames[number].line

    def stacks(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The frame of each stack, and the stack that called it (-1: called from outside)."""
        return tuple(chain[-1] for chain in self._chains), tuple(parent for parent, _ in self._stacks)


def overlap(outer: Chain, inner: Chain) -> int:
    """How many frames the end of `outer` and the start of `inner` have in common."""
    for length in range(min(len(outer), len(inner)), 0, -1):
        if outer[-length:] == inner[:length]:
            return length
    return 0


class Finder:
    """Finds the stacks of the other texts among those of the equations, and adds the few that are new."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._next: dict[tuple[int, int], int] = {}  # a trie of the known chains, from their innermost frames outwards
        self._ends: dict[int, int] = {}
        self._through: dict[int, int] = {}
        self._inside: dict[int, list[int]] = {}
        self._found: dict[Chain, int] = {}
        self._outside: Chain = ()
        self._n_nodes = 1
        for stack in range(len(places)):
            self._add(stack)

    def _add(self, stack: int) -> None:
        node, chain = 0, self._places.chain(stack)
        for number in reversed(chain):
            node = self._next.setdefault((node, number), self._n_nodes)
            self._n_nodes += node == self._n_nodes
            self._through.setdefault(node, stack)
        self._ends[node] = stack
        self._inside.setdefault(chain[-1], []).append(stack)

    def learn(self, chains: Iterable[Chain]) -> None:
        """Learn which frames are outside the function: those with which most chains with a known inner end start."""
        starts = Counter[Chain]()
        for chain in set(map(_collapse, set(chains))):
            node, known = 0, -1
            for depth, number in enumerate(reversed(chain), 1):
                node = self._next.get((node, number), -1)
                if node in self._ends:
                    known = depth
            if known > 0:
                starts[chain[: len(chain) - known]] += 1
        if starts:
            # Deep stacks lack their outer end, so the most common start may be a part of the longest one.
            often = starts.most_common(1)[0][0]
            self._outside = max((start for start in starts if start[len(start) - len(often) :] == often), key=len)

    def find(self, chain: Chain) -> int:
        """The stack for `chain` in a text; `NOWHERE` if none of its frames is inside the function."""
        if (found := self._found.get(chain)) is None:
            found = self._found[chain] = self._find(chain)
        return found

    def _find(self, chain: Chain) -> int:
        chain = _collapse(chain)
        inside = chain[overlap(self._outside, chain) :]
        if not inside or chain == self._outside[: len(chain)]:
            return NOWHERE
        node = 0
        for number in reversed(inside):
            node = self._next.get((node, number), -1)
        if node > 0:
            return self._ends.get(node, self._through[node])
        # A text may leave out frames, for instance of a library, or have frames that the equations do not have.
        alike = [(self._places.chain(stack), stack) for stack in self._inside.get(inside[-1], ())]
        for chain, stack in alike:
            if _is_within(inside, chain):
                return stack
        fewer = [(len(chain), -stack) for chain, stack in alike if _is_within(chain, inside)]
        if fewer:
            return -max(fewer)[1]
        return self._places.join(NOWHERE, inside)


def _collapse(chain: Chain) -> Chain:
    """The chain without immediate repetitions: the work of an inner trace starts with the frames of the outer one."""
    kept: list[int] = []
    for number in chain:
        kept.append(number)
        for length in range(1, len(kept) // 2 + 1):
            if kept[-length:] == kept[-2 * length : -length]:
                del kept[-length:]
                break
    return tuple(kept)


def _is_within(part: Chain, whole: Chain) -> bool:
    """Whether `part` is `whole` with some frames left out."""
    rest = iter(whole)
    return all(number in rest for number in part)
