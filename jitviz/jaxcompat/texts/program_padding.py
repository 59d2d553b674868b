"""Whether an array could be padded and the padding masked out, or what of a program stands in the way.

In: the lines of two programs that differ in sizes alone.  Out: "", or what stands in the way: "a Fourier transform".
Must never: call a use of a size sound that is not known here.

A size as a number (the divisor of a mean) can be that of the mask, unless it moves positions along the axis
(`jnp.linspace(0, 1, len(x))`), or decides how often a loop runs.
"""

from collections.abc import Iterator, Sequence

from .literals import read_literals
from .module_lines import Line
from .padding_rules import ELEMENTWISE, MOVES, Rules, Step, padded, steps_of, types_of

_KEEP_POSITIONS = frozenset({"add", "subtract", "multiply", "divide", "slice"})
_KEEP_INDICES = frozenset({"convert", "broadcast_in_dim", "reshape", "transpose", "concatenate", "select"})
_LENGTHS_STAY = ELEMENTWISE | {"convert", "broadcast_in_dim", "reshape"}
_DECIDE = {  # which of the values that an operation takes decide where, or whether, something is done
    "compare": slice(None), "case": slice(None), "if": slice(None), "gather": slice(1, 2), "scatter": slice(1, 2),
    "dynamic_slice": slice(1, None), "dynamic_update_slice": slice(2, None),
}  # fmt: skip
_NAMES = {
    "fft": "a Fourier transform",
    "sort": "a sort",
    "top_k": "the largest elements",
    "reverse": "a reversal",
    "reduce_window": "a window or a cumulative sum",
    "convolution": "a convolution",
    "slice": "elements from the end",
    "dynamic_slice": "single elements, as a loop takes them",
    "gather": "an index",
    "reduce": "an argmax or another reduction without an identity",
    "custom_call": "a routine for whole matrices",
    "cholesky": "a routine for whole matrices",
    "triangular_solve": "a routine for whole matrices",
}
_POSITIONS = "positions that depend on the size"
_LOOP = "a loop or a choice that depends on the size"


def find_obstacle(lines: Sequence[Line], others: Sequence[Line]) -> str:
    """What makes padding change the result, in words; "" if masking can undo the padding."""
    reader = _PaddingReader()
    found = next(reader.obstacles(steps_of(lines, others)), "")
    returned = {axis for sizes in types_of(lines[-1], others[-1]) for axis in sizes}
    return found or ("" if reader.rules.strewn.isdisjoint(returned) else "a result with the padding in between")


class _PaddingReader:
    """Follows the values that are sizes, or positions along a padded axis."""

    def __init__(self) -> None:
        self.rules = Rules()
        self._fixed: set[int] = set()  # constants, and what is computed from these alone
        self._lengths: set[int] = set()  # numbers that depend on a size
        self._positions: set[int] = set()
        self._reduced: set[int] = set()  # what was summed up along a padded axis
        self._from_end: dict[int, int] = {}  # an index to which the size was added, in case it is negative
        self._same: dict[int, int] = {}  # values that were converted to the type that they have

    def obstacles(self, steps: Iterator[Step]) -> Iterator[str]:
        for step in steps:
            if words := self._follow(step):
                yield words
            if not self.rules.allow(step):
                yield _NAMES.get(step.name, f"`{step.name}`")

    def _follow(self, step: Step) -> str:
        """Note what a step makes of sizes and positions; what stands in the way, or ""."""
        name, line = step.name, step.line
        reads = [self._same.get(value, value) for value in line.reads]
        if name == "constant":
            self._fixed.update(line.sets)
            return self._read_constant(step) if line.numbers != step.other.numbers else ""
        if name == "iota":
            if step.numbers("dim")[0] in padded(step.made):
                self._positions.update(line.sets)
                self.rules.indices.update(line.sets)
            return ""
        if name == "while":
            halves = line.sets[: len(reads)], line.sets[len(reads) :]
            for before, *after in zip(reads, *halves, strict=False):
                self._lengths.update(after if before in self._lengths else ())
            return ""
        if name == "convert" and len(line.types) == 1:
            self._same[line.sets[0]] = reads[0]
        if name == "select" and self._from_end.get(reads[1], -1) == reads[2]:
            reads = [reads[0], reads[2], reads[2]]  # an index from the end, of which there is none here
        return self._lead(step, reads)

    def _lead(self, step: Step, reads: Sequence[int]) -> str:
        """What is computed from sizes, positions and indices is such again, as far as the operation keeps it."""
        name, sets = step.name, step.line.sets
        has_length = not self._lengths.isdisjoint(reads)
        has_position = not self._positions.isdisjoint(reads) or any(value in self._from_end for value in reads)
        is_fixed = all(value in self._fixed or value in self._lengths for value in reads)
        if is_fixed and name in ELEMENTWISE | MOVES:
            self._fixed.update(sets)
        deciding = reads[_DECIDE.get(name, slice(0))]
        if not self._lengths.isdisjoint(deciding) and not (is_fixed and name == "compare"):
            return _LOOP
        if has_length and has_position and name in ELEMENTWISE:
            if name != "add" or not step.line.types[0].endswith(("xi32>", "xi64>", "<i32>", "<i64>")):
                return _POSITIONS
            self._from_end[sets[0]] = next(value for value in reads if value not in self._lengths)
            return ""
        is_mean = has_length and not self._reduced.isdisjoint(reads)
        if has_length and not is_mean and name in _LENGTHS_STAY:
            self._lengths.update(sets)
        if has_position and name in _KEEP_POSITIONS | _KEEP_INDICES:
            self._positions.update(sets)
        if name in _KEEP_INDICES and not self.rules.indices.isdisjoint(reads):
            self.rules.indices.update(sets)
        is_reducing = name in ("reduce", "dot_general", "convolution", "scatter") and padded(step.types[0])
        if is_reducing or not self._reduced.isdisjoint(reads):
            self._reduced.update(sets)
        return ""

    def _read_constant(self, step: Step) -> str:
        """A number that depends on the size, or a table of which the other program has more."""
        old, new = ([*read_literals(line)] for line in (step.line, step.other))
        if not padded(step.made) or len(old) == len(new) == 1:
            self._lengths.update(step.line.sets)
            return ""
        n = min(len(old), len(new))
        return "" if old[:n] == new[:n] and padded(step.made) == {0} else _POSITIONS
