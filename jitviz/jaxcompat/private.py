"""Private names of JAX that this version no longer has.

In: names of modules.  Out: the modules, or an empty namespace; a sentence on what jitviz cannot show because of it.
Must never: raise because a name is missing.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from functools import cache
from itertools import chain
from types import CodeType, SimpleNamespace
from typing import Any

import jax

_OLDEST = (0, 9, 2)  # the oldest version that is tested
# What jitviz cannot show without a name. Only the outermost of the functions in whose frames JAX works are listed.
_NEEDED: dict[str, dict[str, tuple[str, ...]]] = {
    "phases": {"monitoring": ("register_scalar_listener", "register_event_time_span_listener")},
    "loads from the disk cache": {
        "monitoring": ("register_event_duration_secs_listener",),
        "_src.compilation_cache": ("_cache",),
    },
    "cleared caches": {"_src.pjit": ("_infer_params_cached",), "_src.util": ("cache",)},
    "cached traces inside a trace": {"_src.interpreters.partial_eval": ("trace_to_jaxpr",)},
    "calls inside a trace": {
        "_src.core": ("trace_ctx", "eval_trace", "Tracer"),
        "_src.interpreters.partial_eval": ("DynamicJaxprTrace",),
    },
    "settings": {"_src.config": ("config_ext", "disable_jit")},
    "traced leaves": {"_src.core": ("pytype_aval_mappings",), "_src.tree_util": ("_registry",)},
    "the process and its backend": {"_src.distributed": ("global_state",), "_src.xla_bridge": ("_default_backend",)},
    "transformations": {"_src.source_info_util": ("current_name_stack",), "_src.pjit": ("_pjit_call_impl_python",)},
    "programs": {
        "_src.pjit": ("_trace_for_jit",),
        "_src.interpreters.pxla": ("_cached_lowering_to_hlo", "lower_sharding_computation", "_cached_compilation"),
        "_src.interpreters.mlir": ("make_ir_context",),
        "_src.core": ("Jaxpr", "Literal", "pp_eqn_rules"),
        "jaxlib.mlir.ir": ("Module",),
        "jaxlib._jax": ("hlo_module_cost_analysis",),
    },
    "source lines of operations": {"_src.source_info_util": ("raw_frame_to_frame", "SourceInfo")},
}
# The same for locals of its functions, by module and function. "|" separates the names that different versions use.
_LOCALS: dict[str, dict[tuple[str, str], tuple[str, ...]]] = {
    "functions and arguments": {("_src.pjit", "cache_miss"): ("fun|jit_func", "jit_info|jit_func", "args", "kwargs")},
    "programs": {
        ("_src.pjit", "_trace_for_jit"): ("jaxpr",),
        ("_src.interpreters.pxla", "_cached_lowering_to_hlo"): ("lowering_result", "closed_jaxpr"),
        ("_src.interpreters.pxla", "lower_sharding_computation"): ("kept_var_idx", "all_args_info"),
        ("_src.interpreters.pxla", "_cached_compilation"): ("xla_executable",),
    },
    "transformations": {("_src.pjit", "call_impl_cache_miss"): ("jaxpr", "name")},
    "errors of phases": {("_src.dispatch", "__exit__"): ("exc_value",)},
}


def module(name: str) -> Any:
    """A module of JAX or jaxlib; an empty namespace if it cannot be imported."""
    try:
        return importlib.import_module(name)
    except Exception:
        return SimpleNamespace()


def limits() -> tuple[str, ...]:
    """What jitviz cannot show with this version of JAX, as at most one sentence for the panel."""
    parts = dict.fromkeys((*_NEEDED, *_LOCALS))
    blind = [part for part in parts if not (_has(_NEEDED.get(part, {})) and _has_locals(_LOCALS.get(part, {})))]
    if not blind:
        return ()
    age = "older" if jax.__version_info__ < _OLDEST else "newer"
    return (f"jax {jax.__version__} is {age} than jitviz supports. The panel lacks: {', '.join(blind)}.",)


def _has(names: dict[str, tuple[str, ...]]) -> bool:
    return all(
        hasattr(module(place if place.startswith("jaxlib.") else f"jax.{place}"), name)
        for place, needed in names.items()
        for name in needed
    )


def _has_locals(needed: dict[tuple[str, str], tuple[str, ...]]) -> bool:
    return all(
        not names or any(name in names for name in wanted.split("|"))
        for (place, function), each in needed.items()
        for names in (_names_in(place, function),)
        for wanted in each
    )


@cache
def _names_in(place: str, function: str) -> frozenset[str]:
    """The locals of a function of JAX, from its compiled code; empty if that cannot be read."""
    try:
        spec = importlib.util.find_spec(f"jax.{place}")
        loader: Any = spec.loader if spec is not None else None
        found = [code for code in _codes(loader.get_code(f"jax.{place}")) if code.co_name == function]
    except Exception:
        return frozenset()
    return frozenset(chain.from_iterable((*code.co_varnames, *code.co_freevars, *code.co_cellvars) for code in found))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)
