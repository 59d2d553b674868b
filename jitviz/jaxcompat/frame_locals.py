"""The locals of JAX's frames while it traces, lowers and compiles.

In: live frames.  Out: the values of locals, None for one that is not bound (yet).
"""

import inspect
from collections.abc import Mapping, Sequence
from itertools import takewhile
from types import FrameType
from typing import Any, NamedTuple

import jax

from . import jax_frames, private
from .jax_frames import find_frame, frames_of_jax, is_control_flow, is_frame, stack
from .jaxprs import closed, is_jaxpr
from .jits import jit_info, jitted_function
from .raw import is_a

_OUT_TREE = private.since(((0, 8, 1), "out_tree"), ((0, 7), "_out_tree"))


class MissLocals(NamedTuple):
    """The locals of a frame in which JAX handles a miss. `info` holds the options of the jit, one object per call of
    `jax.jit`. A backward pass has only `jaxpr` and `name`."""

    fun: Any
    info: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    jaxpr: Any
    name: str
    flat: "FlatArguments | None"


class FlatArguments(NamedTuple):
    """The traced arguments as JAX has flattened them: `treedef` is that of ((positional, ...), {keyword: ...}). If JAX
    reuses a trace, it is that of the call that was traced: equal, but with other objects as auxiliary data."""

    treedef: Any
    leaves: Sequence[Any]
    names: Sequence[str]


def read_miss(frame: FrameType, event: FrameType | None = None) -> MissLocals:
    """The locals of `cache_miss`, `call_impl_cache_miss`, or an ahead-of-time entry, at an event below it."""
    held = frame.f_locals
    jitted = held.get("jit_func")
    return MissLocals(
        fun=held.get("fun") if jitted is None else jitted_function(jitted),
        info=held.get("jit_info") if jitted is None else jit_info(jitted),
        args=held.get("args", ()),
        kwargs=held.get("kwargs", {}),
        jaxpr=held.get("jaxpr"),
        name=str(held.get("name", "")),
        flat=_flat_arguments(_flattening(event, frame)),
    )


def _flattening(event: FrameType | None, miss: FrameType) -> Mapping[str, Any]:
    """The locals of the innermost frame with flat arguments, from an event up to its miss; else those of the miss."""
    for above in takewhile(lambda above: above is not miss, stack(event)):
        if is_frame(above, jax_frames.FLATTENED) or is_frame(above, jax_frames.CALLING):
            return above.f_locals
    return miss.f_locals


def _flat_arguments(held: Mapping[str, Any]) -> FlatArguments | None:
    """The flat arguments while a trace begins, from `args_ft` (up to jax 0.8 from `explicit_args`); once it is done,
    from `p` and `args_flat`."""
    flat, params, leaves = (held.get(name) for name in ("args_ft", "p", "args_flat"))
    if "explicit_args" in held:
        return FlatArguments(held["in_tree"], held["explicit_args"], held["dbg"].arg_names or ())
    if flat is not None:
        treedef = held.get("in_tree_filtered", getattr(flat, "tree_without_statics", None))
        return FlatArguments(treedef, _leaves_of(flat), getattr(held.get("dbg"), "arg_names", None) or ())
    if params is None or leaves is None:
        return None
    return FlatArguments(params.in_tree, leaves[len(params.consts) :], params.arg_names or ())


class Inferred(NamedTuple):
    """The jaxpr and the output tree that JAX has inferred for a call by tracing it."""

    jaxpr: Any
    out_tree: Any


def inferred(frame: FrameType | None) -> Inferred | None:
    """The inferred jaxpr and output tree of the current call or ahead-of-time stage, at the end of lowering."""
    entry = find_frame(frame, jax_frames.CALLING, jax_frames.STAGES_LOWER)
    if entry is None:
        return None
    if is_frame(entry, jax_frames.STAGES_LOWER):
        traced = entry.f_locals.get("self")
        return None if traced is None else Inferred(traced.jaxpr, getattr(traced, _OUT_TREE))
    params = entry.f_locals.get("p")
    return None if params is None else Inferred(params.params["jaxpr"], params.out_tree)


def work_ahead(frame: FrameType) -> Any:
    """The input of an ahead-of-time stage: the jaxpr in `traced.lower()`, the module in `lowered.compile()`."""
    stage = frame.f_locals.get("self")
    if is_frame(frame, jax_frames.STAGES_LOWER):
        return getattr(stage, "jaxpr", None)
    return getattr(getattr(stage, "_lowering", None), "_hlo", None)


def phase_error(frame: FrameType | None) -> BaseException | None:
    """The exception that ended a phase, from the frame of JAX's timer."""
    error: BaseException | None = _locals_at(frame, jax_frames.TIMER_EXIT, limit=4).get("exc_value")
    return error


def traced_jaxpr(frame: FrameType | None) -> Any:
    """The whole jaxpr, at the end of a trace."""
    held = _locals_at(frame, jax_frames.TRACE_FOR_JIT)
    return closed(held.get("jaxpr"), held.get("consts", ()))


def lowered(frame: FrameType | None) -> tuple[Any, Any]:
    """(StableHLO module, jaxpr without unused inputs) at the end of lowering; None for either if it is missing."""
    held = _locals_at(frame, jax_frames.LOWERING)
    return getattr(held.get("lowering_result"), "module", None), held.get("closed_jaxpr")


class KeptInputs(NamedTuple):
    """The inputs of a program: `kept` are the positions of those it uses, of `total`; `constants` come before them."""

    kept: tuple[int, ...]
    total: int
    constants: int


def kept_inputs(frame: FrameType | None) -> KeptInputs | None:
    """The inputs that a program keeps, at the end of lowering."""
    held = _locals_at(frame, jax_frames.LOWER_SHARDING)
    kept, info = held.get("kept_var_idx"), held.get("all_args_info")
    if kept is None or info is None:
        return None
    first = len(held.get("const_args") or ())
    arguments = tuple(index - first for index in sorted(kept) if index >= first)
    return KeptInputs(arguments, len(info.in_avals) - first, first)


def called_jaxpr(frame: FrameType | None) -> Any:
    """The jaxpr of the program that is being lowered or compiled for a call."""
    return _locals_at(frame, jax_frames.CALL_IMPL, limit=20).get("jaxpr")


def executable(frame: FrameType | None) -> Any:
    """XLA's loaded executable, at the end of the backend's compile."""
    return _locals_at(frame, jax_frames.COMPILATION).get("xla_executable")


def disk_key(frame: FrameType | None) -> str:
    """The key in JAX's cache on disk of the program that JAX looks for there; "" if it is not known."""
    return str(_locals_at(frame, jax_frames.COMPILE_OR_GET).get("cache_key") or "")


def _locals_at(frame: FrameType | None, name: tuple[str, str], limit: int = 60) -> Mapping[str, Any]:
    """The locals of the innermost frame at or above `frame` that runs `name`; empty if there is none."""
    runs_name = find_frame(frame, name, limit=limit)
    return {} if runs_name is None else runs_name.f_locals


def loop_entry(frame: FrameType | None) -> tuple[str, list[tuple[str, Any]]] | None:
    """The name and the parameters of the outermost control-flow function of `jax.lax` in consecutive frames of jax.

    JAX rebinds some parameters: `init` becomes `init_flat` or `init_vals`, and the values of `*operands` or the older
    `operand` become `operands`. `length` is left out if JAX computed it from `xs`. Each call of `lax.map` makes a new
    function for the `lax.scan` that it calls; that function is added as `scanned`. `fori_loop` reads concrete bounds
    and uses a `scan` of that length: the bounds are then the integers that it has read, even if arrays were given.
    """
    entries = [above for above in frames_of_jax(frame) if is_control_flow(above)]
    if not entries:
        return None
    code, held = entries[-1].f_code, entries[-1].f_locals
    has_rest = bool(code.co_flags & inspect.CO_VARARGS)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + has_rest]
    parameters = [(name, held.get(name, held.get(f"{name}_flat", held.get(f"{name}s")))) for name in names]
    if held.get("use_scan"):
        parameters = [(name, held.get(f"{name}_", value)) for name, value in parameters]
    if code.co_name == "map":
        parameters.append(("scanned", entries[-2].f_locals.get("f") if len(entries) > 1 else None))
    sequence: Any = dict(parameters).get("xs")
    is_known_by_xs = bool(_leaves_of(sequence) if is_flat_tree(sequence) else held.get("xs_flat"))
    derived = ("operand",) if has_rest else ("length",) if is_known_by_xs else ()
    return code.co_name, [(name, value) for name, value in parameters if name not in derived]


def applied_programs(frame: FrameType | None) -> tuple[Any, ...]:
    """The jaxprs among the parameters of a primitive that `apply_primitive` evaluates; only loops have any."""
    params: Any = frame.f_locals.get("params") if frame is not None else None
    values = params.values() if is_a(params, dict) else ()
    parts = (part for value in values for part in (value if is_a(value, tuple, list) else (value,)))
    return tuple(part for part in parts if is_jaxpr(part))


def is_flat_tree(value: Any) -> bool:
    """Whether `value` is JAX's own pair of leaves and treedef, as the operands of a loop are from jax 0.10 on."""
    return any(kind.__name__ == "FlatTree" for kind in type(value).__mro__)


def _leaves_of(flat: Any) -> list[Any]:
    """The leaves of a flat tree, without reading its `vals`, which it would keep from then on."""
    leaves: list[Any] = []
    flat.map(leaves.append)
    return leaves


def flat_tree_items(value: Any) -> list[tuple[str, Any]]:
    """The leaves of a flat tree as (key path, leaf) pairs."""
    leaves = _leaves_of(value)
    try:
        paths = [jax.tree_util.keystr(path) for path in value.paths]
    except Exception:
        paths = [f"[{index}]" for index in range(len(leaves))]
    return list(zip(paths, leaves, strict=False))


def describe_rule(rule: str, frame: FrameType) -> str:
    """The name of a transformation, extended where one rule makes several programs. `_pjit_linearize` makes one program
    for `jax.vjp` and another for `jax.linearize`; `checkify` makes one for each set of errors that it checks."""
    if frame.f_locals.get("is_vjp", True) is False:
        return f"jax.{rule}"
    errors = frame.f_locals.get("enabled_errors")
    return f"{rule} for {', '.join(sorted(error.__name__ for error in errors))}" if errors else rule
