"""What a miss was compiled to: texts, outputs, cost and memory, read from the frames that hold them at a phase's end.

In: the stack at the end of a phase.  Out: `TextSeen` and `ProgramSeen` events, or what is read to make them later.
Must never: lower or compile anything, or keep a jaxpr (its constants are the user's arrays).

What takes long is put off until somebody asks: a copy of the jaxpr, the module as bytecode and XLA's optimised module
tell all that texts and figures are made of, and keep nothing of the user's alive. The executable is the user's: it goes
when the user clears JAX's caches, so that what only it can tell is asked at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

from ...jaxcompat import frame_locals, jaxprs, printing
from ...jaxcompat.texts.files import label_hlo, label_stablehlo
from ...jaxcompat.texts.hlo import reused_parameters
from ...jaxcompat.texts.inputs import name_inputs
from ...model import Cost, Memory, TextName
from ...recording.events import CaptureFailed, CompileNumber, Event, ProgramSeen, TextSeen
from ...recording.packing import pack
from ...recording.redaction import redacted_program
from ...recording.unread import Unread
from ..failures import error_text
from ..opened import OpenCompile
from ..origins import finding
from ..origins.adapter import leaves_of_backward
from ..origins.sites import locate
from ..sources import file_label
from . import equations
from .constants import Mark, mark_of, names_of
from .excerpts import excerpts
from .holding import holds_more
from .output_nodes import nodes_of
from .reprs import Reprs
from .stacks import Stacks

# Roughly, in bytes: a copied equation, and an optimised module for each byte of the one that it was made from.
_OF_EQUATION = 1_000
_OF_OPTIMISED = 8


def of_trace(opened: OpenCompile, at_s: float, frame: FrameType) -> Iterator[Event | Unread]:
    """At the end of a trace: the whole jaxpr."""
    jaxpr = frame_locals.traced_jaxpr(frame)
    if jaxpr is not None:
        opened.has_jaxpr = True
        yield _jaxpr(opened, at_s, jaxpr, frame)


def of_lowering(opened: OpenCompile, at_s: float, frame: FrameType) -> Iterator[Event | Unread]:
    """At the end of lowering: StableHLO, the outputs from what JAX inferred, and unused inputs by user-level path.

    The jaxpr too, if this miss began with lowering.
    """
    module, jaxpr = frame_locals.lowered(frame)
    if module is not None:
        bytecode = jaxprs.module_bytecode(module)  # XLA may change the module, on a thread of the user's
        opened.nbytes = len(bytecode)
        yield _later(opened.nbytes, at_s, partial(_stablehlo, opened.number, at_s, bytecode))
    inferred = None if opened.is_backward else frame_locals.inferred(frame)
    if inferred is not None:
        leaves, treedef = finding.outputs_of(opened.jitted_by, inferred, opened.signature)
        nodes = nodes_of(treedef, leaves)
        transform = opened.output_transform
        yield ProgramSeen(at_s, opened.number, outputs=leaves, output_nodes=nodes, output_transform=transform)
    elif jaxpr is not None:
        yield ProgramSeen(at_s, opened.number, outputs=leaves_of_backward(jaxpr))
    found = frame_locals.kept_inputs(frame)
    if found is not None and found.total == len(opened.inputs):
        opened.kept = tuple(opened.inputs[place] for place in found.kept)
        opened.constants = found.constants
        kept = set(found.kept)
        dropped = tuple(path for place, path in enumerate(opened.inputs) if place not in kept)
        yield ProgramSeen(at_s, opened.number, dropped=dropped)
    if not opened.has_jaxpr and jaxpr is not None:
        yield _jaxpr(opened, at_s, jaxpr, frame)


def of_executable(opened: OpenCompile, at_s: float, frame: FrameType) -> Iterator[Event | Unread]:
    """At the end of the backend's compile: optimised HLO, cost and memory, and which donated inputs are reused."""
    executable = frame_locals.executable(frame)
    if executable is None:
        return
    yield ProgramSeen(at_s, opened.number, memory=_memory(executable))
    modules = executable.hlo_modules()
    if modules:
        read = partial(_optimised, opened.number, at_s, modules[0], executable.client, opened.kept, opened.constants)
        yield _later(_OF_OPTIMISED * opened.nbytes, at_s, read)


def _later(nbytes: int, at_s: float, read: Callable[[], Iterator[Event]]) -> Unread:
    return Unread(nbytes, partial(_told, at_s, read))


def _told(at_s: float, read: Callable[[], Iterator[Event]]) -> Iterator[Event]:
    """What is read, and that something of it failed if it did."""
    try:
        yield from read()
    except Exception as error:
        yield CaptureFailed(at_s, "program", error_text(error) or "")


def _jaxpr(opened: OpenCompile, at_s: float, jaxpr: Any, frame: FrameType) -> Unread:
    copy, constants = printing.copied(jaxpr, Reprs().in_place_of, holds_more)
    called = _called(constants, frame)
    names = {id(var): called.get(mark_of(array), "") for var, array in zip(copy.constants, constants, strict=True)}
    paths = () if opened.inputs == tuple(leaf.path for leaf in opened.signature.traced) else opened.inputs
    unread = _later(_OF_EQUATION * copy.n_equations, at_s, partial(_equations, opened.number, at_s, copy, names, paths))
    if not copy.may_wait:
        unread.events()
    return unread


def _equations(
    number: CompileNumber, at_s: float, copy: printing.JaxprCopy, names: dict[int, str], paths: tuple[str, ...]
) -> Iterator[Event]:
    printed = printing.jaxpr_text(copy)
    yield _text(number, at_s, "jaxpr", printed.text)
    stacks = Stacks()
    written = equations.to_json(copy.jaxpr, printed.lines, names, stacks, paths)
    yield _text(number, at_s, "equations", written.text)
    yield ProgramSeen(at_s, number, cost=Cost(jaxpr_flops=written.flops, has_loop=written.has_loop))
    yield _text(number, at_s, "sources", excerpts(stacks.files, at_s))


def _stablehlo(number: CompileNumber, at_s: float, bytecode: bytes) -> Iterator[Event]:
    yield _text(number, at_s, "stablehlo", label_stablehlo(jaxprs.located_stablehlo(bytecode), file_label))


def _optimised(
    number: CompileNumber, at_s: float, module: Any, client: Any, kept: tuple[str, ...], constants: int
) -> Iterator[Event]:
    text = module.to_string()
    yield _text(number, at_s, "hlo", name_inputs(label_hlo(text, file_label), kept, constants))
    places = (place - constants for place in reused_parameters(text))
    reused = tuple(kept[place] for place in places if 0 <= place < len(kept))
    yield ProgramSeen(at_s, number, cost=_cost(client, module), reused=reused)


def _called(constants: list[Any], frame: FrameType) -> dict[Mark, str]:
    """What the user calls the arrays that became constants."""
    site = locate(frame) if constants else None
    origin = finding.find_origin(site) if site is not None else None
    return {} if origin is None else names_of(constants, (origin.function, *origin.bodies))


def _text(number: CompileNumber, at_s: float, name: TextName, text: str) -> TextSeen:
    return TextSeen(at_s, number, name, pack(redacted_program(text)))


def _cost(client: Any, module: Any) -> Cost | None:
    try:
        found = jaxprs.hlo_cost(client, module)
    except Exception:  # not every backend has one
        return None
    return Cost(flops=_figure(found.get("flops")), bytes_accessed=_figure(found.get("bytes accessed")))


def _figure(found: Any) -> float | None:
    """A backend may say -1 or NaN for what it does not know; no JSON has a word for the latter."""
    return float(found) if type(found) in (int, float) and math.isfinite(found) and found >= 0 else None


def _memory(executable: Any) -> Memory | None:
    try:
        found = executable.get_compiled_memory_stats()
    except Exception:  # not every backend has one
        return None
    return Memory(
        argument=found.argument_size_in_bytes,
        output=found.output_size_in_bytes,
        temporary=found.temp_size_in_bytes,
        alias=found.alias_size_in_bytes,
        generated_code=found.generated_code_size_in_bytes,
    )
