"""When two wrappers are the same.

In: a callable tree.  Out: its == and its hash.
Must never: read an array; two arrays are the same if they are one object.
"""

from __future__ import annotations

from typing import Any

from jax.tree_util import tree_flatten

from .arrays import is_traced_type


class ComparedAsTree:
    """A wrapper that equals another one made of the same parts, as a bound method does.

    It may be a static value or sit in a treedef, made anew for every call: that is no reason to compile again.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self is other or _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(_parts(self))


def _parts(tree: Any) -> tuple[Any, ...]:
    leaves, treedef = tree_flatten(tree)
    return treedef, *((type(leaf), id(leaf) if is_traced_type(type(leaf)) else leaf) for leaf in leaves)
