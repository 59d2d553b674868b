"""The instructions of an optimised HLO module and their origins.

In: XLA's text of a module.  Out: a `Module` of instructions by the lines of the shown text, and that text.
Must never: parse more than is asked for; a text of a million lines is read in one pass.

The shown text is the module without the tables of stack frames at its head and without the metadata of instructions,
which the links show.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .labels import QUOTED
from .locations import Chain, PlaceNumbers

_METADATA = re.compile(rf", metadata=\{{((?:[^{{}}\"\n]++|{QUOTED}|\{{[^{{}}\n]*+\}})*+)\}}")
_OP_NAME = re.compile(rf"op_name=({QUOTED})")
_FRAME = re.compile(r"stack_frame_id=(\d+)")
# Up to jax 0.7 an instruction has only its innermost place.
_PLACE = re.compile(
    rf"source_file=({QUOTED}) source_line=(\d+)"
    r"(?: source_end_line=(\d+))?(?: source_column=(\d+))?(?: source_end_column=(\d+))?"
)
_CALLED = re.compile(
    r"\b(calls|to_apply|body|condition|branch_computations|(?:true|false)_computation)=(\{[^}]*\}|%[\w.\-]+)"
)
_NAME = re.compile(r"%([\w.\-]+)")
_HEADER = re.compile(r"(ENTRY )?%?([\w.\-]+) (?:\(.*)?\{$")
_PARENTHESIS = re.compile(r"[()]")
_ROW = re.compile(r"(\d+) (.*)")
_FIELD = re.compile(r"(\w+)=(\d+)")
# In the first line of a module: { {output index}: (parameter number, {}, may-alias), ... }
_ALIASES = re.compile(r"\((\d+), \{[\d, ]*\}, (?:may|must)-alias\)")
# These are not counted as operations. `SHELLS` run computations whose instructions are counted themselves.
SHELLS = frozenset({"fusion", "call"})
PLUMBING = frozenset({"parameter", "tuple", "get-tuple-element"})
UNCOUNTED = SHELLS | PLUMBING | {"constant", "bitcast"}
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")


class Instruction(NamedTuple):
    """One instruction. `rest` begins with its operands; `frame` is a key of `Module.chains`, 0 for none."""

    line: int
    name: str
    type: str
    opcode: str
    rest: str
    frame: int
    op_name: str

    @property
    def operands(self) -> list[str]:
        """The names of the operands."""
        return _NAME.findall(self.rest, 0, _end_of_operands(self.rest))

    @property
    def called(self) -> list[tuple[str, str]]:
        """The computations that it runs, as (attribute, name) pairs."""
        if "=%" not in self.rest and "={%" not in self.rest:
            return []
        attributes = self.rest[_end_of_operands(self.rest) :]
        return [(run[1], name) for run in _CALLED.finditer(attributes) for name in _NAME.findall(run[2])]


@dataclass
class Module:
    """Instructions by computation, in the order of the text. `chains` are the call stacks by `Instruction.frame`."""

    entry: str = ""
    computations: dict[str, list[Instruction]] = field(default_factory=dict)
    chains: dict[int, Chain] = field(default_factory=dict)

    def instructions(self) -> Iterator[Instruction]:
        """All instructions, by line."""
        for computation in self.computations.values():
            yield from computation


class Insides:
    """The origins of instructions; those of a fusion, a reduction or a call include all that their computations run."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._known: dict[str, dict[tuple[int, str], None]] = {}

    def origins(self, instruction: Instruction) -> list[tuple[int, str]]:
        """(frame, op name) of an instruction and of the instructions inside it."""
        own = (instruction.frame, instruction.op_name)
        inside = [name for how, name in instruction.called if how in ("calls", "to_apply")]
        if not inside:
            return [own]
        origins: dict[tuple[int, str], None] = {own: None} if instruction.op_name else {}
        for name in inside:
            origins.update(self._of_computation(name))
        return list(origins) or [own]

    def _of_computation(self, name: str) -> dict[tuple[int, str], None]:
        if name not in self._known:
            self._known[name] = {}  # in case a computation calls itself
            origins: dict[tuple[int, str], None] = {}
            for instruction in self._module.computations.get(name, ()):
                if instruction.opcode not in PLUMBING and instruction.op_name:
                    origins.update(dict.fromkeys(self.origins(instruction)))
            self._known[name] = origins
        return self._known[name]


def reused_parameters(text: str) -> list[int]:
    """The numbers of the parameters whose buffers are reused for outputs."""
    return sorted(map(int, _ALIASES.findall(text.partition("\n")[0])))


def show(text: str) -> str:
    """The text of a module as it is shown."""
    return _METADATA.sub("", "\n".join(_shown_lines(text)))


def read_module(text: str, places: PlaceNumbers) -> Module:
    """Read a module; `places` numbers its places."""
    module = Module(chains=_read_tables(text, places))
    current: list[Instruction] = []
    origins: dict[str, tuple[int, str]] = {"": (0, "")}  # by the metadata, of which most occur several times
    inline: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(_shown_lines(text)):
        if not line.startswith("  "):
            if line.endswith("{") and (header := _HEADER.match(line)):
                current = module.computations.setdefault(header[2], [])
                if header[1]:
                    module.entry = header[2]
            continue
        written = ""
        if (start := line.find(", metadata={")) >= 0 and (metadata := _METADATA.search(line, start)):
            line, written = line[: metadata.start()] + line[metadata.end() :], metadata[1]
        if written not in origins:
            frame, op_name = _read_metadata(written)
            if not frame and (place := _PLACE.search(written)):
                frame = inline.setdefault(place.groups(), len(inline) + 1)
                module.chains[frame] = _innermost(place, places)
            origins[written] = frame, op_name
        if (instruction := _read_instruction(number, line, *origins[written])) is not None:
            current.append(instruction)
    return module


def _shown_lines(text: str) -> list[str]:
    """All lines except the tables and the empty lines around them."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line in _TABLES), None)
    if start is None:
        return lines
    end = next((at for at in range(start, len(lines)) if lines[at].endswith("{")), len(lines))
    return lines[:start] + lines[end:]


def _read_instruction(number: int, line: str, frame: int, op_name: str) -> Instruction | None:
    equals = line.find(" = ")
    if equals < 0:
        return None
    head = line[:equals].strip()
    start = equals + 3
    end = _close(line, start) + 1 if line.startswith("(", start) else line.find(" ", start)
    paren = line.find("(", end)
    if end <= 0 or paren < 0:
        return None
    name = head.removeprefix("ROOT ")
    opcode = line[end + 1 : paren]
    return Instruction(number, name.lstrip("%"), line[start:end], opcode, line[paren + 1 :], frame, op_name)


def _close(line: str, start: int) -> int:
    """The position at which the parenthesis that opens at `start` is closed."""
    depth = 0
    for parenthesis in _PARENTHESIS.finditer(line, start):
        depth += 1 if parenthesis[0] == "(" else -1
        if not depth:
            return parenthesis.start()
    return len(line)


def _end_of_operands(rest: str) -> int:
    end = rest.find(")")
    return end if rest.find("(", 0, end) < 0 else _close("(" + rest, 0) - 1


def _read_metadata(written: str) -> tuple[int, str]:
    frame, op_name = _FRAME.search(written), _OP_NAME.search(written)
    return int(frame[1]) if frame else 0, op_name[1][1:-1].replace('\\"', '"') if op_name else ""


def _innermost(place: re.Match[str], places: PlaceNumbers) -> Chain:
    line, end_line, column, end_column = (int(part) if part else -1 for part in place.group(2, 3, 4, 5))
    frame = places.frame(place[1][1:-1], "", line, column, end_line, end_column)
    return () if frame is None else (frame,)


def _read_tables(text: str, places: PlaceNumbers) -> dict[int, Chain]:
    """The call stack of each stack frame, outermost frame first, by the number of the frame."""
    files, functions, locations, stack_frames = (_read_table(text, name) for name in _TABLES)
    frames = {number: _fields(row) for number, row in stack_frames.items()}
    # 0 means no parent. Some versions of XLA print the number of the parent plus one, so that 0 does not occur:
    # https://github.com/openxla/xla/issues/36953
    shift = 0 if any(row.get("parent_frame_id", 0) == 0 for row in frames.values()) else 1
    chains: dict[int, Chain] = {0: ()}
    for number, row in sorted(frames.items()):
        place = _fields(locations.get(row.get("file_location_id", 0), ""))
        frame = places.frame(
            files.get(place.get("file_name_id", 0), "").strip('"'),
            functions.get(place.get("function_name_id", 0), "").strip('"'),
            place.get("line", 0),
            place.get("column", -1),
            place.get("end_line", 0),
            place.get("end_column", -1),
        )
        outer = chains.get(row.get("parent_frame_id", 0) - shift, ())
        chains[number] = outer if frame is None else (*outer, frame)
    return chains if frames else {}


def _read_table(text: str, name: str) -> dict[int, str]:
    """The rows of a table by their numbers; none if the text has no such table."""
    start = text.find(f"\n{name}\n")
    lines = text[start : text.find("\n\n", start)].split("\n") if start >= 0 else []
    return {int(row[1]): row[2] for line in lines if (row := _ROW.match(line))}


def _fields(row: str) -> dict[str, int]:
    return {name: int(value) for name, value in _FIELD.findall(row)}
