"""Results with leaves that are not arrays.

In: the result of the user's function while it is traced.  Out: a tree that a jitted function can return.
Must never: store static outputs anywhere but in the treedef of the output. JAX stores that treedef with its trace, so
every program returns its own static outputs, whichever cache it was found in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
from jax.tree_util import PyTreeDef, tree_flatten

from .arrays import is_traced_type
from .split import Split


@dataclass(eq=False, repr=False, slots=True)  # compared by identity: a user's `==` decides nothing here
class _Seal:
    """The static half of one traced result."""

    treedef: PyTreeDef
    split: Split
    statics: tuple[Any, ...]


@dataclass(eq=False, repr=False, slots=True)
class Output:
    """A result with static leaves. As a tree, its leaves are the traced ones."""

    seal: _Seal
    traced: tuple[Any, ...]

    def open(self) -> Any:
        """The result of the user's function."""
        seal = self.seal
        return seal.treedef.unflatten(seal.split.merge((*self.traced, *seal.statics)))


def seal(result: Any) -> Any:
    """`result` itself if all its leaves are arrays, else an `Output`, which the caller of the program opens."""
    leaves, treedef = tree_flatten(result)
    split = Split(is_traced_type(type(leaf)) for leaf in leaves)
    if not split.static_at:
        return result
    return Output(_Seal(treedef, split, split.static(leaves)), split.traced(leaves))


jax.tree_util.register_pytree_node(Output, lambda output: (output.traced, output.seal), Output)
