"""The call stacks of a program: which one a text means, and how much work each has, as each line of Python has.

In: the stacks of the equations, in `Places`, those of the other texts, and the equations, operations and instructions
with their stacks.  Out: stacks in `Places`; the columns of `Stacks` and of `LineWork`.
Must never: count an operation twice for one line, however often the line is in its stack.

The stacks of the equations are complete and start in the jitted function. Those of StableHLO and HLO start outside it,
where it was called, and lack their outer end if they are deep. So the equations are read first, and the stacks of the
other texts are looked up among theirs.

These are counted: equations (an inner program counts once, even if several equations run it); StableHLO operations
except constants, returns and function headers (once, however often their function is called); HLO instructions except
those in `hlo.UNCOUNTED`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from ...findings.program.places import NOWHERE, Places, overlap
from ...jaxcompat.texts.locations import Chain
from ..schema import LineWork

# The kinds of work, named as in the schema.
_KINDS = ("equations", "stablehlo_ops", "hlo_ops")


class Finder:
    """Finds the stacks of the other texts among those of the equations, and adds the few that are new. The known chains
    are in a trie, from their innermost frames outwards."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._next: dict[tuple[int, int], int] = {}  # (node, frame) -> node; 0 is the root
        self._ends: dict[int, int] = {}  # node -> the stack whose chain ends there
        self._through: dict[int, int] = {}  # node -> the first stack whose chain goes through it
        self._inside: dict[int, list[int]] = defaultdict(list)  # innermost frame -> stacks
        self._found: dict[Chain, int] = {}
        self._outside: Chain = ()
        for stack in range(len(places)):
            chain, node = places.chain(stack), 0
            for number in reversed(chain):
                node = self._next.setdefault((node, number), len(self._next) + 1)
                self._through.setdefault(node, stack)
            self._ends[node] = stack
            self._inside[chain[-1]].append(stack)

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
        if chain not in self._found:
            self._found[chain] = self._find(chain)
        return self._found[chain]

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
        alike = [(self._places.chain(stack), stack) for stack in self._inside[inside[-1]]]
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


class Work:
    """Sums by kind of work, for each stack and for the whole program."""

    def __init__(self) -> None:
        self._by_stack: dict[str, Counter[int]] = {name: Counter() for name in _KINDS}  # -1: of no stack

    def add(self, what: str, stack: int) -> None:
        """Count one more at a stack; if `stack` is -1, only for the whole program."""
        self._by_stack[what][stack] += 1

    def totals(self) -> dict[str, int]:
        """The sums of the whole program."""
        return {name: counts.total() for name, counts in self._by_stack.items()}

    def by_stack(self, n_stacks: int) -> dict[str, tuple[int, ...]]:
        """A column for each kind of work."""
        return {name: tuple(counts[stack] for stack in range(n_stacks)) for name, counts in self._by_stack.items()}

    def by_line(self, places: Places, repeats: dict[tuple[int, int], int]) -> LineWork:
        """The work of each line, including the functions that it calls, sorted by file and number."""
        columns = self.by_stack(len(places))
        lines: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        for stack in range(len(places)):
            amounts = {name: column[stack] for name, column in columns.items() if column[stack]}
            for line in {places.line(number) for number in places.chain(stack)} if amounts else ():
                lines[line].update(amounts)
        order = sorted(lines)
        return LineWork(
            file=tuple(file for file, _ in order),
            line=tuple(line for _, line in order),
            repeats=tuple(repeats.get(line, 1) for line in order),
            **{name: tuple(lines[line][name] for line in order) for name in _KINDS},
        )
