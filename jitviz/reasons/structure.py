"""Two argument trees: where their structure differs, and which leaves to compare.

In: two signatures.  Out: `treedef` changes at the shallowest node that differs, and pairs of leaves at the same path.

Nothing is reported below a node that has changed.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..model import Leaf, Node, Signature, steps_to
from .change import Change, Event, Flag
from .kinds.static_value import another_value
from .values import ATTRIBUTE, default_leaves, described, flag_of, of_text

Pair: TypeAlias = tuple[Leaf, Leaf]
Occupant: TypeAlias = Node | Leaf
ABSENT = "absent"


def match(before: Signature, after: Signature) -> tuple[list[Change], list[Pair]]:
    """Structural changes, and the leaves to compare, both in argument order."""
    if before.nodes == after.nodes and _slots(before) == _slots(after):
        return [], list(zip(before.leaves, after.leaves, strict=True))
    return _Match(before, after).run()


def _slots(signature: Signature) -> list[tuple[str, bool, str]]:
    return [(leaf.path, leaf.is_metadata, leaf.variable) for leaf in signature.leaves]


@dataclass
class _Match:
    before: Signature
    after: Signature
    changes: list[Change] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)

    def run(self) -> tuple[list[Change], list[Pair]]:
        self._old, self._new = _occupants(self.before), _occupants(self.after)
        self._old_metadata, self._new_metadata = _metadata(self.before), _metadata(self.after)
        # if only a part of the arguments was seen, a missing leaf means nothing
        self._is_whole = not (self.before.is_partial or self.after.is_partial)
        nodes = [node for node in (*self._old.values(), *self._new.values()) if isinstance(node, Node)]
        children = {node.path + key for node in nodes for key in node.keys}
        for path in dict.fromkeys((*self._old, *self._new)):
            if path not in children:
                self._visit(path, None)
        closed = {change.path for change in self.changes}
        self._pair_metadata(closed)
        places = {(leaf.path, leaf.is_metadata): place for place, leaf in enumerate(self.after.leaves)}
        self.pairs.sort(key=lambda pair: places.get((pair[1].path, pair[1].is_metadata), len(places)))
        return self.changes, self.pairs

    def _visit(self, path: str, parent: Node | None) -> None:
        old, new = self._old.get(path), self._new.get(path)
        if isinstance(old, Leaf) and isinstance(new, Leaf):
            if old.variable != new.variable:
                self._report(path, old, new, "class", parent)
            else:
                self.pairs.append((old, new))
        elif isinstance(old, Node) and isinstance(new, Node):
            self._visit_nodes(old, new, parent)
        elif old is not None and new is not None:
            self._report(path, old, new, "swapped", parent)
        elif (metadata := self._turned(path, old, new)) is not None:
            self.pairs.append(metadata)
        elif self._is_whole and old is not new:
            change = self._compare_with_default(path, old, new) if parent is None else None
            if change is not None:
                self.changes.append(change)
            else:
                self._report(path, old, new, "went" if new is None else "came", parent)

    def _turned(self, path: str, old: Occupant | None, new: Occupant | None) -> Pair | None:
        """A value in the treedef on one side and an array on the other, as attributes of NNX objects can be."""
        if isinstance(new, Leaf) and path in self._old_metadata:
            return self._old_metadata[path], new
        if isinstance(old, Leaf) and path in self._new_metadata:
            return old, self._new_metadata[path]
        return None

    def _compare_with_default(self, path: str, old: Occupant | None, new: Occupant | None) -> Change | None:
        """The change of a parameter that was left at its default on one side; None if it was not. JAX has no default in
        its key, so that one that is passed is another call even if it is equal."""
        left_out, passed = (self.before, self.after) if old is None else (self.after, self.before)
        default, form = dict(left_out.defaults).get(path), dict(passed.form).get(path)
        value = new if old is None else old
        static = value if isinstance(value, Leaf) and value.role == "static" else None
        is_array_for_none = default == "None" and static is None and not _is_none(value)
        if default is None or is_array_for_none:  # an array in place of None changes the structure
            return None
        if static is not None and static.repr != default:
            values = of_text(default, static.type), described(static)
            return another_value(path, *(values if old is None else values[::-1]))
        if form is None:  # filter_jit has no calling form in its key: the argument was added or removed
            return None
        if isinstance(value, Leaf) and static is None and (numbers := default_leaves(left_out, path)):
            self.pairs.append((numbers[0], value) if old is None else (value, numbers[0]))
        return Change("kwargs_vs_args", path, *(("default", form) if old is None else (form, "default")))

    def _visit_nodes(self, old: Node, new: Node, parent: Node | None) -> None:
        if old.type != new.type:
            self._report(new.path, old, new, "swapped" if _is_none(old) or _is_none(new) else "class", parent)
        elif old.type_token != new.type_token and None not in (old.type_token, new.type_token):
            self._report(new.path, old, new, "redefined", parent)
        elif old.keys != new.keys and sorted(old.keys) == sorted(new.keys):
            self._report(new.path, old, new, "order", parent)
        elif old.keys != new.keys and (was := _without_quotes(old)).keys() == (now := _without_quotes(new)).keys():
            sides = next((old.path + key, new.path + now[name]) for name, key in was.items())
            self.changes.append(Change("treedef", new.path, *sides, event="keys"))
        else:
            for key in dict.fromkeys((*old.keys, *new.keys)):
                self._visit(new.path + key, new)

    def _report(self, path: str, old: Occupant | None, new: Occupant | None, event: Event, parent: Node | None) -> None:
        shown = new if new is not None and not _is_none(new) else old
        more: dict[str, Any] = {}
        if isinstance(shown, Node):
            is_part = parent is not None and self._has_parts(parent) and not _is_same_inside(old, new)
            more = {"type": shown.type, "is_part": is_part}
        if isinstance(shown, Leaf) and shown.role == "traced":
            more = {"shape": shown.shape or (), "dtype": shown.dtype or ""}
        elif isinstance(shown, Leaf):
            more = {"type": shown.type, "is_static": True}
            if event == "swapped":
                flag: Flag = flag_of(described(shown)) if _is_none(old) or _is_none(new) else "no"
                more |= {"flag": flag}
        was, now = occupant_text(old), occupant_text(new)
        if was == now and "" not in (names := (_class_of(old), _class_of(new))) and names[0] != names[1]:
            was, now = names  # two classes of one name
        if parent is not None:
            more |= {"parent": parent.path, "parent_type": parent.type}
        self.changes.append(Change("treedef", path, was, now, event=event, **more))

    def _has_parts(self, parent: Node) -> bool:
        """Whether the entries of a list or tuple have different classes, on one side or the other."""
        trees = (self._old, self._new) if parent.type in ("list", "tuple") else ()
        return any(
            len({node.type for key in one.keys if isinstance(node := tree.get(parent.path + key), Node)}) > 1
            for tree in trees
            if isinstance(one := tree.get(parent.path), Node)
        )

    def _pair_metadata(self, closed: set[str]) -> None:
        """Pair the static values in the treedef; below a changed node they are part of that change."""
        old, new = self._old_metadata, self._new_metadata
        turned = {before.path for before, after in self.pairs if before.is_metadata != after.is_metadata}
        for path in dict.fromkeys((*old, *new)):
            if path in turned or any(top in closed for top in steps_to(path)):
                continue
            if path in old and path in new:
                self.pairs.append((old[path], new[path]))
            elif self._is_whole and path.endswith(ATTRIBUTE):
                sides = ("fields", "more than fields") if path in new else ("more than fields", "fields")
                node, attribute = path.removesuffix(ATTRIBUTE), (new.get(path) or old[path]).repr
                self.changes.append(Change("treedef", node, *sides, event="attribute", attribute=attribute))
            elif self._is_whole:
                holder = self._new.get(path.rpartition(".")[0])
                parent = Node(holder.path, holder.variable or holder.type) if isinstance(holder, Leaf) else holder
                self._report(path, old.get(path), new.get(path), "came" if path in new else "went", parent)


def _metadata(signature: Signature) -> dict[str, Leaf]:
    return {leaf.path: leaf for leaf in signature.leaves if leaf.is_metadata}


def _occupants(signature: Signature) -> dict[str, Occupant]:
    occupants: dict[str, Occupant] = {node.path: node for node in signature.nodes}
    occupants.update((leaf.path, leaf) for leaf in signature.leaves if not leaf.is_metadata)
    return occupants


def _is_same_inside(old: Occupant | None, new: Occupant | None) -> bool:
    """Whether a dict, list or tuple changed its class, but not its entries: it is still the same part."""
    if not isinstance(old, Node) or not isinstance(new, Node):
        return False
    return old.keys == new.keys != () and not {old.type, new.type}.isdisjoint(("dict", "list", "tuple"))


def _without_quotes(node: Node) -> dict[str, str]:
    """The steps to the children, by what they are if their types do not count: 0 and '0' are alike."""
    return {key.replace("'", "").replace('"', ""): key for key in node.keys}


def _is_none(occupant: Occupant | None) -> bool:
    return isinstance(occupant, Node) and occupant.type == "NoneType"


def _class_of(occupant: Occupant | None) -> str:
    """The name of a class with its module."""
    return "" if occupant is None else occupant.variable if isinstance(occupant, Leaf) else occupant.type


def occupant_text(occupant: Occupant | None) -> str:
    """What is at a path, in a few words: "array", "None", "list of 2 items", "Linear", "absent"."""
    if occupant is None:
        return ABSENT
    if isinstance(occupant, Leaf):
        if occupant.variable:
            return occupant.variable.rpartition(".")[2]
        return "array" if occupant.role == "traced" else occupant.repr or occupant.type
    if _is_none(occupant):
        return "None"
    name, size = occupant.type.rpartition(".")[2], len(occupant.keys)
    if name not in ("dict", "list", "tuple"):
        return name
    one, more = ("entry", "entries") if name == "dict" else ("item", "items")
    return f"{name} of {size} {one if size == 1 else more}"
