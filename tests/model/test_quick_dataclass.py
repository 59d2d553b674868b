"""Classes of `quick_dataclass` are used as those of `dataclasses` are."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from jitviz.model import Leaf, quick_dataclass


def classes(dataclass: Callable[..., Any]) -> tuple[type, type]:
    @dataclass(frozen=True)
    class Base:
        """A base."""

        name: str
        size: int = 0
        note: str = field(default="", compare=False, repr=False)

        @property
        def twice(self) -> int:
            return self.size * 2

    @dataclass(frozen=True, kw_only=True)
    class More(Base):
        """More fields."""

        place: str
        rest: tuple[int, ...] = ()

    return Base, More


Quick, QuickMore = classes(quick_dataclass.dataclass)
Plain, PlainMore = classes(dataclasses.dataclass)

USES: dict[str, Callable[[Any, Any], Any]] = {
    "values": lambda base, more: [vars(base("a", 3)), vars(more("a", place="b")), vars(base(size=1, name="a"))],
    "repr": lambda base, more: [repr(base("a", note="x")), repr(more("a", 1, place="b"))],
    "equality": lambda base, more: [
        base("a") == base("a", note="x"),
        base("a") == base("b"),
        base("a") == more("a", place="b"),
        base("a") == "a",
    ],
    "hash": lambda base, more: len({base("a"), base("a", note="x"), base("b"), more("a", place="b")}),
    "replace": lambda base, more: vars(dataclasses.replace(more("a", place="b"), size=2)),
    "fields": lambda base, more: [(one.name, one.default, one.kw_only) for one in dataclasses.fields(more)],
    "signature": lambda base, more: [str(inspect.signature(base)), str(inspect.signature(more))],
    "match": lambda base, more: (base.__match_args__, more.__match_args__),
    "property": lambda base, more: more("a", 2, place="b").twice,
    "copy": lambda base, more: vars(copy.copy(base("a"))),
}


@pytest.mark.parametrize("use", USES.values(), ids=list(USES))
def test_it_does_what_a_frozen_dataclass_does(use: Callable[[Any, Any], Any]) -> None:
    assert str(use(Quick, QuickMore)).replace("-> None", "") == str(use(Plain, PlainMore)).replace(" -> None", "")


@pytest.mark.parametrize("given", [((), {}), (("a", 1, "", 2), {}), (("a",), {"other": 1})], ids=str)
def test_it_refuses_what_a_frozen_dataclass_refuses(given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    args, more = given
    for kind in (Quick, Plain):
        with pytest.raises(TypeError):
            kind(*args, **more)


def test_its_own_replace_does_what_that_of_dataclasses_does() -> None:
    row = QuickMore("a", place="b")
    changed = quick_dataclass.replace(row, size=2)
    assert (repr(changed), vars(changed)) == (repr(dataclasses.replace(row, size=2)), vars(row) | {"size": 2})
    assert changed == QuickMore("a", 2, place="b")


def test_it_cannot_be_changed() -> None:
    row = Quick("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot change 'name' of a Base"):
        row.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del row.name
    assert vars(row) == {"name": "a", "size": 0, "note": ""}


def test_what_an_instance_keeps_is_worked_out_once_and_is_not_copied() -> None:
    asked: list[str] = []

    @quick_dataclass.kept_by_it
    def length_of(leaf: Leaf) -> int:
        asked.append(leaf.path)
        return len(leaf.path)

    leaf = Leaf("x", "traced", "")
    assert [length_of(leaf), length_of(leaf)] == [1, 1]
    fast = quick_dataclass.replace(leaf, path="x.y")
    copies = fast, copy.copy(leaf), pickle.loads(pickle.dumps(leaf)), dataclasses.replace(leaf, path="xyz")
    assert [length_of(one) for one in copies] == [3, 1, 1, 3]
    assert asked == ["x", "x.y", "x", "x", "xyz"]
    assert copies[1] == leaf


def test_it_can_be_pickled() -> None:
    from jitviz.model import Phase

    assert pickle.loads(pickle.dumps(Phase("trace", 1.0, 2.0))) == Phase("trace", 1.0, 2.0)
