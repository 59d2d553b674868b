"""The parts of a value that `==` compares."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import equinox as eqx
import pytest
from flax.core import FrozenDict

from jitviz.capture.arguments.describe import describe
from jitviz.capture.arguments.parts import compares_fields


@dataclass(frozen=True)
class Written:
    size: int


@dataclass(frozen=True, eq=False)
class WithoutEqual:
    size: int


@dataclass(frozen=True)
class Empty:
    pass


class Layer(eqx.Module):
    size: int


class OwnLayer(Layer):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # nobody asks for it


class Plain:
    pass


class Own(Plain):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # nobody asks for it


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(Written, True), (Layer, True), (WithoutEqual, False), (OwnLayer, False), (Plain, False), (Own, False)],
)
def test_a_class_compares_its_fields_if_its_equality_is_generated(kind: type, expected: bool) -> None:
    assert compares_fields(kind) is expected


def test_objects_without_fields_are_equal_only_if_they_compare_fields() -> None:
    assert describe(Empty()) == describe(Empty())
    one, other = Plain(), Plain()
    assert describe(one) != describe(other)


def test_a_tuple_of_one_entry_is_written_with_its_comma() -> None:
    values = ((1,), ((2,), 3), [4], {(5,): (6,)}, (), (7, 8))
    assert [describe(value).text for value in values] == [repr(value) for value in values]


def test_a_frozen_dict_of_flax_is_described_by_its_entries() -> None:
    mapping = FrozenDict({"rate": 0.1, "layers": {"sizes": (8, 8)}})
    before = describe(mapping)
    hash(mapping)  # which Flax keeps in the object
    assert describe(mapping) == before
    assert (before.text, before.equality) == ("FrozenDict({'rate': 0.1, 'layers': {'sizes': (8, 8)}})", "value")
    assert [(label, part.text) for label, part in before.fields] == [
        ("['rate']", "0.1"),
        ("['layers']", "{'sizes': (8, 8)}"),
    ]


def test_what_wraps_copies_to_an_object_is_no_part_of_it() -> None:
    wrapped = functools.update_wrapper(Plain(), lambda x: x)
    wrapped.size = 3  # type: ignore[attr-defined]
    copied = {".__name__", ".__doc__", ".__module__"}
    assert {name for name, _ in describe(wrapped).fields} & {*copied, ".size"} == {".size"}
