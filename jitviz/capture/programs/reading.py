"""The program of a miss: texts, outputs, cost and memory, read from JAX's frames at the end of a phase.

In: the stack at the end of a phase.  Out: `TextSeen` and `ProgramSeen` events, or `Unread` work that makes them later.
Must never: lower or compile anything, or keep a jaxpr (its constants are the user's arrays).

Slow work waits until the result is needed: a copy of the jaxpr, the module as bytecode and XLA's optimised module
suffice for texts and figures, and keep no user object alive. The executable does not wait: it disappears when the
user clears JAX's caches, so its own facts are read at once.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import FrameType
from typing import Any

from ...jaxcompat import frame_locals, jaxprs, printing
from ...jaxcompat.output_trees import output_avals
from ...jaxcompat.texts.hlo import reused_parameters
from ...jaxcompat.texts.labels import label_hlo, label_stablehlo, name_inputs
from ...model import Cost, Leaf, Memory, TextName
from ...recording.codec import pack
from ...recording.events import CaptureFailed, CompileNumber, Event, ProgramSeen, TextSeen
from ...recording.redaction import redacted_program
from ...recording.unread_programs import Unread
from ..adapters import registry
from ..adapters.adapter import leaves_at, leaves_of_backward
from ..adapters.jax_sites import locate
from ..failures import error_text
from ..in_progress import OpenMiss
from ..sources import file_label
from . import equations
from .constant_names import ArrayKey, key_of_array, names_of
from .equations import EquationStacks
from .output_nodes import nodes_of
from .parameters import Reprs
from .source_excerpts import excerpts

# Estimates in bytes: of a copied equation, and of an optimised module for each byte of its StableHLO.
_EQUATION = 1_000
_OPTIMISED = 8
_LARGE = 1_000_000  # bytes of a module that may hold large constants, and of constants that a finding is about


def of_trace(opened: OpenMiss, at_s: float, frame: FrameType) -> Iterator[Event | Unread]:
    """Read the whole jaxpr at the end of a trace."""
    jaxpr = frame_locals.traced_jaxpr(frame)
    if jaxpr is not None:
        opened.has_jaxpr = True
        yield from _jaxpr(opened, at_s, jaxpr, frame)


def of_lowering(opened: OpenMiss, at_s: float, frame: FrameType) -> Iterator[Event | Unread]:
    """Read StableHLO and the outputs at the end of lowering, and the jaxpr if there was no trace."""
    module, jaxpr = frame_locals.lowered(frame)
    if module is not None:
        # It is written at once, since XLA may change it on a user's thread. Large constants are only named.
        is_named = jaxpr is not None and _nbytes(jaxpr.jaxpr.constvars) > _LARGE
        written = jaxprs.module_text(module) if is_named else jaxprs.module_bytecode(module)
        constants = jaxprs.constants_nbytes(module) if len(written) > _LARGE and not is_named else 0
        opened.nbytes = max(0, len(written) - constants)
        read = partial(_stablehlo, opened.number, at_s, written)
        less = partial(read, has_locations=False)
        unread = _later(opened, opened.nbytes, at_s, read, is_compared=True, for_findings=less)
        if is_named or constants > opened.nbytes:
            unread.events()  # its text is short, and nothing keeps the constants
        yield unread
    inferred = None if opened.is_backward else frame_locals.inferred(frame)
    if inferred is not None:
        leaves, treedef = registry.outputs_of(opened.jitted_by, inferred, opened.signature)
        nodes = nodes_of(treedef, leaves)
        if opened.transform and jaxpr is not None:
            leaves = _transformed(leaves, output_avals(jaxpr)[opened.jitted_by.outputs_before :])
        transform = opened.output_transform
        yield ProgramSeen(at_s, opened.number, outputs=leaves, output_nodes=nodes, output_transform=transform)
    elif jaxpr is not None:
        yield ProgramSeen(at_s, opened.number, outputs=leaves_of_backward(jaxpr))
    if not opened.has_jaxpr and jaxpr is not None:
        yield from _jaxpr(opened, at_s, jaxpr, frame)


def _transformed(leaves: tuple[Leaf, ...], avals: list[Any]) -> tuple[Leaf, ...]:
    """The outputs of a program that a transformation outside the jit made: those of the function, batched perhaps, and
    what else it returns, such as what the backward pass needs. They are named by position if JAX left some out, since
    they are inputs."""
    paths = [leaf.path for leaf in leaves if leaf.role == "traced"]
    paths += [f"more[{place}]" for place in range(len(avals) - len(paths))]
    made = leaves_at(zip(paths, avals, strict=False))
    own = zip((leaf for leaf in leaves if leaf.role == "traced"), made, strict=False)
    if len(paths) > len(avals) or any(set(leaf.shape or ()) - set(new.shape or ()) for leaf, new in own):
        return leaves_at((f"out[{place}]", aval) for place, aval in enumerate(avals))
    left = iter(made)
    return (*(next(left) if leaf.role == "traced" else leaf for leaf in leaves), *left)


def dropped_inputs(opened: OpenMiss, frame: FrameType) -> tuple[str, ...]:
    """The inputs that the program does not use, at the end of lowering; those that it does are noted in `opened`."""
    used = frame_locals.kept_inputs(frame)
    if used is None or used.total != len(opened.inputs):
        return ()
    opened.kept = tuple(opened.inputs[place] for place in used.kept)
    opened.constants = used.constants
    places = set(used.kept)
    return tuple(path for place, path in enumerate(opened.inputs) if place not in places)


def of_executable(opened: OpenMiss, at_s: float, frame: FrameType) -> Iterator[Event | Unread]:
    """Read optimised HLO, cost, memory and the reused donated inputs at the end of the backend's compile."""
    executable = frame_locals.executable(frame)
    modules = _from_backend(lambda: executable.hlo_modules())
    memory = _memory(_from_backend(lambda: executable.get_compiled_memory_stats()))
    yield ProgramSeen(at_s, opened.number, memory=memory, reused=() if modules else None)
    if modules:
        read = partial(_optimised, opened.number, at_s, modules[0], executable.client, opened.kept, opened.constants)
        is_donated = any(leaf.donated for leaf in opened.signature.traced)
        yield _later(opened, _OPTIMISED * opened.nbytes, at_s, read, for_findings=read if is_donated else None)


_Read = Callable[[], Iterator[Event]]


def _later(
    opened: OpenMiss,
    nbytes: int,
    at_s: float,
    read: _Read,
    *,
    is_compared: bool = False,
    is_of_largest: bool = False,
    for_findings: _Read | None = None,
) -> Unread:
    def guarded(read: _Read) -> Iterator[Event]:
        try:
            yield from read()
        except Exception as error:
            yield CaptureFailed(at_s, "program", error_text(error) or "")

    less = None if for_findings is None else partial(guarded, for_findings)
    whole = partial(guarded, read)
    return Unread(nbytes, whole, opened.number, is_compared=is_compared, is_of_largest=is_of_largest, for_findings=less)


def _jaxpr(opened: OpenMiss, at_s: float, jaxpr: Any, frame: FrameType) -> Iterator[Event | Unread]:
    reprs, callbacks = Reprs(), list[str]()
    copy, constants = printing.copy_jaxpr(
        jaxpr, reprs.in_place_of, reprs.holds_more, lambda parameters: callbacks.append(reprs.of_callback(parameters))
    )
    called = _names_of_constants(constants, frame)
    names = {id(var): called.get(key_of_array(array), "") for var, array in zip(copy.constants, constants, strict=True)}
    paths = () if opened.inputs == tuple(leaf.path for leaf in opened.signature.traced) else opened.inputs
    read = partial(_equations, opened.number, at_s, copy, names, paths)
    has_large = _nbytes(copy.constants) > _LARGE
    less = partial(read, has_text=False) if has_large or copy.n_inlined >= equations.FEWEST else None
    nbytes = _EQUATION * copy.n_equations
    unread = _later(opened, nbytes, at_s, read, for_findings=less, is_of_largest=not has_large)
    if not copy.may_wait:
        unread.events()
    if callbacks:
        yield ProgramSeen(at_s, opened.number, callbacks=tuple(callbacks))
    yield unread


def _equations(
    number: CompileNumber,
    at_s: float,
    copy: printing.JaxprCopy,
    names: dict[int, str],
    paths: tuple[str, ...],
    *,
    has_text: bool = True,
) -> Iterator[Event]:
    """Without its text, the equations have no lines."""
    lines: dict[int, int] = {}
    if has_text:
        printed = printing.jaxpr_text(copy)
        lines = printed.lines
        yield _text(number, at_s, "jaxpr", printed.text)
    stacks = EquationStacks()
    written = equations.to_json(copy.jaxpr, lines, names, stacks, paths)
    yield _text(number, at_s, "equations", written.text)
    if written.has_loop:
        yield ProgramSeen(at_s, number, cost=Cost(has_loop=True))
    yield _text(number, at_s, "sources", excerpts(stacks.files, at_s))


def _stablehlo(
    number: CompileNumber, at_s: float, written: str | bytes, *, has_locations: bool = True
) -> Iterator[Event]:
    text = written if isinstance(written, str) else jaxprs.stablehlo_text(written, has_locations=has_locations)
    yield _text(number, at_s, "stablehlo", label_stablehlo(text, file_label) if has_locations else text)


def _optimised(
    number: CompileNumber, at_s: float, module: Any, client: Any, kept: tuple[str, ...], constants: int
) -> Iterator[Event]:
    text = module.to_string()
    yield _text(number, at_s, "hlo", name_inputs(label_hlo(text, file_label), kept, constants))
    places = (place - constants for place in reused_parameters(text))
    reused = tuple(kept[place] for place in places if 0 <= place < len(kept))
    cost = _cost(_from_backend(lambda: jaxprs.hlo_cost(client, module)))
    yield ProgramSeen(at_s, number, cost=cost, reused=reused)


def _nbytes(variables: Iterable[Any]) -> int:
    return sum(jaxprs.aval_nbytes(var.aval) for var in variables)


def _names_of_constants(constants: list[Any], frame: FrameType) -> dict[ArrayKey, str]:
    """The user's names of the arrays that became constants."""
    site = locate(frame) if constants else None
    origin = registry.find_origin(site) if site is not None else None
    return {} if origin is None else names_of(constants, (origin.function, *origin.bodies))


def _text(number: CompileNumber, at_s: float, name: TextName, text: str) -> TextSeen:
    return TextSeen(at_s, number, name, pack(redacted_program(text)))


def _from_backend(read: Callable[[], Any]) -> Any:
    """What a backend tells; None if it does not show its programs, their memory or their cost."""
    try:
        return read()
    except Exception:
        return None


def _cost(found: Any) -> Cost | None:
    if found is None:
        return None
    return Cost(flops=_figure(found.get("flops")), bytes_accessed=_figure(found.get("bytes accessed")))


def _figure(found: Any) -> float | None:
    """A figure of a cost analysis; None for -1 or NaN, which backends return for unknown figures."""
    return float(found) if type(found) in (int, float) and math.isfinite(found) and found >= 0 else None


def _memory(found: Any) -> Memory | None:
    if found is None:
        return None
    return Memory(
        argument=found.argument_size_in_bytes,
        output=found.output_size_in_bytes,
        temporary=found.temp_size_in_bytes,
        alias=found.alias_size_in_bytes,
        generated_code=found.generated_code_size_in_bytes,
    )
