"""How the work of a program spreads over its source: by call stack, and by line of Python.

In: equations, operations and instructions with their stacks.  Out: the columns of `Stacks` and of `LineWork`.
Must never: count an operation twice for one line, however often the line is in its stack.

Counted are equations, of an inner program that several equations run once; operations of StableHLO other than
constants, returns and function headers, once however often their function is called; instructions of HLO other than
those in `hlo.UNCOUNTED`. Floating-point operations are those of the equations, times how often a scan runs them; bytes
those that the instructions of HLO move.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...findings.program.places import Places
from ..schema import LineWork

N_COLUMNS = 5
EQUATIONS, STABLEHLO_OPS, HLO_OPS, FLOPS, NBYTES = range(N_COLUMNS)


class Work:
    """Sums by stack, and over the whole program."""

    def __init__(self) -> None:
        self._by_stack: tuple[dict[int, float], ...] = tuple({} for _ in range(N_COLUMNS))
        self.totals = [0.0] * N_COLUMNS

    def add(self, column: int, stack: int, amount: float) -> None:
        """`stack` -1 counts for the whole alone."""
        self.totals[column] += amount
        if stack >= 0:
            self._by_stack[column][stack] = self._by_stack[column].get(stack, 0.0) + amount

    def by_stack(self, n_stacks: int) -> list[tuple[float, ...]]:
        return [tuple(column.get(stack, 0.0) for stack in range(n_stacks)) for column in self._by_stack]

    def by_line(self, places: Places, repeats: dict[tuple[int, int], int]) -> LineWork:
        """What each line became, the functions that it calls included; lines go by file and number."""
        columns = self.by_stack(len(places))
        lines: dict[tuple[int, int], list[float]] = {}
        for stack in range(len(places)):
            amounts = [column[stack] for column in columns]
            if not any(amounts):
                continue
            for line in {places.line(number) for number in places.chain(stack)}:
                sums = lines.setdefault(line, [0.0] * N_COLUMNS)
                for column, amount in enumerate(amounts):
                    sums[column] += amount
        order = sorted(lines)
        return LineWork(
            file=tuple(file for file, _ in order),
            line=tuple(line for _, line in order),
            equations=_ints(order, lines, EQUATIONS),
            stablehlo_ops=_ints(order, lines, STABLEHLO_OPS),
            hlo_ops=_ints(order, lines, HLO_OPS),
            flops=tuple(lines[line][FLOPS] for line in order),
            nbytes=tuple(lines[line][NBYTES] for line in order),
            repeats=tuple(repeats.get(line, 1) for line in order),
        )


def _ints(order: Sequence[tuple[int, int]], lines: dict[tuple[int, int], list[float]], column: int) -> tuple[int, ...]:
    return tuple(int(lines[line][column]) for line in order)
