"""What needs the Python value of a static number that the programs only compute with."""

import itertools
import re
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax
import pytest

import jitviz
from jitviz.findings.fixes.decisions import TRACED
from jitviz.reasons.kinds.static_value import UNLESS

from .test_edit import HEAD, run

BRANCH = " First write `jnp.where` or `jax.lax.cond` in place of `{}` at {}, which needs its value."
VALUE = " `float(n)` at LINE needs its value: compute that with `jnp`, or keep it static."
LOOK = " First look at `{}` at LINE: a branch, a loop or a static parameter in there needs the value of `n`."
USES = {
    "    if n == 0:\n        return x\n    return x * n": BRANCH.format("if n == 0:", "LINE"),
    "    y = x if n > 7 and x.ndim else -x\n    return y * n": BRANCH.format(
        "y = x if n > 7 and x.ndim else -x", "LINE"
    ),
    "    m = float(n)\n    return x * m": VALUE,
    "    if n is None:\n        return x\n    return x * n": "",
    "    if x.ndim:\n        x = x * n\n    return x": "",
    "    return x * math.sqrt(n)": VALUE.replace("float(n)", "math.sqrt(n)"),
    "    return x + np.linspace(0, n, 3)": VALUE.replace("float(n)", "np.linspace(0, n, 3)"),
    "    return x * WEIGHTS[n]": VALUE.replace("float(n)", "WEIGHTS[n]"),
    "    return x * max(n, 0.1)": VALUE.replace("float(n)", "max(n, 0.1)"),
    "    half = n / 2\n    return x * float(half)": VALUE.replace("float(n)", "float(half)"),
    "    return damped(x, n)": BRANCH.format("if by > 9:", "HELPER"),
    "    return damped(x, by=n)": BRANCH.format("if by > 9:", "HELPER"),
    "    return x * halved(n)": "",
    "    return unknown(x, n)": LOOK.format("unknown(x, n)"),
    "    return jnp.round(x, int(4 * n))": VALUE.replace("float(n)", "int(4 * n)"),
    "    return x * optax.linear_schedule(0.0, 1.0, n)(3)": LOOK.format("optax.linear_schedule(0.0, 1.0, n)"),
    "    return x + jnp.arange(n, n + 3)": LOOK.format("jnp.arange(n, n + 3)"),
    "    return jnp.repeat(x * n, 2)": "",
    "    return jnp.full(3, n) + x.at[0].set(n) + jnp.clip(x, -n, n)": "",
}
HELPERS = """
WEIGHTS = {0.25: 1.0, 0.5: 2.0, 0.75: 3.0}
unknown = jnp.multiply

def halved(n):
    return n / 2

def damped(x, by):
    if by > 9:
        return x
    return x * by
"""


@pytest.mark.parametrize("use", USES)
def test_what_needs_the_value_is_said_before_it_is_traced(use: str, tmp_path: Path) -> None:
    program = f"""import math
import optax
{HELPERS}
@functools.partial(jax.jit, static_argnames="n")
def scaled(x, n):
{use}

def run():
    return [scaled(jnp.ones(3), n=n) for n in (0.25, 0.5, 0.75)]
"""
    rec, _ = run(HEAD + program, tmp_path)
    (found,) = (one for one in rec.findings if one.reason == "static_value")
    advice = "Since the program only computes with it, remove `n` from `static_argnums` and `static_argnames`."
    lines = (HEAD + program).split("\n")
    told = re.sub(r"\S+\.py:(\d+)", lambda at: "LINE" if lines[int(at[1]) - 1] in use else "HELPER", found.advice)
    assert told == advice + USES[use]


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")
@pytest.mark.parametrize("name", sorted(TRACED - {"cond", "switch", "while_loop"}))
def test_a_function_of_jax_that_is_not_looked_at_takes_a_traced_number(name: str) -> None:
    found = (getattr(home, name, None) for home in (jnp, jax.random, jax.nn, jax.scipy.special, jax.lax, optax))
    function = next(filter(None, found))
    x, key = jnp.ones(3), jax.random.key(0)
    forms = [("n",), ("x", "n"), ("n", "x"), ("x", "n", "n"), ("size", "n"), ("key", "n")]
    n_taken = 0
    for form, n in itertools.product(forms, (1.5, 2)):

        def used(n: Any, form: tuple[str, ...] = form) -> Any:
            given = {"n": n, "x": x, "size": 3, "key": key}
            return [leaf for leaf in jax.tree.leaves(function(*map(given.get, form))) if isinstance(leaf, jax.Array)]

        try:
            jax.eval_shape(partial(used, n))
        except (TypeError, ValueError, IndexError, NotImplementedError):  # it does not take such arguments at all
            continue
        jax.eval_shape(used, n)
        n_taken += 1
    assert n_taken


def test_the_doubt_stays_where_the_source_does_not_show_what_takes_the_number() -> None:
    one, other = jax.jit(lambda x, n: jnp.tril(x, n), static_argnums=1), (lambda x, n: x * n)  # noqa: F841
    with jitviz.record() as rec:
        for n in (1, 2):
            one(jnp.ones((3, 3)), n)
    (found,) = (one for one in rec.findings if one.reason == "static_value")
    assert found.advice.endswith(UNLESS)
