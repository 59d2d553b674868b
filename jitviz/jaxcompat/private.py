"""Private names of JAX that this version no longer has.

In: names of modules.  Out: the modules, or an empty namespace; a sentence on what jitviz cannot show because of it.
"""

import importlib
import importlib.util
from collections.abc import Iterator
from functools import cache
from types import CodeType, SimpleNamespace
from typing import Any, TypeVar

import jax

_T = TypeVar("_T")


def since(*known: tuple[tuple[int, ...], _T]) -> _T:
    """What this version of JAX has, of (version, value) pairs: newest first, each from that version on."""
    return next((value for version, value in known if jax.__version_info__ >= version), known[-1][1])


_OLDEST = (0, 7, 2)  # the oldest version that is tested
# What versions that are supported do not give.
_INNERMOST = "an HLO instruction has only its innermost source line"
KNOWN = since(((0, 8), ""), ((0, 7), _INNERMOST))
_PXLA = "jax._src.interpreters.pxla"
# The function of JAX that traces for a jit, and what notes the traces that JAX finds in its cache.
TRACING = since(((0, 9), "_trace_for_jit"), ((0, 7), "_create_pjit_jaxpr"))
_NOTED_TRACES = since(((0, 9), ("trace_to_jaxpr",)), ((0, 7), ()))  # need not be known up to jax 0.8
# What jitviz cannot show without some names of a module. Of the functions in whose frames JAX works, only the outermost
# are listed.
_NAMES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("phases", "jax.monitoring", ("register_scalar_listener", "register_event_time_span_listener")),
    ("loads from the disk cache", "jax.monitoring", ("register_event_duration_secs_listener",)),
    ("loads from the disk cache", "jax.monitoring", ("register_event_listener",)),
    ("loads from the disk cache", "jax._src.compilation_cache", ("_cache", "_cache_checked")),
    ("loads from the disk cache", "jax._src.cache_key", ("xla_flags_to_exclude_from_cache_key",)),
    ("cleared caches", "jax._src.pjit", ("_infer_params_cached",)),
    ("cleared caches", "jax._src.util", ("cache",)),
    ("cached traces inside a trace", "jax._src.interpreters.partial_eval", _NOTED_TRACES),
    ("calls inside a trace", "jax._src.core", ("trace_ctx", "eval_trace", "Tracer")),
    ("calls inside a trace", "jax._src.interpreters.partial_eval", ("DynamicJaxprTrace",)),
    ("settings", "jax._src.config", ("trace_context", "config_ext", "disable_jit")),
    ("settings", "jax._src.mesh", ("get_concrete_mesh",)),
    ("traced leaves", "jax._src.core", ("pytype_aval_mappings",)),
    ("traced leaves", "jax._src.tree_util", ("_registry",)),
    ("the process and its backend", "jax._src.distributed", ("global_state",)),
    ("the process and its backend", "jax._src.xla_bridge", ("_default_backend",)),
    ("transformations", "jax._src.source_info_util", ("current_name_stack",)),
    ("transformations", "jax._src.pjit", ("_pjit_call_impl_python",)),
    ("programs", "jax._src.pjit", (TRACING,)),
    ("programs", _PXLA, ("_cached_lowering_to_hlo", "lower_sharding_computation", "_cached_compilation")),
    ("programs", "jax._src.interpreters.mlir", ("make_ir_context",)),
    ("programs", "jax._src.core", ("Jaxpr", "Literal", "pp_eqn_rules")),
    ("programs", "jaxlib.mlir.ir", ("Module",)),
    ("programs", "jaxlib._jax", ("hlo_module_cost_analysis",)),
    ("source lines of operations", "jax._src.source_info_util", ("raw_frame_to_frame", "SourceInfo", "user_frame")),
)
# The same for locals of a function of a module. "|" separates the names that different versions use.
_LOCALS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("functions and arguments", "jax._src.pjit", "cache_miss", ("fun|jit_func", "jit_info|jit_func", "args", "kwargs")),
    ("programs", "jax._src.pjit", TRACING, ("jaxpr",)),
    ("programs", _PXLA, "_cached_lowering_to_hlo", ("lowering_result", "closed_jaxpr")),
    ("programs", _PXLA, "lower_sharding_computation", ("kept_var_idx", "all_args_info")),
    ("programs", _PXLA, "_cached_compilation", ("xla_executable",)),
    ("loads from the disk cache", "jax._src.compiler", "compile_or_get_cached", ("cache_key",)),
    ("transformations", "jax._src.pjit", "call_impl_cache_miss", ("jaxpr", "name")),
    ("errors of phases", "jax._src.dispatch", "__exit__", ("exc_value",)),
)


def module(name: str) -> Any:
    """A module of JAX or jaxlib; an empty namespace if it cannot be imported."""
    try:
        return importlib.import_module(name)
    except Exception:
        return SimpleNamespace()


def limits() -> tuple[str, ...]:
    """What jitviz cannot show with this version of JAX, as sentences for the panel."""
    blind = [
        part for part, module_name, names in _NAMES if not all(hasattr(module(module_name), name) for name in names)
    ]
    for part, module_name, function, names in _LOCALS:
        known = _names_in(module_name, function)
        blind += [part] * any(known.isdisjoint(name.split("|")) for name in names if known)
    limits = (f"On jax {jax.__version__}, {KNOWN}.",) if KNOWN else ()
    if not blind:
        return limits
    age = "older" if jax.__version_info__ < _OLDEST else "newer"
    lacking = ", ".join(dict.fromkeys(blind))
    return (*limits, f"jax {jax.__version__} is {age} than jitviz supports. The panel lacks: {lacking}.")


def _names_in(module_name: str, function: str) -> set[str]:
    return _locals_in(module_name).get(function, set())


@cache
def _locals_in(module_name: str) -> dict[str, set[str]]:
    """The locals of the functions of a module of JAX, from its compiled code; empty if that cannot be read."""
    found: dict[str, set[str]] = {}
    try:
        spec: Any = importlib.util.find_spec(module_name)
        for code in _codes(spec.loader.get_code(module_name)):
            if any(code.co_name == function for _, _, function, _ in _LOCALS):
                found.setdefault(code.co_name, set()).update(code.co_varnames, code.co_freevars, code.co_cellvars)
    except Exception:
        return {}
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)
