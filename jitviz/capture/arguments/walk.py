"""Argument trees as leaves and nodes under the user's names.

In: a value, the path of its root, and a rule that says which leaves are traced.  Out: `Leaf` and `Node` rows, in JAX's
order.
Must never: keep a value, call code of the user beyond the flattening that JAX itself calls, or read the values of an
array.
"""

from __future__ import annotations

import itertools
import types
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import jax
import numpy as np
from jax.tree_util import FlattenedIndexKey, default_registry

from ...filters.paths import spelled, step
from ...jaxcompat import nnx, outputs, tracing
from ...jaxcompat.raw import attributes, class_attribute, is_a, items_of, mro_of, type_name
from ...model import Leaf, Node
from ...recording.redaction import redacted_path
from ..identity import token
from . import arrays
from .describe import Descriptions
from .flattened import PLAIN, Children, Flat, Given, below, children_of, is_of_user
from .limits import LEAVES, LEVELS
from .parts import attribute_step

# "traced": every leaf is (jax.jit). "arrays": arrays are, all else is static (filter_jit); "shapes": so is what stands
# for an array where a function is lowered ahead of time. "static": the whole is.
Rule = Literal["traced", "arrays", "shapes", "static"]


@dataclass
class Rows:
    """Leaves and nodes found so far; `is_donated` marks the leaves of the root being walked.

    `is_transformed` says that an eager transformation asks for a program: of a tracer that program is given what is
    inside; `is_hit` that nothing is left of what the call flattened. `seen` has the live objects met, since NNX shares
    them; `names` their paths. `alike` has what was seen of each class of arrays (`arrays.alike`). `is_cut` says that
    there was more than the bounds allow, or than may be asked for.
    """

    leaves: list[Leaf] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    is_donated: bool = False
    is_transformed: bool = False
    is_hit: bool = False
    seen: set[int] = field(default_factory=set)
    names: dict[int, str] = field(default_factory=dict)
    alike: dict[Any, arrays.ArrayFacts] = field(default_factory=dict)
    is_cut: bool = False
    descriptions: Descriptions = field(default_factory=Descriptions)


def walk(value: Any, path: str, rule: Rule, rows: Rows, depth: int = 0, flat: Given = None) -> None:
    """Add everything below `value` to `rows`; `flat` is the same tree as the call itself flattened it."""
    if depth > LEVELS or len(rows.leaves) >= LEAVES:
        rows.is_cut = True
        return
    if rule == "static":
        rows.leaves.append(static_leaf(path, value, rows))
        return
    facts = rows.alike.get(arrays.alike(value))
    if facts is not None:  # one of thousands of arrays: the first of its class was looked at
        rows.leaves.append(_array_leaf(path, facts, rows))
        return
    kind = type(value)
    if value is None:
        rows.nodes.append(Node(path, "NoneType"))
    elif kind is tuple or kind is list:
        rows.nodes.append(Node(path, kind.__name__, tuple(f"[{place}]" for place in range(len(value)))))
        for place, (part, inside) in enumerate(zip(value, below(flat, value, len(value)), strict=True)):
            walk(part, f"{path}[{place}]", rule, rows, depth + 1, inside)
    elif _is_live(value):
        _walk_live(value, path, rule, rows, depth)
    elif rows.is_hit and flat is None and is_of_user(kind):
        rows.nodes.append(Node(path, type_name(kind), (), token(kind)))
        rows.is_cut = True
    else:
        children = one_level(value, flat)
        if children is None:
            given = tracing.inside_tracer(value).value if rows.is_transformed else value
            rows.leaves.append(_leaf(given, path, rule, rows))
        else:
            _walk_node(value, children, path, rule, rows, depth, flat)


def one_level(value: Any, flat: Given = None) -> Children | None:
    """The children of a pytree node; None for a leaf."""
    if type(value) is dict:  # as below, at a third of the time
        parts, keys = default_registry.flatten_one_level(value)
        return Children([(f"[{spelled(key)}]", part) for key, part in zip(keys, parts, strict=True)], keys, True)
    found = children_of(value, flat) if type(flat) is Flat and is_of_user(type(value)) else None
    if found is not None:
        return found
    if outputs.is_iterable_leaf(value):
        return None  # JAX warned of it when it flattened it; it need not do so twice
    pairs, treedef = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda part: part is not value)
    data = outputs.node_data(treedef)
    if data is None:
        return None
    left: dict[str, Any] | None = None
    steps: list[tuple[str, Any]] = []
    for key, part in pairs:
        if isinstance(key[0], FlattenedIndexKey):
            # registered without key paths: the attribute that is the child gives the user's name for it
            left = dict(attributes(value)) if left is None else left
            name = next((name for name, held in left.items() if held is part), None)
            steps.append((f"[{key[0].key}]" if name is None else f".{name}", part))
            left.pop(name or "", None)
        else:
            steps.append((step(key[0]), part))
    return Children(steps, data[1], left is None)


def _walk_node(value: Any, children: Children, path: str, rule: Rule, rows: Rows, depth: int, flat: Given) -> None:
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
    """Auxiliary data is part of the treedef, and so of the cache key: show it under the attribute it came from.

    What was worked out of the attributes stands under the node itself. The names and keys of children are no news.
    """
    if aux is value:  # `jax.tree_util.register_static`: all of it is metadata
        rows.leaves.append(static_leaf(path, value, rows, is_metadata=True))
        return
    kind, held = type(value), attributes(value)
    parts = list(itertools.islice(_shallow(aux), LEAVES))
    if not parts:
        return
    addresses, children = {id(part) for part in parts}, dict(steps)
    # a child has the name of its attribute, or one of its own; `True` may be a child and metadata too
    others = addresses - {id(child) for name, child in steps if name[1:] not in held}
    for name, part in held.items():
        if id(part) in others and f".{name}" not in children:
            rows.leaves.append(static_leaf(f"{path}.{name}", part, rows, is_metadata=True))
    if is_a(value, dict) or class_attribute(kind, "_fields") is not None:
        return
    # fields of a dataclass are looked at by name; an object of its own holds them together
    is_plain = class_attribute(kind, "__dataclass_fields__") is not None
    seen = addresses | {id(child) for _, child in steps}
    told = [whole for whole in held.values() if id(whole) in seen]
    known = {id(part) for whole in told for part in _shallow(whole)} | {id(kind)}
    texts = [*held, *(name for name, _ in steps), *(part for part in held.values() if type(part) is str)]
    rest = [
        part
        for part in parts
        if not is_a(part, tuple, list, dict)
        and id(part) not in known
        and not (type(part) is str and (part in texts or f".{part}" in texts))
        and (type(part) in PLAIN or not is_plain)
    ]
    if rest:
        whole = rest[0] if len(rest) == 1 else tuple(rest)
        rows.leaves.append(static_leaf(f"{path}.<aux_data>", whole, rows, is_metadata=True))


def _shallow(aux: Any, depth: int = 3) -> Iterable[Any]:
    """Auxiliary data and what it directly contains."""
    if aux is not None:
        yield aux
    if depth and type(aux) is not str and is_a(aux, tuple, list, dict):
        for part in items_of(aux):
            yield from _shallow(part[1] if is_a(aux, dict) else part, depth - 1)


def _leaf(value: Any, path: str, rule: Rule, rows: Rows) -> Leaf:
    if rule != "traced" and not is_array(value) and not (rule == "shapes" and is_a(value, jax.ShapeDtypeStruct)):
        return static_leaf(path, value, rows)
    facts = arrays.facts_of(value)
    if facts is None:
        return static_leaf(path, value, rows)
    alike = arrays.alike(value)
    if alike is not None:
        rows.alike[alike] = facts
    return _array_leaf(path, facts, rows)


def _array_leaf(path: str, facts: arrays.ArrayFacts, rows: Rows) -> Leaf:
    return array_leaf(path, facts, rows.is_donated and facts.committed is not None)


@lru_cache(maxsize=1 << 16)  # the same leaf comes again at every miss; one object is quicker to make, keep and compare
def array_leaf(path: str, facts: arrays.ArrayFacts, donated: bool = False) -> Leaf:
    """A traced leaf from the facts of an array."""
    return _first_leaf(facts, donated).at(path)


@lru_cache(maxsize=256)
def _first_leaf(facts: arrays.ArrayFacts, donated: bool) -> Leaf:
    return Leaf(
        path="",
        role="traced",
        type=facts.type,
        shape=facts.shape,
        dtype=facts.dtype,
        weak_type=facts.weak_type,
        sharding=facts.sharding,
        committed=facts.committed,
        donated=donated,
        repr=f"{arrays.short_dtype(facts.dtype)}[{','.join(map(str, facts.shape))}]",
        itemsize=facts.itemsize,
    )


def static_leaf(path: str, value: Any, rows: Rows, is_metadata: bool = False) -> Leaf:
    """A static leaf, described by structure."""
    description = rows.descriptions.of(value, path)
    return Leaf(
        path=redacted_path(path),
        role="static",
        type=description.type,
        repr=description.text,
        static=description,
        is_metadata=is_metadata,
    )


def is_array(value: Any) -> bool:
    """What a filter_jit traces: JAX arrays (tracers included), NumPy arrays and NumPy scalars."""
    if is_a(value, np.ndarray, np.generic, jax.Array):
        return True
    return tracing.is_tracer(value) and isinstance(value, jax.Array)


# -- live objects of Flax NNX: no pytrees, but split into arrays and a static graph by nnx.jit -------------------------


def _is_live(value: Any) -> bool:
    kinds = nnx.nnx_types()
    return kinds is not None and is_a(value, *kinds)


def _walk_live(value: Any, path: str, rule: Rule, rows: Rows, depth: int) -> None:
    name = rows.names.get(id(value), path)
    if name != path:
        rows.nodes.append(Node(path, f"shared with {name}"))
    if id(value) in rows.seen:
        return
    rows.seen.add(id(value))
    path = name
    kinds = nnx.nnx_types() or ()
    everything, kind = attributes(value), type(value)
    held = {name: part for name, part in everything.items() if not nnx.is_nnx_own(kind, name)}
    if kinds and is_a(value, kinds[0]):
        before = len(rows.leaves)
        walk(nnx.nnx_raw_value(value), path, rule, rows, depth + 1)
        rows.leaves[before:] = [replace(leaf, variable=type_name(kind)) for leaf in rows.leaves[before:]]
        for name, part in nnx.nnx_metadata(value).items():
            rows.leaves.append(static_leaf(f"{path}.{name}", part, rows, is_metadata=True))
        return
    steps = {name: attribute_step(name) for name in sorted(held, key=_place)}
    rows.nodes.append(Node(path, type_name(kind), tuple(steps.values()), token(kind)))
    data = nnx.nnx_data_names(everything)
    for name, step_text in steps.items():
        if name in data:
            walk(held[name], path + step_text, "traced", rows, depth + 1)
        else:
            _walk_attribute(held[name], path + step_text, rule, rows, depth + 1)


def _place(name: str) -> tuple[int, str]:
    """NNX keeps the items of a list as attributes "0", "1", ..., and goes through them by number."""
    return (int(name), "") if name.isdecimal() else (-1, name)


def _walk_attribute(part: Any, path: str, rule: Rule, rows: Rows, depth: int) -> None:
    """An attribute of a live object: arrays and live objects are data, everything else is part of the static graph."""
    if _is_live(part):
        walk(part, path, rule, rows, depth)
    elif _has_data(part):
        walk(part, path, "arrays", rows, depth)
    else:
        rows.leaves.append(static_leaf(path, part, rows, is_metadata=True))


def _has_data(part: Any, depth: int = LEVELS) -> bool:
    """Whether there are arrays or live objects below a value; JAX's own way there would warn of an iterator again."""
    if _is_live(part) or is_array(part):
        return True
    children = one_level(part) if depth else None
    return children is not None and any(_has_data(child, depth - 1) for _, child in children.steps)


def names_of_live(roots: Iterable[tuple[str, Any]]) -> dict[int, str]:
    """The path of each live object that a person would use: the shortest, of those the first. Objects may be shared.

    The first as `__init__` names them: NNX puts attributes into another order when it updates an object after a call.
    """
    orders: dict[type, dict[str, int]] = {}
    names: dict[int, str] = {}
    queue = deque(roots) if nnx.nnx_types() else deque[tuple[str, Any]]()
    for _ in range(LEAVES):
        if not queue:
            break
        path, value = queue.popleft()
        if _is_live(value):
            if id(value) in names:
                continue
            names[id(value)] = path
            held, kind = attributes(value), type(value)
            if kind not in orders:
                orders[kind] = _order_in_init(kind)
            names_held = _sorted(held, orders[kind])
            of_user = [name for name in names_held if not nnx.is_nnx_own(kind, name)]
            queue.extend((path + attribute_step(name), held[name]) for name in of_user)
        elif type(value) in (tuple, list):
            queue.extend((f"{path}[{place}]", part) for place, part in enumerate(value))
        elif type(value) is dict:
            plain = ((key, part) for key, part in value.items() if type(key) in (str, int))
            queue.extend((f"{path}[{redacted_path(repr(key))}]", part) for key, part in plain)
    return names


def _order_in_init(kind: type) -> dict[str, int]:
    """The place of each name that the `__init__` of a class and its bases use, the bases first."""
    made = (class_attribute(base, "__init__") for base in reversed(mro_of(kind)))
    names = (name for one in made if is_a(one, types.FunctionType) for name in one.__code__.co_names)
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def _sorted(names: Iterable[str], order: dict[str, int]) -> list[str]:
    return sorted(names, key=lambda name: order.get(name, len(order)))
