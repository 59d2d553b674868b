"""The names that JAX gives to operations: name stacks, loops and branches.

In: "jit(step)/transpose(jvp(loss))/mul", the name stack of an equation with its primitive.  Out: the direction of a
gradient; whether JAX made it under a transformation.
"""

LOOPS = ("scan", "while")
BRANCHES = "cond"
PLAIN, FORWARD, BACKWARD = range(3)  # positions in `schema.DIRECTIONS`


def direction_of(name: str, transform: str = "") -> int:
    """Whether a name stack belongs to the forward or the backward pass of a gradient, or to neither; `transform` is the
    transformation of the whole program."""
    if "transpose(" in name or "transpose" in transform:
        return BACKWARD
    return FORWARD if "jvp(" in name or transform.startswith(("jvp", "linearize", "jax.linearize")) else PLAIN


def is_transformed(name: str) -> bool:
    """Whether JAX made what has this name stack under `vmap` or `jvp`."""
    return "vmap(" in name or "jvp(" in name
