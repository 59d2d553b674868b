"""The outputs of a jitted function: avals, key paths, static leaves; and the nodes of pytrees.

In: jaxprs, treedefs, classes.  Out: plain rows.
Must never: build an object of a user's class.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, NamedTuple

import jax
from jax.tree_util import default_registry

from . import private
from .jaxprs import opened
from .raw import class_attribute, closure_of, is_a

_tree_util = private.module("jax._src.tree_util")


def output_avals(jaxpr: Any) -> list[Any]:
    """The avals of the outputs of a program, in JAX's order."""
    return [] if jaxpr is None else [var.aval for var in opened(jaxpr).outvars]


def output_paths(jaxpr: Any) -> list[str]:
    """The key paths of the outputs of a jitted function: "", "[0].weight", ..."""
    info = getattr(opened(jaxpr), "debug_info", None)
    paths = getattr(info, "result_paths", None)
    count = len(output_avals(jaxpr))
    if not paths or len(paths) != count:
        return [f"[{place}]" for place in range(count)]
    return [str(path).removeprefix("result") for path in paths]


class Sealed(NamedTuple):
    """An output sealed by jitviz' filter_jit: key paths of the arrays, (key path, value) pairs of the static leaves.
    The program returns `n_spare` arrays more, which are no part of it."""

    traced: list[str]
    statics: list[tuple[str, Any]]
    treedef: Any
    n_spare: int


def sealed_output(out_tree: Any) -> Sealed | None:
    """The sealed output; None if it is not sealed. Then all leaves are arrays, and JAX's own key paths apply."""
    data = out_tree.node_data()
    if data is None or data[0].__name__ != "Output":
        return None
    seal = data[1]
    count = seal.treedef.num_leaves
    try:
        pairs = jax.tree_util.tree_flatten_with_path(seal.treedef.unflatten(range(count)))[0]
        paths = [jax.tree_util.keystr(path) for path, _ in pairs]
    except Exception:  # a user's class that does not accept placeholders
        paths = [f"[{place}]" for place in range(count)]
    statics = [(paths[place], value) for place, value in zip(seal.split.static_at, seal.statics, strict=True)]
    return Sealed([paths[place] for place in seal.split.traced_at], statics, seal.treedef, seal.n_spare)


def is_iterable_leaf(value: Any) -> bool:
    """Whether an iterable (an iterator, say) is a leaf to JAX, which warns each time it flattens one."""
    kind = type(value)
    if class_attribute(kind, "__iter__") is None or kind in getattr(_tree_util, "_registry", ()):
        return False
    return default_registry.flatten_one_level(value) is None


def flatten_function(kind: type) -> Any:
    """The function registered to flatten instances of a class; None if JAX flattens them itself."""
    return getattr(getattr(_tree_util, "_registry", {}).get(kind), "to_iter", None)


def data_fields(kind: type) -> tuple[str, ...] | None:
    """The fields that `jax.tree_util.register_dataclass` made children of a class; None for any other class."""
    function = flatten_function(kind)
    if not is_a(function, FunctionType) or function.__module__ != "jax._src.tree_util":
        return None
    fields = closure_of(function).get("data_fields")
    return None if fields is None else tuple(fields)


def node_data(treedef: Any) -> tuple[type, Any] | None:
    """(type, auxiliary data) of the outermost node of a treedef; None for a leaf."""
    found: tuple[type, Any] | None = treedef.node_data()
    return found
