"""Which versions would be the same if a property of a leaf did not matter.

In: compiles of one function.  Out: numbers that are equal where JAX's cache cannot tell two versions apart.
Must never: treat two versions as the same if they differ in anything besides what is left out.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from ..model import Compile, Description, Kind, Leaf, Node, is_below
from ..model.cachekey import aval_of, place_of, summable
from ..model.equality import equals_itself_only, key_of, types_of
from ..reasons.kinds import KIND_OF, ReasonKind
from ..reasons.values import default_leaves, described


@dataclass(frozen=True)
class Fix:
    """A cause that is fixed: the kinds of change, and the paths of the leaves that changed. `has_arguments` says that
    the numbers inside objects that are made anew are arguments then, `keeps_sizes` that arrays of several ranks have
    one, but each its own sizes, `is_form` that arguments are passed by position or by keyword in every call."""

    kinds: tuple[Kind, ...]
    paths: frozenset[str]
    has_arguments: bool = False
    keeps_sizes: bool = False
    is_form: bool = False

    @property
    def kind(self) -> ReasonKind:
        """The kind of what is fixed; others on the same leaf are fixed with it."""
        return KIND_OF[self.kinds[0]]

    def holds(self, path: str) -> bool:
        """Whether `path` is one of these paths, or below one of them."""
        if path in self.paths:
            return True
        return self.kind.undoes == "leaf" and any(is_below(path, top) for top in self.paths)

    def inside(self, path: str) -> frozenset[str]:
        """The places inside the static value at `path`."""
        return frozenset(below[len(path) :] for below in self.paths if is_below(below, path))


def key(row: Compile) -> int:
    """Equal for two versions if JAX's cache sees no difference between them."""
    signature = row.signature
    around = [
        ("function", row.function_info.token),
        ("transform", row.transform),
        *(("form", *given) for given in signature.form),
        *(("option", *option) for option in signature.options),
    ]
    parts = sum(map(_node_key, signature.nodes)) + sum(map(_leaf_key, signature.leaves))
    return _settings_key(signature.context) + sum(map(summable, around)) + parts


@lru_cache(maxsize=16)  # nearly all versions have the same
def _settings_key(context: tuple[tuple[str, str], ...]) -> int:
    return sum(summable(("context", *setting)) for setting in context)


def content_key(row: Compile) -> int:
    """Equal for versions of several processes if their arguments are, apart from identities and places."""
    signature = row.signature
    nodes = [(node.path, node.type, node.keys) for node in signature.nodes]
    static = [(leaf.path, leaf.is_metadata, key_of(_by_content(described(leaf)))) for leaf in signature.static]
    traced = [(leaf.path, *aval_of(leaf)) for leaf in signature.traced]
    return sum(map(summable, [("transform", row.transform), *signature.form, *nodes, *static, *traced]))


def key_without(row: Compile, whole: int, fix: Fix) -> int:
    """`whole`, the key of a version, without the parts that no longer differ once the cause is fixed."""
    signature, scope = row.signature, fix.kind.undoes
    if scope == "function":
        return whole - summable(("function", row.function_info.token))
    if scope == "setting":
        return whole - sum(summable(("context", *setting)) for setting in signature.context if setting[0] in fix.paths)
    if scope == "properties":
        left_out = frozenset().union(*(KIND_OF[kind].undone for kind in fix.kinds))
        leaves = [leaf for leaf in signature.traced if leaf.path in fix.paths]
        if fix.kind.name == "shape":  # what is padded keeps its rank, and what gets another rank keeps its sizes
            whole += sum(summable((leaf.path, _kept_of_shape(leaf.shape or (), fix))) for leaf in leaves)
        return whole + sum(_traced_key(leaf, left_out) - _leaf_key(leaf) for leaf in leaves)
    if scope == "nothing":
        return whole
    if fix.kind.are_leaves_left:
        whole -= sum(summable(("form", *given)) for given in signature.form if given[0] in fix.paths)
    if fix.is_form:
        return whole
    return (
        whole
        + sum(_without(leaf, fix) for leaf in signature.leaves)
        + sum(_around(node, fix) for node in signature.nodes)
    )


def _kept_of_shape(shape: tuple[int, ...], fix: Fix) -> object:
    return tuple(size for size in shape if size != 1) if fix.keeps_sizes else len(shape)


def _without(leaf: Leaf, fix: Fix) -> int:
    """What a fix changes in a key that has this leaf."""
    places = frozenset({""}) if fix.holds(leaf.path) else fix.inside(leaf.path)
    if not places:
        return 0
    is_left = leaf.role == "static" and ("" not in places or fix.kind.is_left_by_content)
    if is_left:
        left = summable((leaf.path, leaf.is_metadata, *_static_key(_fixed(described(leaf), places, fix))))
    else:  # in another form it is still there, and a call without it is another one
        left = 0 if fix.kind.are_leaves_left else summable(("there", leaf.path))
    return left - _leaf_key(leaf)


def _around(node: Node, fix: Fix) -> int:
    """What a fix changes in a key that has this node."""
    rest = tuple(name for name in node.keys if not fix.holds(node.path + name))
    if fix.holds(node.path):
        return -_node_key(node)
    return _node_key(replace(node, keys=rest)) - _node_key(node) if len(rest) < len(node.keys) else 0


def leaves_left(row: Compile, fix: Fix) -> dict[tuple[str, bool], set[int]]:
    """The keys of leaves that `key_without` leaves out, but that still need a version for each value after the fix.

    For example, an argument that keeps its class is still compiled once for each size of the arrays in it. What was
    left at a default and is passed then has two keys, since it may be traced or static.
    """
    is_left = ("traced", "static") if fix.kind.are_leaves_left else ("traced",)
    leaves = list(row.signature.leaves) if fix.kind.undoes == "leaf" and not fix.is_form else []
    if fix.kinds[0] == "kwargs_vs_args" and not fix.is_form:
        leaves += chain(*(default_leaves(row.signature, path) for path, _ in row.signature.defaults))
    left: dict[tuple[str, bool], set[int]] = defaultdict(set)
    for leaf in leaves:
        if leaf.role in is_left and fix.holds(leaf.path):
            left[leaf.path, leaf.is_metadata].add(_leaf_key(leaf))
    return left


def _fixed(description: Description, places: frozenset[str], fix: Fix) -> Description:
    """A static value without what is at these places in it; objects at these places are compared by content."""
    if "" in places:
        is_kept = fix.kind.is_left_by_content
        return _by_content(description, has_numbers=not fix.has_arguments) if is_kept else Description("", "")
    if equals_itself_only(description):  # what differs in it is passed beside it, and it is one object
        description = replace(description, equality="value", token=None)
    fields = []
    for label, part in description.fields:
        below = frozenset(place[len(label) :] for place in places if place == label or is_below(place, label))
        fields.append((label, _fixed(part, below, fix) if below else part))
    return replace(description, fields=tuple(fields))


def _by_content(description: Description, *, has_numbers: bool = True) -> Description:
    """An object described by its content alone, without its identity. Equal numbers of two types are two contents."""
    if not has_numbers and description.type in ("int", "float", "complex"):
        return Description("", "")
    fields = tuple((label, _by_content(part, has_numbers=has_numbers)) for label, part in description.fields)
    kind = f"exactly {description.type}"
    return replace(description, type=kind, equality="value", token=None, type_token=None, fields=fields, plain="")


def _node_key(node: Node) -> int:
    return summable((node.path, node.type, node.type_token, node.keys))


def _static_key(description: Description) -> tuple[object, object]:
    """Some caches find equal values of two types equal, but none compiles for one of them alone."""
    return key_of(description), types_of(description)


def _leaf_key(leaf: Leaf) -> int:
    if leaf.role == "static":
        return summable((leaf.path, leaf.is_metadata, *_static_key(described(leaf))))
    return _traced_key(leaf)


def _traced_key(leaf: Leaf, left_out: frozenset[str] = frozenset()) -> int:
    properties = (*aval_of(leaf), ("place", place_of(leaf)), ("committed", bool(leaf.committed)))
    kept = tuple(value for name, value in properties if name not in left_out)
    return summable((leaf.path, leaf.variable, kept))
