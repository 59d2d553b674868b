"""The work of a program by call stack, and by line of Python.

In: equations, operations and instructions with their stacks.  Out: the columns of `Stacks` and of `LineWork`.
Must never: count an operation twice for one line, however often the line is in its stack.

These are counted: equations (an inner program counts once, even if several equations run it); StableHLO operations
except constants, returns and function headers (once, however often their function is called); HLO instructions except
those in `hlo.UNCOUNTED`; the floating-point operations of the equations, for all iterations of a scan; and the bytes
that HLO instructions move.
"""

from typing import Any

from ...findings.program.places import Places
from ..schema import LineWork

# The kinds of work, named as in the schema.
_KINDS: dict[str, type] = {"equations": int, "stablehlo_ops": int, "hlo_ops": int, "flops": float, "nbytes": float}


class Work:
    """Sums by kind of work, for each stack and for the whole program."""

    def __init__(self) -> None:
        self._by_stack: dict[str, dict[int, float]] = {name: {} for name in _KINDS}
        self._totals = dict.fromkeys(_KINDS, 0.0)

    def add(self, what: str, stack: int, amount: float) -> None:
        """Add work to a stack and to the whole program; if `stack` is -1, only to the whole."""
        self._totals[what] += amount
        if stack >= 0:
            self._by_stack[what][stack] = self._by_stack[what].get(stack, 0.0) + amount

    def totals(self) -> dict[str, Any]:
        """The sums of the whole program."""
        return {name: kind(self._totals[name]) for name, kind in _KINDS.items()}

    def by_stack(self, n_stacks: int) -> dict[str, tuple[Any, ...]]:
        """A column for each kind of work."""
        return {
            name: tuple(kind(self._by_stack[name].get(stack, 0)) for stack in range(n_stacks))
            for name, kind in _KINDS.items()
        }

    def by_line(self, places: Places, repeats: dict[tuple[int, int], int]) -> LineWork:
        """The work of each line, including the functions that it calls, sorted by file and number."""
        columns = self.by_stack(len(places))
        lines: dict[tuple[int, int], dict[str, Any]] = {}
        for stack in range(len(places)):
            amounts = {name: column[stack] for name, column in columns.items() if column[stack]}
            for line in {places.line(number) for number in places.chain(stack)} if amounts else ():
                sums = lines.setdefault(line, {name: kind(0) for name, kind in _KINDS.items()})
                for name, amount in amounts.items():
                    sums[name] += amount
        order = sorted(lines)
        return LineWork(
            file=tuple(file for file, _ in order),
            line=tuple(line for _, line in order),
            repeats=tuple(repeats.get(line, 1) for line in order),
            **{name: tuple(lines[line][name] for line in order) for name in _KINDS},
        )
