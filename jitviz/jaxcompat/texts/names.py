"""The names that an equation and a pass of XLA's carry.

In: "jit(step)/transpose(jvp(loss))/mul", the name stack of an equation and its primitive; "FusionCompiler::Compile
(add_fusion.2_kernel_module)", a pass and what it is at.  Out: which pass of a gradient it belongs to; which fusion.
Must never: take the primitive `transpose` for a backward pass.
"""

from __future__ import annotations

import re

_FUSION = re.compile(r"\((?:__compute_module_(.+)|(.+)_kernel_module)\)$")
LOOPS = ("scan", "while")
BRANCHES = "cond"
PLAIN, FORWARD, BACKWARD = range(3)  # positions in `schema.DIRECTIONS`


def direction_of(name: str, transform: str = "") -> int:
    """Whether a name stack is of the forward or the backward pass of a gradient; `transform` is that of the whole."""
    if "transpose(" in name or "transpose" in transform:
        return BACKWARD
    return FORWARD if "jvp(" in name or transform.startswith(("jvp", "linearize", "jax.linearize")) else PLAIN


def pass_of(name: str) -> str:
    """A pass of XLA's without what it is at."""
    return name.partition(" (")[0]


def fusion_of(name: str) -> str:
    """The HLO instruction that a pass of XLA's compiles by itself; "" for a pass of the whole program."""
    found = _FUSION.search(name)
    return (found[1] or found[2]) if found else ""
