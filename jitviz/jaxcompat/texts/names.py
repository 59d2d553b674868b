"""The names that JAX and XLA give to operations and passes: name stacks, loops and branches, fusions.

In: "jit(step)/transpose(jvp(loss))/mul", the name stack of an equation with its primitive; "FusionCompiler::Compile
(add_fusion.2_kernel_module)", a pass with its module.  Out: the direction of a gradient; the pass; the fusion.
Must never: take the primitive `transpose` for a backward pass.
"""

import re

LOOPS = ("scan", "while")
BRANCHES = "cond"
PLAIN, FORWARD, BACKWARD = range(3)  # positions in `schema.DIRECTIONS`
_FUSION = re.compile(r"\((?:__compute_module_(.+)|(.+)_kernel_module)\)$")


def direction_of(name: str, transform: str = "") -> int:
    """Whether a name stack belongs to the forward or the backward pass of a gradient, or to neither; `transform` is the
    transformation of the whole program."""
    if "transpose(" in name or "transpose" in transform:
        return BACKWARD
    return FORWARD if "jvp(" in name or transform.startswith(("jvp", "linearize", "jax.linearize")) else PLAIN


def is_transformed(name: str) -> bool:
    """Whether JAX made what has this name stack under `vmap` or `jvp`."""
    return "vmap(" in name or "jvp(" in name


def pass_of(name: str) -> str:
    """The name of one of XLA's passes, without its module."""
    return name.partition(" (")[0]


def fusion_of(name: str) -> str:
    """The fusion that one of XLA's passes compiles by itself; "" for a pass over the whole program."""
    fusion = _FUSION.search(name)
    return (fusion[1] or fusion[2]) if fusion else ""
