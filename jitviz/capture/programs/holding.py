"""Whether a parameter of an equation may keep something of the user's alive.

In: parameters, as JAX or a library made them.  Out: yes or no.
Must never: run code of the user's, or say no of a value that leads to a function, an array or a class of the user's.
"""

from __future__ import annotations

import enum
import itertools
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, Mesh, PartitionSpec, Sharding

from ...jaxcompat import raw

DEPTH = 6  # parts of parts of ...
_PLAIN = frozenset([type(None), bool, int, float, complex, str, bytes])
# They lead to devices and names of axes only, though by way of arrays.
_SAFE = (enum.Enum, np.dtype, np.generic, Sharding, Mesh, AbstractMesh, PartitionSpec)
_THEIRS = frozenset(["jax", "jaxlib", "numpy"])
_HOLDING = (type, np.ndarray, jax.Array, jax.tree_util.PyTreeDef)


def holds_more(value: Any, depth: int = DEPTH) -> bool:
    """Whether more than plain values and what JAX made can be reached from `value`."""
    kind = type(value)
    if kind in _PLAIN or raw.is_a(value, *_SAFE):
        return False
    if kind in (tuple, list, set, frozenset):
        parts = raw.items_of(value)
    elif kind is dict:
        parts = itertools.chain.from_iterable(raw.items_of(value))
    elif raw.is_a(value, *_HOLDING) or kind.__module__.partition(".")[0] not in _THEIRS or _is_called(kind):
        return True
    else:
        parts = itertools.chain(raw.items_of(value), raw.attributes(value).values())
    return any(type(part) not in _PLAIN and (depth == 0 or holds_more(part, depth - 1)) for part in parts)


def _is_called(kind: type) -> bool:
    return raw.class_attribute(kind, "__call__") is not None
