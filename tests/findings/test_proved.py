"""What is said to be avoidable is undone, and what it is said to save is counted: the programs are run again."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

import equinox as eqx
import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import jitviz
from jitviz.model.counting import has_compiled
from jitviz.model.finding import Finding
from jitviz.recording import Recording

_NUMBERS = count()


def step_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that no earlier one is compared with."""
    return named(next(_NUMBERS), function)


def named(number: int, function: Callable[..., Any]) -> Callable[..., Any]:
    function.__qualname__ = function.__name__ = f"step_{number}"
    return function


def n_compiles(recording: Recording) -> int:
    return sum(has_compiled(row) and row.function.startswith("step_") for row in recording.compiles)


class Settings:
    """Compared by identity."""


@dataclass(frozen=True)
class Given:
    """What one call of a session is given. `is_cleared` says that the caches are cleared before it."""

    size: int
    rate: float
    settings: int  # the number of the object
    tag: str
    mode: str
    is_weak: bool
    is_cleared: bool


def session(seed: int) -> list[Given]:
    """Calls in which two or three things change, and sometimes what the program does."""
    chance = random.Random(seed)
    changing = chance.sample(("size", "rate", "settings", "tag", "is_weak"), chance.choice((2, 3)))
    choices: dict[str, tuple[Any, ...]] = {
        "size": (3, 4, 7),
        "rate": (0.25, 0.5, 0.75),
        "settings": (0, 1, 2, 3),
        "tag": ("a", "b"),
        "is_weak": (False, True),
    }
    is_clearing, has_modes = chance.random() < 0.5, chance.random() < 0.3
    return [
        Given(
            **{name: chance.choice(every if name in changing else every[:1]) for name, every in choices.items()},
            mode=chance.choice(("sine", "tanh")) if has_modes else "sine",
            is_cleared=is_clearing and chance.random() < 0.2,
        )
        for _ in range(10)
    ]


def undo(given: Given, finding: Finding) -> Given:
    """The call without the cause, and without what changes with it and is fixed with it."""
    for path in finding.also:
        given = undo(given, replace(finding, path=path, also=()))
    if finding.reason == "cache_cleared":
        return replace(given, is_cleared=False)
    if finding.path == "x":
        sizes = finding.plan.choice.sizes if finding.plan else (7,)
        return replace(given, size=next(size for size in sizes if size >= given.size))
    undone: dict[str, Any] = {
        "settings": {"settings": 0},
        "tag": {"tag": "a"},
        "bias": {"is_weak": False},
        "rate": {},
    }
    return replace(given, **undone[finding.path])


def play(calls: list[Given], is_rate_traced: bool = False) -> Recording:
    def step(x: Any, bias: Any, rate: Any, settings: Any, tag: str, mode: str) -> Any:
        y = jnp.sin(x) if mode == "sine" else jnp.tanh(x)
        return (y * rate + bias).sum()

    static = ("settings", "tag", "mode") if is_rate_traced else ("rate", "settings", "tag", "mode")
    jitted = jax.jit(step_of(step), static_argnames=static)
    objects = [Settings() for _ in range(4)]
    with jitviz.record() as recording:
        for given in calls:
            if given.is_cleared:
                jax.clear_caches()
            bias = 1.0 if given.is_weak else np.float32(1)
            x = np.ones(given.size, np.float32)
            jitted(x, bias, given.rate, objects[given.settings], given.tag, given.mode)
    return recording


@pytest.mark.parametrize("seed", [*range(7), 1000])
def test_a_finding_saves_what_is_counted_without_its_cause(seed: int) -> None:
    calls = session(seed)
    recording = play(calls)
    told = {(one.reason, one.path): one.saves for one in recording.findings if one.kind == "recompile"}
    counted = {
        (one.reason, one.path): n_compiles(recording)
        - n_compiles(play([undo(given, one) for given in calls], is_rate_traced=one.path == "rate"))
        for one in recording.findings
        if one.kind == "recompile"
    }
    assert told == counted
    saved_s = [one.saves_s for one in recording.findings]
    assert saved_s == sorted(saved_s, reverse=True)


@pytest.mark.parametrize("seed", [105, 115, 134])
def test_what_saves_if_it_alone_is_undone_has_a_finding(seed: int) -> None:
    """In each of these sessions something never changes without something else."""
    calls = session(seed)
    recording = play(calls)
    undone: dict[str, tuple[str, Any]] = {
        "x": ("size", 7),
        "rate": ("rate", None),
        "settings": ("settings", 0),
        "tag": ("tag", "a"),
        "bias": ("is_weak", False),
    }
    saved = {}
    for path, (name, value) in undone.items():
        if len({getattr(given, name) for given in calls}) > 1:
            without = calls if path == "rate" else [replace(given, **{name: value}) for given in calls]
            saved[path] = n_compiles(recording) - n_compiles(play(without, is_rate_traced=path == "rate"))
    told = {one.path: one.saves for one in recording.findings if one.kind == "recompile" and one.path}
    assert told == {path: n for path, n in saved.items() if n}


@pytest.mark.usefixtures("unhurried")
def test_what_a_version_with_another_program_differs_in_is_not_blamed() -> None:
    """The mode decides about the program. The settings do not, and are what a nearer version hides."""
    first = Given(3, 0.25, settings=0, tag="a", mode="tanh", is_weak=False, is_cleared=False)
    second = replace(first, settings=1, mode="sine")
    recording = play([first, second, replace(second, mode="tanh")])
    (found,) = recording.findings
    told = found.reason, found.path, found.saves, recording.compiles[2].judgement.words
    assert told == ("static_identity", "settings", 1, "the same program as version 1")


def test_a_setting_that_decides_nothing_saves_its_recompile() -> None:
    jitted = jax.jit(step_of(lambda x: x + 1))
    with jitviz.record() as recording:
        jitted(np.ones(3))
        with jax.default_matmul_precision("highest"):
            jitted(np.ones(3))
    (found,) = recording.findings
    assert (found.reason, found.saves, n_compiles(recording)) == ("config_context", 1, 2)


X, SQUARE = np.ones(4, np.float32), np.ones((4, 4), np.float32)
Static = tuple[Callable[..., Any], Any, tuple[Any, ...]]  # what is jitted, its array, the values of its static `n`


def unrolled(x: Any, n: int) -> Any:
    for _ in range(n):
        x = jnp.sin(x)
    return x


AVOIDABLE: dict[str, Static] = {
    "a rate": (lambda x, n: x * (1 - n), X, (0.1, 0.2, 0.3)),
    "a temperature": (lambda x, n: jax.nn.softmax(x / n), X, (0.5, 0.7)),
    "a seed": (lambda x, n: x + jax.random.normal(jax.random.key(n), x.shape), X, (3, 4, 5)),
    "an index": (lambda x, n: x[n] * 2, X, (1, 2, 3)),
    "an exponent": (lambda x, n: x**n, X, (0.7, 2.5)),
    "a tolerance": (
        lambda x, n: jax.lax.while_loop(lambda y: jnp.sum(y) > n, lambda y: y * 0.5, x),
        X,
        (0.1, 0.01),
    ),
    "a bound": (lambda x, n: jnp.clip(x, -1.0, n), X, (1.0, 2.0)),
    "a shift of bits": (lambda x, n: x.astype("int32") << n, X, (1, 2)),
    "a choice of branches": (lambda x, n: jax.lax.switch(n, [jnp.sin, jnp.cos], x), X, (0, 1)),
    "nothing": (lambda x, n: x * 2, X, (1, 2, 3)),
    "a gradient with a number": (lambda x, n: jax.grad(lambda y: (y * n).sum())(x), X, (0.1, 0.2)),
}
NEEDED: dict[str, Static] = {
    "an axis": (lambda x, n: x.sum(n), SQUARE, (0, 1)),
    "a number of layers": (unrolled, X, (2, 3)),
    "a length of a scan": (
        lambda x, n: jax.lax.scan(lambda c, _: (jnp.sin(c), c), x, None, length=n),
        X,
        (20, 30),
    ),
    "a length of a slice": (lambda x, n: x[:n].sum(), X, (1, 2, 3)),
    "a number of classes": (lambda x, n: jax.nn.one_hot(x.astype(int), n), X, (4, 5)),
    "a number of the largest": (lambda x, n: jax.lax.top_k(x, n)[0].sum(), X, (1, 2)),
    "a number of heads": (lambda x, n: x.reshape(4, n, -1).sum(0), SQUARE, (1, 2)),
    "a width of padding": (lambda x, n: jnp.pad(x, (n, 4 - n)), X, (0, 1, 2)),
    "a window": (lambda x, n: jnp.convolve(x, jnp.ones(n)), X, (2, 3)),
    "a degree": (lambda x, n: jnp.vander(x, n), X, (2, 3)),
    "a dtype": (lambda x, n: x.astype(("float16", "int32")[n]), X, (0, 1)),
}


def n_compiles_of(static: Static, **options: Any) -> tuple[int, Recording]:
    function, x, values = static
    jitted = jax.jit(step_of(lambda x, n: function(x, n)), **options)
    with jitviz.record() as recording:
        for n in values:
            jitted(x, n)
    return n_compiles(recording), recording


@pytest.mark.parametrize("name", AVOIDABLE)
def test_what_is_avoidable_compiles_once_with_the_value_as_an_input(name: str) -> None:
    n, recording = n_compiles_of(AVOIDABLE[name], static_argnums=1)
    (found,) = (one for one in recording.findings if one.kind == "recompile")
    assert (n, found.saves) == (len(AVOIDABLE[name][2]), n - n_compiles_of(AVOIDABLE[name])[0])


@pytest.mark.parametrize("name", NEEDED)
def test_what_is_needed_is_expected_and_cannot_be_an_input(name: str) -> None:
    n, recording = n_compiles_of(NEEDED[name], static_argnums=1)
    verdicts = {row.judgement.verdict for row in recording.compiles if row.function.startswith("step_")}
    assert (n, verdicts) == (len(NEEDED[name][2]), {"expected"})
    with pytest.raises((TypeError, IndexError, ValueError), match=r"[Cc]oncrete|static|abstract|interpreted|TypeError"):
        n_compiles_of(NEEDED[name])


def nondiff(x: Any, n: Any) -> Any:
    return jax.grad(lambda y: clipped(y, n).sum())(x)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def clipped(x: Any, n: Any) -> Any:
    return x * n


clipped.defvjp(lambda x, n: (x * n, None), lambda n, _, g: (jnp.clip(g, -n, n),))


def test_a_number_that_goes_to_nondiff_argnums_stays_static() -> None:
    jitted = jax.jit(step_of(nondiff), static_argnums=1)
    with jitviz.record() as recording:
        for n in (0.5, 0.7):
            jitted(X, n)
    verdict = recording.compiles[1].judgement
    assert (verdict.verdict, verdict.words.rpartition(", ")[2]) == ("expected", "given by `nondiff_argnums`")
    with pytest.raises(jax.errors.UnexpectedTracerError):
        jax.jit(nondiff)(X, 0.5)


def host(k: Any) -> Callable[[Any], Any]:
    return lambda x: x * k


CALLBACKS = {
    "the same function": (lambda _: host(2.0), "avoidable"),
    "a function with another number": (host, "maybe"),
    "a function that holds an array": (lambda _: host(X), "maybe"),  # its elements are never read
}


@pytest.mark.parametrize("name", ["pure_callback", "io_callback", "debug_callback"])
@pytest.mark.parametrize("what", CALLBACKS)
def test_a_program_that_calls_python_is_known_by_the_function(what: str, name: str) -> None:
    make, verdict = CALLBACKS[what]
    call: Any = {
        "pure_callback": lambda f, x: jax.pure_callback(f, x, x),
        "io_callback": lambda f, x: jax.experimental.io_callback(f, x, x),
        "debug_callback": lambda f, x: [jax.debug.callback(f, x), x][1],
    }[name]
    number = next(_NUMBERS)
    with jitviz.record() as recording:
        for function in map(make, (2.0, 3.0)):
            body = named(number, lambda x, function=function: call(function, x))
            jax.block_until_ready(jax.jit(body)(X))
    assert recording.compiles[-1].judgement.verdict == verdict
    jax.effects_barrier()


@pytest.mark.parametrize("messages", [("no", "no"), ("no", "none")])
def test_programs_with_errors_of_equinox_are_known_by_their_messages(messages: tuple[str, str]) -> None:
    number = next(_NUMBERS)
    with jitviz.record() as recording:
        for message in messages:
            eqx.filter_jit(named(number, lambda x, message=message: eqx.error_if(x, x[0] < 0, message)))(X)
    verdict = recording.compiles[-1].judgement.verdict
    assert verdict == ("avoidable" if messages[0] == messages[1] else "maybe")


SCALE = 2.0


def scaled(x: Any, y: Any, n: Any) -> Any:
    return (jnp.sin(x) * y * n * SCALE).sum()


NOT_ALONE = {
    "a size": ((X, 1.0, 2), (X[:3], 1.0, 2)),
    "a number": ((X, 1.0, 2), (X, 1.0, 3)),
    "a weak type": ((X, 1.0, 2), (X, np.float32(1), 2)),
    "a structure": ((X, (1.0,), 2), (X, [1.0], 2)),
    "cleared caches": ((X, 1.0, 2), (X, 1.0, 2)),
}


@pytest.mark.parametrize("what", NOT_ALONE)
def test_where_a_hit_would_run_an_old_program_the_recompile_was_needed(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = step_of(lambda x, y, n: scaled(x, jax.tree.leaves(y)[0], n))
    jitted = jax.jit(function, static_argnums=2)
    first, second = NOT_ALONE[what]
    with jitviz.record() as recording:
        jitted(*first)
        monkeypatch.setattr(sys.modules[__name__], "SCALE", 10.0)
        if what == "cleared caches":
            jitted.clear_cache()
        jitted(*second)
    (row,) = (row for row in recording.compiles if row.version == 2 and row.function.startswith("step_"))
    assert (row.judgement.verdict, row.reasons[0].advice) == (
        "expected",
        "Nothing to fix: without this recompile, a program with the old `SCALE` would have run.",
    )
    assert [one.kind for one in recording.findings if one.kind in ("recompile", "stale")] == []


def test_a_state_of_another_size_is_another_model() -> None:
    def train(params: Any, x: Any) -> Any:
        grads = jax.grad(lambda p: (jnp.tanh(x @ p["a"]) @ p["b"]).sum())(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    jitted = jax.jit(step_of(train))
    with jitviz.record() as recording:
        for width in (3, 5):
            params = {"a": jnp.ones((4, width)), "b": jnp.ones((width, 1))}
            for _ in range(2):
                params = jitted(params, SQUARE)
    verdicts = [row.judgement.verdict for row in recording.compiles if row.function.startswith("step_")]
    assert verdicts == ["expected", "expected"]


class Model:
    def __init__(self, rate: float) -> None:
        self.rate = rate


def test_a_number_in_an_object_that_is_made_anew_saves_what_one_object_and_an_argument_save() -> None:
    jitted = jax.jit(step_of(lambda x, model: x * model.rate), static_argnums=1)
    undone, model = jax.jit(step_of(lambda x, model, rate: x * rate), static_argnums=1), Model(0.0)
    with jitviz.record() as recording:
        for rate in (0.5, 0.6, 0.7):
            jitted(X, Model(rate))
    with jitviz.record() as without:
        for rate in (0.5, 0.6, 0.7):
            undone(X, model, rate)
    (found,) = recording.findings
    assert (found.path, found.saves) == ("model.rate", n_compiles(recording) - n_compiles(without))
    assert found.advice == (
        "Since the program only computes with it, create `model` once, and pass `rate` as a separate argument: each "
        "object has its own program."
    )


def test_what_is_avoidable_is_never_told_to_be_nothing_to_fix() -> None:
    rates = {"fast": 0.5, "slow": 0.05}
    jitted = jax.jit(step_of(lambda x, mode, y: x * rates[mode] + y.sum()), static_argnums=1)
    with jitviz.record() as recording:
        for mode, y in (("fast", X), ("slow", X), ("slow", np.ones(5, np.float32))):
            with jax.default_matmul_precision("highest" if y is X else "default"):
                jitted(X, mode, y)
    told = [one.advice for one in recording.findings if one.kind == "recompile" and not one.is_maybe]
    assert told
    assert not [advice for advice in told if "Nothing to fix" in advice]


def test_optimisers_of_other_rates_save_what_one_that_keeps_its_rate_in_the_state_saves() -> None:
    def step(w: Any, state: Any, opt: Any) -> Any:
        updates, state = opt.update(w, state)
        return optax.apply_updates(w, updates), state

    rates, inject = (0.1, 0.2, 0.3), optax.inject_hyperparams(optax.sgd)
    jitted, one = jax.jit(step_of(step), static_argnums=2), inject(0.1)
    with jitviz.record() as recording:
        for rate in rates:
            opt = optax.sgd(rate)
            jitted(X, opt.init(X), opt)
    with jitviz.record() as without:
        for rate in rates:
            state = one.init(X)
            state.hyperparams["learning_rate"] = jnp.float32(rate)
            jitted(X, state, one)
    (found,) = (found for found in recording.findings if found.kind == "recompile")
    assert (found.reason, found.saves) == ("static_identity", n_compiles(recording) - n_compiles(without))
    assert "`optax.inject_hyperparams`" in found.advice


DEFAULTS: dict[str, tuple[Any, Any]] = {
    "an int for an int": (1, 2),
    "a float for a float": (1.0, 2.0),
    "a float for an int": (1, 2.0),
    "an int for a float": (1.0, 2),
    "an array for a float": (1.0, X[:1]),
    "a bool for an int": (1, True),
    "a strong number for a weak one": (1.0, np.float32(2)),
    "a weak number for a strong one": (np.float32(1), 2.0),
    "a NumPy number for a NumPy number": (np.float32(1), np.float32(2)),
}


@pytest.mark.parametrize("what", DEFAULTS)
def test_passing_a_default_saves_what_is_counted_where_it_is_passed(what: str) -> None:
    default, passed = DEFAULTS[what]

    def play(first: tuple[Any, ...]) -> Recording:
        jitted = jax.jit(step_of(lambda x, n=default: x * n))
        with jitviz.record() as recording:
            for x in (X, SQUARE):
                jitted(x, *first)
                jitted(x, passed)
        return recording

    recording = play(())
    found = next(one for one in recording.findings if one.reason == "kwargs_vs_args")
    assert found.saves == n_compiles(recording) - n_compiles(play((default,)))
    assert bool(found.saves) == (
        what in ("an int for an int", "a float for a float", "a NumPy number for a NumPy number")
    )
    kinds = [one.kind for one in recording.compiles[1].reasons]
    assert kinds[:1] == ["kwargs_vs_args"]
    assert (kinds[1:] != []) == (found.saves == 0)


def test_a_static_default_that_becomes_an_input_is_still_another_call_than_an_input() -> None:
    def play(**options: Any) -> Recording:
        jitted = jax.jit(step_of(lambda x, n=2: x * n), **options)
        with jitviz.record() as recording:
            jitted(X)
            for n in (3, 4, 5):
                jitted(X, n)
        return recording

    recording = play(static_argnames="n")
    (found,) = (one for one in recording.findings if one.kind == "recompile")
    assert (found.path, found.saves) == ("n", n_compiles(recording) - n_compiles(play())) == ("n", 2)
    assert found.beside == ("how it is passed",)


def test_entries_in_one_order_save_what_differs_in_their_order_alone() -> None:
    def play(order: Callable[[Any], Any]) -> Recording:
        jitted = jax.jit(step_of(lambda x, n: (x * dict(n)["scale"]).sum()), static_argnums=1)
        with jitviz.record() as recording:
            for n in ((("scale", 2.0), ("depth", 2)), (("depth", 2), ("scale", 2.0)), (("scale", 3.0), ("depth", 2))):
                jitted(X, order(n))
        return recording

    recording = play(tuple)
    found = next(one for one in recording.findings if one.path == "n")
    assert found.saves == n_compiles(recording) - n_compiles(play(lambda n: tuple(sorted(n)))) == 1


def test_a_static_default_that_is_passed_is_what_it_was() -> None:
    """And the one program that another value needs stays."""

    def play(first: tuple[int, ...]) -> Recording:
        jitted = jax.jit(step_of(lambda x, n=2: x * n), static_argnums=1)
        with jitviz.record() as recording:
            jitted(X, *first)
            for n in (2, 3):
                jitted(X, n)
        return recording

    recording = play(())
    found = next(one for one in recording.findings if one.reason == "kwargs_vs_args")
    assert found.saves == n_compiles(recording) - n_compiles(play((2,))) == 1


def test_a_number_is_compared_with_an_older_program_that_differs_in_it_alone() -> None:
    """The newest one with the same operations has another length as well."""

    def play(**options: Any) -> Recording:
        def step(x: Any, n: int, rate: float) -> Any:
            return jax.lax.fori_loop(0, n, lambda _, x: x * rate, x)

        jitted = jax.jit(step_of(step), **options)
        with jitviz.record() as recording:
            for n, rate in ((10, 0.1), (20, 0.2), (10, 0.2), (20, 0.1)):
                jitted(X, n, rate)
        return recording

    recording = play(static_argnums=(1, 2))
    found = next(one for one in recording.findings if one.path == "rate")
    assert found.saves == n_compiles(recording) - n_compiles(play(static_argnums=1)) == 2


def test_a_default_that_python_computes_with_is_avoidable_as_well() -> None:
    """The program with the default lacks operations, but the one with the input serves the default, too."""
    jitted = jax.jit(step_of(lambda x, alpha=0.5: alpha * x + (1 - alpha) * jnp.sin(x)))
    with jitviz.record() as recording:
        jitted(X)
        jitted(X, alpha=0.1)
    (found,) = (one for one in recording.findings if one.kind == "recompile")
    assert (found.reason, found.saves, found.is_maybe) == ("kwargs_vs_args", 1, False)


def test_functions_that_close_over_data_save_what_the_data_saves_as_arguments() -> None:
    number, data = next(_NUMBERS), [np.float32(a) for a in (2, 2, 3)]

    def excess(x: Any, a: Any) -> Any:
        return x * x - a

    def newton(f: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(named(number, lambda x, *data: x - f(x, *data) / jax.grad(f)(x, *data)))

    with jitviz.record() as recording:
        results = [newton(lambda x, a=a: excess(x, a))(data[0]) for a in data]
    (found,) = recording.findings
    assert found.advice == (
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with `a` as a "
        "separate argument, and `f` at module level, where closed-over values become arguments."
    )
    once = newton(excess)
    with jitviz.record() as again:
        assert [once(data[0], a) for a in data] == results
    assert n_compiles(recording) - n_compiles(again) == found.saves == 2


@pytest.mark.parametrize("scales", [[2.0, 3.0, 4.0], [jnp.float32(2), jnp.float32(3), jnp.float32(4)]])
def test_a_jaxpr_is_made_where_the_numbers_in_it_are_arguments(scales: list[Any]) -> None:
    """One that was made once would change the results: its constants are not compared."""
    run = eqx.filter_jit(step_of(lambda f, x: f(x)))

    def solve(scale: Any, x: Any) -> Any:
        return run(eqx.filter_closure_convert(lambda y: scale * y, x), x)

    x = jnp.ones(3)
    with jitviz.record() as recording:
        results = [solve(scale, x) for scale in scales]
    (found,) = (one for one in recording.findings if one.kind == "recompile")
    told = found.reason, found.path, found.saves, found.advice
    assert told == (
        "static_identity",
        "f.jaxpr",
        2,
        "Make `f` inside a jitted function of yours, with what it is made from as arguments: one that is made once "
        "keeps the numbers that it has.",
    )
    jitted = jax.jit(step_of(solve))
    with jitviz.record() as again:
        assert all(map(np.array_equal, (jitted(scale, x) for scale in scales), results))
    assert n_compiles(recording) - n_compiles(again) == found.saves
