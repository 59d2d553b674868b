"""Descriptions take a bounded number of steps, however the objects of a program refer to each other."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz.capture import tokens
from jitviz.capture.arguments import describe as room
from jitviz.capture.arguments.describe import SORTED, STEPS, Descriptions, describe
from jitviz.capture.programs.constant_names import names_of
from jitviz.model import Description


class Node:
    """An object that knows the one above it and those below."""

    def __init__(self, name: str, parent: Any = None) -> None:
        self.name, self.parent, self.children = name, parent, []
        if parent is not None:
            parent.children.append(self)

    @functools.partial(jax.jit, static_argnames="self")
    def run(self, x: Any) -> Any:
        return x * 2.0


@dataclasses.dataclass(unsafe_hash=True)
class Equal:
    """The same, compared field by field."""

    name: str
    parent: Any = dataclasses.field(default=None, hash=False)
    children: list[Any] = dataclasses.field(default_factory=list, hash=False)

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.parent.children.append(self)


class ByName(Node):
    """The same, compared by user code."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByName) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def scene(kind: Callable[..., Any] = Node) -> Any:
    """Thirteen nodes: a root, three below it, three below each."""
    root = kind("root")
    for a in range(3):
        middle = kind(f"{a}", root)
        for b in range(3):
            kind(f"{a}{b}", middle)
    return root


def dense(count: int = 1000) -> Any:
    nodes = [Node(str(place)) for place in range(count)]
    for node in nodes:
        node.children = list(nodes)
    return nodes[0]


def sets(count: int = 300) -> Any:
    return [frozenset((place, inner) for inner in range(200)) for place in range(count)]


GRAPHS: dict[str, Callable[[], Any]] = {
    "scene": scene,
    "scene compared by fields": lambda: scene(Equal),
    "scene compared by the user": lambda: scene(ByName),
    "dense": dense,
    "sets of tuples": sets,
    "nested": lambda: functools.reduce(lambda held, _: [held, held], range(40), [0]),
}


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every value that was described or compared."""
    seen: list[Any] = []
    simple = room._simple

    def counted(value: Any) -> Description | None:
        seen.append(value)
        return simple(value)

    monkeypatch.setattr(room, "_simple", counted)
    return seen


@pytest.mark.parametrize("name", list(GRAPHS))
def test_a_description_takes_a_bounded_number_of_steps(name: str, looked_at: list[Any]) -> None:
    value = GRAPHS[name]()
    describe(value)
    assert 0 < len(looked_at) <= STEPS + SORTED


@pytest.mark.parametrize("name", list(GRAPHS))
def test_equal_values_have_equal_descriptions(name: str) -> None:
    def shape(description: Description) -> Any:
        """A description without the tokens of objects."""
        fields = [(label, shape(part)) for label, part in description.fields]
        return description.text, description.rest, description.is_cut, description.same_as, fields

    assert shape(describe(GRAPHS[name]())) == shape(describe(GRAPHS[name]()))


def test_each_object_of_a_scene_is_described_in_full_once() -> None:
    described: list[str] = []

    def collect(description: Description) -> None:
        if description.type.endswith("Node") and description.same_as is None:
            described.append(dict(description.fields)[".name"].text)
        for _, part in description.fields:
            collect(part)

    root = describe(scene())
    collect(root)
    assert sorted(described) == sorted(
        ["'root'", *(f"'{a}'" for a in range(3)), *(f"'{a}{b}'" for a in range(3) for b in range(3))]
    )
    first = dict(dict(root.fields)[".children"].fields)["[0]"]
    parent = dict(first.fields)[".parent"]
    assert (parent.text, parent.same_as, parent.token) == ("<Node above>", "", root.token)


def test_an_object_that_occurs_again_has_the_path_of_its_fields() -> None:
    shared = Node("shared")
    pair = describe((shared, shared))
    again = pair.fields[1][1]
    assert (again.text, again.same_as, again.fields) == ("Node(name='shared', parent=None, children=[])", "[0]", ())


def test_equal_values_are_equal_whether_or_not_they_share_parts() -> None:
    part = [1, 2]
    assert describe((part, part)) == describe(([1, 2], [1, 2]))


def test_a_scene_that_is_made_again_has_the_same_content() -> None:
    renamed = scene()
    renamed.children[1].name = "other"
    with jitviz.record() as rec:
        for each in (scene(), scene(), renamed):
            each.run(np.ones(3))
    told = [(compile_.reasons[0].kind, compile_.reasons[0].path) for compile_ in rec.compiles[1:]]
    assert told == [("static_identity", "self"), ("static_value", "self.children[1].name")]
    assert "with the same content" in rec.compiles[1].reasons[0].summary


def test_the_descriptions_of_one_signature_share_a_bound(looked_at: list[Any]) -> None:
    descriptions, root = Descriptions(), dense(500)
    for node in root.children:
        descriptions.of(node)
    assert len(looked_at) < room.TOTAL + STEPS + 500 * (room.FEW + 1)
    before = len(looked_at)
    descriptions.of(root)
    assert len(looked_at) == before  # an object in several leaves is described once


def test_a_long_chain_of_functions_is_searched_to_its_end() -> None:
    array = np.ones(3)

    def link(inner: Any) -> Any:
        return lambda: inner

    chain: Any = lambda: array  # noqa: E731
    for _ in range(1500):
        chain = link(chain)
    assert list(names_of([array], [chain]).values()) == ["array"]


def test_numbers_for_objects_without_weak_references_are_given_in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST", len(tokens._by_type) + 2)
    tuples = [(place, "x") for place in range(10)]
    numbers = [tokens.token(one) for one in tuples]
    assert len(set(numbers)) == 10
    assert len(tokens._by_type) == tokens._MOST
    assert tokens.token(tuples[-1]) == numbers[-1]


def test_a_number_of_thousands_of_digits_is_described() -> None:
    assert describe(10**5000).text.startswith("0x")
    assert describe(10**5000) == describe(10**5000) != describe(10**5000 + 1)


def test_a_function_names_the_function_that_makes_it() -> None:
    class Net:
        def __init__(self, scale: float = 1.0) -> None:
            self.plain = lambda x: x * 2
            self.closed = lambda x: x * scale

    net = Net()
    values = net.plain, functools.partial(net.plain, 1), net.closed, functools.partial
    assert [describe(value).maker for value in values] == ["Net.__init__", "Net.__init__", "Net.__init__", ""]
