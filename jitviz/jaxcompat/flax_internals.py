"""Flax, mostly NNX, if the user has imported it.

In: its wrappers, frames and live objects.  Out: the user's function and arguments.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NamedTuple

from .equinox_internals import is_module_frame
from .jits import PjitFunction
from .raw import attributes, closure_of, is_a, items_of, mro_of, type_name

NNX_CALL = ("__call__", "flax.nnx.transforms.compilation")
NNX_FILE = "flax/nnx/transforms/compilation.py"
NNX_GRAD_FILE = str(Path("flax/nnx/transforms/autodiff.py"))  # as the system writes it

# The functions that nnx.grad returns; unlike those of jax.grad they have no `__wrapped__` for the user's function.
_NNX_GRAD = ("tree_grad_wrapper", "grad_wrapper")
# The metadata that NNX sets on every Variable, also under the names that flax 0.12 had at first.
_NNX_DEFAULTS: dict[str, Any] = {"hijax": False, "ref": False, "mutable": True, "eager_sharding": True}
_NNX_DEFAULTS |= {"is_hijax": False, "has_ref": False, "is_mutable": True}
_NNX_OWN_ATTRIBUTES = ("_object__", "_pytree__", "_nnx_")

# The arrays of a live object among the outputs: "[0][1].states[0][2]" is the third array of argument 1.
_STATES = re.compile(r"\.states\[\d+\]")
_ARRAY = re.compile(r"\.states\[\d+\]\[\d+\]$")
_UPDATED = re.compile(r"\[(0\]\[\d+|1\]\['\w+')\]\.states\[\d+\]\[\d+\]$")


def read_nnx_call(frame: FrameType | None) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments of the call of an `nnx.jit` function that a frame is making, as (args, kwargs)."""
    if frame is None or not is_module_frame(frame, NNX_CALL):
        return None
    return frame.f_locals.get("args", ()), frame.f_locals.get("kwargs", {})


def is_partial(function: Any) -> bool:
    """Whether `nnx.jit_partial` passed this object to `jax.jit`."""
    return type_name(type(function)) == "flax.nnx.transforms.compilation.SimpleJitPartialFn"


def bound_arguments(wrapper: Any) -> tuple[Any, Sequence[Any]] | None:
    """(treedef, leaves) of the tuple of arguments that `nnx.jit_partial` has bound; None for any other object."""
    held = attributes(wrapper)
    fun, leaves = held.get("fun"), held.get("partial_args")
    treedef = closure_of(fun).get("partial_treedef") if isinstance(fun, FunctionType) else None
    return None if treedef is None or leaves is None else (treedef, leaves)


def inside_nnx(function: Any) -> Any:
    """The user's function inside the object that `nnx.jit` passes to `jax.jit`."""
    return attributes(function).get("f", function)


def nnx_grad(function: FunctionType) -> tuple[str, Any] | None:
    """("grad" or "value_and_grad", the user's function) if `nnx.grad` or `nnx.value_and_grad` returned `function`."""
    if function.__code__.co_name not in _NNX_GRAD or not function.__code__.co_filename.endswith(NNX_GRAD_FILE):
        return None
    held = closure_of(function)
    return "value_and_grad" if held.get("return_value") else "grad", held.get("f")


_known: list[Any] = [None, ()]  # the module, and its classes


def nnx_types() -> tuple[type, ...]:
    """(Variable, and the classes of live objects) of Flax NNX; () if the user has not imported it."""
    module = sys.modules.get("flax.nnx")
    if module is None:
        return ()
    if _known[0] is not module:  # looked up once, since every leaf needs them
        classes = [getattr(module, name, None) for name in ("Variable", "Pytree", "Module", "Object")]
        kinds = tuple(kind for kind in classes if isinstance(kind, type))
        if len(kinds) < len(classes):  # it is still being imported, or is another version
            return kinds
        _known[:] = module, kinds
    known: tuple[type, ...] = _known[1]
    return known


def nnx_raw_value(variable: Any) -> Any:
    """The array inside an NNX Variable, without its hooks."""
    held = attributes(variable)
    return held.get("_raw_value", held.get("raw_value"))  # without the underscore up to flax 0.11


def nnx_metadata(variable: Any) -> dict[str, Any]:
    """The metadata that the user set on an NNX Variable (`nnx.Param(x, tag="head")`); it is part of the treedef."""
    return dict(_set_by_user(attributes(variable).get("_var_metadata") or {}))


def _set_by_user(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, part) for name, part in metadata.items() if _NNX_DEFAULTS.get(name, _NNX_DEFAULTS) is not part)


class Member(NamedTuple):
    """An object of a graphdef, or a `FrozenDict`: its class, and its parts by attribute or, if `is_dict`, by key."""

    kind: type
    parts: tuple[tuple[Any, Any], ...] = ()
    is_dict: bool = False


def opened_value(value: Any) -> Any:
    """A `Member` for a graphdef, which stores its tree as two flat lists, or for a `FrozenDict`, which wraps a dict;
    any other value unchanged."""
    kind = type(value)
    try:
        if kind is getattr(sys.modules.get("flax.nnx"), "GraphDef", None):
            held = attributes(value)
            return _member(iter(held["nodes"]), iter(held["attributes"]), {})
        if kind is getattr(sys.modules.get("flax.core"), "FrozenDict", None):
            return Member(kind, tuple(items_of(attributes(value)["_dict"])), is_dict=True)
    except (AttributeError, KeyError, TypeError, ValueError, StopIteration):  # another version of Flax
        pass
    return value


def _member(nodes: Iterator[Any], names: Iterator[tuple[Any, Any]], known: dict[int, type]) -> Member:
    """The next object with everything below it; an object that occurred before is returned without parts."""
    node = attributes(next(nodes))
    if "type" not in node:
        return Member(known[node["index"]])
    kind: type = node["type"]
    known[node["index"]] = kind
    if "num_attributes" not in node:  # a Variable
        return Member(kind, tuple(_set_by_user(node["metadata"]._mapping)))
    parts = []
    for _ in range(node["num_attributes"]):
        name, attribute = next(names)
        held = attributes(attribute)
        is_node = type(attribute).__name__ == "NodeAttr"
        part = _member(nodes, names, known) if is_node else held.get("value", type(attribute))
        if type(name) is not str or not is_nnx_own(kind, name):
            parts.append((name, part))
    treedef = getattr(node["metadata"], "treedef", None)  # for a pytree node that is not NNX's
    kind = kind if treedef is None else treedef.node_data()[0]
    return Member(kind, tuple(parts), dict in mro_of(kind))


def nnx_data_names(attributes: dict[str, Any]) -> frozenset[str]:
    """The attributes of a live object that NNX treats as data, including numbers (`nnx.data(0.1)`)."""
    nodes: Any = attributes.get("_pytree__nodes", frozenset())  # a mapping from flax 0.12 on
    return nodes if is_a(nodes, frozenset) else frozenset(name for name, is_data in nodes._mapping.items() if is_data)


def is_nnx_own(kind: type, attribute: str) -> bool:
    """Whether an attribute of a live object is NNX's own bookkeeping. The items of an `nnx.List` give its length."""
    if attribute == "_length":
        return getattr(sys.modules.get("flax.nnx"), "List", None) in mro_of(kind)
    return attribute.startswith(_NNX_OWN_ATTRIBUTES)


def jitted_attribute(wrapper: Any) -> Any:
    """The `jax.jit` object inside a wrapper of NNX; None for any other object."""
    inner = attributes(wrapper).get("jitted_fn")
    return inner if is_a(inner, PjitFunction) else None


def named_outputs(outputs: Sequence[str], positional: Sequence[str], inputs: Sequence[str]) -> list[str]:
    """The user-level paths of the values that `nnx.jit` returns; `inputs` are the paths of the traced inputs.

    It returns (new state of the arguments, new state of the keyword arguments, the user's value), in which states
    replace live objects. The state of an argument has its arrays in the order of the inputs and gets their names.
    """
    updated: dict[str, list[str]] = {}
    for path in filter(_UPDATED.match, outputs):
        updated.setdefault(path.partition(".")[0], []).append(path)
    names: dict[str, str] = {}
    for root, states in updated.items():
        key = root[4:-1].strip("'")
        name = key if root.startswith("[1]") else positional[int(key)] if int(key) < len(positional) else ""
        leaves = [path for path in inputs if path.startswith((f"{name}.", f"{name}["))]
        if len(leaves) == len(states):
            names.update(zip(states, leaves, strict=True))
    arrays_of = Counter(path.partition(".states")[0] for path in outputs)
    return [names.get(path) or _returned(path, arrays_of) for path in outputs]


def _returned(path: str, arrays_of: Counter[str]) -> str:
    """The path of an array in the return value; if its object has no other array, the path of the object."""
    owner = _ARRAY.sub("", path)
    return "out" + _STATES.sub("", owner if arrays_of[owner] == 1 else path).removeprefix("[2]")
