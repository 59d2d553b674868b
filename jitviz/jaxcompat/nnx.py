"""Flax NNX, only where the user has imported it.

In: its wrappers, frames and live objects.  Out: the user's function and arguments.
Must never: import flax; or raise because a version lacks a name.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from types import FrameType, FunctionType
from typing import Any, NamedTuple

from .equinox import equinox_jit_wrapper, is_module_frame
from .jits import PjitFunction, cell_of
from .raw import attributes, is_a, mro_of

NNX_CALL = ("__call__", "flax.nnx.transforms.compilation")

NNX_FILE = "flax/nnx/transforms/compilation.py"

NNX_GRAD_FILE = "flax/nnx/transforms/autodiff.py"

_NNX_GRAD = ("tree_grad_wrapper", "grad_wrapper")  # what nnx.grad returns; unlike jax.grad it does not tell of what

# What NNX notes on every Variable
_NNX_DEFAULTS: dict[str, Any] = {"hijax": False, "ref": False, "eager_sharding": True}

_NNX_OWN_ATTRIBUTES = ("_object__", "_pytree__", "_nnx_")

# The arrays of a live object among the outputs: "[0][1].states[0][2]" is the third array of argument 1
_STATES = re.compile(r"\.states\[\d+\]")
_ARRAY = re.compile(r"\.states\[\d+\]\[\d+\]$")
_UPDATED = re.compile(r"\[(0\]\[\d+|1\]\['\w+')\]\.states\[\d+\]\[\d+\]$")


def read_nnx_call(frame: FrameType | None) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """(wrapper, args, kwargs) of the call of an `nnx.jit` function that a frame is making."""
    if frame is None or not is_module_frame(frame, NNX_CALL):
        return None
    held = frame.f_locals
    return held.get("self"), held.get("args", ()), held.get("kwargs", {})


def inside_nnx(function: Any) -> Any:
    """The user's function inside the object that `nnx.jit` gives to `jax.jit`."""
    return attributes(function).get("f", function)


def nnx_grad(function: FunctionType) -> tuple[str, Any] | None:
    """("grad" or "value_and_grad", the user's function) where `function` is what `nnx.grad` returned."""
    if function.__code__.co_name not in _NNX_GRAD or not function.__code__.co_filename.endswith(NNX_GRAD_FILE):
        return None
    return "value_and_grad" if cell_of(function, "return_value") else "grad", cell_of(function, "f")


_known: list[Any] = [None, None]  # the module, and its classes


def nnx_types() -> tuple[type, ...] | None:
    """(Variable, and the classes of live objects) of Flax NNX."""
    module = sys.modules.get("flax.nnx")
    if module is None or _known[0] is module:  # asked of each leaf
        return _known[1] if module is not None else None
    found = [getattr(module, name, None) for name in ("Variable", "Pytree", "Module", "Object")]
    kinds = tuple(kind for kind in found if isinstance(kind, type))
    if len(kinds) == len(found):  # else it is being imported, or of another version
        _known[:] = module, kinds
    return kinds or None


def nnx_raw_value(variable: Any) -> Any:
    """The array inside an NNX Variable, without its hooks."""
    return attributes(variable).get("_raw_value")


def nnx_metadata(variable: Any) -> dict[str, Any]:
    """What the user noted on an NNX Variable (`nnx.Param(x, tag="head")`); it is part of the treedef."""
    held = attributes(variable).get("_var_metadata")
    return {name: part for name, part in (held or {}).items() if _is_noted(name, part)}


def _is_noted(name: str, part: Any) -> bool:
    return _NNX_DEFAULTS.get(name, _NNX_DEFAULTS) is not part


class Member(NamedTuple):
    """An object of a graphdef: its class, and what it holds by attribute, or by key."""

    kind: type
    parts: tuple[tuple[Any, Any], ...] = ()


def graph_of(value: Any) -> Any:
    """The tree that a graphdef keeps as two flat lists, the objects and what they hold; another value as it is."""
    kind = getattr(sys.modules.get("flax.nnx"), "GraphDef", None)
    if not isinstance(kind, type) or not is_a(value, kind):
        return value
    held = attributes(value)
    try:
        return _member(iter(held["nodes"]), iter(held["attributes"]), {})
    except (AttributeError, KeyError, TypeError, ValueError, StopIteration):  # of another version
        return value


def _member(nodes: Iterator[Any], names: Iterator[tuple[Any, Any]], known: dict[int, type]) -> Member:
    """The next object, and all below it; one that came before holds nothing here."""
    node = attributes(next(nodes))
    if "type" not in node:
        return Member(known[node["index"]])
    kind: type = node["type"]
    known[node["index"]] = kind
    if "num_attributes" not in node:  # a Variable
        noted = node["metadata"]._mapping.items()
        return Member(kind, tuple((name, part) for name, part in noted if _is_noted(name, part)))
    parts = []
    for _ in range(node["num_attributes"]):
        name, attribute = next(names)
        held = attributes(attribute)
        is_node = type(attribute).__name__ == "NodeAttr"
        part = _member(nodes, names, known) if is_node else held.get("value", type(attribute))
        if type(name) is not str or not is_nnx_own(kind, name):
            parts.append((name, part))
    treedef = getattr(node["metadata"], "treedef", None)  # of a container of JAX's
    return Member(kind if treedef is None else treedef.node_data()[0], tuple(parts))


def nnx_data_names(attributes: dict[str, Any]) -> frozenset[str]:
    """The attributes of a live object that NNX takes for data, numbers among them (`nnx.data(0.1)`)."""
    marked = getattr(attributes.get("_pytree__nodes"), "_mapping", {})
    return frozenset(name for name, is_data in marked.items() if is_data)


def is_nnx_own(kind: type, attribute: str) -> bool:
    """Whether an attribute of such an object is NNX's own bookkeeping; of an `nnx.List` its items tell the length."""
    if attribute == "_length":
        return getattr(sys.modules.get("flax.nnx"), "List", None) in mro_of(kind)
    return attribute.startswith(_NNX_OWN_ATTRIBUTES)


def is_equinox_jit(wrapper: Any) -> bool:
    """Whether this is what `equinox.filter_jit` returned."""
    kind = equinox_jit_wrapper()
    return kind is not None and is_a(wrapper, kind)


def jitted_attribute(wrapper: Any) -> Any:
    """The `jax.jit` object that Equinox's and NNX's wrappers hold."""
    if is_equinox_jit(wrapper):
        return getattr(wrapper, "_cached", None)
    inner = attributes(wrapper).get("jitted_fn")
    return inner if is_a(inner, PjitFunction) else None


def named_outputs(outputs: Sequence[str], positional: Sequence[str], inputs: Sequence[str]) -> list[str]:
    """The paths of what `nnx.jit` returns, as the user calls it; `inputs` are the paths of the traced inputs.

    It is (new state of the arguments, of the keyword arguments, the user's value), live objects as states. The state of
    an argument has its arrays in the order of the inputs; those are named as they are there.
    """
    updated: dict[str, list[str]] = {}
    for path in filter(_UPDATED.match, outputs):
        updated.setdefault(path.partition(".")[0], []).append(path)
    names: dict[str, str] = {}
    for root, mine in updated.items():
        key = root[4:-1].strip("'")
        name = key if root.startswith("[1]") else positional[int(key)] if int(key) < len(positional) else ""
        leaves = [path for path in inputs if path.startswith((f"{name}.", f"{name}["))]
        if len(leaves) == len(mine):
            names.update(zip(mine, leaves, strict=True))
    arrays_of = Counter(path.partition(".states")[0] for path in outputs)
    return [names.get(path) or _returned(path, arrays_of) for path in outputs]


def _returned(path: str, arrays_of: Counter[str]) -> str:
    """The path of an array of the return value. Of an object with one array the path of the object."""
    owner = _ARRAY.sub("", path)
    return "out" + _STATES.sub("", owner if arrays_of[owner] == 1 else path).removeprefix("[2]")
