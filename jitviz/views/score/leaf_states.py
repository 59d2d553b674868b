"""What a leaf or node of the arguments was in each column of a score, and how that is written.

In: signatures.  Out: the arguments of all of them as one tree, and for a path: its states, and short texts of what
varies between them.
Must never: look at every leaf of many large signatures; there may be twenty thousand in each of sixty.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import TypeAlias

from ...model import Leaf, Node, Reason, Signature, array_type, last_name, shortened
from ...model.equality import key_of
from ..schema import CellRole
from ..screen_limits import VALUE_CHARS
from ..words import aval, plain

State: TypeAlias = Leaf | Node | None

_MOST_COMPARED = 200_000  # leaves of all signatures; of larger ones, only what reasons name is compared
_CELL_CHARS = 10
_SHORT = 6  # characters of what objects that look alike look like, before their number
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")  # the name of a function or class, with its module
_MOST_VALUES = 3  # that a row lists


class States:
    """The leaves and nodes of several signatures. `varying` are the paths of those that differ: all of them if there
    are not too many leaves, else those that `reasons` name."""

    def __init__(self, signatures: Sequence[Signature], reasons: Iterable[Reason]) -> None:
        self.signatures = list({id(signature): signature for signature in signatures}.values())
        first = self.signatures[0]
        paths = [leaf.path for leaf in first.leaves]
        self._is_one_tree = all(
            [leaf.path for leaf in other.leaves] == paths and _same_nodes(other, first) for other in self.signatures[1:]
        )
        self.varying = {reason.path for reason in reasons if reason.path}
        if sum(len(signature.leaves) for signature in self.signatures) <= _MOST_COMPARED:
            for signature in self.signatures[1:]:
                self.varying |= _differing(first, signature)
        self._found: list[dict[str, Leaf | Node]] = [
            {path: item for path, item in _items(signature).items() if path in self.varying}
            for signature in self.signatures
        ]
        self._place = {id(signature): place for place, signature in enumerate(self.signatures)}

    def of(self, signature: Signature, item: Leaf | Node) -> State:
        """What stands in a signature where the merged tree has `item`."""
        if item.path not in self.varying:
            return item
        return self._found[self._place[id(signature)]].get(item.path)

    def merged(self) -> tuple[Sequence[Leaf], Sequence[Node]]:
        """The leaves and nodes of all signatures, in the order of the first that has them. What has children in one of
        them is a node."""
        first = self.signatures[0]
        if self._is_one_tree:
            return first.leaves, first.nodes  # the very same tuples, so that their tree is built once
        keys: dict[str, dict[str, None]] = {}
        nodes: dict[str, Node] = {}
        leaves: dict[str, Leaf] = {}
        for signature in self.signatures:
            for node in signature.nodes:
                nodes.setdefault(node.path, node)
                keys.setdefault(node.path, {}).update(dict.fromkeys(node.keys))
            for leaf in signature.leaves:
                leaves.setdefault(leaf.path, leaf)
        inner = {
            path: replace(node, keys=tuple(keys[path]))
            for path, node in nodes.items()
            if keys[path] or path not in leaves
        }
        return tuple(leaf for leaf in leaves.values() if leaf.path not in inner), tuple(inner.values())


def _differing(first: Signature, other: Signature) -> set[str]:
    """The paths at which two signatures differ."""
    if first is other:
        return set()
    one, two = _items(first), _items(other)
    shared = (path for path in one.keys() & two.keys() if one[path] is not two[path])
    return (one.keys() ^ two.keys()) | {path for path in shared if key(one[path]) != key(two[path])}


def _items(signature: Signature) -> dict[str, Leaf | Node]:
    nodes: dict[str, Leaf | Node] = {node.path: node for node in signature.nodes}
    return nodes | {leaf.path: leaf for leaf in signature.leaves}


def _same_nodes(one: Signature, other: Signature) -> bool:
    return one.nodes is other.nodes or [node.path for node in one.nodes] == [node.path for node in other.nodes]


def key(state: State) -> tuple[object, ...]:
    """Equal for states between which nothing changed that a call could compile for."""
    if isinstance(state, Node):
        return state.type, state.type_token, state.keys
    if state is None:
        return ()
    if state.role == "static":
        return "static", state.type, key_of(state.static) if state.static is not None else state.repr
    placed = (state.sharding if state.committed else None), bool(state.committed)
    return "traced", state.shape, state.dtype, state.weak_type, state.variable, *placed


def role_of(state: State) -> CellRole:
    """The role of a leaf; nodes have that of the leaves in them, which the row knows."""
    return state.role if isinstance(state, Leaf) else "absent"


def tell_type(states: Sequence[State]) -> str:
    """ "f32[·,784]": what a leaf is in all columns, with a dot for an axis that varies."""
    leaves = [state for state in states if isinstance(state, Leaf)]
    if not leaves:
        return "None" if any(isinstance(state, Node) for state in states) else ""
    traced = [leaf for leaf in leaves if leaf.role == "traced" and leaf.shape is not None]
    if not traced:
        return last_type(leaves[0].type)
    shapes = {leaf.shape or () for leaf in traced}
    dtype = (traced[0].dtype or "?") if len({leaf.dtype for leaf in traced}) == 1 else ""
    if len({len(shape) for shape in shapes}) > 1:
        return array_type(dtype, ()).replace("[]", "[…]")
    axes = (str(sizes[0]) if len(set(sizes)) == 1 else "·" for sizes in zip(*shapes, strict=True))
    return f"{array_type(dtype, ())[:-2]}[{','.join(axes)}]"


def last_type(name: str) -> str:
    """ "equinox.nn._linear.Linear" is a Linear."""
    return "None" if name == "NoneType" else name.rpartition(".")[2]


def tell_states(states: Sequence[State]) -> dict[tuple[object, ...], str]:
    """A short text for each different state: what varies between them. Empty texts if nothing does."""
    distinct = {key(state): state for state in states}
    if len(distinct) == 1:
        return dict.fromkeys(distinct, "")
    leaves = [state for state in distinct.values() if isinstance(state, Leaf)]
    is_array = len(leaves) == len(distinct) and all(leaf.shape is not None for leaf in leaves)
    tell = _teller(leaves) if is_array else brief
    texts = {state_key: tell(state) for state_key, state in distinct.items()}
    if len(set(texts.values())) < len(texts):  # objects that look alike, or differ in what is too long to say
        return {
            state_key: f"{text} #{number}" if len(text) <= _SHORT else f"#{number}"
            for number, (state_key, text) in enumerate(texts.items(), 1)
        }
    return texts


def _teller(leaves: Sequence[Leaf]) -> Callable[[State], str]:
    """Tells of an array what differs among `leaves`."""
    tellers = list(_tellers(leaves))
    return lambda leaf: " ".join(tell(leaf) for tell in tellers) if isinstance(leaf, Leaf) else ""


def _tellers(leaves: Sequence[Leaf]) -> Iterator[Callable[[Leaf], str]]:
    """How to tell each property in which the arrays differ: "96", "f32", "weak"."""
    shapes = {leaf.shape or () for leaf in leaves}
    if len(set(map(len, shapes))) > 1:
        yield lambda leaf: f"[{','.join(map(str, leaf.shape or ()))}]"
    elif any(varying := [len(set(sizes)) > 1 for sizes in zip(*shapes, strict=True)]):
        yield lambda leaf: "×".join(map(str, compress(leaf.shape or (), varying)))
    if len({leaf.dtype for leaf in leaves}) > 1:
        yield lambda leaf: array_type(leaf.dtype or "?", ()).removesuffix("[]")
    if len({leaf.weak_type for leaf in leaves}) > 1:
        yield lambda leaf: "weak" if leaf.weak_type else "strong"
    if len({leaf.variable for leaf in leaves}) > 1:
        yield lambda leaf: last_type(leaf.variable) or "plain"
    if len({leaf.sharding for leaf in leaves if leaf.committed}) > 1:
        yield lambda leaf: shortened(leaf.sharding or "?", _CELL_CHARS)
    if len({bool(leaf.committed) for leaf in leaves}) > 1:
        yield lambda leaf: "committed" if leaf.committed else "free"


def brief(state: State) -> str:
    """A leaf or node in a few letters: "0.1", "'train'", "act", "f32[4]", "None", "Linear"."""
    if state is None:
        return "–"
    if isinstance(state, Node):
        return shortened(last_type(state.type), _CELL_CHARS)
    if state.role == "traced":
        return aval(state.dtype, state.shape) or last_type(state.type)
    text = plain(state.repr or state.type, VALUE_CHARS)
    if text.startswith("<function "):
        text = text.removeprefix("<function ").partition(" ")[0]
    if _DOTTED.fullmatch(text):
        text = last_type(text)
    return shortened(text, _CELL_CHARS)


def whole(state: State) -> str:
    """A leaf or node in words, for a sentence."""
    if state is None:
        return "nothing"
    if isinstance(state, Node):
        return last_type(state.type)
    if state.role == "traced":
        return ("weak " if state.weak_type else "") + (aval(state.dtype, state.shape) or last_type(state.type))
    return plain(state.repr or last_name(state.type), VALUE_CHARS)


def tell_varies(texts: Iterable[str]) -> str:
    """ "128 | 96", "31 … 40 (6)": what a leaf was, each once; "" if it was one thing."""
    values = list(dict.fromkeys(filter(None, texts)))
    if len(values) < 2:
        return ""
    if len(values) <= _MOST_VALUES:
        return " | ".join(values)
    first, last = span(values)
    return f"{first} … {last} ({len(values)})"


def span(values: Sequence[str]) -> tuple[str, str]:
    """The least and the largest of numbers; the first and the last of other texts."""
    ordered = sorted(values, key=int) if all(value.isdecimal() for value in values) else values
    return ordered[0], ordered[-1]
