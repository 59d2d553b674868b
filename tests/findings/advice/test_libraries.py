"""What a library makes anew: the advice is about the user's line, and names no variable of the library's."""

from __future__ import annotations

import functools
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz

pytestmark = pytest.mark.usefixtures("unhurried")

LIBRARY = """\
import functools, jax
from typing import NamedTuple

class Transform(NamedTuple):
    update: object

def sgd(rate):
    def update(x):
        return x - rate * x
    return Transform(update)

class Sampler:
    def __init__(self, model):
        self._sampler = functools.partial(_body, sampler=model)

    def run(self, x):
        return _run(self._sampler, x)

def _body(x, sampler):
    return sampler(x)

@functools.partial(jax.jit, static_argnums=0)
def _run(body_fun, x):
    return body_fun(x)

def minimise(loss, x):
    @jax.jit
    def _step(x):
        return x - jax.grad(loss)(x)
    return _step(x)

def repeat(x):
    return jax.lax.while_loop(lambda c: c[1] < 3, lambda c: (c[0] * 2, c[1] + 1), (x, 0))

class Solver:
    def __init__(self, fun):
        self._fun = jax.jit(jax.value_and_grad(fun))

    def run(self, x):
        return self._fun(x)

def normalised(x):
    return x - x.mean(axis=0)

@jax.jit
def mean_of(x):
    return x.mean(axis=0)

def table_of(n):
    import numpy
    table = numpy.arange(float(n))
    @jax.jit
    def weighted(x):
        return x + table
    return weighted
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "optlib.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "optlib", raising=False)
    return importlib.import_module("optlib")


def advice_of(rec: jitviz.Recording) -> str:
    (found,) = rec.findings
    line = found.source.rpartition(":")[2]
    return found.advice.replace(f"test_libraries.py:{line}", "HERE").replace("tests/findings/advice/", "")


def loss(x: Any) -> Any:
    return (x**2).sum()


def test_a_function_that_the_library_jits_anew_is_jitted_around_the_call_of_the_user(library: ModuleType) -> None:
    x = jnp.ones(4)
    with jitviz.record() as rec:
        for _ in range(3):
            library.minimise(loss, x)
    assert advice_of(rec) == (
        "If the call at HERE can be traced, jit a function of yours around it: `_step` belongs to a library, whose "
        "author could define it once, at optlib.py:27."
    )


def test_what_only_a_library_can_change_is_not_counted_as_avoidable(library: ModuleType) -> None:
    x = jnp.ones(4)
    with jitviz.record() as rec:
        for _ in range(3):
            library.minimise(loss, x)
    assert {row.judgement.verdict for row in rec.compiles[1:]} == {"maybe"}
    assert all(found.is_maybe for found in rec.findings)
    assert "voidable" not in str(rec).partition("\n\n")[0]


def test_a_jit_of_the_library_around_the_users_function_is_named(library: ModuleType) -> None:
    x = jnp.ones(4)
    with jitviz.record() as rec:
        jax.jit(jax.value_and_grad(loss))(x)
        library.Solver(loss).run(x)
        library.Solver(loss).run(x)
    assert [row.judgement.verdict for row in rec.compiles] == ["expected", "maybe", "maybe"]
    assert advice_of(rec) == (
        "A library jits `loss` itself, at optlib.py:40. If an object of the library does so, create it once, outside "
        "the loop; a jit of yours around the function has a program of its own."
    )


def test_nobody_pads_what_a_library_averages_over(library: ModuleType) -> None:
    with jitviz.record() as rec:
        for n in (8, 5):
            library.mean_of(jnp.ones((n, 2)))
    assert [row.judgement.verdict for row in rec.compiles] == ["expected", "maybe"]
    assert advice_of(rec) == (
        "Padding may change the result, since nobody can mask it inside a library's function: keep the number of "
        "different sizes small."
    )


def test_nobody_pads_a_batch_over_which_a_library_averages(library: ModuleType) -> None:
    """Its gradient sums over the batch as well, which is zero where the loss is masked."""

    @jax.jit
    def step(w: Any, x: Any) -> Any:
        return jax.grad(lambda w: (library.normalised(x * w) ** 2).mean())(w)

    @jax.jit
    def plain(w: Any, x: Any) -> Any:
        return jax.grad(lambda w: ((x * w) ** 2).mean())(w)

    with jitviz.record() as rec:
        for n in (8, 5):
            step(jnp.ones(2), jnp.ones((n, 2)))
            plain(jnp.ones(2), jnp.ones((n, 2)))
    advice = {found.function.rpartition(".")[2]: found.advice for found in rec.findings if found.reason == "shape"}
    assert advice["step"] == (
        "Padding changes the result, since the program has a mean or a sum in a library, at optlib.py:43: keep the "
        "number of different sizes small."
    )
    assert advice["plain"].startswith("Pad `x` to 8")


def test_what_is_inside_a_function_of_the_library_is_its_authors_to_change(library: ModuleType) -> None:
    weighted = library.table_of(300_000)
    with jitviz.record() as rec:
        weighted(1.0)
    (found,) = (found for found in rec.findings if found.kind == "constant")
    assert (found.advice, found.code, found.saves_s) == (
        f"`{found.function}` belongs to a library, whose author could change it, at optlib.py:52.",
        "",
        0.0,
    )


def test_what_differs_inside_it_is_an_argument_and_is_not_named(library: ModuleType) -> None:
    x = jnp.ones(4)
    with jitviz.record() as rec:
        for rate in (0.1, 0.2, 0.3):
            jax.jit(library.sgd(rate).update)(x)
    assert advice_of(rec) == (
        "If the call at HERE can be traced, jit a function of yours around it, with what differs as an argument: "
        "`update` belongs to a library, whose author could define it once, at optlib.py:8."
    )


def test_a_static_object_that_the_library_makes_is_created_once(library: ModuleType) -> None:
    @functools.partial(jax.jit, static_argnums=0)
    def step(opt: Any, x: Any) -> Any:
        return opt.update(x)

    x = jnp.ones(4)
    with jitviz.record() as rec:
        for rate in (0.1, 0.2, 0.3):
            step(library.sgd(rate), x)
    assert advice_of(rec) == (
        "Create `opt` once, outside the loop, and pass the same object to every call. What differs inside it is a "
        "library's: to trace that, create the object in the jitted function."
    )


def test_what_the_library_makes_of_the_users_objects_is_said_by_the_call(library: ModuleType) -> None:
    def model_of(scale: float) -> Any:
        return lambda x: x * scale

    x = jnp.ones(4)
    with jitviz.record() as rec:
        for scale in (1.0, 2.0, 3.0):
            library.Sampler(model_of(scale)).run(x)
    assert advice_of(rec) == (
        "Create once, outside the loop, what the call at HERE passes as `body_fun`; if the library creates it, jit a "
        "function of yours around this call."
    )


def test_a_loop_of_the_library_is_jitted_around_the_call(library: ModuleType) -> None:
    x = jnp.ones(4)
    with jitviz.record() as rec:
        for _ in range(3):
            library.repeat(x)
    assert advice_of(rec) == (
        "If the call at HERE can be traced, jit a function of yours around it; what decides a length or a branch there "
        "must be static: what runs belongs to a library, whose author could define it once, at optlib.py:33."
    )


def test_a_function_of_the_users_that_closes_over_the_library_is_the_users(library: ModuleType) -> None:
    x = jnp.ones(4)
    with jitviz.record() as rec:
        for _ in range(3):
            opt = library.sgd(0.1)
            jax.jit(lambda x, opt=opt: opt.update(x))(x)
    assert advice_of(rec).startswith("Apply `jax.jit` once, outside the loop")
