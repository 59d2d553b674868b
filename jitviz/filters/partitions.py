"""Partitioning a tree by a filter, and combining the parts again.

In: any tree.  Out: trees of the same structure, with None in place of the leaves that are in another part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax.tree_util import tree_map


def partition(
    pytree: Any, filter_spec: Any, replace: Any = None, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[Any, Any]:
    """Split `pytree` into two trees of the same structure: the leaves that `filter_spec` selects, and the others.

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

    `is_leaf` is as in `jax.tree.map`.

    Raises:
        ValueError: their structures differ.
    """

    def is_leaf_or_none(node: Any) -> bool:
        return node is None or (is_leaf is not None and is_leaf(node))

    def first(*leaves: Any) -> Any:
        return next((leaf for leaf in leaves if leaf is not None), None)

    return tree_map(first, *pytrees, is_leaf=is_leaf_or_none)
