"""JAX's own functions that take one of the user's ("entries"): their programs are listed as the user's."""

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.ode import odeint
from jax.scipy.optimize import minimize
from jax.scipy.sparse.linalg import cg, gmres
from jax.sharding import PartitionSpec
from jax.test_util import check_grads

import jitviz
from jitviz.capture.adapters.lax_loops import _parameters

from .samples import causes, named_causes

X = np.arange(3, dtype=np.float32)
LISTS_PMAP = pytest.mark.skipif(
    jax.__version_info__ < (0, 9, 1), reason="the panel says that it does not list what pmap compiles"
)
WHOLE = {"mesh": jax.make_mesh((1,), ("x",)), "in_specs": PartitionSpec(), "out_specs": PartitionSpec()}
ENTRIES: dict[str, Callable[[Any], Any]] = {
    "odeint": lambda scale: odeint(lambda y, t: -y * scale, X, X),
    "piecewise": lambda scale: jnp.piecewise(X, [X < 1, X >= 1], [lambda x: x, lambda x: -x * scale]),
    "minimize": lambda scale: minimize(lambda x: ((x - scale) ** 2).sum(), jnp.asarray(X), method="BFGS"),
    "reduce": lambda scale: jax.lax.reduce(X, np.float32(0), lambda a, b: a + b * scale, (0,)),
    "reduce_window": lambda scale: jax.lax.reduce_window(
        X, np.float32(0), lambda a, b: a + b * scale, (2,), (1,), "VALID"
    ),
    "cg": lambda scale: cg(lambda x: x * scale, X),
    "gmres": lambda scale: gmres(lambda x: x * scale, X),
    "cond": lambda scale: jax.lax.switch(jnp.asarray(1), [lambda x: x, lambda x: x * scale], X),
}


def test_the_parameters_of_an_entry_include_those_of_the_function_that_made_it() -> None:
    def make(kept: int) -> Callable[..., Any]:
        def entry(first: int, *rest: int, key: int, **more: int) -> Any:
            local = kept + first  # noqa: F841
            return sys._getframe()

        return entry

    given = {"first": 1, "rest": (2,), "key": 3, "more": {"other": 4}, "kept": 5}
    assert _parameters(make(5)(1, 2, key=3, other=4)) == given
    assert _parameters((lambda first=None: sys._getframe())()) == {}


@pytest.mark.parametrize("name", list(ENTRIES))
def test_a_new_function_in_an_entry_is_a_new_function_of_that_name(name: str) -> None:
    with jitviz.record() as rec:
        ENTRIES[name](2.0)
        ENTRIES[name](2.0)
    assert rec.facts.failures == []
    assert named_causes(rec) == [(name, 1, "first"), (name, 2, "new_function")]
    assert "test_entries.py" in rec.compiles[1].reasons[0].summary
    assert "Nothing was compiled" not in jitviz.explain(rec)


def test_the_programs_that_an_eager_shard_map_makes_at_each_call_are_distinguished() -> None:
    double = jax.shard_map(lambda x: x * 2, **WHOLE)
    with jitviz.record() as rec:
        double(X)
        double(X)
    assert rec.facts.failures == []
    told = [(made.function, made.reasons[0].kind) for made in rec.compiles]
    assert told == [("shard_map", "first")] * 2 + [("shard_map", "new_function")] * 2
    assert {made.reasons[0].summary for made in rec.compiles[2:]} == {
        "`shard_map` itself is the same function, but a function that it runs (a condition, a branch, one derived by "
        "JAX) is a new object."
    }


def test_a_jitted_shard_map_of_a_new_function_has_the_name_of_that_function() -> None:
    with jitviz.record() as rec:
        for _ in range(2):
            jax.jit(jax.shard_map(lambda x: x * 3, **WHOLE))(X)
    assert named_causes(rec) == [("<lambda>", 1, "first"), ("<lambda>", 2, "new_function")]


def test_the_same_function_with_another_shape_recompiles_because_of_the_shape() -> None:
    def add(a: Any, b: Any) -> Any:
        return a + b * 5

    with jitviz.record() as rec:
        jax.lax.reduce(X, np.float32(0), add, (0,))
        jax.lax.reduce(X[:2], np.float32(0), add, (0,))
    assert causes(rec) == [("first", ""), ("shape", "operands")]


@LISTS_PMAP
def test_a_pmap_has_the_name_of_the_users_function() -> None:
    def step(x: Any, k: int) -> Any:
        return x * k

    with jitviz.record(sample=False) as rec:
        for k in (2, 2, 3):
            jax.pmap(step, static_broadcasted_argnums=1)(X[None], k)
        for _ in range(2):
            jax.pmap(lambda x: x)(X[None])
    assert [(made.function, made.function_info.api, made.reasons[0].kind) for made in rec.compiles] == [
        ("step", "jax.pmap", "first"),
        ("step", "jax.pmap", "static_value"),
        ("<lambda>", "jax.pmap", "first"),
        ("<lambda>", "jax.pmap", "new_function"),
    ]
    assert "`jax.pmap` once" in rec.compiles[3].reasons[0].advice


@LISTS_PMAP
def test_the_function_that_pmap_derives_is_a_reason_only_if_nothing_else_changed() -> None:
    def step(x: Any, k: int) -> Any:
        return x * k

    mapped = jax.pmap(step, static_broadcasted_argnums=1)
    with jitviz.record(sample=False) as rec:
        mapped(X[None], 2)
        mapped(X[None], 3)
        jax.pmap(step, static_broadcasted_argnums=1)(X[None, :2], 3)
        jax.pmap(step, static_broadcasted_argnums=1, axis_name="i")(X[None, :2], 3)
        mapped(X[None, :2], 4)
    told = [list(dict.fromkeys((reason.kind, reason.path) for reason in made.reasons)) for made in rec.compiles]
    assert told == [
        [("first", "")],
        [("static_value", "k")],
        [("shape", "x")],
        [("new_function", "")],
        [("static_value", "k")],
    ]
    assert [(one.path, one.saves, one.beside) for one in rec.findings if one.path == "k"] == [("k", 2, ())]


@LISTS_PMAP
def test_the_arguments_of_a_pmap_have_the_names_of_the_users_function() -> None:
    def step(model: Any, x: Any, n: int = 2, *, scale: Any = 1.0) -> Any:
        return model["w"] * x * n * scale

    mapped = jax.pmap(step, static_broadcasted_argnums=2)
    with jitviz.record(sample=False) as rec:
        for size in (3, 4):
            x = np.ones((1, size), np.float32)
            mapped({"w": x}, x + 1, 3, scale=x + 2)
    assert [[leaf.path for leaf in made.signature.leaves] for made in rec.compiles] == [
        ["model['w']", "x", "n", "scale"]
    ] * 2
    assert causes(rec) == [("first", ""), ("shape", "model['w']")]
    assert rec.facts.failures == []


def bowl(x: Any) -> Any:
    return (x**2).sum()


def twice(x: Any) -> Any:
    return x * 2


@pytest.mark.parametrize(
    ("entry", "run"),
    [("minimize", lambda: minimize(bowl, jnp.asarray(X), method="BFGS")), ("cg", lambda: cg(twice, X))],
)
def test_a_loop_that_jax_creates_again_for_the_same_function_is_the_cause(entry: str, run: Callable[[], Any]) -> None:
    with jitviz.record() as rec:
        run()
        run()
    assert [made.function for made in rec.compiles] == [entry, entry]
    assert rec.compiles[1].reasons[0].summary == (
        f"`{entry}` itself is the same function, but a function that it runs (a condition, a branch, one derived by "
        "JAX) is a new object."
    )
    assert rec.compiles[1].reasons[0].advice.startswith("Jit the function that calls")


@jax.checkpoint
def looped(x: Any) -> Any:
    return jax.lax.scan(lambda carry, _: (jnp.sin(carry), None), x, None, length=3)[0]


def test_a_loop_that_jax_differentiates_again_for_the_same_function_is_the_cause() -> None:
    with jitviz.record() as rec:
        for _ in range(2):
            check_grads(looped, (3.0,), order=1, modes=["rev"], atol=0.1, rtol=0.1)
    assert rec.facts.failures == []
    assert {(made.function, made.reasons[0].kind) for made in rec.compiles} == {
        ("check_grads", "first"),
        ("check_grads", "new_function"),
    }


def test_a_loop_that_jax_creates_for_another_shape_recompiles_because_of_the_shape() -> None:
    with jitviz.record() as rec:
        for x in (X, X[:2]):
            jax.grad(lambda x: looped(x).sum())(x)
    first, *_, last = rec.compiles
    assert first.reasons[0].kind == "first"
    assert [(reason.kind, reason.path) for reason in last.reasons] == [("shape", "args[0]"), ("new_function", "")]


def test_a_root_that_is_differentiated_forward_is_listed_without_a_failure() -> None:
    def root(a: Any) -> Any:
        return jax.lax.custom_root(lambda x: x**2 - a, 3.0, newton, lambda linear, y: y / linear(1.0))

    def newton(f: Any, x: Any) -> Any:
        return jax.lax.fori_loop(0, 2, lambda _, x: x - f(x) / (2 * x), x)

    with jitviz.record() as rec:
        jax.jvp(root, (4.0,), (1.0,))
    assert rec.facts.failures == []
    assert causes(rec) == [("first", "")]


class Decay:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, y: Any, t: Any) -> Any:
        return -y * self.rate


def test_a_callable_object_for_an_entry_of_jax_is_an_argument() -> None:
    with jitviz.record() as rec:
        for rate in (2.0, 2.0, 3.0):
            odeint(Decay(rate), X, X)
    assert [made.function for made in rec.compiles] == ["odeint"] * 3
    assert causes(rec) == [
        ("first", ""),
        ("static_identity", "func"),
        ("static_value", "func.rate"),
    ]


def test_other_work_of_an_entry_and_transformations_are_not_listed() -> None:
    # functions that no other test jits: once the user has jitted one of JAX's, it stays the user's in this process
    def wave(x: Any) -> Any:
        return jnp.arcsinh(x).prod()

    with jitviz.record() as rec:
        jax.grad(wave)(X)
        jax.vmap(wave)(X[None])
        jax.tree.map(jnp.arctan, [X])
    assert rec.compiles == []
