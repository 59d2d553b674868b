"""Results of which some leaves are no arrays.

In: what the user's function returned while it was traced.  Out: a tree that a jitted function can return.
Must never: keep static outputs anywhere but in the output's own treedef. JAX keeps that treedef with the very trace it
came from, so a program that ran always brings its own static outputs, whichever cache it was found in.
"""

from __future__ import annotations

from typing import Any

import jax
from jax.tree_util import PyTreeDef, tree_flatten

from .arrays import is_traced_type
from .split import Split


class _Seal:
    """The static half of one traced result. Compared by identity: a user's `==` decides nothing here."""

    __slots__ = ("split", "statics", "treedef")

    def __init__(self, treedef: PyTreeDef, split: Split, statics: tuple[Any, ...]) -> None:
        self.treedef = treedef
        self.split = split
        self.statics = statics


class Output:
    """A result with static leaves; its own leaves are the traced ones."""

    __slots__ = ("_seal", "_traced")

    def __init__(self, seal: _Seal, traced: tuple[Any, ...]) -> None:
        self._seal = seal
        self._traced = traced

    def open(self) -> Any:
        """What the user's function returned."""
        seal = self._seal
        return seal.treedef.unflatten(seal.split.merge((*self._traced, *seal.statics)))

    def flatten(self) -> tuple[tuple[Any, ...], _Seal]:
        return self._traced, self._seal


def seal(result: Any) -> Any:
    """`result` itself if all its leaves are arrays, else an `Output`, to be opened by whoever called the program."""
    leaves, treedef = tree_flatten(result)
    split = Split(is_traced_type(type(leaf)) for leaf in leaves)
    if not split.static_at:
        return result
    return Output(_Seal(treedef, split, split.static(leaves)), split.traced(leaves))


jax.tree_util.register_pytree_node(Output, Output.flatten, Output)
