"""What the locals of JAX's frames hold while it traces, lowers and compiles.

In: live frames.  Out: plain answers, None where a local is not bound (yet).
Must never: keep a frame, or change a local; or raise because a version lacks a name.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple

import jax

from .frames import (
    CACHE_MISS,
    CALL_IMPL,
    COMPILATION,
    LOWER_SHARDING,
    LOWERING,
    STAGES_LOWER,
    TIMER_EXIT,
    TRACE_FOR_JIT,
    find_frame,
    is_control_flow,
    is_frame,
    is_jax_file,
)
from .jaxprs import is_jaxpr
from .jits import jit_info, jitted_function
from .raw import is_a


@dataclass(frozen=True)
class MissLocals:
    """The locals of a frame in which a miss is done; None where they are not bound (yet).

    `info` are the options of the jit, one object per call of `jax.jit`. A backward pass has only `jaxpr` and `name`.
    """

    fun: Any = None
    info: Any = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    jaxpr: Any = None
    name: str = ""
    flat: FlatArguments | None = None


class FlatArguments(NamedTuple):
    """The traced arguments as JAX has flattened them: `treedef` is of ((positional, ...), {keyword: ...}).

    Where the trace was known, it is that of the call that was traced: equal, with auxiliary data of its own.
    """

    treedef: Any
    leaves: Sequence[Any]
    names: Sequence[str]
    is_own: bool


def read_miss(frame: FrameType, tracing: FrameType | None = None) -> MissLocals:
    """The locals of `cache_miss`, `call_impl_cache_miss`, or an ahead-of-time entry; `tracing` does its trace."""
    held = frame.f_locals
    jitted = held.get("jit_func")
    return MissLocals(
        fun=held.get("fun") if jitted is None else jitted_function(jitted),
        info=held.get("jit_info") if jitted is None else jit_info(jitted),
        args=held.get("args", ()),
        kwargs=held.get("kwargs", {}),
        jaxpr=held.get("jaxpr"),
        name=str(held.get("name", "")),
        flat=_flat_arguments(held if tracing is None else tracing.f_locals),
    )


def _flat_arguments(held: Mapping[str, Any]) -> FlatArguments | None:
    """Of a trace that begins, from `args_ft`; of one that is done, from `p` and `args_flat`."""
    flat, params, leaves = (held.get(name) for name in ("args_ft", "p", "args_flat"))
    if flat is not None:
        treedef = held.get("in_tree_filtered", getattr(flat, "tree_without_statics", None))
        return FlatArguments(treedef, _leaves_of(flat), getattr(held.get("dbg"), "arg_names", None) or (), True)
    if params is None or leaves is None:
        return None
    return FlatArguments(params.in_tree, leaves[len(params.consts) :], params.arg_names or (), False)


class Inferred(NamedTuple):
    """What JAX has worked out of a call once it is traced."""

    jaxpr: Any
    out_tree: Any


def inferred(frame: FrameType | None) -> Inferred | None:
    """At the end of lowering: what was inferred of the call, or of the work ahead of time, that is under way."""
    found = find_frame(frame, CACHE_MISS, STAGES_LOWER)
    if found is None:
        return None
    if is_frame(found, STAGES_LOWER):
        traced = found.f_locals.get("self")
        return None if traced is None else Inferred(traced.jaxpr, traced.out_tree)
    params = found.f_locals.get("p")
    return None if params is None else Inferred(params.params["jaxpr"], params.out_tree)


def work_ahead(frame: FrameType) -> Any:
    """What a stage ahead of time starts from: the jaxpr in `traced.lower()`, the module in `lowered.compile()`."""
    stage = frame.f_locals.get("self")
    if is_frame(frame, STAGES_LOWER):
        return getattr(stage, "jaxpr", None)
    return getattr(getattr(stage, "_lowering", None), "_hlo", None)


def phase_error(frame: FrameType | None) -> BaseException | None:
    """The exception that ended a phase: it stands in the frame of JAX's timer."""
    found = find_frame(frame, TIMER_EXIT, limit=4)
    return found.f_locals.get("exc_value") if found is not None else None


def traced_jaxpr(frame: FrameType | None) -> Any:
    """At the end of a trace: the whole jaxpr."""
    found = find_frame(frame, TRACE_FOR_JIT)
    return found.f_locals.get("jaxpr") if found is not None else None


def lowered(frame: FrameType | None) -> tuple[Any, Any]:
    """At the end of lowering: (StableHLO module, jaxpr without unused inputs), None where missing."""
    found = find_frame(frame, LOWERING)
    if found is None:
        return None, None
    result = found.f_locals.get("lowering_result")
    return getattr(result, "module", None), found.f_locals.get("closed_jaxpr")


class KeptInputs(NamedTuple):
    """`kept` are the positions of those of `total` inputs that the program uses; `constants` come before them."""

    kept: tuple[int, ...]
    total: int
    constants: int


def kept_inputs(frame: FrameType | None) -> KeptInputs | None:
    """At the end of lowering: what the program takes."""
    found = find_frame(frame, LOWER_SHARDING)
    held = {} if found is None else found.f_locals
    kept, info = held.get("kept_var_idx"), held.get("all_args_info")
    if kept is None or info is None:
        return None
    first = len(held.get("const_args") or ())
    mine = tuple(place - first for place in sorted(kept) if place >= first)
    return KeptInputs(mine, len(info.in_avals) - first, first)


def called_jaxpr(frame: FrameType | None) -> Any:
    """While a program is lowered or compiled for a call: its jaxpr."""
    found = find_frame(frame, CALL_IMPL, limit=20)
    return found.f_locals.get("jaxpr") if found is not None else None


def executable(frame: FrameType | None) -> Any:
    """At the end of the backend's compile: XLA's loaded executable."""
    found = find_frame(frame, COMPILATION)
    return found.f_locals.get("xla_executable") if found is not None else None


def loop_entry(frame: FrameType | None) -> tuple[str, list[tuple[str, Any]]] | None:
    """The outermost function of `jax.lax`'s control flow in one run of jax frames: its name, and its parameters.

    JAX rebinds some while it works: `init` is found under `init_flat` or `init_vals`, what `*operands` or the older
    `operand` was given under `operands`; `length` is worked out, and tells nothing, where there are `xs`.
    `lax.map` makes a function of its own for the `lax.scan` that it calls, anew at each call: `scanned`.
    """
    entry = scanned = None
    while frame is not None and is_jax_file(frame.f_code.co_filename):
        if is_control_flow(frame):
            scanned, entry = entry and entry.f_locals.get("f"), frame
        frame = frame.f_back
    if entry is None:
        return None
    code, held = entry.f_code, entry.f_locals
    has_rest = bool(code.co_flags & inspect.CO_VARARGS)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + has_rest]
    found = [(name, held.get(name, held.get(f"{name}_flat", held.get(f"{name}s")))) for name in names]
    if code.co_name == "map":
        found.append(("scanned", scanned))
    sequence: Any = dict(found).get("xs")
    is_known_by_xs = is_flat_tree(sequence) and bool(_leaves_of(sequence))
    derived = ("operand",) if has_rest else ("length",) if is_known_by_xs else ()
    return code.co_name, [(name, value) for name, value in found if name not in derived]


def applied_programs(frame: FrameType | None) -> tuple[Any, ...]:
    """The jaxprs of a primitive that `apply_primitive` evaluates: of a loop, and not of what prepares its operands."""
    held: Any = frame.f_locals.get("params") if frame is not None else None
    values = held.values() if is_a(held, dict) else ()
    parts = (part for value in values for part in (value if is_a(value, tuple, list) else (value,)))
    return tuple(part for part in parts if is_jaxpr(part))


def is_flat_tree(value: Any) -> bool:
    """Whether `value` is JAX's own pair of leaves and treedef: the operands of a loop, on 0.10 and later."""
    return any(kind.__name__ == "FlatTree" for kind in type(value).__mro__)


def _leaves_of(flat: Any) -> list[Any]:
    """Without its `vals`, which would stay in it from then on."""
    leaves: list[Any] = []
    flat.map(leaves.append)
    return leaves


def flat_tree_items(value: Any) -> list[tuple[str, Any]]:
    """(key path, leaf) for each leaf of a flat tree."""
    leaves = _leaves_of(value)
    try:
        paths = [jax.tree_util.keystr(path) for path in value.paths]
    except Exception:
        paths = [f"[{place}]" for place in range(len(leaves))]
    return list(zip(paths, leaves, strict=False))


def rule_in_words(rule: str, frame: FrameType) -> str:
    """A transformation by the rule that applies it, with what tells its programs apart.

    `_pjit_linearize` serves `jax.vjp`, and makes a program of its own for `jax.linearize`; `checkify` makes one for
    each set of errors that it looks for.
    """
    if frame.f_locals.get("is_vjp", True) is False:
        return f"jax.{rule}"
    errors = frame.f_locals.get("enabled_errors")
    return f"{rule} for {', '.join(sorted(error.__name__ for error in errors))}" if errors else rule
