"""Trees that the call has already flattened: the children of nodes of user classes, without flattening them again.

In: a treedef, its leaves, and JAX's names of these, if it has any.  Out: the same for each child, and its path step.
Must never: call a flatten function, since a program can see how often it is called.
"""

from __future__ import annotations

import operator
import re
import types
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self, TypeAlias

from ...jaxcompat import equinox_internals, output_trees
from ...jaxcompat.raw import attributes, class_attribute, closure_of, is_a, items_of
from ..sources import is_library
from .parts import equality_of

_STEPS = re.compile(r"\.\w+|\['[^']*'\]|\[[^'\[\]]*\]")
_PLAIN_STEP = re.compile(r"\.\w+|\['[\w .-]{1,80}'\]")

PLAIN = (bool, int, float, complex, str, bytes)


class Flat(NamedTuple):
    """A flattened tree; `names` are JAX's paths of the leaves ("model.layers[0]"), or empty.

    `is_own` is False if the treedef is that of another call, with equal auxiliary data but other objects.
    """

    treedef: Any
    leaves: Sequence[Any]
    names: Sequence[str] = ()
    is_own: bool = True

    @classmethod
    def of(cls, treedef: Any, leaves: Sequence[Any], names: Sequence[str] = (), is_own: bool = True) -> Self | None:
        """The flattened tree; None if the treedef and the leaves do not belong together."""
        count = len(leaves)
        if treedef is None or treedef.num_leaves != count:
            return None
        return cls(treedef, leaves, names if len(names) == count else (), is_own)

    def children(self) -> list[Flat]:
        """The flattened children of the outermost node."""
        found, start = [], 0
        for child in self.treedef.children():
            end = start + child.num_leaves
            found.append(Flat(child, self.leaves[start:end], self.names[start:end], self.is_own))
            start = end
        return found


def is_of_user(kind: type) -> bool:
    """Whether user code flattens instances of this class."""
    return any(True for _ in _user_code(kind))


def _user_code(kind: type) -> Iterator[types.CodeType]:
    """The code of the user's functions that flatten instances of this class."""
    function = output_trees.flatten_function(kind)
    functions = [function]
    if is_a(function, operator.methodcaller):
        functions = [class_attribute(kind, name) for name in ("tree_flatten", "tree_flatten_with_keys")]
    elif is_a(function, types.FunctionType):  # JAX wraps a flatten function that was registered with keys
        functions += closure_of(function).values()
    codes = (function.__code__ for function in functions if is_a(function, types.FunctionType))
    for code in codes:
        if not is_library(code.co_filename) and not code.co_filename.startswith(equinox_internals.GENERATED):
            yield code


def attributes_of_node(value: Any) -> dict[str, Any]:
    """The attributes of a pytree node, first those that user code flattens, in the order in which it uses them.

    One object (`True`, None, an array of zeros) may be several attributes, and not all of them need be flattened.
    """
    held = attributes(value)
    used = (name for code in _user_code(type(value)) for name in code.co_names if name in held)
    return {**{name: held[name] for name in used}, **held}


# A flattened tree, or those of its parts if the call flattened the parts of `*args` or `**options` one by one.
Given: TypeAlias = Flat | tuple[Flat, ...] | dict[str, Flat] | None


def below(flat: Given, value: Any, count: int) -> Sequence[Flat | None]:
    """The flattened tree of each of the `count` children of `value`; Nones if `flat` is that of another tree."""
    found: Sequence[Flat | None] = ()
    if isinstance(flat, Flat):
        are_leaves = flat.treedef.num_leaves == count == flat.treedef.num_nodes - 1  # leaves need no `Flat`
        found = flat.children() if not are_leaves and _kind(flat) is type(value) else ()
    elif flat is not None:
        found = list(flat.values()) if isinstance(flat, dict) else flat
    return found if len(found) == count else [None] * count


class Children(NamedTuple):
    """The children of a pytree node as (path step, child), its auxiliary data, and whether JAX uses the same steps."""

    steps: list[tuple[str, Any]]
    aux: Any
    is_named: bool


def children_of(value: Any, flat: Flat) -> Children | None:
    """The children of a node of a user's class; None if one is not found.

    The step to a child is JAX's name for it, else the attribute that holds it, else its position.
    """
    if _kind(flat) is not type(value):
        return None
    held, steps, has_keys = attributes_of_node(value), list[tuple[str, Any]](), _has_keys(type(value))
    left = dict(held)
    aux = flat.treedef.node_data()[1]
    try:
        aux = aux if flat.is_own else _held_equal(aux, list(held.values()))
    except LookupError:
        return None
    for place, child in enumerate(flat.children()):
        named = _step_of(child)
        parts = (*left.items(), *held.items())  # an attribute may be returned twice
        attribute = next((name for name, part in parts if _matches(part, child)), None)
        if attribute is None and ((has_keys and not flat.names) or output_trees.node_data(child.treedef) is not None):
            return None
        part = child.leaves[0] if attribute is None else left.pop(attribute, held[attribute])
        steps.append((named or (f"[{place}]" if attribute is None else f".{attribute}"), part))
    return Children(steps, aux, has_keys)


def _held_equal(aux: Any, held: list[Any]) -> Any:
    """The auxiliary data of an equal treedef, rebuilt from the attributes of this node.

    An object that compares by identity is the same in both nodes, and one that compares by value looks the same.

    Raises:
        LookupError: the auxiliary data may differ from that of the other treedef.
    """
    for part in held:
        if _is_same(part, aux):
            return part
    if type(aux) in (tuple, list):
        return type(aux)(_held_equal(part, held) for part in aux)
    if type(aux) is dict:
        return {key: _held_equal(part, held) for key, part in aux.items()}
    if aux is None or type(aux) in PLAIN or equality_of(aux) in ("identity", "value"):
        return aux
    raise LookupError


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal, as far as plain values show without running user code."""
    if one is other or type(one) is not type(other):
        return one is other
    if type(one) in (tuple, list):
        return len(one) == len(other) and all(_is_same(*parts) for parts in zip(one, other, strict=True))
    if type(one) is dict:
        return list(one) == list(other) and all(_is_same(part, other[key]) for key, part in one.items())
    is_plain = type(one) in PLAIN or (
        type(one) in (set, frozenset) and all(type(part) in PLAIN for part in (*one, *other))
    )
    return is_plain and bool(one == other)


def _kind(flat: Flat) -> type | None:
    data = output_trees.node_data(flat.treedef)
    return None if data is None else data[0]


def _has_keys(kind: type) -> bool:
    """Whether the class was registered with its own keys for its children."""
    function = output_trees.flatten_function(kind)
    if is_a(function, operator.methodcaller):
        return class_attribute(kind, "tree_flatten_with_keys") is not None
    return is_library(function.__code__.co_filename)  # JAX's wrapper around a function that returns keys


def _step_of(flat: Flat) -> str:
    """The step to a child as JAX writes it; "" if it is only a position, or not a plain name."""
    if not flat.names:
        return ""
    steps = _STEPS.findall(flat.names[0])
    depth, treedef = 1, flat.treedef
    while output_trees.node_data(treedef) is not None:
        depth, treedef = depth + 1, next(child for child in treedef.children() if child.num_leaves)
    found = steps[-depth] if len(steps) >= depth else ""
    return found if _PLAIN_STEP.fullmatch(found) else ""


def _matches(value: Any, flat: Flat) -> bool:
    """Whether `value` is the tree that was flattened: the same types, down to the same leaves."""
    data = output_trees.node_data(flat.treedef)
    if data is None:
        return value is flat.leaves[0]
    if data[0] is not type(value):
        return False
    children = flat.children()
    if is_a(value, tuple, list, dict):
        parts = [part[1] if is_a(value, dict) else part for part in items_of(value)]
        if len(parts) != len(children):
            return False
    else:
        parts = list(attributes(value).values())
    return all(any(_matches(part, child) for part in parts) for child in children)
