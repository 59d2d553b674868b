"""How the work of a program spreads over its source: by call stack, and by line of Python.

In: equations, operations and instructions with their stacks.  Out: the columns of `Stacks` and of `LineWork`.
Must never: count an operation twice for one line, however often the line is in its stack.

Counted are equations, of an inner program that several equations run once; operations of StableHLO other than
constants, returns and function headers, once however often their function is called; instructions of HLO other than
those in `hlo.UNCOUNTED`. Floating-point operations are those of the equations, times how often a scan runs them; bytes
those that the instructions of HLO move.
"""

from __future__ import annotations

from typing import Any

from ...findings.program.places import Places
from ..schema import LineWork

# What is counted, under the names that views have for it.
_KINDS: dict[str, type] = {"equations": int, "stablehlo_ops": int, "hlo_ops": int, "flops": float, "nbytes": float}


class Work:
    """Sums by stack, and over the whole program, each by what is counted."""

    def __init__(self) -> None:
        self._by_stack: dict[str, dict[int, float]] = {name: {} for name in _KINDS}
        self._totals = dict.fromkeys(_KINDS, 0.0)

    def add(self, what: str, stack: int, amount: float) -> None:
        """`stack` -1 counts for the whole alone."""
        self._totals[what] += amount
        if stack >= 0:
            self._by_stack[what][stack] = self._by_stack[what].get(stack, 0.0) + amount

    def totals(self) -> dict[str, Any]:
        """Those of the whole program."""
        return {name: kind(self._totals[name]) for name, kind in _KINDS.items()}

    def by_stack(self, n_stacks: int) -> dict[str, tuple[Any, ...]]:
        """A column for each kind of work."""
        return {
            name: tuple(kind(self._by_stack[name].get(stack, 0)) for stack in range(n_stacks))
            for name, kind in _KINDS.items()
        }

    def by_line(self, places: Places, repeats: dict[tuple[int, int], int]) -> LineWork:
        """What each line became, the functions that it calls included; lines go by file and number."""
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
