"""Where an argument should be placed: on the mesh that the other arguments are on, or as the function returns it.

In: shardings as text, leaves.  Out: the sharding to choose, the leaf beside it.
"""

from collections.abc import Collection, Iterable

from ..model import Leaf
from ..model.paths import root_of

NOWHERE = "not placed"
_ON_MESH = " on mesh("


def mesh_of(sharding: str) -> str:
    """The mesh of a sharding, with its devices; "" for one device, or for an array that is not placed."""
    return sharding.partition(_ON_MESH)[2]


def partition_of(sharding: str) -> str:
    """ "P('data')" of a sharding over a mesh, or the whole text."""
    return sharding.partition(_ON_MESH)[0]


def may_be_returned(outputs: Iterable[Leaf], leaf: Leaf) -> bool:
    """Whether an input may be an output of an earlier call: one has its shape and dtype at the same place of a tree."""
    place = leaf.path.removeprefix(root_of(leaf.path))
    return any(
        (one.shape, one.dtype) == (leaf.shape, leaf.dtype)
        and one.sharding in (None, leaf.sharding)
        and one.path.endswith(place)
        for one in outputs
    )


def beside(leaves: Iterable[Leaf], changed: Collection[str], *sides: str) -> tuple[str, str]:
    """Of two shardings the one on the mesh of another committed leaf, and the path of that leaf; empty if that is not
    exactly one."""
    found: dict[str, str] = {}
    for leaf in leaves:
        mesh = mesh_of(leaf.sharding or "") if leaf.committed and leaf.path not in changed else ""
        if mesh:
            found |= {side: leaf.path for side in sides if mesh_of(side) == mesh and side not in found}
    return next(iter(found.items())) if len(found) == 1 else ("", "")
