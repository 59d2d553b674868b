"""What `predict` says before a call, and what the call then does."""

import dataclasses
import datetime
import enum
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax._src.config import enable_x64  # public from jax 0.8 on
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

import jitviz
from jitviz import capture
from jitviz.guards.prediction import Prediction

from ..jaxcompat.watching import listening

JITS: dict[str, Callable[..., Any]] = {
    "jax.jit": jax.jit,
    "jitviz.filter_jit": jitviz.filter_jit,
    "equinox.filter_jit": eqx.filter_jit,
    "nnx.jit": nnx.jit,
}


@pytest.fixture(autouse=True)
def _watching() -> None:
    capture.watch()


@contextmanager
def nothing_happens(*recordings: jitviz.Recording) -> Iterator[None]:
    """Fails where JAX tells of any work, where an array moves, or where a recording is told of something."""
    happened: list[str] = []

    def hear(event: str, *_: Any, **__: Any) -> None:
        happened.append(event)

    before = [len(recording.events) for recording in recordings]
    with listening(hear, "scalar", "event", "event_duration_secs"), jax.transfer_guard("disallow"):
        yield
    assert happened == []
    assert [len(recording.events) for recording in recordings] == before


def asked_and_seen(fun: Any, *args: Any, **kwargs: Any) -> Prediction:
    """What is predicted, of a call that then does just that."""
    with jitviz.record(sample=False) as rec:
        with nothing_happens(rec):
            said = jitviz.predict(fun, *args, **kwargs)
        fun(*args, **kwargs)
    compiled = [row for row in rec.compiles if row.function.endswith("step")]
    assert said.outcome == ("compile" if compiled else "hit")
    if compiled:
        assert said.version == compiled[0].version
        assert [reason.kind for reason in said.reasons] == [reason.kind for reason in compiled[0].reasons]
        assert [reason.path for reason in said.reasons] == [reason.path for reason in compiled[0].reasons]
    return said


@pytest.mark.parametrize("jit", JITS)
def test_predictions_come_true(jit: str) -> None:
    @JITS[jit]
    def step(x: Any, scale: Any) -> Any:
        return x * scale

    ones = jnp.ones(2)
    kinds = [
        [reason.kind for reason in asked_and_seen(step, *args).reasons]
        for args in [(ones, 1.0), (ones, 1.0), (np.ones(3, np.float32), 1.0), (ones, 1.0), (ones, ones), (ones, ones)]
    ]
    changed = "leaf_kind" if "filter" in jit else "shape"
    assert [kind[0] if kind else "hit" for kind in kinds] == ["first", "hit", "shape", "hit", changed, "hit"]
    assert asked_and_seen(step, ones, scale=ones).outcome == ("hit" if "filter" in jit else "compile")


def test_methods_partials_and_limited_functions_are_predicted_like_functions() -> None:
    class Model:
        @jax.jit
        def step(self, x: Any) -> Any:
            return x * 2

        def tree_flatten(self) -> Any:
            return (), None

    jax.tree_util.register_pytree_node(Model, Model.tree_flatten, lambda *_: Model())
    model, x = Model(), jnp.ones(2)
    assert asked_and_seen(model.step, x).outcome == "compile"
    assert asked_and_seen(model.step, x).outcome == "hit"

    @jax.jit
    def step(x: Any, y: Any) -> Any:
        return x + y

    limited = jitviz.assert_max_traces(step, max_traces=1)
    assert asked_and_seen(limited, x, x).outcome == "compile"
    assert asked_and_seen(jax.tree_util.Partial(step, x), x).outcome == "hit"


@pytest.mark.parametrize("jit", ["jax.jit", "jitviz.filter_jit", "equinox.filter_jit"])
def test_calls_under_eager_transformations_are_predicted_for_their_programs(jit: str) -> None:
    @JITS[jit]
    def step(x: Any, y: Any) -> Any:
        return (x * y).sum()

    told: list[str] = []

    def ask(x: Any, y: Any) -> Any:
        told.append(asked_and_seen(step, x, y).outcome)
        return step(x, y)

    x = jnp.ones((3, 3))
    programs: list[Callable[..., Any]] = [
        jax.vmap(ask),
        jax.grad(ask),
        jax.grad(ask, argnums=1),
        jax.vmap(jax.grad(ask)),
        jax.vmap(ask, in_axes=(0, 1)),
        lambda x, y: jax.jvp(ask, (x, y), (x, y)),
        lambda x, y: jax.linearize(ask, x, y),
    ]
    for program in programs:
        for _ in range(2):
            program(x, x)
    assert told == ["compile", "hit"] * len(programs)
    assert jitviz.predict(step, x, x).outcome != "hit"


def test_cleared_caches_new_functions_and_new_settings_are_predicted_to_compile() -> None:
    def make(n: int) -> Any:
        @jax.jit
        def step(x: Any) -> Any:
            return x * n

        return step

    x = jnp.ones(2)
    step = make(1)
    step(x)
    assert asked_and_seen(make(2), x).reasons[0].kind == "new_function"
    jax.clear_caches()
    assert asked_and_seen(step, x).reasons[0].kind == "cache_cleared"
    assert asked_and_seen(step, x).outcome == "hit"
    with enable_x64(True):
        assert asked_and_seen(step, x).reasons[0].kind == "config_context"


def on(*parts: Any, kind: Any = AxisType.Auto, memory: str | None = None) -> NamedSharding:
    return NamedSharding(Mesh(jax.devices()[:1], "d", axis_types=(kind,)), PartitionSpec(*parts), memory_kind=memory)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (on(), on(None, None), "hit"),
        (on("d"), on("d", None), "hit"),
        (on("d"), on((), ("d",)), "hit"),
        (on("d", kind=AxisType.Explicit), on("d", None, kind=AxisType.Explicit), "hit"),
        (on("d", kind=AxisType.Explicit), on(None, "d", kind=AxisType.Explicit), "compile"),
        (on(), on(kind=AxisType.Explicit), "compile"),
        (on(), on(memory="device"), "hit"),
        (on(), on(memory="unpinned_host"), "compile"),
        (on(), on().mesh.devices.item(), "compile"),
    ],
)
def test_shardings_are_compared_as_jax_compares_them(before: Any, after: Any, outcome: str) -> None:
    @jax.jit
    def step(x: Any, w: Any) -> Any:
        return x + w.sum()

    x, weights = jnp.ones(2), [jax.device_put(np.ones((2, 2), np.float32), place) for place in (before, after)]
    step(x, weights[0])
    assert asked_and_seen(step, x, weights[1]).outcome == outcome
    paths = [reason.path for reason in asked_and_seen(step, jnp.ones(3), weights[outcome == "hit"]).reasons]
    assert paths == ["x"]


@pytest.mark.parametrize("jit", ["jax.jit", "keep_unused", "jitviz.filter_jit", "equinox.filter_jit"])
def test_where_an_argument_is_that_the_program_does_not_use_is_in_no_key(jit: str) -> None:
    wrap: Any = functools.partial(jax.jit, keep_unused=True) if jit == "keep_unused" else JITS[jit]

    @wrap
    def step(unused: Any, x: Any) -> Any:
        return x * 2

    free, placed = jnp.ones(2), jax.device_put(np.ones(2, np.float32), jax.devices()[0])
    step(free, free)
    assert asked_and_seen(step, placed, free).outcome == ("compile" if jit == "keep_unused" else "hit")
    assert [reason.path for reason in asked_and_seen(step, placed, placed).reasons] == ["x"]
    on_mesh = jax.device_put(free, on())  # JAX traces with the axes of a mesh, used or not
    assert asked_and_seen(step, on_mesh, free).outcome == "compile"


class Odd:
    """Equal by code of the user's, which jitviz does not call."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Size(int):
    """Equal to the number that it is."""


class Level(enum.IntEnum):
    LOW = 1


class Folded(str):
    """Equal by code of the user's."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return str.lower(self) == str.lower(str(other))

    def __hash__(self) -> int:
        return hash(str.lower(self))


@dataclasses.dataclass(frozen=True)
class Frozen:
    inside: Any


# Pairs that are equal: of one type, of two types, in something of one type.
EQUAL: dict[str, list[tuple[Any, Any]]] = {
    "one type": [
        (0.0, -0.0),
        (1j, complex(-0.0, 1)),
        (range(0), range(1, 1)),
        (range(0, 3, 2), range(0, 4, 2)),
        (frozenset([1, 2]), frozenset([2.0, 1])),
        (Decimal("0.5"), Decimal("0.50")),
        (datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 1, fold=1)),
        (Frozen(0.0), Frozen(-0.0)),
        (Frozen((1,)), Frozen((True,))),
        (Frozen(Level.LOW), Frozen(Fraction(1))),
        (Frozen(Size(1)), Frozen(1.0)),
        (np.nan, np.nan),
        ((np.nan,), (np.nan,)),
    ],
    "two types": [(1, True), (1, 1.0), (Level.LOW, 1), (Size(1), 1), (Fraction(1, 2), 0.5), (Decimal(1), 1)],
}


@pytest.mark.parametrize("jit", ["jax.jit", "jitviz.filter_jit", "equinox.filter_jit"])
@pytest.mark.parametrize(("kind", "pair"), [(kind, pair) for kind, pairs in EQUAL.items() for pair in pairs])
def test_equal_static_values_are_one_where_the_cache_finds_them_equal(jit: str, kind: str, pair: Any) -> None:
    wrap: Any = functools.partial(jax.jit, static_argnames="s") if jit == "jax.jit" else JITS[jit]

    @wrap
    def step(x: Any, s: Any) -> Any:
        return x * 2

    step(jnp.ones(2), pair[0])
    is_one = kind == "one type" or jit == "equinox.filter_jit"
    assert asked_and_seen(step, jnp.ones(2), pair[1]).outcome == ("hit" if is_one else "compile")
    assert [reason.path for reason in asked_and_seen(step, jnp.ones(3), pair[1]).reasons] == ["x"]


@pytest.mark.parametrize(("one", "other"), [(-1, -2), (2**53, 2**53 + 1), (float("nan"), float("nan")), (b"1", "1")])
def test_other_static_values_are_told_apart(one: Any, other: Any) -> None:
    @functools.partial(jax.jit, static_argnums=1)
    def step(x: Any, s: Any) -> Any:
        return x * 2

    step(jnp.ones(2), one)
    assert asked_and_seen(step, jnp.ones(2), other).outcome == "compile"


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [(Odd(1), Odd(2), "s.size"), ((Odd(1),), (Odd(2),), "s[0].size"), (Folded("A"), Folded("a"), "s")],
)
def test_what_only_a_users_equality_sees_stands_behind_what_is_certain(one: Any, other: Any, path: str) -> None:
    @functools.partial(jax.jit, static_argnums=1)
    def step(x: Any, s: Any) -> Any:
        return x * 2

    step(jnp.ones(2), one)
    assert jitviz.predict(step, jnp.ones(2), other).outcome == "unknown"
    certain, doubtful = asked_and_seen(step, jnp.ones(3), other).reasons
    assert (certain.kind, certain.path, doubtful.kind, doubtful.path) == ("shape", "x", "static_value", path)
    assert doubtful.summary.endswith(", which may or may not count: only the `__eq__` of the values can tell.")


class Pair(NamedTuple):
    one: int
    other: int


class Wide(Odd):
    """Another class, with the same equality."""


@pytest.mark.parametrize("jit", ["jax.jit", "jitviz.filter_jit", "equinox.filter_jit"])
@pytest.mark.parametrize(
    ("one", "other"),
    [(Odd(1), Wide(1)), (Odd(1), 1), (Pair(1, 2), (1, 2)), (np.dtype("float32"), np.float32)],
)
def test_a_static_field_may_equal_one_of_another_type(jit: str, one: Any, other: Any) -> None:
    class Model(eqx.Module):
        s: Any = eqx.field(static=True)

    @JITS[jit]
    def step(x: Any, model: Any) -> Any:
        return x * 2

    step(jnp.ones(2), Model(one))
    assert jitviz.predict(step, jnp.ones(2), Model(other)).outcome == "unknown"
    certain, doubtful = asked_and_seen(step, jnp.ones(3), Model(other)).reasons
    assert (certain.kind, certain.path, doubtful.kind, doubtful.path) == ("shape", "x", "static_value", "model.s")


def test_seconds_are_those_of_the_nearest_version() -> None:
    @jax.jit
    def step(x: Any) -> Any:
        return x * 2

    assert jitviz.predict(step, jnp.ones(2)) == Prediction(
        "compile", 1, (jitviz.predict(step, jnp.ones(2)).reasons[0],), None
    )
    with jitviz.record(sample=False) as rec:
        step(jnp.ones(2))
    assert jitviz.predict(step, jnp.ones(2)) == Prediction("hit", 1, (), 0.0)
    said = jitviz.predict(step, jnp.ones(3))
    assert said.seconds == pytest.approx(rec.compiles[-1].duration_s)
    assert str(said).endswith("\n  `x` changed its shape from f32[2] to f32[3].")
    assert str(said).startswith("compile: it would be version 2, in about ")


class Plain(eqx.Module):
    """No fields: there is nothing in which two of them could differ."""

    def double(self, x: Any) -> Any:
        return x * 2


def test_methods_of_equal_modules_are_equal() -> None:
    step = jax.jit(lambda call, x: call(x), static_argnums=0)
    step(Plain().double, 1.0)
    assert jitviz.predict(step, Plain().double, 1.0).outcome == "hit"
    assert jitviz.predict(step, abs, 1.0).reasons[0].kind in ("static_value", "static_identity")


def why_unknown(fun: Any, *args: Any) -> str:
    said = jitviz.predict(fun, *args)
    assert (said.outcome, said.version, said.seconds) == ("unknown", None, None)
    return said.reasons[0].summary.removeprefix("This cannot be known: ")


def test_a_prediction_says_why_nothing_is_known() -> None:
    @jax.jit
    def step(x: Any) -> Any:
        return x * 2

    odd = jax.jit(lambda x, odd: x * odd.size, static_argnums=1)
    odd(1.0, Odd(1))
    told: list[str] = []
    jax.make_jaxpr(lambda x: told.append(why_unknown(step, x)))(1.0)
    jax.vmap(lambda x: told.append(why_unknown(step, 1.0)))(jnp.ones(2))
    with jax.disable_jit():
        told.append(why_unknown(step, 1.0))
    told += [why_unknown(odd, 1.0, Odd(2)), why_unknown(jnp.sin, 1.0)]
    assert told == [
        "it was asked inside another trace, which would include the call.",
        "it was asked inside another trace, which would include the call.",
        "jit is disabled here.",
        "only the `__eq__` of a static value can tell, and jitviz does not call it.",
        "JAX jitted this function for its own use, which jitviz does not track.",
    ]


@pytest.mark.parametrize("jit", [jax.jit, eqx.filter_jit, jitviz.filter_jit])
def test_a_call_that_the_function_cannot_take_is_refused(jit: Any) -> None:
    step = jit(lambda x, n: x * n)
    for args, problem in {(): "'x'", (1.0,): "'n'", (1.0, 2.0, 3.0): "too many"}.items():
        with pytest.raises(TypeError, match=problem):
            jitviz.predict(step, *args)


def test_a_function_that_is_not_jitted_is_refused() -> None:
    with pytest.raises(TypeError, match="predict takes a jitted function and its arguments; this is a plain function"):
        jitviz.predict(lambda x: x, 1.0)
