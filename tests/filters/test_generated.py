"""Functions of any signature, wrapped in any way, called in any order: results, traces and errors are Equinox's."""

import copy
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitviz import filters

from .samples import Counted, same

X = jnp.arange(3.0)
DEFAULTS = ["", " = 2", " = X", " = 'text'", " = None", " = LIST"]
VALUES: list[Callable[[], Any]] = [
    lambda: X + 0,
    lambda: X[:2] + 0,
    lambda: np.float32(2),
    lambda: {"a": X + 1, "b": "static"},
    lambda: 1,
    lambda: 2,
    lambda: "text",
    lambda: None,
    lambda: {1},  # has no hash
]
NAMES = "abcd"


@st.composite
def signatures(draw: st.DrawFn) -> str:
    """The source of a parameter list, with parameters of every kind."""
    n = draw(st.integers(0, len(NAMES)))
    slash, star = sorted(draw(st.tuples(st.integers(0, n), st.integers(0, n))))
    parts, has_default = [], False
    for place, name in enumerate(NAMES[:n]):
        if place == slash and place:
            parts.append("/")
        if place == star:
            parts.append(draw(st.sampled_from(["*", "*rest"])))
        default = draw(st.sampled_from(DEFAULTS))
        if has_default and place < star and not default:
            default = " = 2"  # parameters without a default come first
        has_default = has_default or bool(default)
        parts.append(name + default)
    if draw(st.booleans()):
        parts.append("**more")
    return ", ".join(parts)


HOW: dict[str, Callable[[Any, Any], Any]] = {
    "as it is": lambda library, fun: library.filter_jit(fun),
    "donating": lambda library, fun: library.filter_jit(fun, donate="all"),
    "donating all but the first": lambda library, fun: library.filter_jit(fun, donate="all-except-first"),
    "partial": lambda library, fun: library.filter_jit(functools.partial(fun, X)),
    "partial by keyword": lambda library, fun: library.filter_jit(functools.partial(fun, a=3)),
    "equinox.Partial": lambda library, fun: library.filter_jit(eqx.Partial(fun, X + 1)),
    "bound": lambda library, fun: library.filter_jit(types.MethodType(fun, (X, "self"))),
    "copied": lambda library, fun: copy.deepcopy(library.filter_jit(fun)),
    "under filter_vmap": lambda library, fun: eqx.filter_vmap(library.filter_jit(fun), in_axes=None, out_axes=None),
    "of a filter_vmap": lambda library, fun: library.filter_jit(eqx.filter_vmap(fun, in_axes=None, out_axes=None)),
    "twice": lambda library, fun: library.filter_jit(library.filter_jit(fun)),
}
Call = tuple[list[int], dict[str, int]]


def outcomes(library: Any, parameters: str, how: str, calls: list[Call]) -> list[Any]:
    """The name and signature, then for each call the result or error, the traces so far, and the deleted inputs."""
    scope: dict[str, Any] = {"X": X, "LIST": [1, X]}
    names = [part.split(" ")[0].strip("*/") for part in parameters.split(", ")]
    exec(f"def fun({parameters}): return [{', '.join(filter(None, names))}]", scope)
    counted = Counted()
    fun = outcome(lambda: HOW[how](library, counted(scope["fun"])))
    if isinstance(fun, type):
        return []  # Equinox refuses a partial with too many arguments when it is wrapped, jitviz when it is called
    rows: list[Any] = [getattr(fun, "__name__", "none"), outcome(lambda: str(inspect.signature(fun)))]
    for places, named in calls:
        args, kwargs = [VALUES[place]() for place in places], {name: VALUES[place]() for name, place in named.items()}
        given = [value for value in (*args, *kwargs.values()) if isinstance(value, type(X))]
        out = outcome(functools.partial(fun, *args, **kwargs))
        rows.append((out, counted.traces, [value.is_deleted() for value in given]))
    return rows


class NotComparable:
    """The outcome of a call whose signature Equinox cannot compare with others, because a default is an array."""


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Exception as error:  # noqa: BLE001 - which one is compared
        return NotComparable if "checking equality of metadata fields" in str(error) else type(error)


def agree(ours: Any, theirs: Any) -> bool:
    """Whether they are the same, or our error is a subclass of Equinox's."""
    if isinstance(theirs, tuple) and isinstance(theirs[0], type) and isinstance(ours[0], type):
        return issubclass(ours[0], theirs[0]) and same(ours[1:], theirs[1:])
    return same(ours, theirs)


values = st.integers(0, len(VALUES) - 1)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(
    signatures(),
    st.sampled_from(list(HOW)),
    st.lists(
        st.tuples(st.lists(values, max_size=3), st.dictionaries(st.sampled_from(NAMES + "z"), values)), max_size=4
    ),
)
def test_a_generated_function_behaves_as_with_equinox(parameters: str, how: str, calls: list[Call]) -> None:
    ours, theirs = (outcomes(library, parameters, how, calls) for library in (filters, eqx))
    for one, other in zip(ours, theirs, strict=bool(theirs)):
        if other[0] is NotComparable:
            break
        assert agree(one, other), (one, other)


@pytest.mark.parametrize("how", HOW)
def test_each_way_to_wrap_behaves_as_with_equinox(how: str) -> None:
    calls: list[Call] = [([0], {}), ([0], {}), ([1], {}), ([0, 4], {}), ([0], {"c": 4}), ([0], {"c": 0}), ([0, 8], {})]
    parameters = "a, b = X, *rest, c = 2"
    ours, theirs = (outcomes(library, parameters, how, calls) for library in (filters, eqx))
    for one, other in zip(ours, theirs, strict=True):
        assert agree(one, other), (one, other)
