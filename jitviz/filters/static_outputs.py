"""Results with leaves that are not arrays.

In: the result of the user's function while it is traced.  Out: a tree that a jitted function can return.
Must never: store static outputs anywhere but in the treedef of the output. JAX stores that treedef with its trace, so
every program returns its own static outputs, whichever cache it was found in.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.tree_util import PyTreeDef, tree_flatten

from .leaves import Split, is_traced_type

_SPARE = np.int32(0)


@dataclass(eq=False, repr=False, slots=True)  # compared by identity: a user's `==` decides nothing here
class _Seal:
    """The static half of one traced result. `n_spare` of its arrays, the last ones, are no part of it."""

    treedef: PyTreeDef
    split: Split
    statics: tuple[Any, ...]
    n_spare: int = 0


@dataclass(eq=False, repr=False, slots=True)
class Output:
    """A result with static leaves. As a tree, its leaves are the traced ones."""

    seal: _Seal
    traced: tuple[Any, ...]

    def open(self) -> Any:
        """The result of the user's function."""
        seal = self.seal
        traced = self.traced[: -seal.n_spare] if seal.n_spare else self.traced
        return seal.treedef.unflatten(seal.split.merge((*traced, *seal.statics)))


def seal(result: Any, donated: Iterable[Any] = ()) -> Any:
    """`result` itself if all its leaves are arrays, else an `Output`, which the caller of the program opens.

    Equinox's programs return one number more, of 32 bits, which may use the buffer of a `donated` array. So that the
    same arrays are donated, these do as well where the numbers in the result leave such a buffer over.
    """
    leaves, treedef = tree_flatten(result)
    split = Split(is_traced_type(type(leaf)) for leaf in leaves)
    traced = split.traced(leaves)
    given, returned = map(_sizes_of_numbers, (donated, traced))
    # JAX matches them by their number of elements, XLA by bytes.
    n_spare = int(len(given) > len(returned) or given.count(_SPARE.nbytes) > returned.count(_SPARE.nbytes))
    if not split.static_at and not n_spare:
        return result
    spare = (_SPARE,) * n_spare
    return Output(_Seal(treedef, split, split.static(leaves), n_spare), (*traced, *spare))


def _sizes_of_numbers(arrays: Iterable[Any]) -> list[int]:
    """The bytes of each array of one element."""
    return [array.dtype.itemsize for array in arrays if array.size == 1]


jax.tree_util.register_pytree_node(Output, lambda output: (output.traced, output.seal), Output)
