"""What needs the Python value of a static number that the programs only compute with."""

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
}


@pytest.mark.parametrize("use", USES)
def test_what_needs_the_value_is_said_before_it_is_traced(use: str, tmp_path: Path) -> None:
    program = f"""
@functools.partial(jax.jit, static_argnames="n")
def scaled(x, n):
{use}

def run():
    return [scaled(jnp.ones(3), n=n) for n in (0.25, 0.5, 0.75)]
"""
    rec, _ = run(HEAD + program, tmp_path)
    (found,) = (one for one in rec.findings if one.reason == "static_value")
    first = (HEAD + program).split("\n").index("def scaled(x, n):") + 2
    advice = "Since the program only computes with it, remove `n` from `static_argnums` and `static_argnames`."
    told = found.advice.replace(
        f"{rec.compiles[found.compiles[0]].function_info.defined_at.rpartition(':')[0]}:{first}", "LINE"
    )
    assert told == advice + USES[use]
