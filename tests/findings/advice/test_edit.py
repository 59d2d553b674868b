"""Edits of findings that have no code to paste: made, they save the recompile; where they are not certain, there is
none."""

import ast
from pathlib import Path

import numpy as np
import pytest

from jitviz.findings.fixes.source_text import Source
from jitviz.model.counting import has_compiled
from jitviz.recording import Recording

from .apply import edited
from .programs import HEAD
from .test_advice import run

# name -> (kind of the reason, program, what is new)
MADE = {
    "a static number, one of two": (
        "static_value",
        """
@functools.partial(jax.jit, static_argnums=(1, 2))
def scale(x, rate, n):
    return jnp.repeat(x * rate, n)

def run():
    return [scale(jnp.ones(3), rate, 2) for rate in (0.5, 0.25, 0.125)]
""",
        "@functools.partial(jax.jit, static_argnums=2)",
    ),
    "Python numbers of a filter_jit": (
        "static_value",
        """
import equinox as eqx

@eqx.filter_jit
def step(x, rate, i):
    return x * (1 - rate)

def run():
    results = []
    for i in range(3):
        results.append(step(jnp.ones(3), 0.5 * i, i))
    return results
""",
        "step(jnp.ones(3), jnp.asarray(0.5 * i), jnp.asarray(i))",
    ),
    "an optimiser state with leaves that have no gradient": (
        "treedef",
        """
import equinox as eqx
import optax

class Model(eqx.Module):
    w: jax.Array
    at: jax.Array

opt = optax.sgd(0.1, momentum=0.9)

@eqx.filter_jit
def step(model, state):
    grads = eqx.filter_grad(lambda model: (model.w[model.at] ** 2).sum())(model)
    updates, state = opt.update(grads, state)
    return eqx.apply_updates(model, updates), state

def run():
    model = Model(jnp.ones(3), jnp.array([0, 1]))
    state = opt.init(eqx.filter(model, eqx.is_array))
    for _ in range(3):
        model, state = step(model, state)
    return model
""",
        "opt.init(eqx.filter(model, eqx.is_inexact_array))",
    ),
    "keys of two kinds": (
        "prng_key_type",
        """
@jax.jit
def draw(key, x):
    return x + jax.random.normal(key, x.shape)

def run():
    x, old = np.zeros(3, np.float32), jax.random.PRNGKey(7)
    return [draw(key, x) for key in (old, jax.random.key(0), old)]
""",
        "x, old = np.zeros(3, np.float32), jax.random.key(7)",
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_an_edit_saves_what_it_says_and_changes_no_result(name: str, tmp_path: Path) -> None:
    kind, body, new = MADE[name]
    rec, results = run(HEAD + body, tmp_path)
    (found,) = (one for one in rec.findings if one.reason == kind)
    assert found.edit is not None
    assert new in found.edit.new
    again, same = run(edited(HEAD + body, found.edit), tmp_path)
    assert [one.reason for one in again.findings if one.reason == kind] == []
    assert n_compiles(again) == n_compiles(rec) - (found.saves or 0)
    assert all(map(np.array_equal, same, results))


def n_compiles(rec: Recording) -> int:
    """The compiles of the program's functions, not those outside any jit."""
    return sum(map(has_compiled, rec.compiles))


@pytest.mark.parametrize("use", ["x[: int(n * 1)]", "x * float(n * 1.0)", "x if n > 1 else -x", "x * jnp.ones(n)[0]"])
def test_a_static_number_that_may_be_more_than_an_operand_stays_static(use: str, tmp_path: Path) -> None:
    body = f"""
@functools.partial(jax.jit, static_argnames="n")
def f(x, n):
    return {use}

def run():
    return [f(jnp.ones(9), n) for n in (2, 3, 4)]
"""
    rec, _ = run(HEAD + body, tmp_path)
    assert [one.edit for one in rec.findings if one.reason == "static_value"] in ([None], [])


@pytest.mark.parametrize(
    "use", ["x[: int(n * 1)]", "x * np.float32(n * 1.0)", "x * 1 if n > 1 else -x", "x * jnp.ones(int(n))[0]"]
)
def test_a_number_of_a_filter_jit_that_is_no_operand_stays_a_number(use: str, tmp_path: Path) -> None:
    body = f"""
import equinox as eqx

@eqx.filter_jit
def f(x, n):
    return {use}

def run():
    return [f(jnp.ones(9), n) for n in (2, 3, 4)]
"""
    rec, _ = run(HEAD + body, tmp_path)
    assert {one.edit for one in rec.findings if one.reason == "static_value"} <= {None}


def test_what_is_inside_a_static_tuple_stays_static_with_it(tmp_path: Path) -> None:
    body = """
@functools.partial(jax.jit, static_argnums=(1,))
def scaled(x, rates):
    return x * rates[0] + rates[1]

def run():
    return [scaled(jnp.ones(3), rates) for rates in ((1.0, 2.0), (1.0, 3.0))]
"""
    rec, _ = run(HEAD + body, tmp_path)
    (found,) = (one for one in rec.findings if one.kind == "recompile")
    assert (found.path, found.edit) == ("rates[1]", None)


def test_a_source_with_a_secret_in_the_line_has_no_edit() -> None:
    source = Source("a.py", "call('<redacted, 40 characters>')\n")
    (call,) = source.all(ast.Call)
    assert source.edit([(call.func, "other")]) is None


def test_an_edit_that_is_no_python_is_none() -> None:
    source = Source("a.py", "f(x)\n")
    (call,) = source.all(ast.Call)
    assert source.edit([(call.func, "f(")]) is None
    assert source.edit([(call, "g(x)"), (call.func, "h")]) is None  # one is inside the other


@pytest.mark.parametrize(("start", "new"), [("jnp.asarray(1.0)", "x.dtype"), ("1.0", "jnp.result_type(x)")])
def test_a_weak_dtype_is_made_strong_and_other_calls_of_the_line_keep_theirs(
    start: str, new: str, tmp_path: Path
) -> None:
    body = f"""
@jax.jit
def step(x):
    return x * 2

def solve(x):
    return step(x)

def run():
    return [solve(x) for x in (jnp.float32(1), {start}, *LATER)]
"""
    head = f"{HEAD}\nLATER = ()\n"
    rec, _ = run(head + body, tmp_path)
    (found,) = rec.findings
    assert found.edit is not None
    assert found.edit.new == f"    return step(jnp.asarray(x, dtype={new}))"
    later = edited(head + body, found.edit).replace("LATER = ()", "LATER = (jnp.float16(1),)")
    assert [one.dtype.name for one in run(later, tmp_path)[1]] == ["float32", "float32", "float16"]
