"""Live objects of Flax NNX: their attributes and their paths.

In: any value; roots.  Out: the attributes of a live object; the path of each live object.
"""

import sys
import types
from collections import deque
from collections.abc import Iterable
from typing import Any

from ...jaxcompat import flax_internals
from ...jaxcompat.raw import attributes, class_attribute, is_a, mro_of
from ...recording.redaction import redacted_path
from .flattened import LEAVES
from .parts import attribute_step


def is_live(value: Any) -> bool:
    """Whether a value is a Variable or another live object of NNX."""
    return is_a(value, *flax_internals.nnx_types())


def attributes_of_user(value: Any) -> dict[str, Any]:
    """The attributes of a live object without NNX's own."""
    return {name: part for name, part in attributes(value).items() if not flax_internals.is_nnx_own(type(value), name)}


def names_of_live(roots: Iterable[tuple[str, Any]]) -> dict[int, str]:
    """The path of each live object by its address. A shared object gets its shortest path, and of those the first. The
    first in the order of `__init__`, since NNX reorders attributes when it updates an object after a call."""
    orders: dict[type, dict[str, int]] = {}
    names: dict[int, str] = {}
    queue = deque(roots) if flax_internals.nnx_types() else deque[tuple[str, Any]]()
    for _ in range(LEAVES):
        if not queue:
            break
        path, value = queue.popleft()
        if is_live(value):
            if id(value) in names:
                continue
            names[id(value)] = path
            parts, kind = attributes_of_user(value), type(value)
            if kind not in orders:
                orders[kind] = _order_in_init(kind)
            in_order = sorted(parts, key=lambda name: orders[kind].get(name, sys.maxsize))
            queue.extend((path + attribute_step(name), parts[name]) for name in in_order)
        elif type(value) in (tuple, list):
            queue.extend((f"{path}[{index}]", part) for index, part in enumerate(value))
        elif type(value) is dict:
            plain = ((key, part) for key, part in value.items() if type(key) in (str, int))
            queue.extend((f"{path}[{redacted_path(repr(key))}]", part) for key, part in plain)
    return names


def _order_in_init(kind: type) -> dict[str, int]:
    """The position of each name in the `__init__` functions of a class and its bases, bases first."""
    inits = (class_attribute(base, "__init__") for base in reversed(mro_of(kind)))
    names = (name for init in inits if is_a(init, types.FunctionType) for name in init.__code__.co_names)
    return {name: index for index, name in enumerate(dict.fromkeys(names))}
