"""Lines of program texts: without the names of their variables, and what operation and types stand in them.

In: a text as it is shown, and of which kind.  Out: `Lines`, operations, types.
Must never: lose more of a line than names that the compiler made up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...model import ListingName
from .hlo import UNTOLD

# A variable of a jaxpr is a word that is no operator, parameter or value: those stand behind "= ", or next to "=".
# "in" may be one, unless it stands before the outputs of a program. What is run more than once has a name, too.
_JAXPR_NAME = re.compile(
    r"((?<=^let )\w+(?= = \{)|(?<=jaxpr=)\w+|(?<![\w.='\"<@-])(?<!= )[a-z_]\w*(?![\w.=\['\"(>-]| \())"
)
_JAXPR_PROGRAM = re.compile(r"^let (\w+) = \{")
_JAXPR_DEFINED = re.compile(r"(?<![\w.='\"<@-])([a-z]+):(?=[a-z_~]\w*(?:<\w+>)?[\[{])")
_JAXPR_LITERAL = re.compile(r"[\w.+-]+:(?=\w+\[\])|(?<=integer_pow\[y=)-?\d+")  # "2.0:f32[]"
_MLIR_NAME = re.compile(r"((?<!custom_call )[%@][\w.$\-]+)")
_HLO_NAME = re.compile(r"%([\w.\-]+)|(?<=^HloModule )([\w.\-]+)")
_HLO_HEADER_NAME = re.compile(r"(?<=[(\s])([\w.\-]+)(?=: )|%([\w.\-]+)")
_VALUE = re.compile(r"%[\w.\-]+")
_SET = re.compile(r"(?::\d+)? = |: ")
_BRACE = re.compile(r"[{}]")

_OPERATION = {
    "jaxpr": re.compile(r" = ([a-z_]\w*)"),
    "stablehlo": re.compile(r"^\s*(?:%\S+ = )?\"?(?:stablehlo\.|func\.)?([a-z_][\w.]*)"),
    "hlo": re.compile(r" = (?:\(.*?\)|\S+) ([a-z][\w-]*)\("),
}
_HEADERS = UNTOLD | {"module", "func", "cond", "return", "bitcast"}
_TYPE = {
    "jaxpr": re.compile(r"\b([a-z]+\d*\w*)\[([\d,]*)\]"),
    "stablehlo": re.compile(r"\b(?:tensor)<((?:\d+x)*)(\w+)>"),
    "hlo": re.compile(r"\b(pred|[a-z]+\d+\w*)\[([\d,]*)\]"),
}

Names: TypeAlias = tuple[int, ...]
ArrayType: TypeAlias = tuple[str, tuple[str, ...]]  # dtype and sizes, as they are written


@dataclass
class Lines:
    """Lines without their names: the text between them as `shape`, the variables that a line sets, and that it reads.

    A variable is a number, which no other one of the text has, even if it goes by the same name.
    """

    shape: list[str] = field(default_factory=list)
    sets: list[Names] = field(default_factory=list)
    reads: list[Names] = field(default_factory=list)

    def add(self, shape: str, sets: Names, reads: Names) -> None:
        self.shape.append(shape)
        self.sets.append(sets)
        self.reads.append(reads)

    def __len__(self) -> int:
        return len(self.shape)


def unnamed(line: str) -> str:
    """A line of StableHLO or HLO without the names of its values, which hold numbers of their own."""
    return _VALUE.sub("%", line)


def without_literals(jaxpr: str) -> str:
    """A jaxpr without the numbers that it computes with; those of its shapes and loops stay."""
    return _JAXPR_LITERAL.sub("#:", jaxpr)


def read_lines(lines: Sequence[str], name: ListingName) -> Lines:
    """The lines of a text of kind `name`."""
    if name == "jaxpr":
        return _read_jaxpr(lines)
    return _read_mlir(lines) if name == "stablehlo" else _read_hlo(lines)


def _read_mlir(lines: Sequence[str]) -> Lines:
    found = Lines()
    numbers: dict[str, int] = {}
    n_numbers = 0
    for line in lines:
        parts = _MLIR_NAME.split(line)
        sets, reads = [], []
        for at in range(1, len(parts), 2):
            name = parts[at]
            # A name is used again in each function, and set there before it is read.
            if _SET.match(parts[at + 1]):
                n_numbers += 1
                numbers[name] = n_numbers
                sets.append(n_numbers)
            elif (number := numbers.get(name)) is not None:
                reads.append(number)
            else:
                n_numbers += 1
                numbers[name] = n_numbers
                reads.append(n_numbers)
        found.add("\0".join(parts[::2]), tuple(sets), tuple(reads))
    return found


def _read_hlo(lines: Sequence[str]) -> Lines:
    """HLO has each name once in the whole module, so that nothing need be looked up."""
    found = Lines()
    numbers: dict[str, int] = {}
    for line in lines:
        is_header = line.endswith("{") and not line.startswith(" ")
        pattern = _HLO_HEADER_NAME if is_header else _HLO_NAME
        names = [numbers.setdefault(one or other, len(numbers)) for one, other in pattern.findall(line)]
        n_set = 1 if " = " in line and line.startswith(" ") else 0
        found.add(pattern.sub("\0", line) if names else line, tuple(names[:n_set]), tuple(names[n_set:]))
    return found


def _read_jaxpr(lines: Sequence[str]) -> Lines:
    found = Lines()
    known = {name for line in lines for name in _JAXPR_DEFINED.findall(line)}
    known |= {program[1] for line in lines if (program := _JAXPR_PROGRAM.match(line))}
    scopes = _Scopes()
    for line in lines:
        parts = _JAXPR_NAME.split(line)
        # Most lines neither begin nor end a program, and there are many lines.
        has_braces = "{" in line or "}" in line
        shape, sets, reads = parts[:1], [], []
        if has_braces:
            scopes.pass_by(parts[0])
        for word, rest in zip(parts[1::2], parts[2::2], strict=True):
            if word not in known or (word == "let" and not rest):  # "let" stands behind the inputs of a program
                shape.append(word)
            elif rest.startswith((":", " = {")):
                sets.append(scopes.set(word))
                shape.append("\0")
            else:
                reads.append(scopes.read(word))
                shape.append("\0")
            shape.append(rest)
            if has_braces:
                scopes.pass_by(rest)
        found.add("".join(shape), tuple(sets), tuple(reads))
    return found


class _Scopes:
    """Which variable a name stands for; what an inner program sets is gone where it ends."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._hidden: list[list[tuple[str, int | None]]] = []
        self._n_numbers = 0

    def pass_by(self, text: str) -> None:
        for brace in _BRACE.findall(text):
            if brace == "{":
                self._hidden.append([])
            elif self._hidden:
                for name, number in reversed(self._hidden.pop()):
                    if number is None:
                        self._numbers.pop(name, None)
                    else:
                        self._numbers[name] = number

    def set(self, name: str) -> int:
        if self._hidden:
            self._hidden[-1].append((name, self._numbers.get(name)))
        self._n_numbers += 1
        self._numbers[name] = self._n_numbers
        return self._n_numbers

    def read(self, name: str) -> int:
        return self._numbers[name] if name in self._numbers else self.set(name)


def operation_of(line: str, name: ListingName) -> str:
    """The operation of a line, or ""; what only heads or ends a program is none."""
    found = _OPERATION[name].search(line)
    return "" if found is None or found[1] in _HEADERS else found[1]


def types_of(line: str, name: ListingName) -> list[ArrayType]:
    """The array types that stand in a line."""
    found = _TYPE[name].findall(line)
    if name == "stablehlo":
        return [(dtype, tuple(shape.split("x")[:-1])) for shape, dtype in found]
    return [(dtype, tuple(filter(None, shape.split(",")))) for dtype, shape in found]
