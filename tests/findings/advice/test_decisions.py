"""What needs the Python value of a static number that the programs only compute with."""

import re
from pathlib import Path

import pytest

from .test_edit import HEAD, run

BRANCH = " First write `jnp.where` or `jax.lax.cond` in place of `{}` at {}, which needs its value."
VALUE = " `float(n)` at LINE needs its value: compute that with `jnp`, or keep it static."
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
    "    return unknown(x, n)": " First look at `unknown(x, n)` at LINE: a branch or a loop on `n` in there needs its "
    "value.",
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
