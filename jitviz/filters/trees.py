"""Taking a tree apart into what a test picks and the rest, and putting it together again.

In: any tree.  Out: trees of the same structure with None in the holes.
Must never: copy or convert a leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax.tree_util import tree_map


def partition(
    pytree: Any, filter_spec: Any, replace: Any = None, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[Any, Any]:
    """Two trees of the structure of `pytree`: one with the leaves that `filter_spec` picks, one with the others.

    `filter_spec` is True, False or a function from leaf to bool, or a tree of those whose structure is a prefix of that
    of `pytree`. Holes are filled with `replace`; `is_leaf` is as in `jax.tree.map`. `combine` undoes it.

    Raises:
        ValueError: `filter_spec` is no prefix of `pytree`, or a leaf of it is neither a bool nor a function.
    """

    def pick(mask: Any, subtree: Any) -> Any:
        if isinstance(mask, bool):
            return tree_map(lambda _: mask, subtree, is_leaf=is_leaf)
        if callable(mask):
            return tree_map(mask, subtree, is_leaf=is_leaf)
        kind = type(mask).__name__
        raise ValueError(f"partition: filter_spec must consist of bools and functions, but one leaf is of type {kind}.")

    picked = tree_map(pick, filter_spec, pytree)
    kept = tree_map(lambda mask, leaf: leaf if mask else replace, picked, pytree)
    rest = tree_map(lambda mask, leaf: replace if mask else leaf, picked, pytree)
    return kept, rest


def combine(*pytrees: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """One tree of several of the same structure: at each place the first leaf that is not None.

    `is_leaf` is as in `jax.tree.map`.

    Raises:
        ValueError: their structures differ.
    """

    def is_hole(node: Any) -> bool:
        return node is None or (is_leaf is not None and is_leaf(node))

    def first(*leaves: Any) -> Any:
        return next((leaf for leaf in leaves if leaf is not None), None)

    return tree_map(first, *pytrees, is_leaf=is_hole)
