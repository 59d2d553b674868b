"""`donate=`: all five words, as in Equinox."""

import threading
import warnings
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.filters import filter_jit
from jitviz.filters.donation import DONATE, unusable_donations_ignored

from .samples import Linear


def bump(first: Any, second: Any) -> Any:
    return first + 1, second + 1


def shrink(first: Any, second: Any) -> Any:
    return first[:1] + second[:1]


def outcome(jit: Any, fun: Any, donate: str) -> tuple[bool, bool, list[str]]:
    """Which arguments were donated, and the warnings of JAX."""
    first, second = jnp.ones(3), jnp.ones(4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # A new function, so that JAX lowers it, and warns.
        jit(lambda first, second: fun(first, second), donate=donate)(first, second)
    return first.is_deleted(), second.is_deleted(), [str(warning.message).split(":")[0] for warning in caught]


@pytest.mark.parametrize("fun", [bump, shrink])
@pytest.mark.parametrize("donate", DONATE)
def test_each_word_donates_and_warns_as_in_equinox(donate: str, fun: Any) -> None:
    assert outcome(filter_jit, fun, donate) == outcome(eqx.filter_jit, fun, donate)


def test_the_first_argument_is_kept_if_others_are_extra() -> None:
    first, extra = jnp.ones(3), jnp.ones(4)
    filter_jit(lambda first, *extra: (first + 1, extra[0] + 1), donate="all-except-first")(first, extra)
    assert (first.is_deleted(), extra.is_deleted()) == (False, True)


@pytest.mark.parametrize(("donate", "is_donated"), [("all", True), ("all-except-first", True), ("none", False)])
def test_arrays_of_the_function_are_donated_with_the_others(donate: Any, is_donated: bool) -> None:
    model = Linear(jnp.ones(3))
    filter_jit(lambda x: (x, model), donate=donate)  # a closure holds nothing
    filter_jit(model, donate=donate)(jnp.ones(3))
    assert model.weight.is_deleted() is is_donated


def test_every_leaf_of_the_first_argument_is_kept_however_it_was_passed() -> None:
    step = filter_jit(lambda state, x: (state, x), donate="all-except-first")
    state, x = {"a": jnp.ones(2), "b": [jnp.ones(3)], "n": 3}, jnp.ones(4)
    step(x=x, state=state)
    assert (state["a"].is_deleted(), state["b"][0].is_deleted(), x.is_deleted()) == (False, False, True)  # type: ignore[attr-defined, index]


def test_a_keyword_only_parameter_is_not_the_first_argument() -> None:
    x = jnp.ones(4)
    filter_jit(lambda *, x: x + 1, donate="all-except-first")(x=x)
    assert x.is_deleted()


def test_lowering_is_as_quiet_as_calling(recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("always")
    filter_jit(lambda a, b: shrink(a, b), donate="all").lower(jnp.ones(3), jnp.ones(4))
    assert [str(warning.message) for warning in recwarn] == []
    filter_jit(lambda a, b: shrink(a, b), donate="warn").lower(jnp.ones(3), jnp.ones(4))
    assert len(recwarn) == 1


def test_the_warning_filters_are_unchanged_after_overlapping_threads() -> None:
    before = list(warnings.filters)
    entered, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with unusable_donations_ignored:
            entered.set()
            leave.wait()

    thread = threading.Thread(target=stay)
    thread.start()
    entered.wait()
    with unusable_donations_ignored:
        assert len(warnings.filters) == len(before) + 1
    assert len(warnings.filters) == len(before) + 1
    leave.set()
    thread.join()
    assert list(warnings.filters) == before


def test_a_warning_that_was_shown_is_not_shown_again() -> None:
    step = filter_jit(lambda x: x + 1, donate="all")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            step(jnp.ones(2))
            warnings.warn("the user's own", stacklevel=1)
    assert len(caught) == 1


ARRAYS = (((), "float32"), ((1,), "float32"), ((1, 1), "int32"), ((4,), "int8"), ((), "bfloat16"), ((2,), "float32"))
RESULTS: tuple[Any, ...] = (
    lambda a, b: a.sum() + b.sum().astype(a.dtype),
    lambda a, b: (3, a.sum().astype(jnp.bfloat16), b.shape),
    lambda a, b: [b, a],
    lambda a, b: a.sum() + jnp.zeros(7),
    lambda a, b: None,
)


@pytest.mark.parametrize("fun", RESULTS)
@pytest.mark.parametrize("first", ARRAYS)
def test_small_arrays_are_donated_as_in_equinox_whatever_is_returned(first: Any, fun: Any) -> None:
    def told(jit: Any, second: Any) -> Any:
        a, b = jnp.ones(*first) + 0, jnp.ones(*second) + 1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            out = jit(lambda a, b: fun(a, b), donate="warn")(a, b)
        return a.is_deleted(), b.is_deleted(), len(caught), jax.tree.map(str, out)

    for second in ARRAYS[::2]:
        assert told(filter_jit, second) == told(eqx.filter_jit, second)


def test_the_panel_lists_what_the_function_returned() -> None:
    with jitviz.record() as rec:
        filter_jit(lambda a, b: (3, a + b), donate="all")(jnp.ones(1), jnp.ones(1))
        filter_jit(lambda a, b: a + b, donate="all")(jnp.ones(1), jnp.ones(1))
    rows = [[leaf.path for leaf in row.outputs] for row in rec.compiles if row.function == "<lambda>"]
    assert rows == [["out[1]", "out[0]"], ["out"]]
    assert rec.facts.failures == []
