"""Which files JAX leaves out when it looks for the user's line.

In: the path of a file or a folder.  Out: -
Must never: import `jax.extend`, where the name is public: that adds settings to the trace context of jax 0.12, and all
that was compiled before is traced and compiled again. Or raise because a version lacks a name.
"""

from __future__ import annotations

from . import private

_source_info_util = private.module("jax._src.source_info_util")


def leave_out(path: str) -> None:
    """Have the source lines in a program be those of whoever called into this file, or this folder."""
    register = getattr(_source_info_util, "register_exclusion", None)
    if register is not None:
        register(path)
