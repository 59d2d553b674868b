"""Values of two types that are equal all the same."""

from dataclasses import replace

import pytest

from jitviz.model import Description, Reason
from jitviz.model.equality import are_equal, is_one_dtype
from jitviz.reasons import Explainer

from .samples import array, jitted, miss, plain, static


def scalar_type(text: str, token: int = 1) -> Description:
    return Description("type", text, "identity", token)


NAME, DTYPE = plain("float32"), Description("Float32DType", "float32")
JAX, NUMPY = scalar_type("jax.numpy.float32"), scalar_type("numpy.float32", 2)
NUMPY_STR = Description("numpy.str_", "'a'")
MODE = Description("my.Mode", "Mode.A", type_token=5, plain="1")
NAMED = Description("my.Name", "Name.A", type_token=6, plain="'a'")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (plain(0.0), plain(-0.0)),
        (plain(1j), plain(complex(-0.0, 1))),
        (plain(range(0)), plain(range(1, 1))),
        (plain(range(0, 3, 2)), plain(range(0, 4, 2))),
        (plain(1), plain(1.0)),
        (plain(1), plain(True)),
        (plain(0.5), Description("fractions.Fraction", "Fraction(1, 2)")),
        (plain(0.5), Description("decimal.Decimal", "Decimal('0.50')")),
        (plain(1), Description("my.Size", "1", plain="1")),
        (plain(0.0), plain(False)),
        (plain(1), plain(1 + 0j)),
        (plain(1), Description("numpy.int64", "np.int64(1)")),
        (plain(True), Description("numpy.bool", "np.bool(True)")),
        (plain(1), MODE),
        (plain("a"), NUMPY_STR),
        (plain("a"), NAMED),
        (NUMPY_STR, NAMED),
        (JAX, NUMPY),
    ],
)
def test_values_that_a_cache_may_take_for_each_other(one: Description, other: Description) -> None:
    assert are_equal(one, other)
    assert are_equal(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (plain(1), plain(2.0)),
        (plain(-1), plain(-2)),  # of one hash
        (plain(2**53), plain(2**53 + 1)),
        (plain(2.0**53), plain(2**53 + 1)),
        (plain(0.1), Description("numpy.float32", "np.float32(0.10000000149011612)")),
        (plain(0.1), Description("fractions.Fraction", "Fraction(1, 10)")),
        (plain(range(2)), plain(range(3))),
        (plain(range(0, 9, 3)), plain(range(0, 9, 4))),
        (plain(b"1"), plain("1")),
        (plain(float("nan")), plain(float("nan"))),
        (
            Description("decimal.Decimal", "Decimal('1E+999999')"),
            Description("decimal.Decimal", "Decimal('1E+999998')"),
        ),
        (plain(1), plain("1")),
        (plain("1"), Description("my.Mode", "Mode.A", plain="1")),
        (plain("a"), Description("numpy.str_", "'b'")),
        (plain(None), plain(False)),
        (plain(2), MODE),
        (plain("Mode.A"), MODE),
        (NAME, DTYPE),  # equal, of another hash
        (JAX, DTYPE),
        (scalar_type("my.float32"), NUMPY),
        (scalar_type("jax.numpy.int32"), NUMPY),
        (plain((1,)), plain(1)),
        (Description("float", "1.0 or so"), Description("numpy.float64", "1.0 or so")),
        # two long strings of which the shown part alone is known to be the same
        (Description("str", "'a…a'", is_cut=True, rest="1"), Description("numpy.str_", "'a…a'", is_cut=True, rest="2")),
    ],
)
def test_values_that_are_distinguished(one: Description, other: Description) -> None:
    assert not are_equal(one, other)
    assert not are_equal(other, one)


@pytest.mark.parametrize("one", [NAME, DTYPE, JAX, NUMPY])
@pytest.mark.parametrize("other", [NAME, DTYPE, JAX, NUMPY])
def test_every_two_forms_of_a_dtype_are_one_dtype(one: Description, other: Description) -> None:
    assert is_one_dtype(one, other) == (one is not other)


@pytest.mark.parametrize("kind", ["dtype[bfloat16]", "numpy.dtype[bfloat16]"])
def test_dtypes_that_are_not_of_numpy_have_forms_too(kind: str) -> None:
    dtype = Description(kind, "bfloat16")
    assert is_one_dtype(plain("bfloat16"), dtype)
    assert is_one_dtype(dtype, scalar_type("jax.numpy.bfloat16"))


@pytest.mark.parametrize("other", [plain("float64"), plain("sum"), plain("int8"), Description("Int8DType", "int8")])
def test_another_name_is_another_dtype(other: Description) -> None:
    assert not is_one_dtype(other, JAX)
    assert not is_one_dtype(plain("sum"), other)
    assert not is_one_dtype(scalar_type("my.sum"), other)


def second(
    before: Description, after: Description, sizes: tuple[int, int] = (3, 3), api: str = "jax.jit"
) -> tuple[Reason, ...]:
    explainer = Explainer()
    told = [
        explainer.explain(miss(array("x", (size,)), static("n", value), function=jitted(api=api)))
        for size, value in zip(sizes, (before, after), strict=True)
    ]
    return told[1]


@pytest.mark.parametrize(
    ("before", "after", "summary", "advice"),
    [
        (
            plain("a"),
            NUMPY_STR,
            "`n` is static and changed from `'a' (str)` to `'a' (numpy.str_)`, which is equal but has another type: "
            "str → numpy.str_.",
            "Use the same type in every call: JAX distinguishes equal values of different types.",
        ),
        (
            plain(1),
            plain(1.0),
            "`n` is static and changed from `1` to `1.0`, which is equal but has another type: int → float.",
            "Use the same type in every call: JAX distinguishes equal values of different types.",
        ),
        (
            MODE,
            replace(MODE, type="my.Other", text="Other.X", type_token=9),
            "`n` is static and changed from `Mode.A` to `Other.X`, which is equal but has another type: "
            "my.Mode → my.Other.",
            "Use the same type in every call: JAX distinguishes equal values of different types.",
        ),
        (
            JAX,
            NUMPY,
            "`n` is static and changed from `jax.numpy.float32` to `numpy.float32`, which is equal but has another "
            "type: jax.numpy scalar type → numpy scalar type.",
            "Use the same type in every call: JAX distinguishes equal values of different types.",
        ),
        (
            NAME,
            DTYPE,
            "`n` is static and changed from `'float32'` to `float32`, which is the same dtype in another form: "
            "str → numpy.dtype.",
            "Write the dtype in the same form in every call: JAX distinguishes the forms of a dtype.",
        ),
    ],
)
def test_an_equal_value_is_reported_as_such(before: Description, after: Description, summary: str, advice: str) -> None:
    (reason,) = second(before, after)
    assert (reason.kind, reason.path, reason.inherent) == ("static_value", "n", False)
    assert (reason.summary, reason.advice) == (summary, advice)


def test_an_equal_value_of_another_type_is_a_cause_where_types_are_compared() -> None:
    assert [reason.kind for reason in second(plain("a"), NUMPY_STR, (3, 4))] == ["static_value", "shape"]
    assert [reason.kind for reason in second(plain("a"), NUMPY_STR, (3, 4), "equinox.filter_jit")] == ["shape"]
    inside = [Description("tuple", f"({one.text},)", fields=(("[0]", one),)) for one in (plain(1), plain(True))]
    assert [reason.kind for reason in second(inside[0], inside[1], (3, 4))] == ["shape"]


def test_another_form_of_a_dtype_has_another_hash_and_is_always_blamed() -> None:
    assert [reason.kind for reason in second(NAME, DTYPE, (3, 4))] == ["static_value", "shape"]


def test_a_dtype_that_becomes_a_number_is_another_value() -> None:
    (reason,) = second(DTYPE, plain(1))
    assert reason.advice == "Keep the number of different values small: each has its own program."
