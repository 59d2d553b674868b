"""Two nested arguments that differ in known ways: exactly those differences come back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from jitviz.model import KINDS, Leaf, Node, Signature
from jitviz.reasons import Explainer

from .samples import array, compare, function, made, miss, none, signature, static

Truth = set[tuple[str, str]]  # (kind, path)


@dataclass(frozen=True)
class Traced:
    size: int
    dtype: str
    is_weak: bool
    is_committed: bool


@dataclass(frozen=True)
class Constant:
    """A static leaf: a number; with `object`, in the attribute `n` of an object of that token."""

    number: int
    object: int | None = None
    equality: Literal["identity", "hash_only"] = "identity"


@dataclass(frozen=True)
class Code:
    """A static leaf that is a function."""

    token: int


@dataclass(frozen=True)
class Nothing:
    """None: a node without leaves."""


@dataclass(frozen=True)
class Branch:
    kind: Literal["dict", "list", "Layer"]
    parts: tuple[tuple[str, Tree], ...]
    scale: int = 1  # metadata of a Layer


Tree = Traced | Constant | Code | Nothing | Branch

leaves: st.SearchStrategy[Tree] = st.one_of(
    st.builds(Traced, st.integers(1, 4), st.sampled_from(["float32", "int32"]), st.booleans(), st.booleans()),
    st.builds(Constant, st.integers(0, 9)),
    st.builds(Constant, st.integers(0, 9), st.just(1), st.sampled_from(["identity", "hash_only"])),
    st.just(Code(1)),
    st.just(Nothing()),
)


def branches(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    def keyed(kind: Literal["dict", "list", "Layer"], found: list[Tree]) -> Branch:
        names = {"dict": "['{}']", "list": "[{}]", "Layer": ".p{}"}
        return Branch(kind, tuple((names[kind].format(place), part) for place, part in enumerate(found)))

    return st.builds(keyed, st.sampled_from(["dict", "list", "Layer"]), st.lists(parts, max_size=4))


trees = st.recursive(leaves, branches, max_leaves=12)


def rows(tree: Tree, path: str) -> Iterator[Leaf | Node]:
    """What capture would make of a tree."""
    match tree:
        case Traced(size, dtype, is_weak, is_committed):
            yield array(path, (size,), dtype, weak_type=is_weak, committed=is_committed)
        case Constant(number, None):
            yield static(path, number)
        case Constant(number, token, equality):
            yield static(path, made("Config", token, equality, n=number))
        case Code(token):
            yield static(path, function(token))
        case Nothing():
            yield none(path)
        case Branch(kind, parts, scale):
            yield Node(path, kind, tuple(key for key, _ in parts), 5 if kind == "Layer" else None)
            for key, part in parts:
                yield from rows(part, path + key)
            if kind == "Layer":
                yield static(f"{path}.scale", scale, is_metadata=True)


def written(arguments: dict[str, Tree]) -> Signature:
    found = [row for name, tree in arguments.items() for row in rows(tree, name)]
    return signature(
        [row for row in found if isinstance(row, Leaf)],
        [row for row in found if isinstance(row, Node)],
    )


@dataclass
class Changer:
    """Changes trees at places that hypothesis chooses, and notes the truth about each."""

    draw: st.DrawFn
    truth: Truth

    def chooses(self) -> bool:
        return self.draw(st.integers(0, 3)) == 0

    def note(self, kind: str, path: str) -> None:
        self.truth.add((kind, path))

    def change(self, tree: Tree, path: str) -> Tree:
        if self.chooses():
            other = self.draw(leaves.filter(lambda leaf: kind_of(leaf) != kind_of(tree)))
            self.note("leaf_kind" if {kind_of(tree), kind_of(other)} == {"traced", "static"} else "treedef", path)
            return other
        match tree:
            case Traced():
                return self.change_array(tree, path)
            case Constant():
                return self.change_constant(tree, path)
            case Code(token) if self.chooses():
                self.note("static_identity", path)
                return Code(token + 1)
            case Branch():
                return self.change_branch(tree, path)
        return tree

    def change_array(self, leaf: Traced, path: str) -> Traced:
        if self.chooses():
            self.note("shape", path)
            leaf = replace(leaf, size=leaf.size + 1)
        if self.chooses():
            self.note("dtype", path)
            leaf = replace(leaf, dtype="float64")
        if self.chooses():
            self.note("weak_type", path)
            leaf = replace(leaf, is_weak=not leaf.is_weak)
        if self.chooses():
            self.note("committed", path)
            leaf = replace(leaf, is_committed=not leaf.is_committed)
        return leaf

    def change_constant(self, leaf: Constant, path: str) -> Constant:
        is_other_value = self.chooses()
        if leaf.object is None:
            if is_other_value:
                self.note("static_value", path)
            return replace(leaf, number=leaf.number + is_other_value)
        if not is_other_value and not self.chooses():
            return leaf
        anew = "static_identity" if leaf.equality == "identity" else "static_eq"
        self.note(*(("static_value", f"{path}.n") if is_other_value else (anew, path)))
        return replace(leaf, number=leaf.number + is_other_value, object=2)

    def change_branch(self, node: Branch, path: str) -> Branch:
        if self.chooses():
            # whatever happens below a changed node is part of that change
            self.note("treedef", path)
            hidden = Changer(self.draw, set())
            parts = tuple((key, hidden.change(part, path + key)) for key, part in node.parts)
            return Branch("list" if node.kind != "list" else "dict", parts)
        parts = tuple((key, self.change(part, path + key)) for key, part in node.parts)
        if self.chooses():
            key = {"dict": "['new']", "list": f"[{len(parts)}]", "Layer": ".new"}[node.kind]
            self.note("treedef", path + key)
            parts = (*parts, (key, self.draw(leaves)))
        scale = node.scale
        if node.kind == "Layer" and self.chooses():
            self.note("static_value", f"{path}.scale")
            scale += 1
        return replace(node, parts=parts, scale=scale)


def kind_of(tree: Tree) -> str:
    if isinstance(tree, Traced):
        return "traced"
    return "static" if isinstance(tree, Constant | Code) else type(tree).__name__


@st.composite
def changed_arguments(draw: st.DrawFn) -> tuple[dict[str, Tree], dict[str, Tree], Truth]:
    before = draw(st.dictionaries(st.sampled_from(["x", "model", "state"]), trees, min_size=1))
    changer = Changer(draw, set())
    after = {name: changer.change(tree, name) for name, tree in before.items()}
    return before, after, changer.truth


@settings(max_examples=300, deadline=None)
@given(changed_arguments())
def test_exactly_the_known_differences_come_back(case: tuple[dict[str, Tree], dict[str, Tree], Truth]) -> None:
    before, after, truth = case
    changes = compare(written(before), written(after))
    found = [(change.kind, change.path) for change in changes]
    assert set(found) == truth
    assert len(found) == len(truth)
    ranks = [KINDS.index(kind) for kind, _ in found if kind != "static_value"]  # which may be the size of an array
    assert ranks == sorted(ranks)
    backwards = compare(written(after), written(before))
    assert {(change.kind, change.path, change.after, change.before) for change in backwards} == {
        (change.kind, change.path, change.before, change.after) for change in changes
    }


@settings(max_examples=100, deadline=None)
@given(changed_arguments())
def test_a_recompile_is_explained_by_the_known_differences(
    case: tuple[dict[str, Tree], dict[str, Tree], Truth],
) -> None:
    before, after, truth = case
    explainer = Explainer()
    first, second = (explainer.explain(replace(miss(), signature=written(arguments))) for arguments in (before, after))
    assert [reason.kind for reason in first] == ["first"]
    assert {(reason.kind, reason.path) for reason in second} == (truth or {("unexplained", "")})
    assert all(reason.path in reason.summary for reason in second)
