"""Whether a parameter of an equation may keep a user object alive.

In: parameters, as JAX or a library made them.  Out: yes or no.
Must never: run user code, or say no for a value that refers to a user's function, array or class.
"""

from __future__ import annotations

import enum
import itertools
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, Mesh, PartitionSpec, Sharding

from ...jaxcompat import raw

DEPTH = 6  # nested levels of parts
_PLAIN = frozenset([type(None), bool, int, float, complex, str, bytes])
# They hold nothing but devices and names of axes, even where they hold arrays of these.
_SAFE = (enum.Enum, np.dtype, np.generic, Sharding, Mesh, AbstractMesh, PartitionSpec)
_THEIRS = frozenset(["jax", "jaxlib", "numpy"])
_HOLDING = (type, np.ndarray, jax.Array, jax.tree_util.PyTreeDef)


def holds_more(value: Any, depth: int = DEPTH) -> bool:
    """Whether `value` refers to anything but plain values and JAX's own objects, at any depth."""
    kind = type(value)
    if kind in _PLAIN or raw.is_a(value, *_SAFE):
        return False
    if kind in (tuple, list, set, frozenset):
        parts = raw.items_of(value)
    elif kind is dict:
        parts = itertools.chain.from_iterable(raw.items_of(value))
    elif raw.is_a(value, *_HOLDING) or not _is_plain_class(kind):
        return True
    else:
        parts = itertools.chain(raw.items_of(value), raw.attributes(value).values())
    return any(type(part) not in _PLAIN and (depth == 0 or holds_more(part, depth - 1)) for part in parts)


def _is_plain_class(kind: type) -> bool:
    """Whether a class is JAX's or NumPy's and its instances are not callable."""
    return kind.__module__.partition(".")[0] in _THEIRS and raw.class_attribute(kind, "__call__") is None
