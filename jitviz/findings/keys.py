"""Which versions would be one and the same if a property of a leaf did not count.

In: compiles of one function.  Out: numbers that are equal for what JAX's cache cannot tell apart.
Must never: call anything the same that differs beside what is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..model import Compile, Description, Kind, Leaf, cachekey
from ..model.cachekey import place_of
from ..model.paths import is_below
from ..reasons.statics import described, held, key_of

# What a mend of each kind takes out of the comparison, of traced leaves at a path. To give a leaf one dtype is to make
# it strong as well, and to place it is to commit it.
_PROPERTIES: dict[Kind, frozenset[str]] = {
    "shape": frozenset({"shape"}),
    "dtype": frozenset({"dtype", "weak"}),
    "weak_type": frozenset({"weak"}),
    "prng_key_type": frozenset({"dtype", "shape"}),
    "sharding": frozenset({"place", "committed"}),
    "committed": frozenset({"place", "committed"}),
}
_TOGETHER: tuple[frozenset[Kind], ...] = (
    frozenset({"shape", "dtype", "weak_type"}),
    frozenset({"sharding", "committed"}),
)
# These take away all that is at a path, and below it.
_WHOLE: frozenset[Kind] = frozenset(
    {"leaf_kind", "static_value", "static_identity", "static_eq", "treedef", "kwargs_vs_args"}
)
_BY_CONTENT: frozenset[Kind] = frozenset({"static_identity", "static_eq"})
# Of what these take away, static values count all the same: another one would be another version still.
_ROUND_LEAVES: frozenset[Kind] = frozenset({"treedef", "kwargs_vs_args"})
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Mend:
    """A cause that is taken away: kinds of change, and the leaves that it is about."""

    kinds: tuple[Kind, ...]
    paths: frozenset[str]

    def holds(self, path: str) -> bool:
        """Whether a path is one of these, or below one of them."""
        if path in self.paths:
            return True
        return self.kinds[0] in _WHOLE and any(is_below(path, top) for top in self.paths)

    def inside(self, path: str) -> frozenset[str]:
        """The places inside a static value at `path`."""
        return frozenset(mine[len(path) :] for mine in self.paths if is_below(mine, path))


def mended_together(kind: Kind) -> frozenset[Kind]:
    """The kinds of change of one leaf that are one cause: all of its aval, or of where it is."""
    return next((kinds for kinds in _TOGETHER if kind in kinds), frozenset({kind}))


def key(row: Compile) -> int:
    """Equal for two versions where nothing that the cache looks at differs."""
    signature, info = row.signature, row.function_info
    around = [
        ("function", info.token),
        ("transform", row.transform),
        *cachekey.of_surroundings(signature),
        *(("option", *option) for option in signature.options),
    ]
    nodes = (_node_key(node.path, node.type, node.type_token, node.keys) for node in signature.nodes)
    return sum(map(hash, around)) + sum(nodes) + sum(_leaf_key(leaf, _NONE) for leaf in signature.leaves)


def key_without(row: Compile, whole: int, mend: Mend) -> int:
    """`whole`, the key of a version, less what a mend takes away."""
    signature, kind = row.signature, mend.kinds[0]
    if kind == "new_function":
        return whole - hash(("function", row.function_info.token))
    if kind in _PROPERTIES:
        left_out = frozenset().union(*(_PROPERTIES[one] for one in mend.kinds))
        mine = [leaf for leaf in signature.traced if leaf.path in mend.paths]
        return whole + sum(_leaf_key(leaf, left_out) - _leaf_key(leaf, _NONE) for leaf in mine)
    if kind not in _WHOLE:
        return whole
    whole -= sum(hash(("form", *given)) for given in signature.form if given[0] in mend.paths)
    for leaf in signature.leaves:
        places = frozenset({""}) if mend.holds(leaf.path) else mend.inside(leaf.path)
        if places:
            whole -= _leaf_key(leaf, _NONE)
        if places and leaf.role == "static" and ("" not in places or kind in _BY_CONTENT):
            whole += hash((leaf.path, leaf.is_metadata, key_of(_mended(described(leaf), places, kind))))
    for node in signature.nodes:
        given = node.path, node.type, node.type_token
        if mend.holds(node.path):
            whole -= _node_key(*given, node.keys)
        elif kept := [name for name in node.keys if mend.holds(node.path + name)]:
            rest = tuple(name for name in node.keys if name not in kept)
            whole += _node_key(*given, rest) - _node_key(*given, node.keys)
    return whole


def kept_inside(row: Compile, mend: Mend) -> Iterator[tuple[tuple[str, bool], int]]:
    """Places that `key_without` leaves out, with what would need a version of its own there, mended or not.

    A class that stays the same does not spare the compile for another size of what it holds.
    """
    if mend.kinds[0] in _WHOLE:
        for leaf in row.signature.leaves:
            if mend.holds(leaf.path) and (leaf.role == "traced" or mend.kinds[0] in _ROUND_LEAVES):
                yield (leaf.path, leaf.is_metadata), _leaf_key(leaf, _NONE)


def _mended(description: Description, places: frozenset[str], kind: Kind) -> Description:
    """A static value but for what stands at these places of it; objects are one there where they hold the same."""
    if "" in places:
        return _by_content(description) if kind in _BY_CONTENT else Description("", "")
    fields = []
    for label, part in held(description).fields:
        below = frozenset(place[len(label) :] for place in places if place == label or is_below(place, label))
        fields.append((label, _mended(part, below, kind) if below else part))
    return replace(description, fields=tuple(fields))


def _by_content(description: Description) -> Description:
    """An object by what it holds, whichever it is."""
    fields = tuple((label, _by_content(part)) for label, part in description.fields)
    return replace(description, equality="value", token=None, type_token=None, fields=fields)


def _node_key(path: str, type_: str, token: int | None, keys: tuple[str, ...]) -> int:
    return hash((path, type_, token, keys))


def _leaf_key(leaf: Leaf, left_out: frozenset[str]) -> int:
    if leaf.role == "static":
        return hash((leaf.path, leaf.is_metadata, key_of(described(leaf))))
    properties = (
        ("shape", leaf.shape),
        ("dtype", leaf.dtype),
        ("weak", leaf.weak_type),
        ("place", place_of(leaf)),
        ("committed", bool(leaf.committed)),
    )
    kept = tuple(value for name, value in properties if name not in left_out)
    return hash((leaf.path, leaf.variable, kept))
