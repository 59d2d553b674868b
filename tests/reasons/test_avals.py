from dataclasses import replace

import pytest

from jitviz.model import Leaf

from .samples import array, compare, host, scalar, signature, told

FIRST = array("x")
KEY = array("key", (), "key<fry>")
SPREAD = "P('i') on mesh(i=2 auto) of cpu:0…cpu:1 (2)"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (FIRST, array("x"), []),
        (FIRST, array("x", (4,)), [("shape", "x", "f32[3]", "f32[4]")]),
        (FIRST, array("x", (3, 1)), [("shape", "x", "f32[3]", "f32[3,1]")]),
        (FIRST, array("x", (3,), "int32"), [("dtype", "x", "f32[3]", "i32[3]")]),
        (scalar("x"), array("x", ()), [("weak_type", "x", "weak f32[]", "f32[]")]),
        (array("x", ()), scalar("x"), [("weak_type", "x", "f32[]", "weak f32[]")]),
        (
            scalar("x", "int32", "int"),
            array("x", (2,), "float64"),
            [
                ("shape", "x", "weak i32[]", "f64[2]"),
                ("dtype", "x", "weak i32[]", "f64[2]"),
                ("weak_type", "x", "weak i32[]", "f64[2]"),
            ],
        ),
    ],
)
def test_shape_dtype_and_weak_type_are_distinguished(
    before: Leaf, after: Leaf, expected: list[tuple[str, str, str, str]]
) -> None:
    assert told(compare(signature([before]), signature([after]))) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (array("key", (2,), "uint32"), KEY, [("prng_key_type", "key", "u32[2]", "key<fry>[]")]),
        (KEY, array("key", (), "key<rbg>"), [("prng_key_type", "key", "key<fry>[]", "key<rbg>[]")]),
        (
            array("key", (5, 2), "uint32"),
            array("key", (5,), "key<fry>"),
            [("prng_key_type", "key", "u32[5,2]", "key<fry>[5]")],
        ),
        (
            array("key", (5, 2), "uint32"),
            array("key", (6,), "key<fry>"),
            [("prng_key_type", "key", "u32[5,2]", "key<fry>[6]"), ("shape", "key", "u32[5,2]", "key<fry>[6]")],
        ),
        (
            array("key", (2,), "float32"),
            KEY,
            [("shape", "key", "f32[2]", "key<fry>[]"), ("dtype", "key", "f32[2]", "key<fry>[]")],
        ),
    ],
)
def test_a_typed_key_against_key_data_is_one_change(
    before: Leaf, after: Leaf, expected: list[tuple[str, str, str, str]]
) -> None:
    assert told(compare(signature([before]), signature([after]))) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # JAX is free to put these where it likes
        (FIRST, host("x"), []),
        (FIRST, replace(FIRST, sharding="cpu:1"), []),
        # the same place, now by the user's wish
        (FIRST, replace(FIRST, committed=True), [("committed", "x", "uncommitted", "committed")]),
        (host("x"), replace(FIRST, committed=True), [("committed", "x", "uncommitted", "committed")]),
        # another place
        (
            replace(FIRST, committed=True),
            replace(FIRST, committed=True, sharding="cpu:1"),
            [("sharding", "x", "cpu:0", "cpu:1")],
        ),
        (
            FIRST,
            replace(FIRST, committed=True, sharding="cpu:1"),
            [("sharding", "x", "cpu:0", "cpu:1"), ("committed", "x", "uncommitted", "committed")],
        ),
        (
            host("x"),
            replace(FIRST, committed=True, sharding=SPREAD),
            [("sharding", "x", "not placed", SPREAD), ("committed", "x", "uncommitted", "committed")],
        ),
        # memory and layout are part of where an array is
        (
            replace(FIRST, committed=True),
            replace(FIRST, committed=True, sharding="cpu:0 in pinned_host"),
            [("memory_kind", "x", "default", "pinned_host")],
        ),
        # under a mesh with explicit axes the sharding is part of the type, committed or not
        (FIRST, replace(FIRST, sharding=SPREAD), [("sharding", "x", "cpu:0", SPREAD)]),
    ],
)
def test_only_a_place_that_the_cache_looks_at_is_a_change(
    before: Leaf, after: Leaf, expected: list[tuple[str, str, str, str]]
) -> None:
    assert told(compare(signature([before]), signature([after]))) == expected
