"""Every name of JAX, Equinox and Flax that is private or differs between versions; nowhere else is one used.

In: live objects and stack frames of those libraries.  Out: plain answers, or None where a version does not tell.
Must never: import equinox or flax (only look at them when the user has), or raise because a name is missing.

`tests/capture/test_jaxcompat.py` has a test per name, so that a new JAX release breaks this one file.
The frames and their locals were read in jax 0.9.2, 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

import jax
from jax._src import config as _config
from jax._src import core as _core
from jax._src import util as _util
from jax._src.interpreters import partial_eval as _partial_eval

from ..model import PhaseName

JAX_ROOT = str(Path(jax.__file__).parent) + "/"

# -- events (public names of jax.monitoring, but the strings are JAX's own) ------------------------------------------

PHASE_OF_EVENT: dict[str, PhaseName] = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}

# -- frames: function name -> where it is defined, relative to the package ----------------------------------------------

CACHE_MISS = ("cache_miss", "_src/pjit.py")  # a call of a jitted function that JAX's fast path did not know
IMPL_CACHE_MISS = ("call_impl_cache_miss", "_src/pjit.py")  # the same, for a jit that an eager transformation evaluates
JIT_TRACE = ("jit_trace", "_src/pjit.py")  # ahead of time: f.trace(), f.lower(), eval_shape, make_jaxpr
JIT_LOWER = ("jit_lower", "_src/pjit.py")
STAGES_COMPILE = ("compile", "_src/stages.py")
STAGES_LOWER = ("lower", "_src/stages.py")
TRACE_FOR_JIT = ("_trace_for_jit", "_src/pjit.py")
LOWERING = ("_cached_lowering_to_hlo", "_src/interpreters/pxla.py")
LOWER_SHARDING = ("lower_sharding_computation", "_src/interpreters/pxla.py")
COMPILATION = ("_cached_compilation", "_src/interpreters/pxla.py")
APPLY_PRIMITIVE = ("apply_primitive", "_src/dispatch.py")
TIMER_EXIT = ("__exit__", "_src/dispatch.py")  # holds exc_value where a phase ended with an exception
BOUNDARY = "reraise_with_filtered_traceback"
CONTROL_FLOW = "_src/lax/control_flow/"
ENTRY_POINTS_AHEAD = {
    "eval_shape": "eval_shape",
    "make_jaxpr_f": "make_jaxpr",
    "jit_lower": "lower",
    "jit_eval_shape": "eval_shape",
}

# The rule of the jit primitive that an eager transformation was in when it compiled a program of its own.
TRANSFORM_OF_RULE = {
    "_pjit_linearize": "jvp",
    "_pjit_jvp": "jvp",
    "_pjit_transpose": "transpose",
    "_pjit_transpose_fancy": "transpose",
    "_pjit_batcher": "vmap",
    "_pjit_partial_eval": "jvp",
}


def is_jax_file(filename: str) -> bool:
    """Whether a file belongs to jax itself."""
    return filename.startswith(JAX_ROOT)


def is_frame(frame: FrameType, name: tuple[str, str]) -> bool:
    """Whether `frame` runs the jax function called `name` (one of the pairs above)."""
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


# -- what those frames hold ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MissLocals:
    """The locals of a frame in which a miss is done; None where they are not bound (yet).

    `info` are the options of the jit, one object per call of `jax.jit`; `params` what JAX inferred, there from lowering on. A
    backward pass has only `jaxpr` and `name`.
    """

    fun: Any = None
    info: Any = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    params: Any = None
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
        params=held.get("p"),
        jaxpr=held.get("jaxpr"),
        name=str(held.get("name", "")),
    )


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


def kept_inputs(frame: FrameType | None) -> tuple[frozenset[int], int] | None:
    """At the end of lowering: (which inputs the program uses, how many constants come before the user's)."""
    found = find_frame(frame, LOWER_SHARDING)
    kept = found.f_locals.get("kept_var_idx") if found is not None else None
    if found is None or kept is None:
        return None
    return frozenset(kept), len(found.f_locals.get("const_args") or ())


def executable(frame: FrameType | None) -> Any:
    """At the end of the backend's compile: XLA's loaded executable."""
    found = find_frame(frame, COMPILATION)
    return found.f_locals.get("xla_executable") if found is not None else None


def loop_entry(frame: FrameType | None) -> tuple[str, list[tuple[str, Any]]] | None:
    """The outermost function of `jax.lax`'s control flow in one run of jax frames: its name, and its parameters.

    JAX rebinds some while it works: `init` is found under `init_flat` or `init_vals`.
    """
    entry = None
    while frame is not None and is_jax_file(frame.f_code.co_filename):
        if frame.f_code.co_filename.startswith(JAX_ROOT + CONTROL_FLOW):
            entry = frame
        frame = frame.f_back
    if entry is None:
        return None
    code, held = entry.f_code, entry.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return code.co_name, [(name, held.get(name, held.get(f"{name}_flat", held.get(f"{name}s")))) for name in names]


# -- jitted functions ---------------------------------------------------------------------------------------------------

PjitFunction: type = type(jax.jit(lambda: None))


def jitted_function(jitted: Any) -> Any:
    """The function inside a `jax.jit` object."""
    return getattr(jitted, "_fun", None)


def jit_info(jitted: Any) -> Any:
    """The options with which a `jax.jit` object was made; one object per call of `jax.jit`."""
    return getattr(jitted, "_jit_info", None)


def cache_size(jitted: Any) -> int | None:
    """How many compiled versions the fast path of a `jax.jit` object holds."""
    try:
        return int(jitted._cache_size())
    except Exception:
        return None


def jit_options(info: Any) -> tuple[tuple[str, str], ...]:
    """The jit options that differ from the default and are part of a cache key."""
    shown: list[tuple[str, str]] = []
    for name in ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames"):
        value = getattr(info, name, ())
        if value:
            shown.append((name, repr(tuple(value))))
    for name in ("inline", "keep_unused"):
        if getattr(info, name, False):
            shown.append((name, "True"))
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


def signature_in(info: Any) -> inspect.Signature | None:
    """The signature of the jitted function."""
    return getattr(info, "fun_signature", None)


def source_info_in(info: Any) -> str:
    """ "step at train.py:12", as JAX notes it in the jaxprs of a function."""
    return str(getattr(info, "fun_sourceinfo", "") or "")


# -- the trace context: settings that are part of every cache key ----------------------------------------------------------

# jax 0.9 does not name the positions; this is its order, found by changing one setting at a time.
_NAMES_0_9 = tuple(
    """axis_env_state mesh_context_manager abstract_mesh_context_manager compute_on_context_manager
    xla_metadata_context_manager pallas_tpu_interpret_mode_context_manager jax_debug_key_reuse jax_check_static_indices
    jax_custom_vjp3 jax_random_seed_offset jax_threefry_partitionable jax_threefry_gpu_kernel_lowering
    jax_use_direct_linearize jax_use_simplified_jaxpr_constants jax_remove_size_one_mesh_axis_from_type check_vma
    jax_softmax_custom_jvp jax_hlo_source_file_canonicalization_regex jax_enable_pgle jax_pgle_profiling_runs
    jax_explicit_x64_dtypes jax_numpy_dtype_promotion jax_error_checking_behavior_nan
    jax_error_checking_behavior_divide jax_error_checking_behavior_oob jax_enable_x64 jax_default_device
    jax_disable_jit jax_numpy_rank_promotion jax_default_matmul_precision jax_allow_f16_reductions
    eager_constant_folding jax_no_execution jax_mutable_array_checks jax_xla_profile_version
    jax_use_shardy_partitioner jax_high_dynamic_range_gumbel""".split()
)


def trace_context() -> tuple[tuple[str, Any], ...]:
    """JAX's trace context as (setting, value), in JAX's order; () where a version does not show it."""
    extension: Any = getattr(_config, "config_ext", None)
    values = extension.trace_context() if extension is not None else ()
    names = extension.trace_context_names() if hasattr(extension, "trace_context_names") else _NAMES_0_9
    if len(names) != len(values):
        names = tuple(f"trace_context[{place}]" for place in range(len(values)))
    return tuple(zip(names, values, strict=True))


# -- tracing ----------------------------------------------------------------------------------------------------------------


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
    return isinstance(value, _core.Tracer)


# -- clearing of caches -------------------------------------------------------------------------------------------------


class ClearedProbe:
    """Tells whether JAX's caches were cleared since the last look, by entries that only clearing removes."""

    def __init__(self) -> None:
        self._everything: Callable[[], object] = _util.cache()(object)
        self._all_token = self._everything()
        self._infer_token = self._infer()

    def _infer(self) -> object | None:
        from jax._src import pjit

        cached = getattr(pjit, "_infer_params_cached", None)
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


# -- equinox and flax, only where the user has imported them ----------------------------------------------------------------

EQUINOX_CALL = ("_call", "equinox._jit")
NNX_CALL = ("__call__", "flax.nnx.transforms.compilation")


def is_module_frame(frame: FrameType, name: tuple[str, str]) -> bool:
    """Whether `frame` runs function `name[0]` of module `name[1]`."""
    return frame.f_code.co_name == name[0] and frame.f_globals.get("__name__") == name[1]


def equinox_jit_wrapper() -> type | None:
    """The class of what `equinox.filter_jit` returns, if equinox is imported."""
    module = sys.modules.get("equinox._jit")
    return getattr(module, "_JitWrapper", None)


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


def read_nnx_call(frame: FrameType | None) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """(wrapper, args, kwargs) of the call of an `nnx.jit` function that a frame is making."""
    if frame is None or not is_module_frame(frame, NNX_CALL):
        return None
    held = frame.f_locals
    return held.get("self"), held.get("args", ()), held.get("kwargs", {})


def inside_nnx(function: Any) -> Any:
    """The user's function inside the object that `nnx.jit` gives to `jax.jit`."""
    return getattr(function, "f", function)


def equinox_module() -> type | None:
    module = sys.modules.get("equinox")
    return getattr(module, "Module", None)


def nnx_types() -> tuple[type, ...] | None:
    """(Variable, and the classes of live objects) of Flax NNX, if it is imported."""
    module = sys.modules.get("flax.nnx")
    if module is None:
        return None
    found = [getattr(module, name, None) for name in ("Variable", "Pytree", "Module", "Object")]
    return tuple(kind for kind in found if isinstance(kind, type)) or None


# -- programs ---------------------------------------------------------------------------------------------------------------


_JAXPR_TYPES: tuple[type, ...] = tuple(
    kind for name in ("Jaxpr", "ClosedJaxpr") if isinstance(kind := getattr(_core, name, None), type)
)


def is_jaxpr(value: Any) -> bool:
    return isinstance(value, _JAXPR_TYPES)


def _open(jaxpr: Any) -> Any:
    """The jaxpr without its constants; up to jax 0.10 a `ClosedJaxpr` holds one, on 0.12 a `Jaxpr` is both."""
    return jaxpr if isinstance(jaxpr, _core.Jaxpr) else getattr(jaxpr, "jaxpr", jaxpr)


def equation_count(jaxpr: Any) -> int:
    return len(_open(jaxpr).eqns)


def jaxpr_digest(jaxpr: Any) -> str:
    """Equal for jaxprs with the same primitives on the same avals, in the same order; says nothing of constants."""
    inner = _open(jaxpr)
    lines = [",".join(str(var.aval) for var in inner.invars)]
    for equation in inner.eqns[:2000]:
        lines.append(f"{equation.primitive.name} {','.join(str(var.aval) for var in equation.outvars)}")
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=6).hexdigest()


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


def nnx_raw_value(variable: Any) -> Any:
    """The array inside an NNX Variable, without its hooks."""
    for name in ("raw_value", "_raw_value"):
        try:
            return object.__getattribute__(variable, name)
        except AttributeError:
            continue
    return getattr(variable, "value", None)


def functions_with_filled_caches() -> list[Any]:
    """Functions that JAX holds traces of, and the functions among their static arguments (Equinox keeps the user's there)."""
    from jax._src import pjit

    found: list[Any] = []
    try:
        keys = pjit._infer_params_cached.cache_keys()
    except Exception:
        return found
    for key in keys:
        function = key[0]() if isinstance(key[0], weakref.ref) else key[0]
        found.append(function)
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


def is_own_jit(function: Any) -> bool:
    """Whether a function of JAX's is one that JAX itself offers jitted (`jnp.linalg.norm`)."""
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    offered = getattr(module, getattr(function, "__name__", ""), None)
    return isinstance(offered, PjitFunction) and jitted_function(offered) is function


def is_flat_tree(value: Any) -> bool:
    """Whether `value` is JAX's own pair of leaves and treedef."""
    return any(kind.__name__ == "FlatTree" for kind in type(value).__mro__)


def flat_tree_items(value: Any) -> list[tuple[str, Any]]:
    """(key path, leaf) for each leaf of a flat tree."""
    leaves = list(value.vals)
    try:
        paths = [jax.tree_util.keystr(path) for path in value.paths]
    except Exception:
        paths = [f"[{place}]" for place in range(len(leaves))]
    return list(zip(paths, leaves, strict=False))


def input_avals(jaxpr: Any) -> list[Any]:
    """The abstract values a jaxpr takes."""
    return [] if jaxpr is None else [var.aval for var in _open(jaxpr).invars]


def axis_env_text(env: Any) -> str:
    """Named axes that are in scope (inside `vmap(axis_name=...)`), or "none"."""
    sizes = getattr(env, "axis_sizes", None)
    return ", ".join(f"{name}={size}" for name, size in sizes.items()) if sizes else "none"


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


def output_avals(params: Any) -> list[Any]:
    """Abstract values of what a jitted function returns, in JAX's order."""
    jaxpr = params.params.get("jaxpr")
    return (
        [] if jaxpr is None else list(_open(jaxpr).out_avals if hasattr(_open(jaxpr), "out_avals") else jaxpr.out_avals)
    )


def output_paths(params: Any) -> list[str]:
    """Key paths of what a jitted function returns: "", "[0].weight", ..."""
    jaxpr = params.params.get("jaxpr")
    info = getattr(_open(jaxpr), "debug_info", None)
    paths = getattr(info, "result_paths", None)
    count = len(output_avals(params))
    if not paths or len(paths) != count:
        return [f"[{place}]" for place in range(count)]
    return [str(path).removeprefix("result") for path in paths]


def static_outputs(params: Any) -> list[Any]:
    """The values that a filter_jit returned as part of the output's treedef, because they are no arrays."""
    found = []
    for child in params.out_tree.children():
        data = child.node_data()
        if data is not None and data[0].__name__ in ("Static",):
            try:
                whole = jax.tree_util.tree_unflatten(child, ())
            except Exception:
                continue
            found.append(getattr(whole, "value", None))
    return found


def source_info_of(jaxpr: Any) -> str:
    """ "step at train.py:12" as JAX notes it in a jaxpr; "" where it does not."""
    info = getattr(_open(jaxpr), "debug_info", None) if jaxpr is not None else None
    return str(getattr(info, "func_src_info", "") or "")


def backend_name() -> str:
    """The platform that is in use, without starting one that is not."""
    from jax._src import xla_bridge

    started = getattr(xla_bridge, "_default_backend", None)
    return str(getattr(started, "platform", "not started"))


def trace_count(jitted: Any) -> int:
    """How many traces of a `jax.jit` object's function JAX holds."""
    from jax._src import pjit

    fun = jitted_function(jitted)
    try:
        keys = pjit._infer_params_cached.cache_keys()
    except Exception:
        return 0
    return sum(1 for key in keys if (key[0]() if isinstance(key[0], weakref.ref) else key[0]) is fun)


def jitted_attribute(wrapper: Any) -> Any:
    """The `jax.jit` object that Equinox's and NNX's wrappers hold."""
    equinox = equinox_jit_wrapper()
    if equinox is not None and isinstance(wrapper, equinox):
        return getattr(wrapper, "_cached", None)
    inner = getattr(wrapper, "jitted_fn", None)
    return inner if isinstance(inner, PjitFunction) else None


def traces_made() -> int | None:
    """How many traces JAX has made in this process; None where a version does not tell."""
    try:
        return int(_partial_eval.trace_to_jaxpr.cache_info().misses)
    except Exception:
        return None


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
