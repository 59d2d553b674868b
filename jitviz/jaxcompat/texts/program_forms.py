"""Programs with the same operations on the same values in another form: another dtype, axes of size 1, a constant.

In: the lines of two programs.  Out: words.
Must never: take programs for alike in which an input, a constant or another value stands in another place.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .array_types import read_type
from .literals import read_literals
from .module_lines import NAME, TYPE, Line

_DIMS = re.compile(r", dims = \[([\d, ]*)\]")
_COMPARED = re.compile(r", (?:FLOAT|SIGNED|UNSIGNED)(?= : )")
_IN_HEADER = re.compile(rf"[{NAME}{TYPE}:,() ]|->")
_INTEGER = re.compile(r"u?i\d+")
_MOST_TYPES = 3
_PRECISION = {"f64": 1e-12, "f32": 1e-6, "f16": 2e-3, "bf16": 1e-2}


class _Operand(NamedTuple):
    """An input or the result of an operation, by its number; or a constant, by its literals."""

    kind: str
    number: int = -1
    literals: tuple[str, ...] = ()
    type: str = ""


_UNKNOWN = _Operand("unknown")


def tell_form(lines: Sequence[Line], others: Sequence[Line]) -> str:
    """What the forms differ in; "" if the programs do not have the same operations on the same values."""
    old, new = _Form(lines), _Form(others)
    if _IN_HEADER.sub("", lines[0].shape) != _IN_HEADER.sub("", others[0].shape) or len(old.rows) != len(new.rows):
        return ""
    leaves: dict[_Operand, _Operand] = {}
    for (row, reads), (other_row, other_reads) in zip(old.rows, new.rows, strict=True):
        if row != other_row or len(reads) != len(other_reads):
            return ""
        for value, other in zip(reads, other_reads, strict=True):
            if value.kind != "input" != other.kind:
                if value.kind != other.kind or not _is_same(value, other):
                    return ""
            elif "result" in (value.kind, other.kind) or leaves.setdefault(value, other) != other:
                return ""
    return _tell(leaves, old.promoted, new.promoted)


def _tell(leaves: dict[_Operand, _Operand], promoted: set[int], other_promoted: set[int]) -> str:
    pairs = [pair for pair in leaves.items() if pair[0].kind == pair[1].kind]
    inputs = sorted((operand.number, other.number, operand.type, other.type) for operand, other in pairs)
    numbers = [number for _, number, _, _ in inputs]
    from_numbers = [other.number for operand, other in leaves.items() if operand.kind == "number"]
    if numbers != sorted({*numbers}) or len({*numbers, *from_numbers}) < len(numbers + from_numbers):
        return ""  # an input stands in the place of another one
    changed = [f"an input is {new} instead of {old}" for _, _, old, new in inputs if old != new]
    words = [*dict.fromkeys(changed)][:_MOST_TYPES]
    words += ["a constant is an input now"] * bool(from_numbers)
    words += ["an input is a constant now"] * any(other.kind == "number" for other in leaves.values())
    if not words and promoted != other_promoted:
        words = ["a scalar input is promoted to another dtype"]
    return ", ".join(words)


@dataclass
class _Form:
    """The operations of a program, without those that only change a form."""

    lines: Sequence[Line]
    rows: list[tuple[object, list[_Operand]]] = field(default_factory=list)
    promoted: set[int] = field(default_factory=set)  # the scalar inputs that are converted

    def __post_init__(self) -> None:
        header = self.lines[0]
        inputs = enumerate(zip(header.sets, header.types, strict=False))
        values = {value: _Operand("input", number, (), written) for number, (value, written) in inputs}
        n_results = 0
        for line in self.lines[1:]:
            if line.operation == "stablehlo.constant":
                values[line.sets[0]] = _Operand("number", -1, tuple(read_literals(line)), line.types[-1])
                continue
            reads = [values.get(value, _UNKNOWN) for value in line.reads]
            row = _row(line)
            if row is None:
                values[line.sets[0]] = reads[0]
                is_scalar = line.types[0].startswith("tensor<") and not read_type(line.types[0])[0]
                if line.operation == "stablehlo.convert" and is_scalar and reads[0].kind == "input":
                    self.promoted.add(reads[0].number)
                continue
            values |= {value: _Operand("result", n_results + at) for at, value in enumerate(line.sets)}
            n_results += len(line.sets)
            self.rows.append((row, reads))


def _row(line: Line) -> object:
    """What a line does apart from its form; None for what only changes the form of a value."""
    types = [read_type(written) for written in line.types]
    sizes = [[size for size in axes if size != 1] for axes, _ in types]
    if line.operation == "stablehlo.convert":
        is_cut = _INTEGER.fullmatch(types[-1][1]) and not _INTEGER.fullmatch(types[0][1])
        return line.shape if is_cut else None
    if line.operation in ("stablehlo.reshape", "stablehlo.broadcast_in_dim") and sizes[0] == sizes[-1]:
        return None
    if line.operation == "stablehlo.broadcast_in_dim" and (dims := _DIMS.search(line.shape)):
        places = [int(place) - len(types[-1][0]) for place in dims[1].split(",") if place]
        kept = [place for place, size in zip(places, types[0][0], strict=True) if size != 1]
        return line.operation, kept, sizes
    return _COMPARED.sub("", line.shape), line.numbers, sizes


def _is_same(value: _Operand, other: _Operand) -> bool:
    """Whether two results, or two constants up to the precision of their dtypes, are the same."""
    if value.kind == "result":
        return value.number == other.number
    old, new = value.literals, other.literals
    near = max(_PRECISION.get(read_type(operand.type)[1], 0.0) for operand in (value, other))
    return 0 < len(old) == len(new) and all(_is_near(x, y, near) for x, y in zip(old, new, strict=True))


def _is_near(one: str, other: str, near: float) -> bool:
    try:
        return one == other or math.isclose(float(one), float(other), rel_tol=near)
    except ValueError:
        return False
