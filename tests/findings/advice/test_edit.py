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
    "a bound method that is jitted in a loop": (
        "new_function",
        """
class Scale:
    def __init__(self, k):
        self.k = k

    def times(self, x):
        return x * self.k

def run():
    scale, results = Scale(2.0), []
    for _ in range(3):
        results.append(jax.jit(scale.times)(jnp.ones(3)))
    return results
""",
        """\
    made_once = jax.jit(scale.times)
    for _ in range(3):
        results.append(made_once(jnp.ones(3)))""",
    ),
    "a function that is jitted in a loop and closes over a local": (
        "new_function",
        """
def run():
    k, results = 2.0, []
    for _ in range(3):
        @jax.jit
        def step(x):
            return x * k

        results.append(step(jnp.ones(3)))
    return results
""",
        """\
    @jax.jit
    def step(x):
        return x * k
    for _ in range(3):""",
    ),
    "an optimiser that each epoch makes": (
        "static_identity",
        """
import optax

@functools.partial(jax.jit, static_argnames="opt")
def step(w, state, opt):
    updates, state = opt.update(w, state)
    return optax.apply_updates(w, updates), state

def epoch(w):
    opt = optax.adam(0.1)
    return step(w, opt.init(w), opt=opt)[0]

def run():
    return [epoch(jnp.ones(3)) for _ in range(3)]
""",
        """\
adam_once = optax.adam(0.1)


def epoch(w):
    opt = adam_once""",
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
    "a static field that is only computed with": (
        "static_value",
        """
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Noise:
    mean: Any
    scale: float = dataclasses.field(default=1.0, metadata=dict(static=True))

@jax.jit
def loss(noise):
    return noise.mean / noise.scale

def run():
    return [loss(Noise(jnp.ones(3), scale)) for scale in (0.5, 2.0, 4.0)]
""",
        "    scale: float = dataclasses.field(default=1.0)",
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
    assert n_compiles(again) == n_compiles(rec) - (found.saves or 0)
    assert all(map(np.array_equal, same, results))


def n_compiles(rec: Recording) -> int:
    """The compiles of the program's functions, not those outside any jit."""
    return sum(map(has_compiled, rec.compiles))


# What would not be the same if it were made once, above.
KEPT = {
    "it reads a parameter": "def go(k):\n    return jit(lambda x: x + k)(1)\n",
    "it reads what the loop sets": "for k in range(3):\n    jit(lambda x: x + k)(1)\n",
    "it reads what a loop in a function sets": "def go(a):\n    for k in a:\n        jit(lambda x: x + k)(1)\n",
    "it reads what is set twice": "k = 1\nk = 2\ndef go():\n    return jit(lambda x: x + k)(1)\n",
    "it reads what is set below": "def go():\n    return jit(lambda x: x + k)(1)\n\nk = 2\n",
    "it reads what a function may set": "k = 1\ndef go():\n    global k\n    return jit(lambda x: x + k)(1)\n",
    "its default is a local": "def go(k):\n    return jit(lambda x, k=k: x + k)(1)\n",
    "the loop changes it": "def go(k):\n    for i in a:\n        jit(lambda x: x + k.n)(1)\n        k.n = i\n",
    "the loop calls its method": "def go(k):\n    for i in a:\n        jit(lambda x: x + k.n)(1)\n        k.add(i)\n",
    "it is set below": "def go():\n    for i in a:\n        k and jit(lambda x: x + k)(1)\n    k = 1\n",
    "it is set in a branch": "def go(a):\n    if a:\n        k = 1\n    for i in a:\n        jit(lambda x: x + k)(1)\n",
    "it runs once": "jit(lambda x: x + 1)(1)\n",
}


def test_what_a_call_of_a_call_makes_has_no_name_of_its_own() -> None:
    source = Source("a.py", "import optax\ndef go(x):\n    return optax.chain(optax.sgd(0.1))[0](0.1)(x)\n")
    assert [new for *_, new in source.made_by("optax")] == [
        "chain_once = optax.chain(optax.sgd(0.1))\n\n\n",
        "chain_once",
    ]


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


def test_what_is_jitted_anew_and_computes_with_other_numbers_is_not_made_once(tmp_path: Path) -> None:
    body = """
class Scale:
    k = 1.0

    def times(self, x):
        return x * self.k

def grow(scale):
    scale.k += 1

def run():
    scale, results = Scale(), []
    for _ in range(3):
        results.append(jax.jit(scale.times)(jnp.ones(3)))
        grow(scale)
    return results
"""
    rec, _ = run(HEAD + body, tmp_path)
    assert {one.edit for one in rec.findings if one.reason == "new_function"} <= {None}


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


def test_a_loop_whose_condition_reads_a_local_keeps_its_body_where_it_is(tmp_path: Path) -> None:
    body = """
def halve(x):
    return jax.lax.while_loop(lambda y: (y > x / 9).all(), lambda y: y / 2, x)

def run():
    return [halve(jnp.ones(3)) for _ in range(3)]
"""
    rec, _ = run(HEAD + body, tmp_path)
    assert [one.edit for one in rec.findings if one.reason == "new_function"] == [None]


def test_a_source_with_a_secret_in_the_line_has_no_edit() -> None:
    source = Source("a.py", "call('<redacted, 40 characters>')\n")
    assert source.edit([(0, 4, "other")]) is None


def test_an_edit_that_is_no_python_is_none() -> None:
    assert Source("a.py", "f(x)\n").edit([(0, 1, "f(")]) is None
