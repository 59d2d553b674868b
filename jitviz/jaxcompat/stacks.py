"""The files that JAX skips when it looks for the user's line or shortens a traceback.

In: the path of a file or a folder.  Out: -
Must never: import `jax.extend`, where the name is public, or raise because a version lacks a name.

`jax.extend` imports Pallas (https://github.com/jax-ml/jax/blob/main/jax/extend/__init__.py). On jax 0.12 that adds
settings to the trace context (https://github.com/jax-ml/jax/blob/main/jax/_src/pallas/core.py), so that JAX traces and
compiles everything again.
"""

from __future__ import annotations

from . import private

_MODULES = (private.module("jax._src.source_info_util"), private.module("jax._src.traceback_util"))


def leave_out(path: str) -> None:
    """Make JAX skip a file or folder: operations get the line of its caller, and tracebacks that JAX and Equinox
    shorten show no frame of it."""
    for module in _MODULES:
        register = getattr(module, "register_exclusion", None)
        if register is not None:
            register(path)
