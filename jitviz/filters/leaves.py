"""Leaves: which are arrays, and splitting them into two halves, in a flat list or in a tree.

In: leaves, their types, trees.  Out: bools; the halves, and the whole again.
Must never: read an array's values, or copy or convert a leaf.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import tree_map

_ARRAYS = (jax.Array, np.ndarray, np.generic)
# A tracer counts as an array by its type alone: `isinstance(tracer, jax.Array)` looks at the tracer's aval, and is
# False for a mutable reference. References are inputs of a program just as arrays are, so they are traced too.
_TRACED = (*_ARRAYS, jax.core.Tracer, jax.Ref)


def is_array(element: Any) -> bool:
    """Whether `element` is a JAX array (tracers included), a NumPy array or a NumPy scalar.

    >>> jitviz.is_array(np.ones(3)), jitviz.is_array(3.0)
    (True, False)
    """
    return isinstance(element, _ARRAYS)


def is_inexact_array(element: Any) -> bool:
    """Whether `element` is an array of floating-point or complex numbers, which can be differentiated.

    >>> jitviz.is_inexact_array(np.ones(3)), jitviz.is_inexact_array(np.arange(3))
    (True, False)
    """
    return is_array(element) and bool(jnp.issubdtype(element.dtype, jnp.inexact))


def is_traced_type(kind: type) -> bool:
    """Whether `filter_jit` traces leaves of this type."""
    return issubclass(kind, _TRACED)


def _role_of(kind: type) -> type | None:
    """The part of a leaf's type in the static key: None for a traced leaf, the type itself for a static one."""
    return None if is_traced_type(kind) else kind


role_of: Callable[[type], type | None] = lru_cache(1024)(_role_of)


class Split:
    """One way to split a list of leaves. `traced_at` and `static_at` are positions in that list."""

    def __init__(self, is_traced: Iterable[bool]) -> None:
        flags = tuple(is_traced)
        self.traced_at = tuple(index for index, flag in enumerate(flags) if flag)
        self.static_at = tuple(index for index, flag in enumerate(flags) if not flag)

    def traced(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The traced leaves, in order."""
        return tuple([leaves[index] for index in self.traced_at])

    def static(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The static leaves, in order."""
        return tuple([leaves[index] for index in self.static_at])

    def merge(self, halves: Sequence[Any]) -> list[Any]:
        """The whole list, from `(*traced, *static)`."""
        leaf_at = dict(zip((*self.traced_at, *self.static_at), halves, strict=True))
        return [leaf_at[index] for index in range(len(leaf_at))]


def partition(
    pytree: Any, filter_spec: Any, replace: Any = None, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[Any, Any]:
    """Split `pytree` into two trees of the same structure: the leaves that `filter_spec` selects, and the others.

    >>> arrays, rest = jitviz.partition(model, jitviz.is_array)

    `filter_spec` is True, False, a function from leaf to bool, or a tree of these that is a prefix of `pytree`. In each
    tree, `replace` stands in place of the leaves of the other. `is_leaf` is as in `jax.tree.map`. `combine` undoes it.

    Raises:
        ValueError: `filter_spec` is not a prefix of `pytree`, or one of its leaves is neither a bool nor a function.
    """

    def select(mask: Any, subtree: Any) -> Any:
        if isinstance(mask, bool):
            return tree_map(lambda _: mask, subtree, is_leaf=is_leaf)
        if callable(mask):
            return tree_map(mask, subtree, is_leaf=is_leaf)
        kind = type(mask).__name__
        raise ValueError(f"partition: filter_spec must consist of bools and functions, but one leaf is of type {kind}.")

    masks = tree_map(select, filter_spec, pytree)
    selected = tree_map(lambda mask, leaf: leaf if mask else replace, masks, pytree)
    others = tree_map(lambda mask, leaf: replace if mask else leaf, masks, pytree)
    return selected, others


def combine(*pytrees: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Merge trees of the same structure into one: at each place the first leaf that is not None.

    >>> arrays, rest = jitviz.partition(model, jitviz.is_array)
    >>> model = jitviz.combine(arrays, rest)

    `is_leaf` is as in `jax.tree.map`.

    Raises:
        ValueError: their structures differ.
        TypeError: there is no tree.
    """
    if not pytrees:
        raise TypeError("combine takes one or more trees, as in combine(arrays, rest)")

    def is_leaf_or_none(node: Any) -> bool:
        return node is None or (is_leaf is not None and is_leaf(node))

    def first(*leaves: Any) -> Any:
        return next((leaf for leaf in leaves if leaf is not None), None)

    return tree_map(first, *pytrees, is_leaf=is_leaf_or_none)
