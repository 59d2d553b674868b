import pytest

from jitviz.jaxcompat.texts.array_types import read_aval, size_of


@pytest.mark.parametrize(
    ("written", "nbytes"),
    [
        ("f32[4,5]{1,0}", 80.0),
        ("bf16[3]", 6.0),
        ("pred[8]{0}", 8.0),
        ("bool[8]", 8.0),
        ("s4[3]", 1.5),
        ("c64[]", 8.0),
        ("f8e4m3fn[7]", 7.0),
        ("(f32[2]{0}, /*index=1*/s32[], u8[3])", 15.0),
        ("f32[<=10]", 40.0),
        ("f32[0,4]", 0.0),
        ("token[]", 0.0),
        ("key<fry>[]", 0.0),
    ],
)
def test_the_size_of_a_type(written: str, nbytes: float) -> None:
    assert size_of(written) == nbytes


@pytest.mark.parametrize(
    ("written", "read"),
    [("f32[3,4]", ("f32", (3, 4))), ("bool[]", ("bool", ())), ("key<fry>[2]", ("key<fry>", (2,))), ("token", None)],
)
def test_a_type_is_read(written: str, read: tuple[str, tuple[int, ...]] | None) -> None:
    assert read_aval(written) == read
