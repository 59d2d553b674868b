"""A StableHLO module as functions of lines in which all that a name, a location or a type says stands apart.

In: the text of a module, with or without locations.  Out: `ModuleFunction`s by name.
Must never: read a name, a number or a type inside a string or an attribute.

Two programs may be compared line by line then: values are numbered as they appear, and the functions of the module are
known by what they hold.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import NamedTuple

from .labels import QUOTED
from .locations import plain_stablehlo

NAME, TYPE, NUMBERS, CALLEE = "\0", "\1", "\2", "\3"  # what stands in `Line.shape` for what is kept beside it

_TENSOR = r"tensor<(?:[^<>\n]|<[^<>\n]*>)*+>"
_TOKEN = re.compile(
    rf"{QUOTED}|%([\w$.-]++)(?::(\d++)|#(\d++))?+|(?<!custom_call )@({QUOTED}|[\w$.-]++)|({_TENSOR})|([\[{{])|([\]}}])"
)
_IS_VALUE, _IS_SYMBOL, _IS_TENSOR, _OPENS, _CLOSES = range(3, 8)  # the last group of each kind of token
_FUNCTION = re.compile(rf"func\.func .*?@({QUOTED}|[\w$.-]++)\(")
_VALUE = re.compile(r"%([\w$.-]++)")
_OPERATION = re.compile(r"(?:%[^=]*+= )?\"?([a-z_][\w.]*+)")
_MODULE = re.compile(rf"module @(?:{QUOTED}|[\w$.-]++)")
# A path in the trees of the user, or that an array is committed to the device that it is on.
_LABEL = rf"(?:jax\.(?:result|arg)_info = {QUOTED}|sdy\.sharding = #sdy\.sharding<@empty_mesh, \[[{{}}, ]*+\]>)"
_LABELS = re.compile(rf"(?: \{{{_LABEL}(?:, {_LABEL})*\}}|(?<=\{{)(?:{_LABEL}, )+|, {_LABEL})")
_NO_AXES = re.compile(r"sdy\.mesh @\S+ = <\[\]")  # a mesh of one device; which one is said where it is used
_FACTOR_SIZES = re.compile(r"(op_sharding_rule<[^{}\"<\n]*+\{)[^{}\"\n]*")  # which the types say already
_RESOURCE = re.compile(r'([\w$.-]+): "0x[0-9A-F]{8}([0-9A-F]*)"')
_KEPT_RESOURCE = re.compile(r"dense_resource<([\w$.-]+)>")
_NUMBERS = {
    "stablehlo.slice": re.compile(r"(?<= )\[[\d:, ]*\](?= : )"),
    "stablehlo.dynamic_slice": re.compile(r"(?<=, sizes = )\[[\d, ]*\]"),
    "stablehlo.gather": re.compile(r"(?<=slice_sizes = )array<i64[\d:, ]*>"),
    "stablehlo.pad": re.compile(r"(?<=, low = )\[[\d, -]*\], high = \[[\d, -]*\]"),
    "stablehlo.fft": re.compile(r"(?<=, length = )\[[\d, ]*\]"),
    "stablehlo.reduce_window": re.compile(r"(?<= padding = )dense<[\[\]\d, -]*>|(?<=window_dimensions = )array<[^>]*>"),
}


@dataclass(slots=True)
class Line:
    """A line of a function: its text without what the other fields hold, in the order in which it stood there. A value
    is a number that is unique in its function; `sets` and `reads` are the values that the line makes and uses."""

    operation: str
    shape: str
    sets: tuple[int, ...]
    reads: tuple[int, ...]
    types: tuple[str, ...]
    numbers: tuple[str, ...]
    callees: tuple[str, ...]


@dataclass(slots=True)
class ModuleFunction:
    """A function of a module. Its first line is its header."""

    name: str
    lines: list[Line] = field(default_factory=list)


@dataclass(eq=False)
class ModuleText:
    """A module: what stands before its functions, and its functions by name, the one that runs first."""

    header: tuple[str, ...]
    functions: dict[str, ModuleFunction]

    @property
    def main(self) -> str:
        return "main" if "main" in self.functions else next(iter(self.functions), "")

    @property
    def n_lines(self) -> int:
        return sum(len(function.lines) for function in self.functions.values())

    @property
    def digests(self) -> dict[str, str]:
        """What each function that `main` reaches does, whatever it is called and wherever it stands."""
        return self._digests[0]

    @property
    def outline(self) -> str:
        """What `main` does, with any numbers."""
        return self._digests[1].get(self.main, "")

    @cached_property
    def _digests(self) -> tuple[dict[str, str], dict[str, str]]:
        """With their numbers, and without."""
        whole, outlines = dict[str, str](), dict[str, str]()
        for name in self.reached():
            digest, outline = blake2b(digest_size=16), blake2b(digest_size=16)
            for line in self.functions[name].lines:
                said = repr((line.shape, line.sets, line.reads, line.types))[:-1]
                for part, known, numbers in ((digest, whole, line.numbers), (outline, outlines, ())):
                    called = [known.get(callee, callee) for callee in line.callees]
                    part.update(f"{said}, {numbers}, {called})".encode())
            whole[name], outlines[name] = digest.hexdigest(), outline.hexdigest()
        return whole, outlines

    def reached(self) -> Iterator[str]:
        """The functions that `main` calls, and `main`: each after those that it calls itself."""
        seen = {self.main}
        waiting = [(self.main, self._callees(self.main))] if self.functions else []
        while waiting:
            callee = next(waiting[-1][1], None)
            if callee is None:
                yield waiting.pop()[0]
            elif callee not in seen:
                seen.add(callee)
                waiting.append((callee, self._callees(callee)))

    def _callees(self, name: str) -> Iterator[str]:
        return (callee for line in self.functions[name].lines for callee in line.callees)


_MOST_LINES = 50_000  # of programs that are kept for a while, since each version is compared with several others
_kept: dict[bytes, ModuleText] = {}


def read_program(text: str) -> ModuleText:
    """Read the text of a module. What is not the text of a module has no functions, only a header."""
    key = blake2b(text.encode(errors="replace"), digest_size=16).digest()
    program = _kept.get(key)
    if program is None:
        program = _read(text)
        if sum(one.n_lines for one in (program, *_kept.values())) > _MOST_LINES:
            _kept.clear()
        _kept[key] = program
    return program


def _read(text: str) -> ModuleText:
    text, _, resources = plain_stablehlo(text).partition("\n{-#")
    if "dense_resource<" in text:
        kept = dict(_RESOURCE.findall(resources))
        text = _KEPT_RESOURCE.sub(lambda match: f'dense<"0x{kept[match[1]]}">' if match[1] in kept else match[0], text)
    lines = [line for row in text.split("\n") if (line := row.strip()) and not line.startswith("#loc")]
    starts = [(at, match[1]) for at, line in enumerate(lines) if (match := _FUNCTION.match(line))]
    if not starts:
        return ModuleText(tuple(lines), {})
    known = {name for _, name in starts}
    ends = [*[at for at, _ in starts[1:]], len(lines)]
    parts = zip(starts, ends, strict=True)
    functions = {name: _read_function(name, lines[start:end], known) for (start, name), end in parts}
    meshes = (line for line in lines[1 : starts[0][0]] if not _NO_AXES.match(line))
    header = (_MODULE.sub("module", lines[0]), *meshes)
    return ModuleText(header, functions)


def _read_function(name: str, lines: list[str], known: set[str]) -> ModuleFunction:
    reader = _LineReader(ModuleFunction(name), known)
    depth = 0
    for line in lines:
        closes = line.startswith("}")
        depth += line.endswith("{") - closes
        if depth < 0 or (depth == 0 and reader.function.lines and not closes):
            break  # what follows is no part of this function
        reader.add(line)
    return reader.function


@dataclass(slots=True)
class _LineReader:
    """Reads the lines of one function, in which each value is set before it is used."""

    function: ModuleFunction
    known: set[str]  # the functions of the module
    values: dict[str, int] = field(default_factory=dict)
    n_values: int = 0

    def add(self, line: str) -> None:
        if '"' in line or "@" in line or line.startswith("^"):
            said = _read_line(line, self.known)
            names = said.names
        else:  # most lines say what others say, of other values
            rest = _VALUE.split(line)
            names, said = tuple(rest[1::2]), _read_line_again("%_".join(rest[::2]))
        sets, reads = list[int](), list[int]()
        for value, (is_set, number) in zip(names, said.uses, strict=True):
            if is_set:
                sets += self._set(value, number)
            else:
                reads.append(self.values.get(value, -1) + number)
        parts = said.types, said.numbers, said.callees
        self.function.lines.append(Line(said.operation, said.shape, tuple(sets), tuple(reads), *parts))

    def _set(self, value: str, n_results: int) -> range:
        self.values[value] = start = self.n_values
        self.n_values += n_results
        return range(start, self.n_values)


class _Said(NamedTuple):
    """What a line says: the fields of a `Line`, with the names of its values in the order in which they stand, and for
    each whether the line makes it, and how many of them, or which of them it uses."""

    operation: str
    shape: str
    names: tuple[str, ...]
    uses: tuple[tuple[bool, int], ...]
    types: tuple[str, ...]
    numbers: tuple[str, ...]
    callees: tuple[str, ...]


def _read_line(line: str, known: Container[str] = ()) -> _Said:
    named = _OPERATION.match(line)
    operation = named[1] if named else line.split(" ", 1)[0]
    line, numbers = _without_numbers(operation, line)
    names, uses = list[str](), list[tuple[bool, int]]()
    types, callees, shape = list[str](), list[str](), list[str]()
    results_end = line.find(" = ") if line.startswith("%") else 0
    depth = at = 0
    for token in _TOKEN.finditer(line):
        which, (start, end) = token.lastindex or 0, token.span()
        if 1 <= which <= _IS_VALUE:
            value, n_results, result = token.group(1, 2, 3)
            is_set = end <= results_end or line.startswith((" = ", ": "), end)
            names.append(value)
            uses.append((is_set, int(n_results or 1) if is_set else int(result or 0)))
            put = NAME
        elif which == _IS_SYMBOL and (symbol := token[which]) in known:
            callees += [symbol] * (operation != "func.func")
            put = CALLEE
        elif which == _IS_TENSOR and not depth:
            types.append(token[which])
            put = TYPE
        else:
            depth = max(0, depth + (which == _OPENS) - (which == _CLOSES))
            continue
        shape.append(line[at:start] + put)
        at = end
    shape.append(line[at:])
    return _Said(operation, "".join(shape), tuple(names), tuple(uses), tuple(types), numbers, tuple(callees))


_read_line_again = lru_cache(maxsize=4096)(_read_line)


def _without_numbers(operation: str, line: str) -> tuple[str, tuple[str, ...]]:
    """The line with `NUMBERS` in place of the numbers that are no part of what the operation does, and these."""
    if operation == "stablehlo.constant":
        start, end = line.find(" dense") + 1, line.rfind(" : ")
        return f"{line[:start]}{NUMBERS}{line[end:]}", (line[start:end],)
    if pattern := _NUMBERS.get(operation):
        return pattern.sub(NUMBERS, line), tuple(pattern.findall(line))
    if operation == "func.func":
        return _LABELS.sub("", line), ()
    return (_FACTOR_SIZES.sub(r"\1", line) if "op_sharding_rule<" in line else line), ()
