"""Operations along an axis that would be padded at its end: which of them leave the padding where it is.

In: the lines of two programs that differ in sizes alone.  Out: `Step`s; for each, whether a mask undoes the padding.
Must never: call an operation sound that is not known here.

The axes that have another size in the second program are those that would be padded. What works element by element
along them, or reduces them with an identity (a sum, a maximum), leaves the padding where it is, or drops it once it is
masked.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod

from .array_types import read_type
from .flat_program import RETURNS
from .module_lines import Line

Sizes = tuple[tuple[int, int], ...]  # of each axis: in the first program, and in the second one
MOVES = frozenset(
    {"transpose", "broadcast_in_dim", "convert", "dot_general", "sharding_constraint", "constant", "iota"}
)
ELEMENTWISE = frozenset({
    "abs", "acos", "acosh", "add", "and", "asin", "asinh", "atan", "atan2", "atanh", "bessel_i1e", "bitcast_convert",
    "case", "cbrt", "ceil", "clamp", "compare", "complex", "conj", "cosh", "cosine", "count_leading_zeros", "digamma",
    "divide", "erf", "erf_inv", "erfc", "exponential", "exponential_minus_one", "floor", "if", "imag", "is_finite",
    "is_inf", "is_neg_inf", "is_pos_inf", "lgamma", "log", "log_plus_one", "logistic", "maximum", "minimum", "multiply",
    "negate", "next_after", "not", "optimization_barrier", "or", "polygamma", "popcnt", "power", "real",
    "reduce_precision", "remainder", "round_nearest_afz", "round_nearest_even", "rsqrt", "select", "shift_left",
    "shift_right_arithmetic", "shift_right_logical", "sign", "sine", "sinh", "sqrt", "square", "subtract", "tan",
    "tanh", "while", "xor", "zeta",
})  # fmt: skip
_IDENTITIES = frozenset({"add", "maximum", "minimum", "multiply", "and", "or"})


@dataclass
class Step:
    """An operation: its line in both programs, the sizes of what it takes and makes, what is in its region."""

    name: str
    line: Line
    other: Line
    types: list[Sizes]
    inside: tuple[str, ...] = ()

    @property
    def made(self) -> Sizes:
        return self.types[-1] if self.types else ()

    @property
    def is_padded(self) -> bool:
        return any(map(padded, self.types))

    def numbers(self, name: str) -> list[int]:
        """The integers of an attribute: [1] of "dimensions = [1]"."""
        found = re.search(rf"\b{name} = (?:array<i64:?|\[)?([-\d, ]*)", self.line.shape)
        return [int(number) for number in found[1].split(",") if number.strip()] if found else []

    def both(self, *, at: int = 0) -> tuple[list[int], list[int]]:
        """The integers of a number that may differ, in both programs."""
        sides = (each.numbers[at] if at < len(each.numbers) else "" for each in (self.line, self.other))
        first, second = ([int(number) for number in re.findall(r"-?\d+", side.replace("i64", ""))] for side in sides)
        return first, second


def padded(sizes: Sizes) -> set[int]:
    """The axes that have another size in the other program."""
    return {axis for axis, (size, other) in enumerate(sizes) if size != other}


def types_of(line: Line, other: Line) -> list[Sizes]:
    pairs = zip(line.types, other.types, strict=True)
    return [tuple(zip(read_type(old)[0], read_type(new)[0], strict=True)) for old, new in pairs]


def steps_of(lines: Sequence[Line], others: Sequence[Line]) -> Iterator[Step]:
    """The operations in order; one with a region comes where the region ends, which has its types."""
    opened: list[tuple[Line, Line, list[str]]] = []
    for line, other in zip(lines[1:], others[1:], strict=True):
        name = line.operation.rpartition(".")[2]
        if line.shape.endswith("({") and not line.shape.startswith("}"):
            opened.append((line, other, []))
        elif line.shape.startswith("})") and opened:
            begun, begun_other, inside = opened.pop()
            operation = begun.operation.rpartition(".")[2]
            yield Step(operation, begun, begun_other, types_of(line, other), tuple(inside))
        elif line.operation not in RETURNS and ("." in line.operation):
            if opened:
                opened[-1][2].append(name)
            yield Step(name, line, other, types_of(line, other))


@dataclass
class Rules:
    """For each operation that is known: whether a mask can undo the padding of what it takes. `indices` are values that
    hold the positions along a padded axis."""

    indices: set[int] = field(default_factory=set)
    strewn: set[tuple[int, int]] = field(default_factory=set)  # sizes of merged axes of which an inner one is padded
    _merged: set[Sizes] = field(default_factory=set)  # axes that became one

    def allow(self, step: Step) -> bool:
        if not step.is_padded or step.name in ELEMENTWISE or step.name in MOVES:
            return True
        rule = _RULES.get(step.name)
        return rule is not None and rule(self, step)

    def reshape(self, step: Step) -> bool:
        """Axes that become one can be masked, and become what they were; of others, the outermost one is padded."""
        for taken, made in _groups(step.types[0], step.made):
            if len(taken) > 1 and len(made) == 1:
                self._merged.add(taken)
                self.strewn.update(made if padded(taken) - {0} else ())
            elif taken != made and made not in self._merged and padded(taken) | padded(made) not in ({0}, set()):
                return False
        return True

    def slice(self, step: Step) -> bool:
        """From a fixed place on, up to one that is as far from the beginning, or from the end."""
        axes = [[*map(int, re.findall(r"\d+", axis))] for axis in step.line.numbers[0].split(",")]
        others = [[*map(int, re.findall(r"\d+", axis))] for axis in step.other.numbers[0].split(",")]
        for axis in padded(step.types[0]):
            (start, end, *_), (start_other, end_other, *_) = axes[axis], others[axis]
            size, size_other = step.types[0][axis]
            if (
                (size, size_other) in self.strewn
                or start != start_other
                or (end != end_other and size - end != size_other - end_other)
            ):
                return False
        return True

    def concatenate(self, step: Step) -> bool:
        """Only the last part may be padded along the axis."""
        axis = step.numbers("dim")[0]
        return not any(axis in padded(part) for part in step.types[:-2])

    def pad(self, step: Step) -> bool:
        low, high = step.both()
        n, axes = len(low) // 2, padded(step.types[0])
        return axes == padded(step.made) and all(low[at] == high[at] for axis in axes for at in (axis, axis + n))

    def reduce(self, step: Step) -> bool:
        found = re.search(r"applies stablehlo\.(\w+)", step.line.shape)
        has_identity = found is not None and found[1] in _IDENTITIES
        return has_identity or not padded(step.types[0]).intersection(step.numbers("dimensions"))

    def reduce_window(self, step: Step) -> bool:
        sizes = step.both(at=len(step.line.numbers) - 1)
        return all(size[axis] == 1 for size in sizes for axis in padded(step.types[0]))

    def select_and_scatter(self, step: Step) -> bool:
        window = step.numbers("window_dimensions")
        return all(window[axis] == 1 for axis in padded(step.types[0]))

    def sort(self, step: Step) -> bool:
        return step.numbers("dimension")[0] not in padded(step.made)

    def reverse(self, step: Step) -> bool:
        return not padded(step.made).intersection(step.numbers("dims"))

    def fft(self, step: Step) -> bool:
        rank, lengths = len(step.made), step.both()[0]
        return all(axis < rank - len(lengths) for axis in (*padded(step.made), *padded(step.types[0])))

    def top_k(self, step: Step) -> bool:
        return len(step.types[0]) - 1 not in padded(step.types[0])

    def cholesky(self, step: Step) -> bool:
        """Of a batch of matrices, the batch may be padded."""
        is_batch = "num_batch_dims" in step.line.shape or step.name != "custom_call"
        return is_batch and all(axis < len(sizes) - 2 for sizes in step.types[:1] for axis in padded(sizes))

    def triangular_solve(self, step: Step) -> bool:
        return self.cholesky(step)

    def custom_call(self, step: Step) -> bool:
        is_layout = re.search(r"@(Sharding|annotate_device_placement|SPMD\w+)\(", step.line.shape) is not None
        return is_layout or self.cholesky(step)

    def convolution(self, step: Step) -> bool:
        found = re.search(r"dim_numbers = \[(.*?)\]x\[(.*?)\]->\[(.*?)\]", step.line.shape)
        names = [part.split(", ") for part in found.groups()] if found else []
        pairs = [*zip(names, step.types, strict=False)]
        return len(pairs) == len(step.types) and not any(
            of[axis].isdecimal() for of, sizes in pairs for axis in padded(sizes)
        )

    def dynamic_slice(self, step: Step) -> bool:
        return padded(step.types[0]) == padded(step.made)  # nothing of a padded axis is left out

    def dynamic_update_slice(self, step: Step) -> bool:
        return padded(step.types[0]) == padded(step.types[1])

    def gather(self, step: Step) -> bool:
        """What is taken as a whole, or once for each element of a batch, and by positions of the axis itself."""
        sizes, whole = step.both(), step.types[0]
        batch = step.numbers("operand_batching_dims")
        taken = {at for at in padded(whole) if (sizes[0][at], sizes[1][at]) != whole[at] and at not in batch}
        return not taken or (len(taken) == 1 and step.line.reads[1] in self.indices)

    def scatter(self, step: Step) -> bool:
        indexed = {*step.numbers("scatter_dims_to_operand_dims")} & padded(step.types[0])
        is_by_position = len(indexed) == 1 and step.line.reads[1] in self.indices
        has_identity = step.inside[:1] and step.inside[0] in _IDENTITIES
        is_spread = len(padded(step.types[-2])) <= len(padded(step.made))  # each element has a place of its own
        return (not indexed or is_by_position) and bool(has_identity or is_spread)


def _groups(taken: Sizes, made: Sizes) -> Iterator[tuple[Sizes, Sizes]]:
    """The axes that a reshape makes of others: ((2, 3),) to ((6,)); without those of size 1."""
    old, new = ([axis for axis in sizes if axis != (1, 1)] for sizes in (taken, made))
    starts = [(0, 0)]
    ends = {_products(new[:at]): at for at in range(len(new) + 1)}
    starts += [(at, ends[whole]) for at in range(1, len(old) + 1) if (whole := _products(old[:at])) in ends]
    if starts[-1] != (len(old), len(new)):
        starts.append((len(old), len(new)))
    for (start, start_new), (end, end_new) in pairwise(starts):
        yield tuple(old[start:end]), tuple(new[start_new:end_new])


def _products(sizes: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return prod(size for size, _ in sizes), prod(other for _, other in sizes)


_RULES: dict[str, Callable[[Rules, Step], bool]] = {
    name: rule for name, rule in vars(Rules).items() if name[0] != "_" and name != "allow" and callable(rule)
}
