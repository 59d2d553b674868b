"""Taking a tree apart into what a test picks and the rest, and putting it together again.

In: any tree.  Out: trees of the same structure with None in the holes.
Must never: copy or convert a leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax.tree_util import tree_map


def partition(
    tree: Any, spec: Any, replace: Any = None, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[Any, Any]:
    """Two trees of the structure of `tree`: one with the leaves that `spec` picks, one with the others.

    `spec` is True, False or a function from leaf to bool, or a tree of those whose structure is a prefix of that of
    `tree`. Holes are filled with `replace`; `is_leaf` is as in `jax.tree.map`. `combine` undoes it.

    Raises:
        TypeError: a leaf of `spec` is neither a bool nor a function.
        ValueError: `spec` is no prefix of `tree`.
    """

    def pick(mask: Any, subtree: Any) -> Any:
        if isinstance(mask, bool):
            return tree_map(lambda _: mask, subtree, is_leaf=is_leaf)
        if callable(mask):
            return tree_map(mask, subtree, is_leaf=is_leaf)
        raise TypeError(f"partition: the spec must consist of bools and functions, but has a {type(mask).__name__}.")

    picked = tree_map(pick, spec, tree)
    kept = tree_map(lambda mask, leaf: leaf if mask else replace, picked, tree)
    rest = tree_map(lambda mask, leaf: replace if mask else leaf, picked, tree)
    return kept, rest


def combine(*trees: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """One tree of several of the same structure: at each place the first leaf that is not None."""

    def is_hole(node: Any) -> bool:
        return node is None or (is_leaf is not None and is_leaf(node))

    def first(*leaves: Any) -> Any:
        return next((leaf for leaf in leaves if leaf is not None), None)

    return tree_map(first, *trees, is_leaf=is_hole)
