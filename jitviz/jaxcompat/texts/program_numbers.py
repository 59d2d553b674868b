"""Programs of equal operations: the numbers, or the sizes, in which they differ.

In: the lines of two programs, which are equal but for types and numbers.  Out: `DifferingNumbers`; pairs of sizes.
Must never: take a number that is neither a constant nor where a slice begins for one that could be an input.
"""

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from .array_types import read_type
from .literals import read_literals
from .module_lines import Line

Lines: TypeAlias = Sequence[Line]
Pair: TypeAlias = tuple[str, str]
T = TypeVar("T")

_MOST_PAIRS = 64
_INTEGER = re.compile(r"-?\d+")


@dataclass
class DifferingNumbers:
    """The pairs of numbers that differ, and the values of the second program that hold them."""

    pairs: dict[Pair, None] = field(default_factory=dict)
    constants: list[int] = field(default_factory=list)
    could_be_inputs: bool = True  # unless a constant decides more than numbers


def compare_numbers(lines: Lines, others: Lines) -> DifferingNumbers | None:
    """The numbers in which programs of equal types differ; None if they differ in more than that."""
    numbers = DifferingNumbers()
    starts, pads = set[Pair](), set[Pair]()
    for line, other in zip(lines, others, strict=True):
        if line.types != other.types:
            return None
        if line.numbers == other.numbers:
            continue
        if line.operation == "stablehlo.constant":
            pairs = _differing(line, other)
            numbers.could_be_inputs &= bool(pairs)
            numbers.constants += other.sets
        elif line.operation in ("stablehlo.slice", "stablehlo.pad"):
            is_slice = line.operation == "stablehlo.slice"
            moved = _moved(_ranges(line), _ranges(other), 1 if is_slice else -1)
            if moved is None:
                return None
            pairs = moved
            (starts if is_slice else pads).update(pairs)
        else:
            return None
        numbers.pairs |= dict.fromkeys(pairs[: _MOST_PAIRS - len(numbers.pairs)])
    # What takes a part of an array has a gradient that puts it back where it was.
    numbers.could_be_inputs &= pads <= starts
    return numbers


def _ranges(line: Line) -> list[list[int]]:
    """The start, limit and stride of a slice, or the widths before and after of a pad, by axis."""
    if line.operation == "stablehlo.slice":
        return [[*map(int, _INTEGER.findall(axis))] for axis in "".join(line.numbers).split(",")]
    low, _, high = "".join(line.numbers).partition("high")
    pairs = zip(_INTEGER.findall(low), _INTEGER.findall(high), strict=True)
    return [[int(before), int(after)] for before, after in pairs]


def _moved(ranges: list[list[int]], others: list[list[int]], sign: int) -> list[Pair] | None:
    """Where parts of equal lengths start; None if their lengths differ."""
    moved = [(old, new) for old, new in zip(ranges, others, strict=True) if old != new]
    if any(old[1] - sign * old[0] != new[1] - sign * new[0] or old[2:] != new[2:] for old, new in moved):
        return None
    return [(str(old[0]), str(new[0])) for old, new in moved]


def _differing(line: Line, other: Line) -> list[Pair]:
    """The numbers of two constants that differ. An array of equal numbers is written as one number."""
    both = [[*read_literals(one)] for one in (line, other)]
    length = max(map(len, both))
    if not all(both) or any(len(literals) not in (1, length) for literals in both):
        return []
    old, new = (literals * (length // len(literals)) for literals in both)
    return _unequal(old, new)


def _unequal(one: Iterable[T], other: Iterable[T]) -> list[tuple[T, T]]:
    """The pairs that differ, each once."""
    return list(dict.fromkeys(pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]))


def compare_sizes(lines: Lines, others: Lines) -> tuple[tuple[int, int], ...]:
    """The sizes in which programs differ, those of inputs first; none if they differ in more than that."""
    sizes: dict[tuple[int, int], None] = {}
    kept: set[int] = {1, 2}
    for line, other in zip(lines, others, strict=True):
        for old, new in zip(line.types, other.types, strict=True):
            if old == new:
                kept.update(read_type(old)[0])
                continue
            (axes, dtype), (other_axes, other_dtype) = read_type(old), read_type(new)
            if dtype != other_dtype or len(axes) != len(other_axes):
                return ()
            sizes |= dict.fromkeys(_unequal(axes, other_axes))
            kept.update(size for size, other_size in zip(axes, other_axes, strict=True) if size == other_size)
    follows = _Following(sizes, kept)
    for line, other in zip(lines, others, strict=True):
        if line.numbers != other.numbers and not follows.allows(line, other):
            return ()
    return tuple(sizes)


class _Following:
    """The numbers that follow from sizes."""

    def __init__(self, sizes: Iterable[tuple[int, int]], kept: Iterable[int]) -> None:
        self._sizes = [*sizes]
        twos = itertools.combinations_with_replacement(self._sizes[:8], 2)
        self._sizes += [(one * another, new * another_new) for (one, new), (another, another_new) in twos]
        some = sorted(kept)[:64]
        self._factors = {float(one * other) for one in some for other in some}

    def allows(self, line: Line, other: Line) -> bool:
        """Whether the numbers of two lines of the same operation differ as the sizes do."""
        if line.operation == "stablehlo.constant":
            old, new = ([*read_literals(one)] for one in (line, other))
            if line.types != other.types and len(old) != len(new) and min(len(old), len(new)) > 1:
                n = min(len(old), len(new))
                return old[:n] == new[:n]  # the numbers from 0 on, and other tables of which one has more
            return bool(old) and len(old) == len(new) and all(map(self._follows, old, new))
        old, new = (_INTEGER.findall("".join(one.numbers)) for one in (line, other))
        strides = [[one[2:] for one in _ranges(of)] for of in (line, other) if of.operation == "stablehlo.slice"]
        if strides[:1] != strides[1:]:
            return False
        far = math.inf if line.operation in ("stablehlo.slice", "stablehlo.pad") else 1
        return len(old) == len(new) and all(self._is_moved(int(x), int(y), far) for x, y in zip(old, new, strict=True))

    def _is_moved(self, old: int, new: int, farthest: float) -> bool:
        """Whether a number is a size, or as far from its end as in the other program, or fills it up to the same."""
        return old == new or any(
            0 <= x - old == y - new <= farthest or (farthest > 1 and x + old == y + new) for x, y in self._sizes
        )

    def _follows(self, old: str, new: str) -> bool:
        """Whether a number is a size, one less or more, a multiple of it, or its inverse or the root of that."""
        if old == new:
            return True
        try:
            x, y = float(old), float(new)
        except ValueError:
            return False
        return any(abs(x - p) <= 1 and x - p == y - q for p, q in self._sizes) or any(
            _is_near(x / p**power, y / q**power) and (self._is_factor(x / p**power) or self._is_factor(p**power / x))
            for p, q in self._sizes
            for power in (1, -1, 0.5, -0.5)
            if p and q and x and y
        )

    def _is_factor(self, ratio: float) -> bool:
        return any(_is_near(ratio, factor) for factor in self._factors)


def _is_near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-5)
