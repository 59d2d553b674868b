"""Trees that the call has already flattened: the children of nodes of user classes, without flattening them again.

In: a treedef, its leaves, and JAX's names of these, if it has any.  Out: the same for each child, and its path step.
Must never: call a flatten function, since a program can see how often it is called.
"""

import operator
import re
import types
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

from ...jaxcompat import equinox_internals, output_trees
from ...jaxcompat.raw import attributes, class_attribute, closure_of, is_a, items_of
from ..sources import is_library
from .parts import equality_of

_STEPS = re.compile(r"\.\w+|\['[^']*'\]|\[[^'\[\]]*\]")
_PLAIN_STEP = re.compile(r"\.\w+|\['[\w .-]{1,80}'\]")

PLAIN = (bool, int, float, complex, str, bytes)
LEVELS = 100  # of a tree that are looked at; JAX itself gives up at some thousands
LEAVES = 100_000


class Flat(NamedTuple):
    """A flattened tree; `names` are JAX's paths of the leaves ("model.layers[0]"), or empty. Where JAX reuses a trace,
    the treedef is that of an earlier call: equal, but with other objects as auxiliary data."""

    treedef: Any
    leaves: Sequence[Any]
    names: Sequence[str] = ()

    @classmethod
    def of(cls, treedef: Any, leaves: Sequence[Any], names: Sequence[str] = ()) -> Self | None:
        """The flattened tree; None if the treedef and the leaves do not belong together."""
        count = len(leaves)
        if treedef is None or treedef.num_leaves != count:
            return None
        return cls(treedef, leaves, names if len(names) == count else ())

    def children(self) -> "list[Flat]":
        """The flattened children of the outermost node."""
        found, start = [], 0
        for child in self.treedef.children():
            end = start + child.num_leaves
            found.append(Flat(child, self.leaves[start:end], self.names[start:end]))
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
    """The attributes of a pytree node, first those that user code flattens, in the order in which it uses them. One
    object (`True`, None, an array of zeros) may be several attributes, and not all of them need be flattened."""
    held = attributes(value)
    used = (name for code in _user_code(type(value)) for name in code.co_names if name in held)
    return {**{name: held[name] for name in used}, **held}


def below(flat: Flat | None, value: Any, count: int) -> Sequence[Flat | None]:
    """The flattened tree of each of the `count` children of `value`; Nones if `flat` is that of another tree."""
    if flat is not None and _kind(flat) is type(value):
        are_leaves = flat.treedef.num_leaves == count == flat.treedef.num_nodes - 1  # leaves need no `Flat`
        found = () if are_leaves else flat.children()
        if len(found) == count:
            return found
    return [None] * count


class Children(NamedTuple):
    """The children of a pytree node as (path step, child), its auxiliary data, and whether JAX uses the same steps."""

    steps: list[tuple[str, Any]]
    aux: Any
    is_named: bool


def children_of(value: Any, flat: Flat) -> Children | None:
    """The children of a node of a user's class; None if one is not found. The step to a child is JAX's name for it,
    else the attribute that holds it, else its position."""
    if _kind(flat) is not type(value):
        return None
    held, has_keys = attributes_of_node(value), _has_keys(type(value))
    free, steps = dict(held), list[tuple[str, Any]]()
    for index, child in enumerate(flat.children()):
        # an attribute may be returned twice
        name = next((name for name, part in (*free.items(), *held.items()) if _is_tree_of(child, part)), None)
        if name is not None:
            free.pop(name, None)
            steps.append((_step_of(child) or f".{name}", held[name]))
        elif (has_keys and not flat.names) or _kind(child) is not None:
            return None
        else:
            steps.append((_step_of(child) or f"[{index}]", child.leaves[0]))
    return Children(steps, flat.treedef.node_data()[1], has_keys)


def _is_tree_of(flat: Flat, value: Any) -> bool:
    """Whether `value` is the tree that was flattened: the same types, down to the same leaves."""
    kind = _kind(flat)
    if kind is None:
        return value is flat.leaves[0]
    if kind is not type(value):
        return False
    children, is_container = flat.children(), is_a(value, tuple, list, dict)
    parts = parts_of_container(value) if is_container else list(attributes(value).values())
    if is_container and len(parts) != len(children):
        return False
    return all(any(_is_tree_of(child, part) for part in parts) for child in children)


def parts_of_container(value: Any) -> list[Any]:
    """The items of a tuple or a list, the values of a dict."""
    return [part[1] if is_a(value, dict) else part for part in items_of(value)]


def alike(part: Any, levels: int = 4) -> Any:
    """A key that is equal for parts of equal treedefs, as far as that shows without running user code."""
    kind = type(part)
    if part is None or kind in PLAIN:
        return kind, part
    if not levels or equality_of(part) != "value":
        return id(part)
    inside = [alike(inner, levels - 1) for inner in (*items_of(part), *attributes(part).values())]
    return kind, frozenset(inside) if is_a(part, set, frozenset) else tuple(inside)


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
