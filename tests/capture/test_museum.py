"""Whatever is passed, it is seen without a line of its own code being run, and the program goes on as if unwatched."""

import enum
import re
import traceback
import warnings
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.capture.arguments.describe import DEPTH, SIZE, describe
from jitviz.model import Description

from . import museum
from .museum import ASKED, Counting, statics

X = np.ones(3, np.float32)


def size(description: Description) -> int:
    return 1 + sum(size(part) for _, part in description.fields)


def depth(description: Description) -> int:
    return 1 + max((depth(part) for _, part in description.fields), default=0)


@pytest.mark.parametrize("name", list(statics()))
def test_a_description_runs_no_code_and_is_bounded(name: str) -> None:
    value = statics()[name]()
    ASKED.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        description = describe(value)
    assert dict(ASKED) == {}
    assert size(description) <= SIZE + 1
    assert depth(description) <= DEPTH + 1
    assert len(description.text) <= 120
    assert "0x" not in description.text


@pytest.mark.parametrize("name", list(statics()))
def test_a_static_argument_is_seen_and_asked_no_more_than_without_jitviz(name: str) -> None:
    def asked(is_recorded: bool) -> tuple[dict[str, int], Any]:
        if name.startswith("counting"):
            jax.clear_caches()  # JAX compares with everything that it was called with before
        value = statics()[name]()
        step = jax.jit(lambda x, setting: x * 2.0, static_argnums=1)
        ASKED.clear()
        if not is_recorded:
            step(X, value)
            step(X, value)
            return dict(ASKED), None
        with jitviz.record() as rec:
            step(X, value)
            step(X, value)
        return dict(ASKED), rec

    jitviz.capture.unwatch()
    alone, _ = asked(is_recorded=False)
    watched, rec = asked(is_recorded=True)
    assert watched == alone
    assert rec.facts.failures == []
    assert [leaf.path for leaf in rec.compiles[0].signature.leaves] == ["x", "setting"]
    ASKED.clear()
    print(rec)  # explaining and drawing ask nothing either
    rec.compiles[0].reasons  # noqa: B018
    assert dict(ASKED) == {}


@pytest.mark.parametrize("jit", [eqx.filter_jit, jitviz.filter_jit])
def test_filter_jits_key_is_hashed_and_compared_as_often_as_without_jitviz(jit: Any) -> None:
    def asked(is_recorded: bool) -> dict[str, int]:
        value = Counting()
        step = jit(lambda x, setting: x * 2.0)
        ASKED.clear()
        recording = jitviz.capture.begin() if is_recorded else None
        for _ in range(3):
            step(X, value)
        if recording is not None:
            jitviz.capture.end(recording)
        return dict(ASKED)

    jitviz.capture.unwatch()
    assert asked(is_recorded=False) == asked(is_recorded=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("counting", "Counting(value=3)"),
        ("lying", "Lying(shown='in the dict', held=1)"),
        ("class that refuses", "Guarded()"),
        ("text", "'abc'"),
        ("items", "ByHash(held=Items((1, 2)))"),
        ("named tuple", "Point(x=1, y=Colour.RED)"),
        ("enum", "Colour.BLUE"),
        ("flags", "Flags.A|B"),
        ("dataclass", "Config(rate=0.1, layers=(3, 4), extra=None)"),
        ("slots", "Slots(a=1, b='two')"),
        ("huge set", "frozenset({…})"),
        ("nan", "nan"),
        ("slice", "ByHash(held=slice(start=Counting(value=3), stop=None, step=None))"),
        ("range", "range(0, 3)"),
        ("built-in", "<built-in len>"),
        ("module", "<module functools>"),
        ("object array", "ByHash(held=object[2])"),
        ("unsortable keys", "ByHash(held={1: 'a', 'b': 2, None: 3, (1, 2): 4})"),
    ],
)
def test_a_text_tells_type_and_fields(name: str, text: str) -> None:
    value = statics()[name]()
    expected = re.sub(r"value=3", f"value={next(museum.NUMBERS) - 1}", text)
    assert describe(value).text == expected


def test_sets_read_alike_whatever_their_order() -> None:
    assert describe({3, 1, "b", "a"}).text == describe({"a", "b", 1, 3}).text == "{1, 3, 'a', 'b'}"


def test_two_classes_of_one_name_are_told_apart() -> None:
    first, second = (statics()["redefined class"]() for _ in range(2))
    assert describe(first).type == describe(second).type
    assert describe(first).type_token != describe(second).type_token
    assert describe(first).type_token == describe(type(first)()).type_token


def test_a_member_of_a_mixed_enum_tells_the_plain_value_that_it_is_too() -> None:
    class Level(enum.IntEnum):
        LOW = 1

    class Name(enum.StrEnum):
        A = "a"

    class Alone(enum.Enum):
        A = 1

    found = [describe(member) for member in (Level.LOW, Name.A, Alone.A)]
    assert [(one.text, one.plain) for one in found] == [("Level.LOW", "1"), ("Name.A", "'a'"), ("Alone.A", "")]


# -- argument trees ----------------------------------------------------------------------------------------------------


@jax.tree_util.register_pytree_node_class
class Stubborn:
    """A pytree node that JAX can flatten and nobody else."""

    def tree_flatten(self) -> Any:
        if any(frame.filename.endswith("jitviz/capture/arguments/walk.py") for frame in traceback.extract_stack()):
            raise RuntimeError("flattened too often")
        return (jnp.ones(3),), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return children[0]


def test_a_signature_that_cannot_be_taken_costs_nothing_else() -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: x + 1)(Stubborn())
        jitviz.filter_jit(lambda x: x + 1)(Stubborn())
    for compile_ in rec.compiles:
        assert compile_.signature.is_partial
        assert compile_.signature.note == "capture failed: RuntimeError: flattened too often"
        assert compile_.hlo is not None
    assert [call.outcome for call in rec.calls] == ["compile", "compile"]
    assert rec.facts.failures == ["signature: RuntimeError: flattened too often"]


def test_deep_trees_are_cut_and_said_to_be() -> None:
    tree: Any = X
    for _ in range(150):
        tree = [tree]
    with jitviz.record() as rec:
        jax.jit(lambda tree: None)(tree)
    signature = rec.compiles[0].signature
    assert signature.is_partial
    assert "100 levels" in signature.note
    assert rec.facts.failures == []


def test_shared_and_empty_parts_of_a_tree_are_seen_where_they_stand() -> None:
    x = jnp.ones(2)
    with jitviz.record() as rec:
        jax.jit(lambda tree: None)({"a": x, "b": [x, None, (), {}], "c": (x,)})
    signature = rec.compiles[0].signature
    assert [leaf.path for leaf in signature.leaves] == ["tree['a']", "tree['b'][0]", "tree['c'][0]"]
    assert [(node.path, node.type) for node in signature.nodes] == [
        ("tree", "dict"),
        ("tree['b']", "list"),
        ("tree['b'][1]", "NoneType"),
        ("tree['b'][2]", "tuple"),
        ("tree['b'][3]", "dict"),
        ("tree['c']", "tuple"),
    ]


def test_keys_of_any_type_are_named_without_printing_them() -> None:
    class Key(Counting):
        def __lt__(self, other: Any) -> bool:
            return False

        __hash__ = Counting.__hash__

    def printed(is_recorded: bool) -> tuple[int, Any]:
        tree, step = {Key(): X}, jax.jit(lambda tree: None)
        ASKED.clear()
        recording = jitviz.capture.begin() if is_recorded else None
        step(tree)
        if recording is not None:
            jitviz.capture.end(recording)
        return ASKED["repr"], recording

    jitviz.capture.unwatch()
    (alone, _), (watched, rec) = printed(is_recorded=False), printed(is_recorded=True)
    assert watched == alone
    assert [leaf.path for leaf in rec.compiles[0].signature.leaves] == ["tree[<Key>]"]


def test_twenty_thousand_leaves_are_all_there() -> None:
    tree = [{"w": X, "b": X} for _ in range(10_000)]
    with jitviz.record() as rec:
        jax.jit(lambda tree: None)(tree)
    leaves = rec.compiles[0].signature.leaves
    assert len(leaves) == 20_000
    assert (leaves[0].path, leaves[-1].path) == ("tree[0]['b']", "tree[9999]['w']")
