"""What a jitted function returns: avals, key paths, static leaves.

In: jaxprs and treedefs.  Out: plain rows.
Must never: build anything of the user's; or raise because a version lacks a name.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
from jax.tree_util import default_registry

from . import private
from .jaxprs import opened
from .raw import class_attribute

_tree_util = private.module("jax._src.tree_util")


def output_avals(jaxpr: Any) -> list[Any]:
    """Abstract values of what a program returns, in JAX's order."""
    return [] if jaxpr is None else [var.aval for var in opened(jaxpr).outvars]


def output_paths(jaxpr: Any) -> list[str]:
    """Key paths of what a jitted function returns: "", "[0].weight", ..."""
    info = getattr(opened(jaxpr), "debug_info", None)
    paths = getattr(info, "result_paths", None)
    count = len(output_avals(jaxpr))
    if not paths or len(paths) != count:
        return [f"[{place}]" for place in range(count)]
    return [str(path).removeprefix("result") for path in paths]


class Sealed(NamedTuple):
    """A result that our filter_jit sealed: key paths of the arrays, (key path, value) of the static leaves."""

    traced: list[str]
    statics: list[tuple[str, Any]]
    treedef: Any


def sealed_output(out_tree: Any) -> Sealed | None:
    """None if it was not sealed: then all of it are arrays, and JAX's own key paths hold."""
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
    return Sealed([paths[place] for place in seal.split.traced_at], statics, seal.treedef)


def is_iterable_leaf(value: Any) -> bool:
    """Whether JAX takes something that can be gone through (an iterator) for a leaf; it warns when it flattens one."""
    kind = type(value)
    if class_attribute(kind, "__iter__") is None or kind in getattr(_tree_util, "_registry", ()):
        return False
    return default_registry.flatten_one_level(value) is None


def flatten_function(kind: type) -> Any:
    """What was registered to flatten instances of a class; None where JAX itself does."""
    return getattr(getattr(_tree_util, "_registry", {}).get(kind), "to_iter", None)


def data_fields(kind: type) -> tuple[str, ...] | None:
    """The children of a class that `jax.tree_util.register_dataclass` was told of; None for any other."""
    function = flatten_function(kind)
    free = getattr(getattr(function, "__code__", None), "co_freevars", ())
    if getattr(function, "__module__", None) != "jax._src.tree_util" or "data_fields" not in free:
        return None
    return tuple(function.__closure__[free.index("data_fields")].cell_contents)


def node_data(treedef: Any) -> tuple[type, Any] | None:
    """(type, auxiliary data) of the outermost node of a treedef; None for a leaf."""
    found: tuple[type, Any] | None = treedef.node_data()
    return found
