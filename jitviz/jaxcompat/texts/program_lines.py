"""Lines of program texts: without the names of their variables; their operations and types.

In: a text as it is shown, and its kind.  Out: `Lines`, operations, types.
Must never: lose anything of a line but the names that the compiler made up.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...model import ListingName
from .hlo import PLUMBING

# A variable of a jaxpr is a word that is not an operator, parameter or value, all of which follow "= " or touch "=".
# "in" may be a variable, unless it precedes the outputs of a program. A program that runs twice has a name as well.
_JAXPR_NAME = re.compile(
    r"((?<=^let )\w+(?= = \{)|(?<=jaxpr=)\w+|(?<![\w.='\"<@-])(?<!= )[a-z_]\w*(?![\w.=\['\"(>-]| \())"
)
_JAXPR_PROGRAM = re.compile(r"^let (\w+) = \{")
_JAXPR_DEFINED = re.compile(r"(?<![\w.='\"<@-])([a-z]+):(?=[a-z_~]\w*(?:<\w+>)?[\[{])")
# A pattern that begins with a character is found fastest.
_MLIR_NAME = re.compile(r"([%@](?<!custom_call [%@])[\w.$\-]+)")
_HLO_NAME = re.compile(r"%([\w.\-]+)")
_HLO_MODULE_NAME = re.compile(r"(?:%|(?<=^HloModule ))([\w.\-]+)")
_HLO_HEADER_NAME = re.compile(r"(?:%|(?<=[(\s])(?=[\w.\-]+: ))([\w.\-]+)")
_VALUE_OR_DIALECT = re.compile(r"%[\w.$-]+(?:[:#]\d+)?(?: = |, )?|stablehlo\.|\bfunc\.")
_SET = re.compile(r"(?::\d+)? = |: ")
_BRACE = re.compile(r"[{}]")

_OPERATION = {
    "jaxpr": re.compile(r" = ([a-z_]\w*)"),
    "stablehlo": re.compile(r"^\s*(?:[%\0]\S* = )?\"?(?:stablehlo\.|func\.)?([a-z_][\w.]*)"),
    "hlo": re.compile(r" = (?:\(.*?\)|\S+) ([a-z][\w-]*)\("),
}
_HEADERS = PLUMBING | {"module", "func", "cond", "return", "bitcast"}
_TYPE = {
    "jaxpr": re.compile(r"\b([a-z]+\d*\w*)\[([\d,]*)\]"),
    "stablehlo": re.compile(r"\b(?:tensor)<((?:\d+x)*)(\w+)>"),
    "hlo": re.compile(r"\b(pred|[a-z]+\d+\w*)\[([\d,]*)\]"),
}

Names: TypeAlias = tuple[int, ...]
ArrayType: TypeAlias = tuple[str, tuple[str, ...]]  # dtype and sizes, as they are written


@dataclass
class Lines:
    """Lines without names: the text between the names as `shape`, the variables that a line sets, and those it reads. A
    variable is a number that is unique in the text, even if another variable has the same name."""

    shape: list[str] = field(default_factory=list)
    sets: list[Names] = field(default_factory=list)
    reads: list[Names] = field(default_factory=list)

    def add(self, shape: str, sets: Names, reads: Names) -> None:
        self.shape.append(shape)
        self.sets.append(sets)
        self.reads.append(reads)

    def __len__(self) -> int:
        return len(self.shape)


def brief(line: str) -> str:
    """A line of StableHLO as a person would cite it: "slice [0:1] : (tensor<8xf32>) -> tensor<1xf32>"."""
    return " ".join(_VALUE_OR_DIALECT.sub("", line).split())


def read_lines(lines: Sequence[str], name: ListingName) -> Lines:
    """The lines of a text of kind `name`."""
    if name == "jaxpr":
        return _read_jaxpr(lines)
    return _read_mlir(lines) if name == "stablehlo" else _read_hlo(lines)


def without_names(line: str, name: ListingName) -> tuple[str, list[str]]:
    """A line without what may be names of variables, and these."""
    if name == "hlo":
        is_header = line.endswith("{") and not line.startswith(" ")
        pattern = _HLO_HEADER_NAME if is_header else _HLO_MODULE_NAME if line.startswith("HloModule ") else _HLO_NAME
    else:
        pattern = _JAXPR_NAME if name == "jaxpr" else _MLIR_NAME
    parts = pattern.split(line)
    return "\0".join(parts[::2]), parts[1::2]


def _read_mlir(lines: Sequence[str]) -> Lines:
    result = Lines()
    numbers: dict[str, int] = {}
    new = itertools.count()
    are_set: dict[str, list[bool]] = {}  # by the shape, of which most occur several times
    for line in lines:
        shape, names = without_names(line, "stablehlo")
        if shape not in are_set:
            are_set[shape] = [_SET.match(rest) is not None for rest in shape.split("\0")[1:]]
        sets, reads = list[int](), list[int]()
        for name, is_set in zip(names, are_set[shape], strict=True):
            if is_set or name not in numbers:  # each function sets the same names again before it reads them
                numbers[name] = next(new)
            (sets if is_set else reads).append(numbers[name])
        result.add(shape, tuple(sets), tuple(reads))
    return result


def _read_hlo(lines: Sequence[str]) -> Lines:
    """HLO sets each name once in the whole module, so that scopes do not matter."""
    result = Lines()
    numbers: dict[str, int] = {}
    for line in lines:
        shape, found = without_names(line, "hlo")
        names = [numbers.setdefault(name, len(numbers)) for name in found]
        n_set = 1 if " = " in line and line.startswith(" ") else 0
        result.add(shape, tuple(names[:n_set]), tuple(names[n_set:]))
    return result


def _read_jaxpr(lines: Sequence[str]) -> Lines:
    result = Lines()
    known = {*_JAXPR_DEFINED.findall("\n".join(lines))}
    known |= {program[1] for line in lines if (program := _JAXPR_PROGRAM.match(line))}
    scopes = _Scopes()
    for line in lines:
        parts = _JAXPR_NAME.split(line)
        # Most lines neither begin nor end a program.
        has_braces = "{" in line or "}" in line
        shape, sets, reads = parts[:1], [], []
        if has_braces:
            scopes.pass_by(parts[0])
        for word, rest in zip(parts[1::2], parts[2::2], strict=True):
            if word not in known or (word == "let" and not rest):  # "let" follows the inputs of a program
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
        result.add("".join(shape), tuple(sets), tuple(reads))
    return result


class _Scopes:
    """The variable behind each name; an inner program has a scope of its own."""

    def __init__(self) -> None:
        self._scopes: list[dict[str, int]] = [{}]
        self._new = itertools.count()

    def pass_by(self, text: str) -> None:
        for brace in _BRACE.findall(text):
            if brace == "{":
                self._scopes.append({})
            elif len(self._scopes) > 1:
                self._scopes.pop()

    def set(self, name: str) -> int:
        number = self._scopes[-1][name] = next(self._new)
        return number

    def read(self, name: str) -> int:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return self.set(name)


def operation_of(line: str, name: ListingName) -> str:
    """The operation of a line, or of its shape; "" if there is none, or if it only begins or ends a program."""
    operation = _OPERATION[name].search(line)
    return "" if operation is None or operation[1] in _HEADERS else operation[1]


def types_of(line: str, name: ListingName) -> list[ArrayType]:
    """The array types in a line, or in its shape."""
    types = _TYPE[name].findall(line)
    if name == "stablehlo":
        return [(dtype, tuple(shape.split("x")[:-1])) for shape, dtype in types]
    return [(dtype, tuple(filter(None, shape.split(",")))) for dtype, shape in types]
