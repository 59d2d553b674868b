"""Every way to jit a function is shown as one call and one compile, under the user's names."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

import jitviz

from .samples import SEES_HITS, Affine, affine, outcomes, paths


class Case(NamedTuple):
    """A call of a new jitted function, and what jitviz should show."""

    call: Callable[[], object]
    function: str
    api: str
    traced: list[str]
    static: list[str]


X = np.ones(3, np.float32)
OF_FIT = ["model.weight", "model.bias", "x"], ["model.activation"]
OF_AFFINE = ["self.weight", "self.bias", "x"], ["self.activation"]


def of_step(call: Callable[[Any], object], traced: list[str], static: list[str] | None = None, **options: Any) -> Case:
    def step(x: Any, n: Any = 1, *rest: Any, scale: Any = 1.0) -> Any:
        return x * scale

    jitted = jax.jit(step, **options)
    return Case(lambda: call(jitted), "step", "jax.jit", traced, static or [])


def of_partial() -> Case:
    def step(x: Any, scale: Any) -> Any:
        return x * scale

    jitted = jax.jit(partial(step, scale=2.0))
    return Case(lambda: jitted(X), "step", "jax.jit", ["x"], [])


def of_static_method() -> Case:
    class Counter:
        @partial(jax.jit, static_argnums=0)
        def add(self, x: Any) -> Any:
            return x + 1

    counter = Counter()
    return Case(lambda: counter.add(X), "Counter.add", "jax.jit", ["x"], ["self"])


def of_bound_method() -> Case:
    class Counter:
        def add(self, x: Any) -> Any:
            return x + 1

    jitted = jax.jit(Counter().add)
    return Case(lambda: jitted(X), "Counter.add", "jax.jit", ["x"], [])


def of_gradient() -> Case:
    jitted = jax.jit(jax.grad(lambda w: jnp.sum(w["a"] ** 2)))
    return Case(lambda: jitted({"a": X}), "<lambda>", "jax.jit", ["w['a']"], [])


def of_function(jit: Any, api: str, transform: Any = lambda fun: fun) -> Case:
    def fit(model: Any, x: Any) -> Any:
        return jnp.sum(model(x))

    jitted, model = jit(transform(fit)), affine()
    return Case(lambda: jitted(model, X), "fit", api, *OF_FIT)


def of_module(jit: Any, api: str) -> Case:
    class Own(Affine):
        pass

    jitted = jit(Own(jnp.ones(3), jnp.ones(3)))
    return Case(lambda: jitted(X), "Own", api, *OF_AFFINE)


def of_method(jit: Any, api: str) -> Case:
    class Own(Affine):
        @jit
        def predict(self, x: Any) -> Any:
            return self(x)

    model = Own(jnp.ones(3), jnp.ones(3))
    return Case(lambda: model.predict(X), "Own.predict", api, *OF_AFFINE)


def of_nnx() -> Case:
    @nnx.jit
    def fit(model: Any, x: Any) -> Any:
        return jnp.sum(model(x))

    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    return Case(lambda: fit(model, X[None]), "fit", "nnx.jit", ["model.bias", "model.kernel", "x"], [])


EQUINOX, JITVIZ = (eqx.filter_jit, "equinox.filter_jit"), (jitviz.filter_jit, "jitviz.filter_jit")
CASES: dict[str, Callable[[], Case]] = {
    "plain": lambda: of_step(lambda step: step(X, 2), ["x", "n"]),
    "keyword": lambda: of_step(lambda step: step(X, scale=2.0), ["x", "scale"]),
    "rest": lambda: of_step(lambda step: step(X, 2, 3, 4), ["x", "n", "rest[0]", "rest[1]"]),
    "static": lambda: of_step(
        lambda step: step(X, 2, scale=3.0), ["x"], ["n", "scale"], static_argnums=1, static_argnames="scale"
    ),
    "donated": lambda: of_step(lambda step: step(jnp.ones(3)), ["x"], donate_argnums=0),
    "partial": of_partial,
    "static method": of_static_method,
    "bound method": of_bound_method,
    "gradient": of_gradient,
    "equinox": lambda: of_function(*EQUINOX),
    "jitviz": lambda: of_function(*JITVIZ),
    "equinox gradient": lambda: of_function(*EQUINOX, eqx.filter_grad),
    "jitviz gradient": lambda: of_function(*JITVIZ, jitviz.filter_grad),
    "equinox module": lambda: of_module(*EQUINOX),
    "jitviz module": lambda: of_module(*JITVIZ),
    "equinox method": lambda: of_method(*EQUINOX),
    "jitviz method": lambda: of_method(*JITVIZ),
    "nnx": of_nnx,
}


@pytest.mark.parametrize("name", list(CASES))
def test_a_call_is_shown_under_the_users_names(name: str) -> None:
    seen = CASES[name]()
    with jitviz.record() as rec:
        seen.call()
        seen.call()
    assert rec.facts.failures == []
    (compile_,) = rec.compiles
    assert compile_.function_info is not None
    assert (compile_.function, compile_.function_info.api) == (seen.function, seen.api)
    assert paths(compile_, "traced") == seen.traced
    assert paths(compile_, "static") == seen.static
    assert [phase.name for phase in compile_.phases] == ["trace", "lower", "compile"]
    sees_hits = SEES_HITS or "filter_jit" in seen.api
    assert outcomes(rec) == [(seen.function, "compile"), (seen.function, "hit")][: 1 + sees_hits]
    assert {call.version for call in rec.calls} == {compile_.version}
    assert all(call.compile == compile_ for call in rec.calls)


@pytest.mark.parametrize("jit", [eqx.filter_jit, jitviz.filter_jit])
def test_a_train_step_is_shown_with_the_state_of_its_optimiser(jit: Any) -> None:
    optimiser = optax.sgd(0.1, momentum=0.9)

    @jit
    def train(model: Any, state: Any, x: Any) -> Any:
        grads = eqx.filter_grad(lambda model: jnp.sum(model(x)))(model)
        updates, state = optimiser.update(grads, state)
        return eqx.apply_updates(model, updates), state

    model = affine()
    state = optimiser.init(eqx.filter(model, eqx.is_inexact_array))
    with jitviz.record() as rec:
        train(model, state, jnp.ones(3))
    (compile_,) = rec.compiles
    assert paths(compile_, "traced") == [
        "model.weight",
        "model.bias",
        "state[0].trace.weight",
        "state[0].trace.bias",
        "x",
    ]
    assert [leaf.path for leaf in compile_.outputs if leaf.role == "traced"] == [
        "out[0].weight",
        "out[0].bias",
        "out[1][0].trace.weight",
        "out[1][0].trace.bias",
    ]


@pytest.mark.parametrize(
    ("donate", "donated"),
    [
        ("all", ["a", "b"]),
        ("all-except-first", ["b"]),
        ("warn", ["a", "b"]),
        ("warn-except-first", ["b"]),
        ("none", []),
    ],
)
@pytest.mark.parametrize("jit", [jitviz.filter_jit, eqx.filter_jit])
def test_the_donated_leaves_of_a_filter_jit_are_marked(jit: Any, donate: str, donated: list[str]) -> None:
    with jitviz.record() as rec:
        jit(lambda a, b: (a + 1, b + 1), donate=donate)(jnp.ones(3), jnp.ones(4))
    assert [leaf.path for leaf in rec.compiles[-1].signature.leaves if leaf.donated] == donated


def test_static_and_donated_leaves_are_marked() -> None:
    step = jax.jit(lambda state, n: state["w"] + 1, static_argnames="n", donate_argnums=0)
    with jitviz.record() as rec:
        step({"w": jnp.ones(3)}, n=3)
    state, n = rec.compiles[0].signature.leaves
    assert (state.path, state.role, state.donated, state.committed, state.shape) == (
        "state['w']", "traced", True, False, (3,),
    )  # fmt: skip
    assert (n.path, n.role, n.type, n.repr) == ("n", "static", "int", "3")
    assert rec.compiles[0].signature.options == (
        ("static_argnums", "(1,)"),
        ("static_argnames", "('n',)"),
        ("donate_argnums", "(0,)"),
        ("donate_argnames", "('state',)"),
    )


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_what_is_on_no_device_is_not_donated() -> None:
    step = jax.jit(lambda x, rate, y: x * rate + y, donate_argnums=(0, 1, 2))
    with jitviz.record() as rec:
        step(jnp.ones(3), 0.5, np.ones(3, np.float32))
    donated = [(leaf.path, leaf.donated) for leaf in rec.compiles[0].signature.leaves]
    assert donated == [("x", True), ("rate", False), ("y", False)]


@pytest.mark.filterwarnings("ignore:backend and device argument")
@pytest.mark.parametrize("value", [True, "True"])
def test_an_option_of_a_filter_jit_keeps_its_type(value: Any) -> None:
    step = jitviz.filter_jit(lambda x: x + 1, compiler_options={"xla_cpu_enable_fast_math": value}, backend="cpu")
    with jitviz.record() as rec:
        step(jnp.ones(3))
    options = {"compiler_options": f"{{'xla_cpu_enable_fast_math': {value!r}}}", "backend": "'cpu'"}
    assert dict(rec.compiles[0].signature.options) == options


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.ones((2, 3), np.float32), ("numpy.ndarray", (2, 3), "float32", False, None)),
        (np.float32(1.0), ("numpy.float32", (), "float32", False, None)),
        (1.0, ("float", (), "float32", True, None)),
        (True, ("bool", (), "bool", False, None)),
        (2, ("int", (), "int32", True, None)),
        (1j, ("complex", (), "complex64", True, None)),
    ],
)
def test_an_argument_is_shown_with_the_aval_that_jax_gives_it(value: Any, expected: Any) -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: x)(value)
    (leaf,) = rec.compiles[0].signature.leaves
    assert (leaf.type, leaf.shape, leaf.dtype, leaf.weak_type, leaf.committed) == expected
    assert leaf.role == "traced"


def test_arrays_and_keys_are_shown_with_their_sharding() -> None:
    committed = jax.device_put(jnp.ones(3), jax.devices()[0])
    with jitviz.record() as rec:
        jax.jit(lambda *xs: None)(jnp.ones(3), committed, jax.random.key(0), jnp.asarray(1.0))
    assert [(leaf.dtype, leaf.sharding, leaf.committed, leaf.repr) for leaf in rec.compiles[0].signature.leaves] == [
        ("float32", "cpu:0", False, "f32[3]"),
        ("float32", "cpu:0", True, "f32[3]"),
        ("key<fry>", "cpu:0", False, "key<fry>[]"),
        ("float32", "cpu:0", False, "f32[]"),
    ]


OPERANDS = ["pred", "operands[0]"] if jax.__version_info__ >= (0, 10) else []  # which it does not see before
EAGER_LOOPS: list[tuple[str, list[str], Callable[[], Any]]] = [
    ("scan", ["init", "xs"], lambda: jax.lax.scan(lambda carry, x: (carry + x, x), 0.0, X)),
    ("while", ["init_val"], lambda: jax.lax.while_loop(lambda i: i < 3, lambda i: i + 1, 0)),
    ("cond", OPERANDS, lambda: jax.lax.cond(True, lambda x: x, lambda x: -x, X)),
    ("scan", ["xs"], lambda: jax.lax.map(lambda x: x * 2, X)),
    ("scan", ["init_val"], lambda: jax.lax.fori_loop(0, 3, lambda i, x: x + 1, 0.0)),
]


@pytest.mark.parametrize(("name", "traced", "loop"), EAGER_LOOPS)
def test_an_eager_loop_is_listed_under_the_name_of_its_primitive_with_what_it_traces(
    name: str, traced: list[str], loop: Callable[[], Any]
) -> None:
    with jitviz.record() as rec:
        loop()
    assert rec.facts.failures == []
    (compile_,) = rec.compiles
    assert compile_.function_info is not None
    assert (compile_.function, compile_.function_info.api) == (name, "jax.lax")
    assert compile_.source.startswith("tests/capture/test_apis.py:")
    assert [call.outcome for call in rec.calls] == ["compile"]
    assert paths(compile_, "traced") == traced


def test_the_bounds_of_an_eager_loop_are_static_even_if_they_are_arrays() -> None:
    """JAX reads them, and uses a scan of that length."""

    def body(i: Any, x: Any) -> Any:
        return x + i

    with jitviz.record() as rec:
        for upper in (jnp.asarray(3), jnp.asarray(4), np.int32(5)):
            jax.lax.fori_loop(np.int32(0), upper, body, X)
    assert rec.facts.failures == []
    assert [[(reason.kind, reason.path) for reason in made.reasons] for made in rec.compiles] == [
        [("first", "")],
        [("static_value", "upper")],
        [("static_value", "upper")],
    ]


def test_nnx_optimisers_are_shown_by_attribute() -> None:
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    optimiser = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    @nnx.jit
    def train(model: Any, optimiser: Any, x: Any) -> Any:
        loss, grads = nnx.value_and_grad(lambda m: jnp.sum(m(x)))(model)
        optimiser.update(model, grads)
        return loss

    with jitviz.record() as rec:
        train(model, optimiser, np.ones((4, 2), np.float32))
        train(model, optimiser, np.ones((4, 2), np.float32))
    mine = [compile_ for compile_ in rec.compiles if compile_.function == "train"]
    assert len(mine) == 1
    assert paths(mine[0], "traced") == ["model.bias", "model.kernel", "optimiser.step", "x"]
    metadata = [leaf.path for leaf in mine[0].signature.leaves if leaf.is_metadata]
    assert {"model.in_features", "model.use_bias", "optimiser.tx"} <= set(metadata)


def test_the_class_of_an_nnx_variable_is_part_of_the_structure() -> None:
    class Net(nnx.Module):
        def __init__(self, kind: Any) -> None:
            self.w = kind(jnp.ones(3))

    forward = nnx.jit(lambda model, x: model.w[...] * x)
    with jitviz.record() as rec:
        for kind in (nnx.Param, nnx.BatchStat, nnx.Param):
            forward(Net(kind), X)
    assert len(rec.compiles) == 2
    (reason,) = rec.compiles[1].reasons
    assert (reason.kind, reason.path, reason.before, reason.after) == ("treedef", "model.w", "Param", "BatchStat")
