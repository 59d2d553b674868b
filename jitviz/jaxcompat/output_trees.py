"""The outputs of a jitted function: avals and key paths; and the nodes of pytrees.

In: jaxprs, treedefs, classes.  Out: plain rows.
"""

from types import FunctionType
from typing import Any

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
        return [f"[{index}]" for index in range(count)]
    return [str(path).removeprefix("result") for path in paths]


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
    data: tuple[type, Any] | None = treedef.node_data()
    return data
