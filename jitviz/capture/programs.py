"""What a miss was compiled to: texts, outputs, cost and memory, read from the frames that hold them at a phase's end.

In: the stack at the end of a phase.  Out: `TextSeen` and `ProgramSeen` events.
Must never: lower or compile anything, or keep a jaxpr (its constants are the user's arrays).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from ..events import Event, ProgramSeen, TextName, TextSeen
from ..model import Cost, Leaf, Memory, Signature
from . import _jaxcompat as compat
from . import arrays, equations
from .walk import Rows, array_leaf, static_leaf, walk

Emit = Callable[[Event], None]


def pack(text: str) -> bytes:
    """Compressed lightly: texts are many and long, and most are never looked at."""
    return zlib.compress(text.encode(), 1)


def note_trace(frame: FrameType | None, number: int, at_s: float, emit: Emit) -> None:
    """At the end of a trace: the whole jaxpr."""
    jaxpr = compat.traced_jaxpr(frame)
    if jaxpr is not None:
        _jaxpr(number, at_s, jaxpr, emit)


def note_lowering(frame: FrameType | None, number: int, at_s: float, has_jaxpr: bool, emit: Emit) -> None:
    """At the end of lowering: StableHLO, and the jaxpr if this miss began with lowering."""
    module, jaxpr = compat.lowered(frame)
    if module is not None:
        _text(number, at_s, "stablehlo", str(module), emit)
    if not has_jaxpr and jaxpr is not None:
        _jaxpr(number, at_s, jaxpr, emit)


def note_executable(frame: FrameType | None, number: int, at_s: float, emit: Emit) -> None:
    """At the end of the backend's compile: optimised HLO, cost and memory."""
    executable = compat.executable(frame)
    if executable is None:
        return
    modules = executable.hlo_modules()
    if modules:
        _text(number, at_s, "hlo", modules[0].to_string(), emit)
    emit(ProgramSeen(at_s, number, cost=_cost(executable), memory=_memory(executable)))


def note_outputs(params: Any, api: str, transform: str, number: int, at_s: float, emit: Emit) -> None:
    """From what JAX inferred of the miss: what the function returns, as leaves under `out`."""
    if params is not None:
        emit(ProgramSeen(at_s, number, outputs=outputs_of(params, api), output_transform=transform))


def outputs_of(params: Any, api: str) -> tuple[Leaf, ...]:
    """Output leaves with the key paths of the user's own return value; static ones of a filter_jit stand last."""
    avals, paths = compat.output_avals(params), compat.output_paths(params)
    sealed = compat.sealed_output(params.out_tree) if api == "jitviz.filter_jit" else None
    if sealed is not None:
        traced, static = sealed
        return (*_output_leaves(traced, avals), *(static_leaf(f"out{path}", value) for path, value in static))
    if api != "equinox.filter_jit":
        return _output_leaves(paths, avals)
    # Equinox returns (marker, arrays, the static rest in the treedef)
    mine = [(path[3:], aval) for path, aval in zip(paths, avals, strict=False) if path.startswith("[1]")]
    rows = Rows()
    for value in compat.static_outputs(params):
        walk(value, "out", "arrays", rows)
    statics = tuple(leaf for leaf in rows.leaves if leaf.role == "static" and not leaf.is_metadata)
    return (*_output_leaves([path for path, _ in mine], [aval for _, aval in mine]), *statics)


def _output_leaves(paths: Sequence[str], avals: Sequence[Any]) -> tuple[Leaf, ...]:
    return tuple(array_leaf(f"out{path}", arrays.facts_of_aval(aval)) for path, aval in zip(paths, avals, strict=False))


def note_dropped(frame: FrameType | None, signature: Signature, number: int, at_s: float, emit: Emit) -> None:
    """At the end of lowering: inputs that the program dropped as unused, by user-level path."""
    found = compat.kept_inputs(frame)
    if found is None:
        return
    kept, first = found
    traced = [leaf.path for leaf in signature.leaves if leaf.role == "traced"]
    dropped = tuple(path for place, path in enumerate(traced) if place + first not in kept)
    if dropped:
        emit(ProgramSeen(at_s, number, dropped=dropped))


def _jaxpr(number: int, at_s: float, jaxpr: Any, emit: Emit) -> None:
    # without the colours that JAX gives it in notebooks and terminals: escape sequences are no part of it
    _text(number, at_s, "jaxpr", jaxpr.pretty_print(use_color=False), emit)
    _text(number, at_s, "equations", equations.to_json(jaxpr), emit)


def _text(number: int, at_s: float, name: TextName, text: str, emit: Emit) -> None:
    emit(TextSeen(at_s, number, name, pack(text)))


def _cost(executable: Any) -> Cost | None:
    try:
        found = executable.cost_analysis()
    except Exception:  # not every backend has one
        return None
    found = found[0] if isinstance(found, list | tuple) and found else found
    if not isinstance(found, dict):
        return None
    return Cost(flops=found.get("flops"), bytes_accessed=found.get("bytes accessed"))


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
