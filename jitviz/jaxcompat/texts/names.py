"""The names that an equation carries: that of its primitive, and the name stack above it.

In: "jit(step)/transpose(jvp(loss))/mul".  Out: which pass it belongs to.
Must never: take the primitive `transpose` for a backward pass.
"""

from __future__ import annotations

LOOPS = ("scan", "while")
BRANCHES = "cond"
PLAIN, FORWARD, BACKWARD = range(3)  # positions in `schema.DIRECTIONS`


def direction_of(name: str, transform: str = "") -> int:
    """Whether a name stack is of the forward or the backward pass of a gradient; `transform` is that of the whole."""
    if "transpose(" in name or "transpose" in transform:
        return BACKWARD
    return FORWARD if "jvp(" in name or transform.startswith(("jvp", "linearize", "jax.linearize")) else PLAIN
