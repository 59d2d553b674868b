"""A program as one list of lines, with the functions that it calls in place of the calls; and what a value decides.

In: a `ModuleText`; values of it.  Out: `Line`s, whose values are numbered through the whole list.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from .module_lines import Line, ModuleFunction, ModuleText

RETURNS = ("return", "func.return", "stablehlo.return", "sdy.return")
_MOST_LINES = 20_000  # and three times as many as are written
_MOST_DEPTH = 200
_IN_PAIRS = (*RETURNS, "stablehlo.optimization_barrier")
_SLICES = ("stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice")


@lru_cache(maxsize=8)  # a version is compared with the one before, and the next one with it
def flatten(program: ModuleText) -> list[Line]:
    """The lines that run, the header of `main` first. Calls are followed until the list is very long."""
    flat: list[Line] = []
    most = _MOST_LINES + 3 * sum(len(function.lines) for function in program.functions.values())
    n_values = 0

    def add(function: ModuleFunction, values: dict[int, int], depth: int) -> None:
        nonlocal n_values
        for line in function.lines[len(flat) > 0 : -1]:
            reads = tuple(values.get(value, -1) for value in line.reads)
            callee = program.functions[line.callees[0]] if len(line.callees) == 1 and depth < _MOST_DEPTH else None
            if callee and len(flat) < most and _can_take(callee, line):
                if "call" not in line.operation:  # a composite has attributes
                    flat.append(Line(line.operation, line.shape, (), (), (), (), ()))
                inner = dict(zip(callee.lines[0].sets, reads, strict=True))
                add(callee, inner, depth + 1)
                returned = flat.pop()
                values |= zip(line.sets, returned.reads, strict=True)
                continue
            sets = tuple(range(n_values, n_values := n_values + len(line.sets)))
            values |= zip(line.sets, sets, strict=True)
            shape = line.shape + "".join(program.digests[name] for name in line.callees) if line.callees else line.shape
            flat.append(Line(line.operation, shape, sets, reads, line.types, line.numbers, ()))

    if program.functions:
        add(program.functions[program.main], {}, 0)
    return flat


def _can_take(callee: ModuleFunction, call: Line) -> bool:
    """Whether a call gives a function what it takes and takes what it returns; Python's callbacks, say, do not."""
    lines = callee.lines
    is_whole = len(lines) > 2 and lines[-2].operation in RETURNS
    return is_whole and len(lines[0].sets) == len(call.reads) and len(lines[-2].reads) == len(call.sets)


def decide_more_than_numbers(lines: Sequence[Line], values: Collection[int]) -> bool:
    """Whether one of `values` decides how often a loop runs, or the shape of an array. A loop that counts is meant: one
    that goes on until what it computes is below a tolerance can have that as an input."""
    flow = _Flow()
    for line in lines[1:]:
        flow.follow(line)
    seen, waiting = set(values), list(values)
    while waiting:
        waiting += (new := set(flow.used[waiting.pop()]) - seen)
        seen |= new
    return not flow.ends.isdisjoint(seen)


class _Flow:
    """Which values are computed from which."""

    def __init__(self) -> None:
        self.used: defaultdict[int, list[int]] = defaultdict(list)
        self.ends: set[int] = set()  # the values that decide
        self._regions: list[tuple[Line, int]] = []  # that are open: the operation, and which one of its regions
        self._before = Line("", "", (), (), (), (), ())

    def follow(self, line: Line) -> None:
        """Add the next line of the program."""
        owner, region = self._regions[-1] if self._regions else (self._before, 0)
        if line.shape.startswith("}"):
            del self._regions[-1:]
            if line.shape.endswith("{"):
                self._regions.append((owner, region + 1))
        elif line.shape.endswith("{"):
            is_below = line.shape == "cond {" or line.operation.startswith("reducer")
            self._regions.append((self._before if is_below else line, 0))
            self._lead(self._regions[-1][0].reads, line.sets)
        elif line.shape.startswith("^"):
            self._lead(owner.reads, line.sets)
        elif line.operation in RETURNS and self._regions:
            self._return(line, owner, region)
        else:
            self._compute(line)
        self._before = line

    def _return(self, line: Line, owner: Line, region: int) -> None:
        if owner.operation != "stablehlo.while":
            self._lead(line.reads, owner.sets, is_paired=True)
        elif region == 0:
            self.ends.update(line.reads)
        else:
            self._lead(line.reads, owner.sets[len(line.reads) :], is_paired=True)

    def _compute(self, line: Line) -> None:
        if line.operation == "stablehlo.while":
            results, carried = line.sets[: len(line.reads)], line.sets[len(line.reads) :]
            self._lead(line.reads, carried, is_paired=True)
            self._lead(carried, results, is_paired=True)
        elif ".dynamic_" in line.operation and line.operation not in _SLICES:
            self.ends.update(line.reads)
        elif not (line.operation == "stablehlo.compare" and "FLOAT" in line.shape):
            self._lead(line.reads, line.sets, is_paired=line.operation in _IN_PAIRS)

    def _lead(self, reads: Sequence[int], sets: Sequence[int], is_paired: bool = False) -> None:
        """What is read leads to what is set, item by item if paired."""
        for at, value in enumerate(reads):
            self.used[value] += sets[at : at + 1] if is_paired and len(reads) == len(sets) else sets
