"""Where an argument should be placed, and whether it came back as the function had returned it.

In: shardings as text, leaves, two versions of a function.  Out: the sharding to choose, the leaf beside it; yes or no.

Begun with the form that it comes back in, a state needs no second version, whatever differs in the programs: the
compile after it returns that form again. A list that grows at each call does not.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from ..model import Compile, Leaf, Node, root_of, steps_to

NOWHERE = "not placed"
_ON_MESH = " on mesh("
_IN_MEMORY = re.compile(r" in (\w+)(?=$|, layout )")


def mesh_of(sharding: str) -> str:
    """The mesh of a sharding, with its devices; "" for one device, or for an array that is not placed."""
    return sharding.partition(_ON_MESH)[2]


def partition_of(sharding: str) -> str:
    """ "P('data')" of a sharding over a mesh, or the whole text."""
    return sharding.partition(_ON_MESH)[0]


def memory_of(sharding: str) -> str:
    """ "pinned_host" of "cpu:0 in pinned_host"; "" for the kind of memory that the devices use by default."""
    found = _IN_MEMORY.search(sharding)
    return found[1] if found else ""


def without_memory(sharding: str) -> str:
    return _IN_MEMORY.sub("", sharding)


def may_be_returned(outputs: Iterable[Leaf], leaf: Leaf) -> bool:
    """Whether an input may be an output of an earlier call: one has its shape and dtype at the same place of a tree."""
    place = leaf.path.removeprefix(root_of(leaf.path))
    return any(
        (output.shape, output.dtype) == (leaf.shape, leaf.dtype)
        and output.sharding in (None, leaf.sharding)
        and output.path.endswith(place)
        for output in outputs
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


_Form = tuple[object, ...]
_LEAST = 2  # leaves and nodes: a single array or a None looks like many a result


def is_returned(before: Compile, row: Compile, paths: Collection[str]) -> bool:
    """Whether at each of these paths, or in a tree around it, `row` takes what `before` returned, and returns it."""
    if not _may_be_among(before.outputs, row, paths) or not _may_be_among(row.outputs, row, paths):
        return False
    taken = _forms(row.signature.leaves, row.signature.nodes)
    returned, again = (set(_forms(one.outputs, one.output_nodes).values()) for one in (before, row))
    stable = {form for form in returned & again if len(form) >= _LEAST}
    return all(any(taken.get(top) in stable for top in steps_to(path)) for path in paths)


def is_state(row: Compile, paths: Collection[str]) -> bool:
    """Whether all these arrays are in trees that a version returns as it takes them, and that are no batch: a batch has
    one size along the first axis of all its arrays."""
    if not _may_be_among(row.outputs, row, paths):
        return False
    taken = _forms(row.signature.leaves, row.signature.nodes)
    returned = set(_forms(row.outputs, row.output_nodes).values())
    kept = {top for top, form in taken.items() if len(form) >= _LEAST and form in returned}
    first: defaultdict[str, set[int]] = defaultdict(set)
    for leaf in row.signature.traced:
        for top in steps_to(leaf.path):
            first[top].add((leaf.shape or (0,))[0])
    return all(any(top in kept and len(first[top]) > 1 for top in steps_to(path)) for path in paths)


def _may_be_among(outputs: Sequence[Leaf], row: Compile, paths: Collection[str]) -> bool:
    """Whether each array that a version takes at one of these paths has the form of an output."""
    forms = {(leaf.shape, leaf.dtype, leaf.weak_type) for leaf in outputs}
    taken = {(leaf.shape, leaf.dtype, leaf.weak_type) for leaf in row.signature.traced if leaf.path in paths}
    return bool(outputs) and taken <= forms


def _forms(leaves: Sequence[Leaf], nodes: Sequence[Node]) -> dict[str, _Form]:
    """By the path of each leaf and node: the leaves in it and the types of the nodes in it, in order."""
    forms: defaultdict[str, list[object]] = defaultdict(list)
    for node in nodes:
        for top in steps_to(node.path) or [""]:
            forms[top].append((node.type, len(node.keys)))
    for leaf in leaves:
        part = (leaf.shape, leaf.dtype, leaf.weak_type) if leaf.role == "traced" else leaf.repr
        for top in steps_to(leaf.path) or [""]:
            forms[top].append(part)
    return {path: tuple(form) for path, form in forms.items()}
