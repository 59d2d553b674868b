"""Edits of findings that have no code to paste: made, they save the recompile; where they are not certain, there is
none."""

import ast
from pathlib import Path

import numpy as np
import pytest

from jitviz.findings.fixes.source_text import Source

from .apply import edited
from .programs import HEAD
from .test_advice import run

# name -> (kind of the reason, program, what is new)
MADE = {
    "a lambda that is jitted in a loop": (
        "new_function",
        """
def run():
    results = []
    for _ in range(3):
        results.append(jax.jit(lambda x: x + 1)(jnp.ones(3)))
    return results
""",
        """\
made_once = jax.jit(lambda x: x + 1)


def run():
    results = []
    for _ in range(3):
        results.append(made_once(jnp.ones(3)))""",
    ),
    "a gradient that a helper jits": (
        "new_function",
        """
def loss(x):
    return (x**2).sum()

def slope(x):
    step = jax.jit(jax.grad(loss))
    return step(x)

def run():
    return [slope(jnp.ones(3)) for _ in range(3)]
""",
        """\
step_once = jax.jit(jax.grad(loss))


def slope(x):
    step = step_once""",
    ),
    "a jitted function inside another, with one that it calls": (
        "new_function",
        """
def train(x):
    def double(x):
        return 2 * x

    @jax.jit
    def step(x):
        return double(x) + 1

    return step(x)

def run():
    return [train(jnp.ones(3)) for _ in range(3)]
""",
        """\
def double(x):
    return 2 * x


@jax.jit
def step(x):
    return double(x) + 1


def train(x):
""",
    ),
    "the body of a loop": (
        "new_function",
        """
def total(x):
    return jax.lax.fori_loop(0, 3, lambda i, x: x + i, x)

def run():
    return [total(jnp.ones(3)) for _ in range(3)]
""",
        """\
made_once = lambda i, x: x + i


def total(x):
    return jax.lax.fori_loop(0, 3, made_once, x)""",
    ),
    "a static argument that is made for each call": (
        "static_identity",
        """
@functools.partial(jax.jit, static_argnames="act")
def apply(x, act):
    return act(x)

def run():
    return [apply(jnp.ones(3), lambda x: x * 2) for _ in range(3)]
""",
        """\
made_once = lambda x: x * 2


def run():
    return [apply(jnp.ones(3), made_once) for _ in range(3)]""",
    ),
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
    "caches that are cleared in a loop": (
        "cache_cleared",
        """
@jax.jit
def step(x):
    return x + 1

def run():
    results = []
    for _ in range(3):
        results.append(step(jnp.ones(3)))
        jax.clear_caches()
    return results
""",
        "    return results",
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
    assert all(map(np.array_equal, same, results))


# What would not be the same if it were made once, above.
KEPT = {
    "it reads a parameter": "def go(k):\n    return jit(lambda x: x + k)(1)\n",
    "it reads what the loop sets": "for k in range(3):\n    jit(lambda x: x + k)(1)\n",
    "it reads what is set twice": "k = 1\nk = 2\ndef go():\n    return jit(lambda x: x + k)(1)\n",
    "it reads what is set below": "def go():\n    return jit(lambda x: x + k)(1)\n\nk = 2\n",
    "it reads what a function may set": "k = 1\ndef go():\n    global k\n    return jit(lambda x: x + k)(1)\n",
    "its default is a local": "def go(k):\n    return jit(lambda x, k=k: x + k)(1)\n",
    "it runs once": "jit(lambda x: x + 1)(1)\n",
}


@pytest.mark.parametrize("name", KEPT)
def test_what_depends_on_where_it_is_made_stays_there(name: str) -> None:
    source = Source("a.py", "from jax import jit\n" + KEPT[name])
    (call,) = (one for one in source.all(ast.Call) if isinstance(one.func, ast.Call))
    assert source.made_once(call.func, call) == []


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


def test_a_source_with_a_secret_in_the_line_has_no_edit() -> None:
    source = Source("a.py", "call('<redacted, 40 characters>')\n")
    assert source.edit([(0, 4, "other")]) is None


def test_an_edit_that_is_no_python_is_none() -> None:
    assert Source("a.py", "f(x)\n").edit([(0, 1, "f(")]) is None
