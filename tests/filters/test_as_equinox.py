"""All kinds of functions, called in many ways: outputs, traces and errors are those of Equinox's filters."""

import copy
import functools
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from jitviz import filters

from .samples import Counted, same

X = jnp.arange(3.0)
UNSET = object()
Traced = Callable[[Callable[..., Any]], Callable[..., Any]]  # counts the traces of what it wraps
Make = Callable[[Traced], Callable[..., Any]]


def scale(x: Any, y: Any = 2, *, z: Any = 3) -> Any:
    return x * y * z


def total(x: Any, y: Any = 2, *, z: Any = 3) -> Any:
    return jnp.sum(x * y * z)


def ordered(x: Any, y: Any = 1, /, z: Any = 2) -> Any:
    return x, y, z


def gather(x: Any, y: Any = 1, *rest: Any, z: Any = 2, **options: Any) -> Any:
    return x, y, rest, z, options


def weigh(x: Any, y: Any = X) -> Any:
    return x * y


def count(x: Any, y: Any = {1, 2}) -> Any:  # noqa: B006 - a default that has no hash
    return x * len(y)


def is_unset(x: Any, y: Any = UNSET) -> Any:
    return x, y is UNSET


class Affine(eqx.Module):
    weight: jax.Array
    fun: Any

    def __call__(self, x: Any, y: Any = 1, *, z: Any = None) -> Any:
        return self.fun(self.weight * x + y), z

    def method(self, x: Any, y: Any = 2) -> Any:
        return self.fun(self.weight * x + y)


class Plain:
    def __init__(self, fun: Any) -> None:
        self.fun = fun

    def __call__(self, x: Any, *, z: Any = 3) -> Any:
        return self.fun(x * z)

    def method(self, x: Any, y: Any = 2) -> Any:
        return self.fun(x, y)


def with_class(traced: Traced) -> Any:
    class Holder:
        @classmethod
        @traced
        def of_class(cls, x: Any, y: Any = 2) -> Any:
            return x * y, cls.__name__

        @staticmethod
        @traced
        def of_none(x: Any, *, z: Any = 2) -> Any:
            return x * z

    return Holder


def positions_only(traced: Traced) -> Callable[..., Any]:
    """A wrapper with the signature of the wrapped function that takes only positional arguments."""

    @functools.wraps(scale)
    def opaque(*args: Any) -> Any:
        return traced(scale)(*args)

    return opaque


def custom_jvp(traced: Traced) -> Callable[..., Any]:
    fun = jax.custom_jvp(traced(lambda x, y=2.0: x * y))
    fun.defjvp(lambda primals, tangents: (fun(*primals), tangents[0]))
    return fun


def custom_vjp(traced: Traced) -> Callable[..., Any]:
    fun = jax.custom_vjp(traced(lambda x, y=2.0: x * y))
    fun.defvjp(lambda x, y: (x * y, y), lambda y, ct: (ct * y, None))
    return fun


def dispatched(traced: Traced) -> Callable[..., Any]:
    return functools.singledispatch(traced(scale))


FUNCTIONS: dict[str, Make] = {
    "keyword-only default": lambda traced: traced(scale),
    "positional-only default": lambda traced: traced(ordered),
    "var-args": lambda traced: traced(gather),
    "var-args alone": lambda traced: traced(lambda *args, **options: (args, options)),
    "default array": lambda traced: traced(weigh),
    "default without a hash": lambda traced: traced(count),
    "default that is a sentinel": lambda traced: traced(is_unset),
    "wrapper that takes positions only": positions_only,
    "partial by position": lambda traced: functools.partial(traced(scale), X),
    "partial by keyword": lambda traced: functools.partial(traced(gather), y=4, z=5),
    "partial of a partial": lambda traced: functools.partial(functools.partial(traced(scale), z=1), y=7),
    "equinox.Partial": lambda traced: eqx.Partial(traced(scale), z=5),
    "jax.tree_util.Partial": lambda traced: jax.tree_util.Partial(traced(scale), z=X),
    "module": lambda traced: Affine(X, traced(jnp.sin)),
    "method of a module": lambda traced: Affine(X, traced(jnp.sin)).method,
    "object": lambda traced: Plain(traced(jnp.sin)),
    "method of an object": lambda traced: Plain(traced(scale)).method,
    "classmethod": lambda traced: with_class(traced).of_class,
    "staticmethod": lambda traced: with_class(traced).of_none,
    "class": lambda traced: Affine,
    "singledispatch": dispatched,
    "lru_cache": lambda traced: functools.lru_cache(traced(scale)),
    "custom_jvp": custom_jvp,
    "custom_vjp": custom_vjp,
    "jax.jit": lambda traced: jax.jit(traced(scale), static_argnames=("y", "z")),
    "jax.vmap": lambda traced: jax.vmap(traced(scale)),
    "jax.grad": lambda traced: jax.grad(traced(total)),
    "jax.checkpoint": lambda traced: jax.checkpoint(traced(scale)),
    "filter_vmap": lambda traced: eqx.filter_vmap(traced(scale)),
    "filter_vmap of a module": lambda traced: eqx.filter_vmap(Affine(X, traced(jnp.sin))),
    "filter_pmap": lambda traced: eqx.filter_pmap(traced(scale), axis_size=1, in_axes=None, out_axes=None),
    "filter_grad": lambda traced: eqx.filter_grad(traced(total)),
    "filter_checkpoint": lambda traced: eqx.filter_checkpoint(traced(scale)),
    "equinox.filter_jit": lambda traced: eqx.filter_jit(traced(scale)),
}

CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((X,), {}),
    ((), {"x": X}),
    ((X, 2), {}),
    ((X,), {"y": 2}),
    ((X,), {"y": X}),
    ((X, X), {}),
    ((X,), {"z": 3}),
    ((X,), {"z": X, "y": 2}),
    ((), {"z": X, "y": 2, "x": X}),
    ((X, 2, X, "static"), {"z": 4}),
    ((X,), {"b": X, "a": "static"}),
    ((), {}),
    ((X + 1,), {}),
]


def outcomes(library: Any, transform: str, make: Make) -> list[Any]:
    """For each call the result or the type of the error, and the number of traces so far."""
    counted = Counted()
    fun = getattr(library, transform)(make(counted))
    rows: list[Any] = []
    for args, kwargs in CALLS:
        try:
            rows.append((fun(*args, **kwargs), counted.traces))
        except Exception as error:  # noqa: BLE001 - which one is compared
            rows.append((type(error).__name__, counted.traces))
    return rows


@pytest.mark.parametrize("make", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_a_jitted_function_returns_traces_and_raises_as_with_equinox(make: Make) -> None:
    for ours, theirs, call in zip(
        outcomes(filters, "filter_jit", make), outcomes(eqx, "filter_jit", make), CALLS, strict=True
    ):
        assert same(ours, theirs), call


def sum_of(fun: Any, *args: Any, **kwargs: Any) -> Any:
    return jnp.sum(fun(*args, **kwargs)[0])


def is_tuple(node: Any) -> bool:
    return isinstance(node, tuple)


GRADS: dict[str, Make] = {
    "keyword-only default": lambda traced: traced(total),
    "wrapper that takes positions only": lambda traced: functools.wraps(total)(lambda *args: traced(total)(*args)),
    "partial": lambda traced: functools.partial(traced(total), z=2.0),
    "module": lambda traced: eqx.Partial(sum_of, Affine(X, traced(jnp.sin))),
    "no scalar": lambda traced: traced(scale),
    "jitted": lambda traced: eqx.filter_jit(traced(total)),
}  # fmt: skip  # one function a line reads as a table


@pytest.mark.parametrize("transform", ["filter_grad", "filter_value_and_grad"])
@pytest.mark.parametrize("make", GRADS.values(), ids=GRADS.keys())
def test_a_gradient_returns_and_raises_as_with_equinox(make: Make, transform: str) -> None:
    for ours, theirs, call in zip(
        outcomes(filters, transform, make), outcomes(eqx, transform, make), CALLS, strict=True
    ):
        assert same(ours, theirs), call


OF_GRADS: list[Callable[[Any], Any]] = [
    lambda library: library.filter_grad(total, argnums=None)(X),
    lambda library: library.filter_grad(total, argnums=0),
    lambda library: library.filter_grad(total, holomorphic=True)(X * 1j),
    lambda library: library.filter_grad(total)(jnp.arange(3)),
    lambda library: library.filter_grad(lambda x: 1)(X),
    lambda library: library.filter_grad(lambda x: None)(X),
    lambda library: library.filter_grad(lambda x: (jnp.sum(x), "aux"), has_aux=True)(X),
    lambda library: library.filter_grad(lambda x: [jnp.sum(x), "aux"], has_aux=True)(X),
    lambda library: library.filter_grad(lambda x: (jnp.sum(x), 1, 2), has_aux=True)(X),
    lambda library: library.filter_value_and_grad(has_aux=True)(lambda x: (jnp.sum(x["a"]), x))({"a": X, "b": "c"}),
    lambda library: library.filter_value_and_grad(lambda x: 2.0)((X, None, 3)),
    lambda library: library.filter_grad(lambda *, x: jnp.sum(x))(x=X),
    lambda library: library.filter_grad(lambda: 1.0)(),
    lambda library: library.filter_grad(lambda x: "a")(X),
    lambda library: library.filter_jit(library.filter_grad(library.filter_jit(total)))(X),
]
OF_TREES: list[Callable[[Any], Any]] = [
    lambda library: library.partition(pytree=[1, X], filter_spec=library.is_array, replace="hole", is_leaf=None),
    lambda library: library.partition([(1, 2), X], is_tuple, "hole", is_tuple),
    lambda library: library.partition((X, [1, X]), (False, library.is_array)),
    lambda library: library.partition((X, 1), (True,)),
    lambda library: library.partition([X], "all"),
    lambda library: library.partition([X], None),
    lambda library: library.partition([X], jnp.asarray(True)),
    lambda library: jax.jit(lambda mask: library.partition([X], mask))(True),
    lambda library: library.combine([1, None, None], [None, X, None]),
    lambda library: library.combine([None, (None, 1)], [(1, 2), (3, None)], is_leaf=is_tuple),
    lambda library: library.combine([1], [1, 2]),
    lambda library: library.combine(),
    lambda library: library.combine({"a": None}, {"a": 3}, {"a": 4}),
    lambda library: library.partition({"a": [X, 1], "b": 2}, {"a": [True, False], "b": True}),
]  # fmt: skip  # one call a line reads as a table
OF_JITS: list[Callable[[Any], Any]] = [
    lambda library: library.filter_jit(fun=scale)(X),
    lambda library: library.filter_jit(donate="all")(scale)(X + 1),
    lambda library: library.filter_jit(scale, donate="some"),
    lambda library: library.filter_jit(scale, static_argnums=0),
    lambda library: library.filter_jit(scale, static_argnames="y"),
    lambda library: library.filter_jit(scale, donate_argnums=0),
    lambda library: library.filter_jit(scale, donate_argnames="y"),
    lambda library: library.filter_jit(scale, in_shardings=None),
    lambda library: library.filter_jit(scale, out_shardings=None),
    lambda library: library.filter_jit(scale, unknown=None),
    lambda library: library.filter_jit(scale, inline=True, keep_unused=True)(X),
    lambda library: library.filter_jit(3),
    lambda library: inspect.signature(library.filter_jit(scale)),
    lambda library: inspect.signature(library.filter_grad(scale)),
    lambda library: library.filter_jit(scale) == library.filter_jit(scale),
    lambda library: library.filter_jit(scale) == library.filter_jit(scale, donate="all"),
    lambda library: library.filter_jit(scale) == scale,
    lambda library: library.filter_grad(total) == library.filter_grad(total),
    lambda library: library.filter_grad(total) == library.filter_grad(total, has_aux=True),
    lambda library: hash(library.filter_jit(scale)) == hash(library.filter_jit(scale)),
    lambda library: [getattr(library.filter_jit(scale), name) for name in ("__name__", "__qualname__", "__module__")],
    lambda library: library.filter_jit(scale).__doc__,
    lambda library: ["scale" in repr(wrap(scale)) for wrap in (library.filter_jit, library.filter_grad)],
    lambda library: getattr(library.filter_jit(functools.partial(scale)), "__name__", "none"),
    lambda library: copy.copy(library.filter_jit(scale))(X),
    lambda library: copy.deepcopy(library.filter_jit(scale))(X),
    lambda library: copy.deepcopy(library.filter_grad(total))(X),
    lambda library: pickle.loads(pickle.dumps(library.filter_grad(total)))(X),
    lambda library: library.filter_jit(scale).lower(X, y=2).compile()(X, 2),
    lambda library: library.filter_jit(scale).lower(),
    lambda library: inspect.signature(functools.wraps(library.filter_jit(scale))(lambda *args: 1)),
    lambda library: inspect.signature(library.filter_jit(functools.partial(scale, y=4))),
    lambda library: inspect.signature(library.filter_jit(Affine(X, jnp.sin))),
    lambda library: inspect.signature(library.filter_jit(Affine(X, jnp.sin).method)),
    lambda library: library.filter_jit(scale)(X, 1, 2, 3),
    lambda library: library.filter_jit(scale)(X, 1, y=2),
    lambda library: eqx.filter_vmap(library.filter_jit(scale))(X),
    lambda library: library.filter_jit(eqx.filter_vmap(scale, in_axes=(0, None)))(X, 2),
    lambda library: eqx.filter_eval_shape(library.filter_jit(scale), X).shape,
    lambda library: type("Holder", (), {"f": classmethod(library.filter_jit(lambda cls, x: x * 2))}).f(X),
    lambda library: type("Holder", (), {"f": library.filter_jit(lambda self, x: x * 2)})().f(X),
    lambda library: [(library.filter_jit(jnp.sin, donate="all")(x), x.is_deleted()) for x in [X + 1]],
    lambda library: [
        (library.filter_jit(scale, donate="all-except-first")(x, y), x.is_deleted(), y.is_deleted())
        for x, y in [(X + 1, X + 2)]
    ],
]  # fmt: skip


@pytest.mark.parametrize(
    "use", OF_GRADS + OF_TREES + OF_JITS, ids=lambda use: inspect.getsource(use).partition(": ")[2]
)
def test_a_use_of_the_filters_has_the_result_it_has_with_equinox(use: Callable[[Any], Any]) -> None:
    def outcome(library: Any) -> Any:
        try:
            return use(library)
        except Exception as error:  # noqa: BLE001 - which one is compared
            return type(error).__name__

    assert same(outcome(filters), outcome(eqx))


class Doubled(eqx.Module):
    def __call__(self, x: Any) -> Any:
        return 2 * x


class Model(eqx.Module):
    weight: jax.Array

    @filters.filter_jit
    def step(self, x: Any) -> Any:
        return x * self.weight

    @filters.filter_grad
    def slope(self, x: Any) -> Any:
        return jnp.sum(x * self.weight)


@pytest.mark.parametrize(
    "make",
    [lambda: filters.filter_jit(total), lambda: filters.filter_grad(total), lambda: MODEL.step, lambda: MODEL.slope],
)
def test_wrappers_of_one_function_are_equal_static_values(make: Callable[[], Any]) -> None:
    counted = Counted()
    apply = jax.jit(counted(lambda fun, x: fun(x)), static_argnums=0)
    for _ in range(3):
        apply(make(), X)
    assert counted.traces == 1


MODEL = Model(X)


def test_wrappers_of_equal_but_different_arrays_differ() -> None:
    assert MODEL.step == Model(MODEL.weight).step
    assert MODEL.step != Model(X + 0).step  # their values are not read
    assert MODEL.step != MODEL.slope


@pytest.mark.parametrize(
    "wrapper", [filters.filter_jit(total), filters.filter_grad(total), filters.filter_jit(Doubled())]
)
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda wrapper: pickle.loads(pickle.dumps(wrapper))])
def test_wrappers_can_be_copied_and_pickled_if_their_functions_can(how: Callable[[Any], Any], wrapper: Any) -> None:
    assert same(how(wrapper)(X), wrapper(X))


def test_a_runtime_error_has_the_users_message_as_with_equinox() -> None:
    def texts_of(library: Any, message: str) -> list[str]:
        @library.filter_jit
        def check(x: Any) -> Any:
            return inner(x) * 2

        @library.filter_jit
        def inner(x: Any) -> Any:
            return eqx.error_if(x, x > 0, message)  # Equinox keeps the stack of the first error with this text

        texts = []
        for _ in range(2):
            with pytest.raises(eqx.EquinoxRuntimeError) as error:
                jax.block_until_ready(check(jnp.asarray(1.0)))
            texts.append(str(error.value).replace(message, "not so"))
        assert same(check(jnp.asarray(-1.0)), jnp.asarray(-2.0))
        return texts

    (text, again), (expected, _) = texts_of(filters, "x is positive"), texts_of(eqx, "x is too large")
    assert text == again == expected  # in the second call, Equinox also prints the stack outside the jit
    assert text.strip().startswith("Above is the stack outside of JIT")
    assert "equinox.EquinoxRuntimeError: not so" in text
    assert text.count("File ") == 2


def test_a_default_array_is_not_donated() -> None:
    default = jnp.ones(3)
    step = filters.filter_jit(lambda x, y=default: x * y, donate="all")
    for _ in range(2):
        assert same(step(X + 0), X)
    assert not default.is_deleted()
