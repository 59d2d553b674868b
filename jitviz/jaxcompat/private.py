"""What this JAX has no more: modules that cannot be imported, names that are gone.

In: names of modules.  Out: the modules, or something without any names; what jitviz is blind for because of it.
Must never: raise because something is missing.
"""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import jax

_OLDEST = (0, 9, 2)  # that is tested
# What cannot be told without a name. Of the functions in whose frames JAX works, only the outermost are looked for.
_NEEDED: dict[str, dict[str, tuple[str, ...]]] = {
    "when caches were cleared": {"_src.pjit": ("_infer_params_cached",), "_src.util": ("cache",)},
    "a look into the trace cache from a trace": {"_src.interpreters.partial_eval": ("trace_to_jaxpr",)},
    "what happens inside of a trace": {
        "_src.core": ("trace_ctx", "eval_trace", "Tracer"),
        "_src.interpreters.partial_eval": ("DynamicJaxprTrace",),
    },
    "settings": {"_src.config": ("config_ext",)},
    "transformations": {"_src.source_info_util": ("current_name_stack",), "_src.pjit": ("_pjit_call_impl_python",)},
    "programs": {
        "_src.pjit": ("_trace_for_jit",),
        "_src.interpreters.pxla": ("_cached_lowering_to_hlo", "lower_sharding_computation", "_cached_compilation"),
        "_src.interpreters.mlir": ("make_ir_context",),
        "_src.core": ("Jaxpr", "Literal"),
    },
    "which line an operation came from": {"_src.source_info_util": ("raw_frame_to_frame", "SourceInfo")},
}


def module(name: str) -> Any:
    """A module of JAX or jaxlib; of one that cannot be imported, a namespace with nothing in it."""
    try:
        return importlib.import_module(name)
    except Exception:
        return SimpleNamespace()


def limits() -> tuple[str, ...]:
    """What this JAX does not show, in one sentence for the panel."""
    blind = [part for part, names in _NEEDED.items() if not _has(names)]
    if not blind:
        return ()
    age = "older" if jax.__version_info__ < _OLDEST else "newer"
    return (f"jax {jax.__version__} is {age} than jitviz knows. It does not show: {', '.join(blind)}.",)


def _has(names: dict[str, tuple[str, ...]]) -> bool:
    return all(hasattr(module(f"jax.{place}"), name) for place, needed in names.items() for name in needed)
