import functools
import sys
import types
from typing import Any

import numpy as np
import pytest

from jitviz.jaxcompat import raw
from tests.capture.museum import ASKED, Guarded, Items, Lying, Meta, Refusing, Slots


def test_the_real_type_counts_whatever_an_object_claims() -> None:
    ASKED.clear()
    assert not raw.is_a(Lying(), dict)
    assert raw.is_a(Lying(), Lying)
    assert raw.is_a(Refusing(), str, Refusing)
    assert raw.is_a(True, int)
    assert ASKED == {}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (int, "int"),
        (np.ndarray, "numpy.ndarray"),
        (functools.partial, "functools.partial"),
        (type(None), "NoneType"),
        (type("Odd", (), {"__module__": 3}), "Odd"),
    ],
)
def test_a_class_is_named_by_module_and_name(kind: type, name: str) -> None:
    assert raw.type_name(kind) == name


def test_a_class_whose_metaclass_raises_has_a_name_as_well() -> None:
    assert (raw.type_name(Guarded), raw.qualname(Guarded)) == ("tests.capture.museum.Guarded", "Guarded")


def test_attributes_come_from_the_dict_and_from_slots() -> None:
    assert raw.attributes(Slots()) == {"a": 1, "b": "two"}
    assert raw.attributes(Lying()) == {"shown": "in the dict", "held": 1}
    assert raw.attributes(Refusing()) == {"secret": 7}
    assert raw.attributes(3) == {}
    assert raw.attributes(raw)["attributes"] is raw.attributes


def test_a_dict_property_of_a_class_is_not_called() -> None:
    class Odd:
        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            raise RuntimeError("asked for the dict")

    assert raw.attributes(Odd()) == {}


def test_class_attributes_are_found_in_bases_and_not_called() -> None:
    assert raw.class_attribute(Guarded, "__eq__") is object.__eq__
    assert raw.class_attribute(Lying, "broken") is vars(Lying)["broken"]
    assert raw.class_attribute(int, "no such name", 3) == 3
    assert raw.mro_of(Guarded) == (Guarded, object)
    assert type(Guarded) is Meta


def test_items_are_those_of_the_built_in_type() -> None:
    assert list(raw.items_of(Items((1, 2)))) == [1, 2]
    assert list(raw.items_of({"a": 1})) == [("a", 1)]
    assert list(raw.items_of([3])) == [3]
    assert list(raw.items_of(frozenset({4}))) == [4]
    assert list(raw.items_of("text")) == []


def test_a_closure_is_read_by_name_without_its_empty_cells() -> None:
    held = object()

    def function() -> object:
        return held, later

    assert raw.closure_of(function) == {"held": held}
    later = 1
    assert raw.closure_of(function) == {"held": held, "later": 1}


def test_the_names_of_a_module_are_read_without_running_its_code() -> None:
    class Asked(types.ModuleType):
        def __getattribute__(self, name: str) -> Any:
            raise RuntimeError(f"asked for {name}")

    module = Asked("asked")
    types.ModuleType.__setattr__(module, "size", 3)
    assert raw.namespace(module)["size"] == 3
    assert raw.namespace(None) == {}


def test_members_are_those_of_the_owner() -> None:
    class Own(functools.partial):  # type: ignore[type-arg]
        @property
        def func(self) -> Any:
            raise RuntimeError("asked for func")

    assert raw.member(Own(len), functools.partial, "func") is len


def test_changes_by_another_thread_while_reading_do_no_harm() -> None:
    class Held:
        __slots__ = ("__dict__", "first", "second")

    def add(*_: object) -> None:
        name = f"more{len(vars(held))}"
        setattr(held, name, 1)
        setattr(Held, name, 1)

    held = Held()
    held.first, held.second, held.third = 1, 2, 3
    before = sys.getprofile()
    sys.setprofile(add)
    try:
        found = raw.attributes(held)
    finally:
        sys.setprofile(before)
    assert {"first": 1, "second": 2, "third": 3}.items() <= found.items()
    for whole in ({0: 0, 1: 1}, {0, 1}):
        items = iter(raw.items_of(whole))
        next(items)
        whole.pop() if type(whole) is set else whole.popitem()
        assert len(list(items)) == 1


def test_wrappers_are_opened_one_after_another_even_in_a_ring() -> None:
    inside = {"a": "b", "b": "c"}.get
    assert list(raw.unwrapped("a", inside)) == ["a", "b", "c"]
    assert set(raw.unwrapped("x", lambda value: value)) == {"x"}


def test_the_defaults_of_a_function_and_what_a_partial_binds_are_read_by_name() -> None:
    def function(x: int, y: int = 2, *, z: int = 3) -> None: ...

    assert raw.default_values(function) == {"y": 2, "z": 3}  # type: ignore[arg-type]
    assert raw.bound(functools.partial(function, 1, z=4)) == (function, (1,), {"z": 4})
