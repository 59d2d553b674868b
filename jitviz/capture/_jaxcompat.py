"""Every name of JAX, Equinox and Flax that is private or differs between versions; nowhere else is one used.

In: live objects and stack frames of those libraries.  Out: plain answers, or None where a version does not tell.
Must never: import equinox or flax (only look at them when the user has), or raise because a name is missing.

`tests/capture/test_jaxcompat.py` has a test per name, so that a new JAX release breaks there and nowhere else.
The frames and their locals were read in jax 0.9.2, 0.10.2 and 0.12.0.1.

    events · frames · what the frames hold · jitted functions · tracing · caches · the trace context · arrays ·
    jaxprs · what a function returns · Equinox · Flax NNX
"""

from __future__ import annotations

import builtins
import hashlib
import inspect
import itertools
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import jax
from jax._src import config as _config
from jax._src import core as _core
from jax._src import monitoring as _monitoring
from jax._src import pjit as _pjit
from jax._src import source_info_util as _source_info_util
from jax._src import util as _util
from jax._src import xla_bridge as _xla_bridge
from jax._src.interpreters import partial_eval as _partial_eval

from ..model import PhaseName
from .raw import attributes, is_a, items_of, mro_of, type_name

# == events: the functions of jax.monitoring are public, the strings are JAX's own =====================================

PHASE_OF_EVENT: dict[str, PhaseName] = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}


def is_listening(on_start: Callable[..., None], on_end: Callable[..., None]) -> tuple[bool, bool]:
    """Whether a listener for scalars and one for time spans are registered still: anybody may clear them all."""
    return on_start in _monitoring._scalar_listeners, on_end in _monitoring._event_time_span_listeners


# == frames: (function, file inside jax) ===============================================================================

JAX_ROOT = str(Path(jax.__file__).parent) + "/"

CACHE_MISS = ("cache_miss", "_src/pjit.py")  # a call of a jitted function that JAX's fast path did not know
IMPL_CACHE_MISS = ("call_impl_cache_miss", "_src/pjit.py")  # the same, for a jit that an eager transformation evaluates
JIT_TRACE = ("jit_trace", "_src/pjit.py")  # ahead of time: f.trace(), f.lower(), eval_shape, make_jaxpr
JIT_LOWER = ("jit_lower", "_src/pjit.py")  # f.lower(): a trace, then a lowering
STAGES_COMPILE = ("compile", "_src/stages.py")
STAGES_LOWER = ("lower", "_src/stages.py")
TRACE_FOR_JIT = ("_trace_for_jit", "_src/pjit.py")
LOWERING = ("_cached_lowering_to_hlo", "_src/interpreters/pxla.py")
LOWER_SHARDING = ("lower_sharding_computation", "_src/interpreters/pxla.py")
COMPILATION = ("_cached_compilation", "_src/interpreters/pxla.py")
APPLY_PRIMITIVE = ("apply_primitive", "_src/dispatch.py")
TIMER_ENTER = ("__enter__", "_src/dispatch.py")
TIMER_EXIT = ("__exit__", "_src/dispatch.py")  # of the timer that sends the events
BOUNDARY = "reraise_with_filtered_traceback"  # round every public function of JAX
CONTROL_FLOW = "_src/lax/control_flow/"

# The public entry that asked for a trace ahead of time, by the frame that it has inside JAX.
STAGE_OF_ENTRY = {
    "eval_shape": "eval_shape",
    "jit_eval_shape": "eval_shape",
    "jit_lower": "lower",
    "make_jaxpr_f": "make_jaxpr",
}

# The rule of the jit primitive that an eager transformation was in when it compiled a program of its own.
TRANSFORM_OF_RULE = {
    "_pjit_batcher": "vmap",
    "_pjit_jvp": "jvp",
    "_pjit_linearize": "jvp",
    "_pjit_partial_eval": "jvp",
    "_pjit_transpose": "transpose",
    "_pjit_transpose_fancy": "transpose",
}

# What shapes the outputs of a function, by the code of the function that `jax.grad` or `jax.vmap` returned.
_TRANSFORM_OF_CODE = {"grad_f": "grad", "grad_f_aux": "grad", "value_and_grad_f": "value_and_grad", "vmap_f": "vmap"}


def is_jax_file(filename: str) -> bool:
    """Whether a file belongs to jax itself."""
    return filename.startswith(JAX_ROOT)


def is_frame(frame: FrameType, name: tuple[str, str]) -> bool:
    """Whether `frame` runs the function of jax that is called `name` (one of the pairs above)."""
    code = frame.f_code
    return code.co_name == name[0] and code.co_filename == JAX_ROOT + name[1]


def find_frame(frame: FrameType | None, *names: tuple[str, str], limit: int = 60) -> FrameType | None:
    """The innermost frame at or above `frame` that runs one of `names`."""
    while frame is not None and limit:
        for name in names:
            if is_frame(frame, name):
                return frame
        frame, limit = frame.f_back, limit - 1
    return None


def frames_of_misses(frame: FrameType | None) -> Iterator[int]:
    """Addresses of the frames at and above `frame` in which JAX does a miss."""
    while frame is not None:
        if is_frame(frame, CACHE_MISS) or is_frame(frame, IMPL_CACHE_MISS):
            yield id(frame)
        frame = frame.f_back


def timed_frame(frame: FrameType | None) -> FrameType | None:
    """At the start of a phase: the frame that does it, one above JAX's timer."""
    timer = find_frame(frame, TIMER_ENTER, limit=4)
    return None if timer is None else timer.f_back


# == what the frames hold ==============================================================================================


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


def read_miss(frame: FrameType) -> MissLocals:
    """The locals of `cache_miss`, `call_impl_cache_miss`, or an ahead-of-time entry."""
    held = frame.f_locals
    jitted = held.get("jit_func")
    return MissLocals(
        fun=held.get("fun") if jitted is None else jitted_function(jitted),
        info=held.get("jit_info") if jitted is None else jit_info(jitted),
        args=held.get("args", ()),
        kwargs=held.get("kwargs", {}),
        jaxpr=held.get("jaxpr"),
        name=str(held.get("name", "")),
    )


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
        if frame.f_code.co_filename.startswith(JAX_ROOT + CONTROL_FLOW):
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
    is_known_by_xs = is_flat_tree(sequence) and bool(sequence.vals)
    derived = ("operand",) if has_rest else ("length",) if is_known_by_xs else ()
    return code.co_name, [(name, value) for name, value in found if name not in derived]


def applies_program(frame: FrameType | None) -> bool:
    """Whether `apply_primitive` evaluates a primitive that runs jaxprs: a loop, and not what prepares its operands."""
    held = frame.f_locals.get("params") if frame is not None else None
    parts = (part for value in (held or {}).values() for part in (value if is_a(value, tuple, list) else (value,)))
    return any(is_jaxpr(part) for part in parts)


def is_flat_tree(value: Any) -> bool:
    """Whether `value` is JAX's own pair of leaves and treedef: the operands of a loop, on 0.10 and later."""
    return any(kind.__name__ == "FlatTree" for kind in type(value).__mro__)


def flat_tree_items(value: Any) -> list[tuple[str, Any]]:
    """(key path, leaf) for each leaf of a flat tree."""
    leaves = list(value.vals)
    try:
        paths = [jax.tree_util.keystr(path) for path in value.paths]
    except Exception:
        paths = [f"[{place}]" for place in range(len(leaves))]
    return list(zip(paths, leaves, strict=False))


# == jitted functions ==================================================================================================

PjitFunction: type = type(jax.jit(lambda: None))


def jitted_function(jitted: Any) -> Any:
    """The function inside a `jax.jit` object."""
    return getattr(jitted, "_fun", None)


def jit_info(jitted: Any) -> Any:
    """The options with which a `jax.jit` object was made; one object per call of `jax.jit`."""
    return getattr(jitted, "_jit_info", None)


def is_own_jit(function: Any) -> bool:
    """Whether a function of JAX's is one that JAX itself offers jitted (`jnp.linalg.norm`)."""
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    offered = getattr(module, getattr(function, "__name__", ""), None)
    offered = getattr(offered, "_func", offered)  # of a `jax.numpy.ufunc`
    return is_a(offered, PjitFunction) and jitted_function(offered) is function


def transform_of(function: FunctionType) -> str:
    """The transformation that returned this function: "grad", "value_and_grad", "vmap", or ""."""
    code = function.__code__
    if not is_jax_file(code.co_filename):
        return ""
    if code.co_name == BOUNDARY:
        inner = cell_of(function, "fun")
        return transform_of(inner) if isinstance(inner, FunctionType) else ""
    return _TRANSFORM_OF_CODE.get(code.co_name, "")


def cell_of(function: FunctionType, name: str) -> Any:
    """What a function closes over under a name; None if there is nothing."""
    names = function.__code__.co_freevars
    try:
        return (function.__closure__ or ())[names.index(name)].cell_contents
    except ValueError:  # no such name, or nothing in it yet
        return None


def signature_in(info: Any) -> inspect.Signature | None:
    """The signature of the jitted function."""
    return getattr(info, "fun_signature", None)


def source_info_in(info: Any) -> str:
    """ "step at train.py:12", as JAX notes it in the jaxprs of a function."""
    return str(getattr(info, "fun_sourceinfo", "") or "")


@dataclass(frozen=True)
class Marked:
    """Which parameters of a `jax.jit` are static and which are donated, by position and by name."""

    static_at: tuple[int, ...] = ()
    static_names: tuple[str, ...] = ()
    donated_at: tuple[int, ...] = ()
    donated_names: tuple[str, ...] = ()


def marked(info: Any) -> Marked:
    """The same from the options of a jit, as JAX completed them (a name for each position and the reverse)."""
    found = (getattr(info, f"{kind}_{by}", ()) for kind in ("static", "donate") for by in ("argnums", "argnames"))
    return Marked(*(tuple(part or ()) for part in found))


def jit_options(info: Any) -> tuple[tuple[str, str], ...]:
    """The jit options that differ from the default and are part of a cache key."""
    shown: list[tuple[str, str]] = []
    for name in ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames"):
        value = getattr(info, name, ())
        if value:
            shown.append((name, repr(tuple(value))))
    inline = getattr(info, "inline", False)
    inline = getattr(inline, "value", inline)  # an enum from jax 0.12 on; True stands for "jax_late" there
    if inline not in (False, "auto"):
        shown.append(("inline", "True" if inline == "jax_late" else str(inline)))
    if getattr(info, "keep_unused", False):
        shown.append(("keep_unused", "True"))
    for name in ("device", "backend"):
        if getattr(info, name, None) is not None:
            shown.append((name, str(getattr(info, name))))
    for name in ("in_shardings", "out_shardings"):
        leaves = getattr(info, f"{name}_leaves", ())
        texts = [_sharding_option(leaf) for leaf in leaves if type(leaf).__name__ != "UnspecifiedValue"]
        if texts:
            shown.append((name, ", ".join(texts)))
    if getattr(info, "compiler_options_kvs", ()):
        shown.append(("compiler_options", repr(dict(info.compiler_options_kvs))))
    return tuple(shown)


def _sharding_option(sharding: Any) -> str:
    return f"{type(sharding).__name__}({getattr(sharding, 'spec', '')})"


# == tracing ===========================================================================================================


def is_staging() -> bool:
    """Whether code that runs now is being traced into a jaxpr (and not merely differentiated or batched eagerly)."""
    trace = _core.trace_ctx.trace
    for _ in range(64):
        if trace is None:
            return False
        if isinstance(trace, _partial_eval.DynamicJaxprTrace):
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def is_tracer(value: Any) -> bool:
    """Whether a value stands for an array that is not there yet."""
    return is_a(value, _core.Tracer)


def is_input_type(kind: type) -> bool:
    """Whether JAX takes values of a class as arrays. `jax.typeof` prints what it refuses, so ask this before."""
    return any(base in _core.pytype_aval_mappings for base in mro_of(kind))


def is_jit_disabled() -> bool:
    """Whether jitted functions run uncompiled here: `jax.disable_jit()`."""
    return bool(_config.disable_jit.value)


# == caches ============================================================================================================


def _cached_keys() -> list[Any]:
    """The keys of JAX's cache of traces: (function, held weakly, then the rest)."""
    try:
        return list(_pjit._infer_params_cached.cache_keys())
    except Exception:
        return []


def _function_of_key(key: Any) -> Any:
    return key[0]() if isinstance(key[0], weakref.ref) else key[0]


def functions_with_filled_caches() -> list[Any]:
    """Functions that JAX holds traces of, and the functions among their static arguments: Equinox keeps the user's
    there."""
    found: list[Any] = []
    for key in _cached_keys():
        found.append(_function_of_key(key))
        for part in key[1:]:
            for inner in part if isinstance(part, tuple) else ():
                found.extend(_callables(getattr(inner, "static_args", ()), 4))
    return found


def _callables(value: Any, depth: int) -> list[Any]:
    if isinstance(value, FunctionType):
        return [value]
    if depth and isinstance(value, tuple | list):
        return [found for part in value for found in _callables(part, depth - 1)]
    return []


def trace_count(jitted: Any) -> int:
    """How many traces of a `jax.jit` object's function JAX holds."""
    fun = jitted_function(jitted)
    return sum(1 for key in _cached_keys() if _function_of_key(key) is fun)


def traces_made() -> int | None:
    """How many traces JAX has made in this process; None where a version does not tell."""
    try:
        return int(_partial_eval.trace_to_jaxpr.cache_info().misses)
    except Exception:
        return None


class ClearedProbe:
    """Tells whether JAX's caches were cleared since the last look, by entries that only clearing removes."""

    def __init__(self) -> None:
        self._everything: Callable[[], object] = _util.cache()(object)
        self._all_token = self._everything()
        self._infer_token = self._infer()

    def _infer(self) -> object | None:
        cached = getattr(_pjit, "_infer_params_cached", None)
        try:
            return cached(_probe_key, "jitviz", None, (), None) if cached is not None else None
        except Exception:
            return None

    def look(self) -> str:
        """ "all" after `jax.clear_caches()`, "function" after some `f.clear_cache()`, else ""."""
        everything, infer = self._everything(), self._infer()
        cleared = "all" if everything is not self._all_token else "function" if infer is not self._infer_token else ""
        self._all_token, self._infer_token = everything, infer
        return cleared


def _probe_key() -> None:
    """Weakly held by the cache that is probed; lives as long as this module."""


# == the trace context: settings that are part of every cache key ======================================================

# jax 0.9 does not name the positions; this is its order, found by changing one setting at a time.
_NAMES_0_9 = (
    "axis_env_state",
    "mesh_context_manager",
    "abstract_mesh_context_manager",
    "compute_on_context_manager",
    "xla_metadata_context_manager",
    "pallas_tpu_interpret_mode_context_manager",
    "jax_debug_key_reuse",
    "jax_check_static_indices",
    "jax_custom_vjp3",
    "jax_random_seed_offset",
    "jax_threefry_partitionable",
    "jax_threefry_gpu_kernel_lowering",
    "jax_use_direct_linearize",
    "jax_use_simplified_jaxpr_constants",
    "jax_remove_size_one_mesh_axis_from_type",
    "check_vma",
    "jax_softmax_custom_jvp",
    "jax_hlo_source_file_canonicalization_regex",
    "jax_enable_pgle",
    "jax_pgle_profiling_runs",
    "jax_explicit_x64_dtypes",
    "jax_numpy_dtype_promotion",
    "jax_error_checking_behavior_nan",
    "jax_error_checking_behavior_divide",
    "jax_error_checking_behavior_oob",
    "jax_enable_x64",
    "jax_default_device",
    "jax_disable_jit",
    "jax_numpy_rank_promotion",
    "jax_default_matmul_precision",
    "jax_allow_f16_reductions",
    "eager_constant_folding",
    "jax_no_execution",
    "jax_mutable_array_checks",
    "jax_xla_profile_version",
    "jax_use_shardy_partitioner",
    "jax_high_dynamic_range_gumbel",
)


def trace_context() -> tuple[tuple[str, Any], ...]:
    """JAX's trace context as (setting, value), in JAX's order; () where a version does not show it."""
    extension: Any = getattr(_config, "config_ext", None)
    values = extension.trace_context() if extension is not None else ()
    names = extension.trace_context_names() if hasattr(extension, "trace_context_names") else _NAMES_0_9
    if len(names) != len(values):
        names = tuple(f"trace_context[{place}]" for place in range(len(values)))
    return tuple(zip(names, values, strict=True))


def axis_env_text(setting: str, value: Any) -> str | None:
    """Named axes that are in scope (inside `vmap(axis_name=...)`), or "none"; None if it is another setting."""
    is_object = type(value).__name__ == "AxisEnv"
    if not is_object and setting != "axis_env_state":
        return None
    sizes = value.axis_sizes if is_object else dict(value)
    return ", ".join(f"{name}={size}" for name, size in sizes.items()) or "none"


def mesh_text(value: Any) -> str:
    """A mesh, or the stack of meshes of a context manager, by axes and devices."""
    if value is None or value == ():
        return "none"
    if isinstance(value, tuple):
        return ", ".join(mesh_text(part) for part in value) or "none"
    if isinstance(value, bool | int | str):
        return repr(value)
    shape = getattr(value, "shape", None)
    if not shape:
        return "none"
    axes = ", ".join(f"{name}={size}" for name, size in shape.items())
    types = ", ".join(str(kind).rsplit(".", 1)[-1].lower() for kind in getattr(value, "axis_types", None) or ())
    devices = getattr(value, "_flat_devices_tuple", None) or ()
    where = f" of {devices[0].platform}:{','.join(str(device.id) for device in devices)}" if devices else ""
    return f"{type(value).__name__}({axes}{f'; {types}' if types else ''}){where}"


# == arrays ============================================================================================================


def devices_of(sharding: Any) -> list[Any]:
    """Devices of a sharding in its own order; empty for an abstract mesh."""
    try:
        return list(sharding._device_assignment)
    except Exception:
        return []


def layout_of(array: Any) -> str:
    """The layout of an array where it is not the default (row-major), else ""."""
    try:
        layout = array.format.layout
        order = tuple(layout.major_to_minor)
    except Exception:
        return ""
    return "" if order == tuple(range(len(order))) else f"major_to_minor={order}"


def backend_name() -> str:
    """The platform that is in use, without starting one that is not."""
    started = getattr(_xla_bridge, "_default_backend", None)
    return str(getattr(started, "platform", "not started"))


# == jaxprs ============================================================================================================

_JAXPR_TYPES: tuple[type, ...] = tuple(
    kind for name in ("Jaxpr", "ClosedJaxpr") if isinstance(kind := getattr(_core, name, None), type)
)


def is_jaxpr(value: Any) -> bool:
    """Whether a value is a jaxpr, closed or not."""
    return is_a(value, *_JAXPR_TYPES)


def _open(jaxpr: Any) -> Any:
    """The jaxpr without its constants; up to jax 0.10 a `ClosedJaxpr` holds one, on 0.12 a `Jaxpr` is both."""
    return jaxpr if isinstance(jaxpr, _core.Jaxpr) else getattr(jaxpr, "jaxpr", jaxpr)


def equation_count(jaxpr: Any) -> int:
    """How many equations a jaxpr has, those inside loops not counted."""
    return len(_open(jaxpr).eqns)


def jaxpr_digest(jaxpr: Any) -> str:
    """Equal for jaxprs with the same primitives on the same avals, in the same order; says nothing of constants."""
    inner = _open(jaxpr)
    lines = [",".join(str(var.aval) for var in inner.invars)]
    for equation in inner.eqns[:2000]:
        lines.append(f"{equation.primitive.name} {','.join(str(var.aval) for var in equation.outvars)}")
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=6).hexdigest()


def input_avals(jaxpr: Any) -> list[Any]:
    """The abstract values a jaxpr takes."""
    return [] if jaxpr is None else [var.aval for var in _open(jaxpr).invars]


def source_info_of(jaxpr: Any) -> str:
    """ "step at train.py:12" as JAX notes it in a jaxpr; "" where it does not."""
    info = getattr(_open(jaxpr), "debug_info", None) if jaxpr is not None else None
    return str(getattr(info, "func_src_info", "") or "")


# == what a function returns ===========================================================================================


def output_avals(jaxpr: Any) -> list[Any]:
    """Abstract values of what a program returns, in JAX's order."""
    return [] if jaxpr is None else [var.aval for var in _open(jaxpr).outvars]


def output_paths(jaxpr: Any) -> list[str]:
    """Key paths of what a jitted function returns: "", "[0].weight", ..."""
    info = getattr(_open(jaxpr), "debug_info", None)
    paths = getattr(info, "result_paths", None)
    count = len(output_avals(jaxpr))
    if not paths or len(paths) != count:
        return [f"[{place}]" for place in range(count)]
    return [str(path).removeprefix("result") for path in paths]


def sealed_output(out_tree: Any) -> tuple[list[str], list[tuple[str, Any]]] | None:
    """(key paths of the arrays, (key path, value) of the static leaves) of a result that our filter_jit sealed.

    None if it was not sealed: then all of it are arrays, and JAX's own key paths hold.
    """
    data = out_tree.node_data()
    if data is None or data[0].__name__ != "Output":
        return None
    seal = data[1]
    count = seal.treedef.num_leaves
    try:
        pairs = jax.tree_util.tree_flatten_with_path(seal.treedef.unflatten(range(count)))[0]
        paths = [jax.tree_util.keystr(path) for path, _ in pairs]
    except Exception:  # a node of the user's that does not take placeholders
        paths = [f"[{place}]" for place in range(count)]
    statics = [(paths[place], value) for place, value in zip(seal.split.static_at, seal.statics, strict=True)]
    return [paths[place] for place in seal.split.traced_at], statics


def node_data(treedef: Any) -> tuple[type, Any] | None:
    """(type, auxiliary data) of the outermost node of a treedef; None for a leaf."""
    found: tuple[type, Any] | None = treedef.node_data()
    return found


# == Equinox, only where the user has imported it ======================================================================

EQUINOX_CALL = ("_call", "equinox._jit")
EQUINOX_FILE = "equinox/_jit.py"
_EQUINOX_TRANSFORMS = {"_GradWrapper": "grad", "_ValueAndGradWrapper": "value_and_grad"}


def is_module_frame(frame: FrameType, name: tuple[str, str]) -> bool:
    """Whether `frame` runs function `name[0]` of module `name[1]`."""
    return frame.f_code.co_name == name[0] and frame.f_globals.get("__name__") == name[1]


def equinox_module() -> type | None:
    """`equinox.Module`."""
    module = sys.modules.get("equinox")
    return getattr(module, "Module", None)


def equinox_jit_wrapper() -> type | None:
    """The class of what `equinox.filter_jit` returns."""
    module = sys.modules.get("equinox._jit")
    return getattr(module, "_JitWrapper", None)


def equinox_transform(wrapper: Any) -> str:
    """The transformation whose wrapper this is: "grad", "value_and_grad", or ""."""
    module, _, name = type_name(type(wrapper)).rpartition(".")
    return _EQUINOX_TRANSFORMS.get(name, "") if module.startswith("equinox.") else ""


def wrapped_by(wrapper: Any) -> Any:
    """What a wrapper says that it wraps: its attribute `__wrapped__`, or Equinox's property of that name; else None."""
    found = attributes(wrapper).get("__wrapped__")
    if found is None and type_name(type(wrapper)).startswith("equinox."):
        found = getattr(wrapper, "__wrapped__", None)
    return found


@dataclass(frozen=True)
class EquinoxCall:
    """A call of an `equinox.filter_jit` function; `function` is the user's."""

    function: Any
    signature: inspect.Signature
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    donate_first: bool
    donate_rest: bool


def read_equinox_call(frame: FrameType | None) -> EquinoxCall | None:
    """The call that a frame is making, None if it is not Equinox's."""
    if frame is None or not is_module_frame(frame, EQUINOX_CALL):
        return None
    held = frame.f_locals
    return equinox_call(held["jit_wrapper"], held["args"], held["kwargs"])


def equinox_call(wrapper: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> EquinoxCall:
    """The same from Equinox's wrapper object."""
    return EquinoxCall(wrapper.__wrapped__, wrapper._signature, args, kwargs, wrapper.donate_first, wrapper.donate_rest)


def static_outputs(out_tree: Any) -> list[Any]:
    """The values that a filter_jit returned as part of the output's treedef, because they are no arrays."""
    found = []
    for child in out_tree.children():
        data = child.node_data()
        if data is not None and data[0].__name__ == "Static":
            try:
                whole = jax.tree_util.tree_unflatten(child, ())
            except Exception:
                continue
            found.append(getattr(whole, "value", None))
    return found


# == Flax NNX, only where the user has imported it =====================================================================

NNX_CALL = ("__call__", "flax.nnx.transforms.compilation")
NNX_FILE = "flax/nnx/transforms/compilation.py"
NNX_GRAD_FILE = "flax/nnx/transforms/autodiff.py"
_NNX_GRAD = ("tree_grad_wrapper", "grad_wrapper")  # what nnx.grad returns; unlike jax.grad it does not tell of what
_NNX_OWN_ATTRIBUTES = ("_object__", "_pytree__", "_nnx_")


def read_nnx_call(frame: FrameType | None) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """(wrapper, args, kwargs) of the call of an `nnx.jit` function that a frame is making."""
    if frame is None or not is_module_frame(frame, NNX_CALL):
        return None
    held = frame.f_locals
    return held.get("self"), held.get("args", ()), held.get("kwargs", {})


def inside_nnx(function: Any) -> Any:
    """The user's function inside the object that `nnx.jit` gives to `jax.jit`."""
    return attributes(function).get("f", function)


def nnx_grad(function: FunctionType) -> tuple[str, Any] | None:
    """("grad" or "value_and_grad", the user's function) where `function` is what `nnx.grad` returned."""
    if function.__code__.co_name not in _NNX_GRAD or not function.__code__.co_filename.endswith(NNX_GRAD_FILE):
        return None
    return "value_and_grad" if cell_of(function, "return_value") else "grad", cell_of(function, "f")


def nnx_types() -> tuple[type, ...] | None:
    """(Variable, and the classes of live objects) of Flax NNX."""
    module = sys.modules.get("flax.nnx")
    if module is None:
        return None
    found = [getattr(module, name, None) for name in ("Variable", "Pytree", "Module", "Object")]
    return tuple(kind for kind in found if isinstance(kind, type)) or None


def nnx_raw_value(variable: Any) -> Any:
    """The array inside an NNX Variable, without its hooks."""
    return attributes(variable).get("_raw_value")


def nnx_data_names(attributes: dict[str, Any]) -> frozenset[str]:
    """The attributes of a live object that NNX takes for data, numbers among them (`nnx.data(0.1)`)."""
    marked = getattr(attributes.get("_pytree__nodes"), "_mapping", {})
    return frozenset(name for name, is_data in marked.items() if is_data)


def is_nnx_own(attribute: str) -> bool:
    """Whether an attribute of a live object is NNX's own bookkeeping."""
    return attribute.startswith(_NNX_OWN_ATTRIBUTES)


def is_equinox_jit(wrapper: Any) -> bool:
    """Whether this is what `equinox.filter_jit` returned."""
    kind = equinox_jit_wrapper()
    return kind is not None and is_a(wrapper, kind)


def jitted_attribute(wrapper: Any) -> Any:
    """The `jax.jit` object that Equinox's and NNX's wrappers hold."""
    if is_equinox_jit(wrapper):
        return getattr(wrapper, "_cached", None)
    inner = attributes(wrapper).get("jitted_fn")
    return inner if is_a(inner, PjitFunction) else None


# -- equations --------------------------------------------------------------------------------------------------------


class JaxprParts(NamedTuple):
    """Variables and equations of a jaxpr, as JAX holds them."""

    inputs: list[Any]
    constants: list[Any]
    outputs: list[Any]
    equations: list[Any]


class EquationFacts(NamedTuple):
    """One equation. `stack` is the name stack, equal for equations of one; `label` the name of the function it calls,
    if any; `times` how often its inner programs run, 0 where that is not known."""

    primitive: str
    inputs: list[Any]
    outputs: list[Any]
    traceback: Any
    stack: Any
    label: str
    times: int
    programs: list[tuple[str, Any]]


def jaxpr_parts(jaxpr: Any) -> JaxprParts:
    """What a jaxpr is made of, its constants beside its inputs."""
    inner = _open(jaxpr)
    return JaxprParts(inner.invars, inner.constvars, inner.outvars, inner.eqns)


def constant_values(jaxpr: Any) -> list[Any]:
    """The arrays that stand for the constants of a jaxpr, in order; of NumPy's, JAX holds a view."""
    return list(getattr(jaxpr, "consts", None) or ())


def equation_facts(equation: Any) -> EquationFacts:
    """What is told of an equation, without its parameters."""
    info, params = equation.source_info, equation.params
    label, length = params.get("name"), params.get("length")
    return EquationFacts(
        equation.primitive.name,
        equation.invars,
        equation.outvars,
        info.traceback,
        info.name_stack,
        label if type(label) is str else "",
        length if type(length) is int and equation.primitive.name == "scan" else 0,
        _inner_programs(params),
    )


def _inner_programs(params: dict[str, Any]) -> list[tuple[str, Any]]:
    found = []
    for name, value in params.items():
        kind = type(value)
        if kind in _JAXPR_TYPES:
            found.append((name, value))
        elif (kind is tuple or kind is list) and value and type(value[0]) in _JAXPR_TYPES:
            found += [(name, part) for part in value]
    return found


def raw_frames(traceback: Any) -> list[tuple[CodeType, int]]:
    """The frames of the traceback that JAX keeps with an equation, outermost first: code, and offset of the
    instruction."""
    return list(zip(*(part[::-1] for part in traceback.raw_frames()), strict=True)) if traceback is not None else []


def code_place(code: CodeType, offset: int) -> tuple[int, int, int, int]:
    """(line, column, last line, last column) of an instruction; columns count from 0 and are those of bytes."""
    found: tuple[int, int, int, int] = _source_info_util.raw_frame_to_frame(code, offset)[2:]
    return found


class JaxprText(NamedTuple):
    """JAX's own text of a jaxpr; the line from 0 on which each equation begins, by the address of the equation; and
    the arrays that are constants of it or of a program inside."""

    text: str
    lines: dict[int, int]
    constants: list[Any]


def jaxpr_text(jaxpr: Any, in_place_of: Callable[[Any], str | None] = lambda _: None) -> JaxprText:
    """What a jaxpr looks like, and where in that its equations are.

    JAX's printer tells which stretch of a line came from which traceback. What is printed is a copy of the jaxpr whose
    equations have a number in its place, so that the text is made once and stays as JAX makes it. Where a version does
    not take such a copy, no line is known. `in_place_of` gives the text for a parameter that is not to be printed.
    """
    try:
        return _numbered_text(jaxpr, in_place_of)
    except Exception:
        return JaxprText(str(jaxpr.pretty_print(use_color=False)), {}, constant_values(jaxpr))


def _numbered_text(jaxpr: Any, in_place_of: Callable[[Any], str | None]) -> JaxprText:
    regions: list[list[tuple[int, int, Any]]] = []
    copied = _Numbering(in_place_of)
    copy = copied.of(jaxpr)
    # without the colours that JAX gives it in notebooks and terminals: escape sequences are no part of it
    text: str = copy.pretty_print(use_color=False, source_map=regions)
    if "\n" not in text and _open(jaxpr).eqns:  # each equation has a line of its own, as in longer programs
        regions.clear()
        text = copy.pretty_print(use_color=False, source_map=regions, width=len(text) - 1)
    lines = text.split("\n")
    found: dict[int, int] = {}
    if len(regions) == len(lines):  # a parameter that prints as several lines shifts what stands below it
        starts = itertools.accumulate((1 + line.count(_BREAK) for line in lines), initial=0)
        for start, parts in zip(starts, regions, strict=False):
            for _, _, source in parts:
                number = source if type(source) is _Number else getattr(source, "start_line", 0)
                found.setdefault(copied.addresses[number], start)
    return JaxprText(text.replace(_BREAK, "\n"), found, copied.constants)


_BREAK = "\0"  # stands for the end of a line in what is printed as one word


class _OneLine(tuple[Any, ...]):
    """Jaxprs in a named tuple, which the printer still looks for those that are shared in."""

    text: str

    def __new__(cls, value: tuple[Any, ...]) -> _OneLine:
        made = super().__new__(cls, value)
        made.text = str(value).replace("\n", _BREAK)
        return made

    def __repr__(self) -> str:
        return self.text


class _Number(int):
    """Stands for a traceback. Up to jax 0.9 the printer asks it for a frame; only the line of that comes back."""

    def raw_frames(self) -> tuple[list[CodeType], list[int]]:
        return [_BLANK.replace(co_firstlineno=int(self))], [2]  # the first instruction that is the line's own


_BLANK = builtins.compile("0", "an equation", "eval")


class _Numbering:
    """Copies jaxprs: those that were shared are shared in the copy. `addresses` are those of the equations copied."""

    def __init__(self, in_place_of: Callable[[Any], str | None]) -> None:
        self.addresses: list[int] = [0]  # lines of code count from 1; 0 is of what was not copied
        self.constants: list[Any] = []
        self._in_place_of = in_place_of
        self._copies: dict[int, Any] = {}

    def of(self, jaxpr: Any) -> Any:
        self.constants += constant_values(jaxpr)
        inner = _open(jaxpr)
        copy = self._copies.get(id(inner))
        if copy is None:
            copy = self._copies[id(inner)] = inner.replace(eqns=[self._equation(equation) for equation in inner.eqns])
        return copy if inner is jaxpr else jaxpr.replace(jaxpr=copy)

    def _equation(self, equation: Any) -> Any:
        info = _source_info_util.SourceInfo(_Number(len(self.addresses)), equation.source_info.name_stack)
        self.addresses.append(id(equation))
        inner = {name for name, _ in _inner_programs(equation.params)}
        copied: dict[str, Any] = {}
        for name, value in equation.params.items():
            if name in inner:
                copied[name] = self._programs(value)
            elif (text := self._in_place_of(value)) is not None:
                copied[name] = text
            elif type(value) is not tuple and issubclass(type(value), tuple) and any(map(is_jaxpr, items_of(value))):
                copied[name] = _OneLine(value)  # no part of a named tuple has a region
        return equation.replace(source_info=info, **({"params": equation.params | copied} if copied else {}))

    def _programs(self, value: Any) -> Any:
        return self.of(value) if type(value) in _JAXPR_TYPES else type(value)(self.of(part) for part in value)


def aval_text(aval: Any) -> str:
    """ "f32[3]"."""
    return str(aval.str_short(short_dtypes=True)) if hasattr(aval, "str_short") else str(aval)


def literal_text(atom: Any) -> str:
    """The value of a literal if it is a scalar; else its aval."""
    value: Any = getattr(atom, "val", None)
    shape = getattr(value, "shape", ())
    if value is None or shape:
        return aval_text(atom.aval)
    # JAX's own kinds of these numbers print their types and dtypes as well.
    kind = next((kind for kind in (bool, int, complex) if isinstance(value, kind)), None)
    return str(value if kind is None else kind(value))


# -- located texts ----------------------------------------------------------------------------------------------------


def located_stablehlo(module: Any) -> str:
    """The StableHLO of a module with the places that its operations came from."""
    return str(module.operation.get_asm(enable_debug_info=True))
