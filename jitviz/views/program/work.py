"""The work of a program by call stack, and by line of Python.

In: equations, operations and instructions with their stacks.  Out: the columns of `Stacks` and of `LineWork`.
Must never: count an operation twice for one line, however often the line is in its stack.

These are counted: equations (an inner program counts once, even if several equations run it); StableHLO operations
except constants, returns and function headers (once, however often their function is called); HLO instructions except
those in `hlo.UNCOUNTED`.
"""

from collections import Counter, defaultdict

from ...findings.program.places import Places
from ..schema import LineWork

# The kinds of work, named as in the schema.
_KINDS = ("equations", "stablehlo_ops", "hlo_ops")


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
