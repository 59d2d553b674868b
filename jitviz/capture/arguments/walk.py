"""Argument trees as leaves and nodes under user-level paths.

In: a value, the path of its root, and a rule that says which leaves are traced.  Out: `Leaf` and `Node` rows in JAX's
order.
"""

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import jax
import numpy as np
from jax.tree_util import FlattenedIndexKey, default_registry

from ...filters.key_paths import spelled, step
from ...jaxcompat import equinox_internals, flax_internals, output_trees, tracing
from ...jaxcompat.raw import attributes, class_attribute, is_a, type_name
from ...model import Description, Leaf, Node, array_type
from ...recording.redaction import redacted_path
from ..tokens import token
from . import array_facts, flattened
from .describe import Descriptions
from .flattened import LEAVES, LEVELS, PLAIN, Children, Flat, alike, below, is_of_user
from .nnx_objects import attributes_of_user, is_live
from .parts import attribute_step

# Which leaves are traced. "traced": all (jax.jit). "arrays": arrays (filter_jit). "shapes": arrays, and the
# `ShapeDtypeStruct`s that replace them when a function is lowered ahead of time. "static": none, it is one static leaf.
Rule = Literal["traced", "arrays", "shapes", "static"]


@dataclass
class Rows:
    """The leaves and nodes found so far; `is_donated` marks the leaves of the root being walked.

    `is_transformed` is set for a program of an eager transformation, whose inputs are the arrays inside the tracers.
    `is_hit` is set if the call's own flattened arguments are gone. `seen` holds the live objects met so far, since NNX
    shares them, and `names` their paths. `facts` holds the facts of arrays by `facts_key`. `is_cut` is set if
    leaves were left out: beyond the bounds, or not to be looked at.
    """

    leaves: list[Leaf] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    is_donated: bool = False
    is_transformed: bool = False
    is_hit: bool = False
    seen: set[int] = field(default_factory=set)
    names: dict[int, str] = field(default_factory=dict)
    facts: dict[Any, array_facts.ArrayFacts] = field(default_factory=dict)
    is_cut: bool = False
    descriptions: Descriptions = field(default_factory=Descriptions)


def walk(value: Any, path: str, rule: Rule, rows: Rows, depth: int = 0, flat: Flat | None = None) -> None:
    """Add `value` and everything below it to `rows`; `flat` is the same tree as flattened by the call."""
    if depth > LEVELS or len(rows.leaves) >= LEAVES:
        rows.is_cut = True
        return
    if rule == "static":
        rows.leaves.append(static_leaf(path, value, rows))
        return
    kind, key = type(value), array_facts.facts_key(value)
    if key is not None:
        rows.leaves.append(_leaf(value, path, rule, rows, key))
    elif value is None:
        rows.nodes.append(Node(path, "NoneType"))
    elif kind is tuple or kind is list:
        rows.nodes.append(Node(path, kind.__name__, tuple(f"[{index}]" for index in range(len(value)))))
        for index, (part, inside) in enumerate(zip(value, below(flat, value, len(value)), strict=True)):
            walk(part, f"{path}[{index}]", rule, rows, depth + 1, inside)
            rows.descriptions.beside(part, path, index)
    elif is_live(value):
        _walk_live(value, path, rule, rows, depth)
    elif rows.is_hit and flat is None and is_of_user(kind):
        rows.nodes.append(Node(path, type_name(kind), (), token(kind)))
        rows.is_cut = True
    else:
        children = one_level(value, flat)
        if children is None:
            rows.leaves.append(_leaf(value, path, rule, rows))
        else:
            _walk_node(value, children, path, rule, rows, depth, flat)


def one_level(value: Any, flat: Flat | None = None) -> Children | None:
    """The children of a pytree node; None for a leaf."""
    if type(value) is dict:  # a third of the time of the general way below
        parts, keys = default_registry.flatten_one_level(value)
        return Children([(f"[{spelled(key)}]", part) for key, part in zip(keys, parts, strict=True)], keys, True)
    found = flattened.children_of(value, flat) if flat is not None and is_of_user(type(value)) else None
    if found is not None:
        return found
    if output_trees.is_iterable_leaf(value):
        return None  # flattening it would repeat JAX's warning
    pairs, treedef = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda part: part is not value)
    data = output_trees.node_data(treedef)
    if data is None:
        return None
    left: dict[str, Any] | None = None
    steps: list[tuple[str, Any]] = []
    for key, part in pairs:
        if isinstance(key[0], FlattenedIndexKey):
            # registered without key paths: use the name of the attribute that holds the child
            left = flattened.attributes_of_node(value) if left is None else left
            name = next((name for name, held in left.items() if held is part), None)
            steps.append((f"[{key[0].key}]" if name is None else f".{name}", part))
            left.pop(name or "", None)
        else:
            steps.append((step(key[0]), part))
    return Children(steps, data[1], left is None)


def _walk_node(
    value: Any, children: Children, path: str, rule: Rule, rows: Rows, depth: int, flat: Flat | None
) -> None:
    steps, aux, is_named = children
    kind = type(value)
    is_builtin = kind is dict or kind.__module__ in ("collections", "builtins")
    name = kind.__name__ if is_builtin else type_name(kind)
    keys = tuple(redacted_path(name) for name, _ in steps)
    rows.nodes.append(Node(path, name, keys, None if is_builtin else token(kind), is_named))
    for name, (_, part), inside in zip(keys, steps, below(flat, value, len(steps)), strict=True):
        walk(part, path + name, rule, rows, depth + 1, inside)
    if kind is not dict:  # whose keys are the steps
        _add_metadata(value, steps, aux, path, rows)


def _add_metadata(value: Any, steps: list[tuple[str, Any]], aux: Any, path: str, rows: Rows) -> None:
    """Add auxiliary data, which is part of the treedef and so of the cache key, as leaves.

    It gets the path of the attribute that holds it. Data that was computed from attributes gets a path of its own below
    the node. The names and keys of children are left out.
    """
    if aux is value:  # `jax.tree_util.register_static`: the whole object is metadata
        rows.leaves.append(static_leaf(path, value, rows, is_metadata=True))
        return
    if (others := equinox_internals.other_attributes(value, aux)) is not None:
        # JAX sees that there are some, whatever they are
        name = redacted_path(f".{others[0]}")[1:] if others else ""
        static = Description("attribute", "set")
        leaf = Leaf(f"{path}.<attribute>", "static", static.type, repr=name, static=static, is_metadata=True)
        rows.leaves.append(leaf)
        aux = aux[1:]
    if aux is None:
        return
    held, children = flattened.attributes_of_node(value), dict(steps)
    parts = list(itertools.islice(_shallow(aux), LEAVES))
    # How often a part may still be an attribute: `True` may be several of them, and a child as well. A child has the
    # name of its attribute, or one of its own.
    keys = list(map(alike, parts))
    left = Counter(keys) - Counter({alike(child): len(parts) for name, child in steps if name[1:] not in held})
    for name, part in held.items():
        if f".{name}" not in children and left[key := alike(part)] > 0:
            left[key] -= 1
            rows.leaves.append(static_leaf(f"{path}.{name}", part, rows, is_metadata=True))
    rest = _unnamed(value, zip(keys, parts, strict=True), {*keys, *map(alike, children.values())}, {*held, *children})
    if rest:
        whole = rest[0] if len(rest) == 1 else tuple(rest)
        rows.leaves.append(static_leaf(f"{path}.<aux_data>", whole, rows, is_metadata=True))


def _unnamed(value: Any, parts: Iterable[tuple[Any, Any]], keys: set[Any], names: set[str]) -> list[Any]:
    """The parts of auxiliary data that no attribute shows, with their keys; `keys` are those of all parts and children,
    `names` those of attributes and children."""
    kind = type(value)
    if is_a(value, dict) or class_attribute(kind, "_fields") is not None:
        return []
    # the fields of a dataclass have their names already; another object may hold them together
    is_dataclass = class_attribute(kind, "__dataclass_fields__") is not None
    held = attributes(value).values()
    shown = {alike(part) for whole in held if alike(whole) in keys for part in _shallow(whole)} | {alike(kind)}
    texts = names | {part for part in held if type(part) is str}
    return [
        part
        for key, part in parts
        if not (part is None or is_a(part, tuple, list, dict) or key in shown)
        and not (type(part) is str and (part in texts or f".{part}" in texts))
        and (type(part) in PLAIN or not is_dataclass)
    ]


def _shallow(aux: Any, depth: int = 3) -> Iterable[Any]:
    """Auxiliary data and the parts of its containers."""
    yield aux
    if depth and is_a(aux, tuple, list, dict):
        for part in flattened.parts_of_container(aux):
            yield from _shallow(part, depth - 1)


def _leaf(value: Any, path: str, rule: Rule, rows: Rows, key: Any = None) -> Leaf:
    facts = rows.facts.get(key)  # read once for thousands of arrays with one key
    if facts is None:
        if rows.is_transformed:
            value = tracing.inside_tracer(value).value
        is_traced = rule == "traced" or is_array(value) or (rule == "shapes" and is_a(value, jax.ShapeDtypeStruct))
        facts = array_facts.facts_of(value) if is_traced else None
        if facts is None:
            return static_leaf(path, value, rows)
        if key is not None:
            rows.facts[key] = facts
    return array_leaf(path, facts, rows.is_donated and facts.committed is not None)


@lru_cache(maxsize=1 << 16)  # most leaves recur at every miss; a shared object is faster to make and compare
def array_leaf(path: str, facts: array_facts.ArrayFacts, donated: bool = False) -> Leaf:
    """A traced leaf with the facts of an array."""
    return replace(_leaf_without_path(facts, donated), path=path)


@lru_cache(maxsize=256)
def _leaf_without_path(facts: array_facts.ArrayFacts, donated: bool) -> Leaf:
    written = array_type(facts.dtype, facts.shape)
    return Leaf("", "traced", donated=donated, repr=written, **facts._asdict())


def static_leaf(path: str, value: Any, rows: Rows, is_metadata: bool = False) -> Leaf:
    """A static leaf with the description of its value."""
    static = rows.descriptions.of(value, path)
    path = redacted_path(path)
    return Leaf(path, "static", static.type, repr=static.text, static=static, is_metadata=is_metadata)


def is_array(value: Any) -> bool:
    """Whether a filter_jit traces this value: a JAX array or tracer, a NumPy array or NumPy scalar."""
    if is_a(value, np.ndarray, np.generic, jax.Array):
        return True
    return tracing.is_tracer(value) and isinstance(value, jax.Array)


# -- live objects of Flax NNX: not pytrees; nnx.jit splits them into arrays and a static graph -------------------------


def _walk_live(value: Any, path: str, rule: Rule, rows: Rows, depth: int) -> None:
    name = rows.names.get(id(value), path)
    if name != path:
        rows.nodes.append(Node(path, f"shared with {name}"))
    if id(value) in rows.seen:
        return
    rows.seen.add(id(value))
    path = name
    kind = type(value)
    if is_a(value, flax_internals.nnx_types()[0]):  # a Variable
        before = len(rows.leaves)
        walk(flax_internals.nnx_raw_value(value), path, rule, rows, depth + 1)
        rows.leaves[before:] = [replace(leaf, variable=type_name(kind)) for leaf in rows.leaves[before:]]
        for name, part in flax_internals.nnx_metadata(value).items():
            rows.leaves.append(static_leaf(f"{path}.{name}", part, rows, is_metadata=True))
        return
    parts = sorted(attributes_of_user(value).items(), key=_order_in_nnx)
    rows.nodes.append(Node(path, type_name(kind), tuple(attribute_step(name) for name, _ in parts), token(kind)))
    data = flax_internals.nnx_data_names(attributes(value))
    for name, part in parts:
        inside = path + attribute_step(name)
        if name in data or is_live(part):
            walk(part, inside, "traced" if name in data else rule, rows, depth + 1)
        elif _has_data(part):
            walk(part, inside, "arrays", rows, depth + 1)
        else:  # it is part of the static graph
            rows.leaves.append(static_leaf(inside, part, rows, is_metadata=True))


def _order_in_nnx(attribute: tuple[str, Any]) -> tuple[int, str]:
    """NNX sorts attributes by name, and the items of a list, which are attributes "0", "1", ..., by number."""
    name, _ = attribute
    return (int(name), "") if name.isdecimal() else (-1, name)


def _has_data(part: Any, depth: int = LEVELS) -> bool:
    """Whether a value contains arrays or live objects. Flattening it with JAX would repeat its warning of iterators."""
    if is_live(part) or is_array(part):
        return True
    children = one_level(part) if depth else None
    return children is not None and any(_has_data(child, depth - 1) for _, child in children.steps)
