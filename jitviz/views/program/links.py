"""The links between the Python source of a compile and its program texts.

In: a `Recording` and the number of a compile.  Out: `Links`, kept as long as the recording.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from ...findings.program.copies import Copies, SourceBlock, find_unrolled
from ...findings.program.jaxpr import Equation, read_equations
from ...findings.program.places import NOWHERE, Places, TextNumbers
from ...findings.program.rewrites import rewrite_of
from ...jaxcompat.texts import hlo
from ...jaxcompat.texts.locations import Locations
from ...jaxcompat.texts.names import direction_of
from ...jaxcompat.texts.stablehlo import Operation, read_operations
from ...model import Compile
from ...model.rows import TextName
from ...recording import Recording
from ..schema import Frames, Links, Origins, Stacks, WorkAdvice
from .call_stacks import Finder, Work
from .texts import compile_of

_kept: WeakKeyDictionary[Recording, dict[int, Links]] = WeakKeyDictionary()


def shape_links(recording: Recording, compile: int) -> Links:
    """Link lines of jaxpr, StableHLO and HLO to places in Python source, and count the work of each place.

    Raises:
        LookupError: there is no such compile, or no text of it; the message is a sentence for people.
    """
    row = compile_of(recording, compile)
    kept = _kept.setdefault(recording, {})
    if compile not in kept:
        links = _Linker(recording, row).links()
        if row.status == "running":  # its texts are not complete
            return links
        kept[compile] = links
    return kept[compile]


class _Linker:
    """Reads the texts of one compile. The equations come first: the other texts refer to their stacks."""

    def __init__(self, recording: Recording, row: Compile) -> None:
        self._row, self._transform = row, row.transform
        names: tuple[TextName, ...] = ("equations", "stablehlo", "hlo", "sources")
        self._texts = {name: recording.located(row.index, name) for name in names}
        if not any(self._texts[name] for name in ("equations", "stablehlo", "hlo")):
            raise LookupError("There is no program text: the trace failed, or happened before the recording.")
        self._places, self._names, self._work = Places(), TextNumbers(), Work()
        self._directions: dict[str, int] = {}
        self._notes: list[str] = []
        self._program: dict[str, Any] = {}

    def links(self) -> Links:
        files = self._places.files
        read = json.loads(self._texts["sources"] or "[]")
        blocks = tuple(SourceBlock(files[block["file"]], block["first"], block["text"]) for block in read)
        equations = self._equations()
        finder = Finder(self._places)
        operations = self._operations(finder)
        jaxpr = self._jaxpr_origins(equations)
        stablehlo = self._stablehlo_origins(operations, finder)
        instructions = self._hlo_origins(finder)
        totals = self._work.totals()
        unrolled = find_unrolled(blocks, self._places, equations, totals["equations"], self._program)
        whole = Links(
            files=tuple(self._places.files),
            functions=tuple(self._places.functions),
            names=tuple(self._names),
            sources=blocks,
            frames=count_in_characters(Frames(*zip(*self._places.frames, strict=True)), blocks),
            stacks=Stacks(*self._places.stacks(), **self._work.by_stack(len(self._places))),
            jaxpr=jaxpr,
            stablehlo=stablehlo,
            hlo=instructions,
            lines=self._work.by_line(self._places, unrolled.repeats),
            **totals,
            advice=tuple(_advise(copies, self._row) for copies in unrolled.copies),
            note=" ".join(self._notes),
        )
        return prune(whole)

    def _equations(self) -> list[Equation]:
        program: dict[str, Any] = json.loads(self._texts["equations"] or '{"equations": []}')
        self._program = program
        equations = read_equations(program, self._places, self._transform)
        if program.get("is_cut"):
            first = f"{len(equations):,}"
            self._notes.append(f"The program is so long that only its first {first} equations are counted and linked.")
        return equations

    def _operations(self, finder: Finder) -> list[Operation]:
        text = self._texts["stablehlo"]
        if not text:
            return []
        operations = read_operations(text, Locations(text, self._places))
        if operations and not any(origin.chain for operation in operations for origin in operation.origins):
            self._notes.append("The StableHLO has no source locations.")
        finder.learn(origin.chain for operation in operations for origin in operation.origins)
        return operations

    def _jaxpr_origins(self, equations: list[Equation]) -> Origins:
        rows: dict[tuple[int, int, int], int] = {}
        for equation in equations:
            if not equation.is_repeat:
                self._work.add("equations", equation.stack)
            if equation.line >= 0:
                rows.setdefault((equation.line, equation.stack, equation.direction), self._names[equation.name])
        return _columns(rows)

    def _stablehlo_origins(self, operations: list[Operation], finder: Finder) -> Origins:
        rows: dict[tuple[int, int, int], int] = {}
        for operation in operations:
            origins = [(finder.find(chain), name) for chain, name in operation.origins]
            if operation.is_counted:
                self._work.add("stablehlo_ops", origins[0][0])
            for stack, name in origins:
                if stack != NOWHERE or operation.is_counted:
                    rows.setdefault((operation.line, stack, self._direction(name)), self._names[name])
        return _columns(rows)

    def _hlo_origins(self, finder: Finder) -> Origins:
        if not self._texts["hlo"]:
            return Origins()
        module = hlo.read_module(self._texts["hlo"], self._places)
        insides = hlo.Insides(module)
        stack_of = cache(lambda frame: finder.find(module.chains.get(frame, ())))
        rows: dict[tuple[int, int, int], int] = {}
        for instruction in module.instructions():
            if instruction.opcode in hlo.PLUMBING:
                continue
            origins = insides.origins(instruction)
            is_operation = instruction.opcode not in hlo.UNCOUNTED
            if is_operation:
                self._work.add("hlo_ops", stack_of(instruction.frame))
            known = [(stack, name) for frame, name in origins if (stack := stack_of(frame)) != NOWHERE]
            if not known and (is_operation or instruction.opcode in hlo.SHELLS):
                known = [(NOWHERE, origins[0][1])]
            for stack, name in known:
                rows.setdefault((instruction.line, stack, self._direction(name)), self._names[name])
        return _columns(rows)

    def _direction(self, name: str) -> int:
        if (known := self._directions.get(name)) is None:
            known = self._directions[name] = direction_of(name, self._transform)
        return known


def _advise(copies: Copies, row: Compile) -> WorkAdvice:
    line = copies.lines[0]
    made = f"line {line}: {copies.tell_made()}, {copies.tell()}"
    return WorkAdvice(copies.file, line, made, rewrite_of(copies, row).advice)


def _columns(rows: dict[tuple[int, int, int], int]) -> Origins:
    order = sorted(rows, key=lambda row: row[0])
    line, stack, direction = zip(*order, strict=True) if order else [()] * 3
    return Origins(line, stack, direction, tuple(rows[row] for row in order))


def count_in_characters(frames: Frames, sources: Iterable[SourceBlock]) -> Frames:
    """Convert columns from bytes of UTF-8, as in Python, to characters, if their line is known."""
    longer = {
        (block.file, block.first + number): line.encode()
        for block in sources
        if not block.text.isascii()
        for number, line in enumerate(block.text.split("\n"))
        if not line.isascii()
    }

    def count(file: int, line: int, column: int) -> int:
        written = longer.get((file, line))
        return column if written is None or column < 0 else len(written[:column].decode(errors="ignore"))

    return replace(
        frames,
        column=tuple(map(count, frames.file, frames.line, frames.column)),
        end_column=tuple(map(count, frames.file, frames.end_line, frames.end_column)),
    )


def prune(links: Links) -> Links:
    """Keep only the frames that stacks use, and the names that these frames and the sources use. This leaves out the
    callers of the function and the machinery of a notebook."""
    frames = _renumber(links.stacks.frame)
    frames_of_all = links.frames
    files = _renumber([*(block.file for block in links.sources), *(frames_of_all.file[frame] for frame in frames)])
    functions = _renumber(frames_of_all.function[frame] for frame in frames)
    return replace(
        links,
        files=tuple(links.files[file] for file in files),
        functions=tuple(links.functions[function] for function in functions),
        sources=tuple(replace(block, file=files[block.file]) for block in links.sources),
        frames=replace(
            Frames(**{name: tuple(column[frame] for frame in frames) for name, column in vars(frames_of_all).items()}),
            file=tuple(files[frames_of_all.file[frame]] for frame in frames),
            function=tuple(functions[frames_of_all.function[frame]] for frame in frames),
        ),
        stacks=replace(links.stacks, frame=tuple(frames[frame] for frame in links.stacks.frame)),
        lines=replace(links.lines, file=tuple(files[file] for file in links.lines.file)),
        advice=tuple(replace(row, file=files[row.file]) for row in links.advice),
    )


def _renumber(used: Iterable[int]) -> dict[int, int]:
    """New numbers for the used ones, in the old order."""
    return {old: new for new, old in enumerate(sorted(set(used)))}
