from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jitviz.jaxcompat import jaxprs, printing


def test_the_values_of_constants_are_the_closed_over_arrays() -> None:
    mine, table = jnp.arange(3.0), np.arange(4.0, dtype=np.float32)
    inner = jax.jit(lambda x: x + mine)
    jaxpr = jax.jit(lambda x: inner(x).sum() * table).trace(np.ones(3, np.float32)).jaxpr
    _, found = printing.copy_jaxpr(jaxpr)
    assert any(array is mine for array in found)
    assert any(np.shares_memory(array, table) for array in found if isinstance(array, np.ndarray))
    assert jaxprs.constant_values(jax.make_jaxpr(lambda x: x)(1.0)) == []


def test_the_lines_of_equations_in_the_text_of_a_jaxpr_are_known() -> None:
    @jax.jit
    def inner(x: Any) -> Any:
        return jnp.sin(x) * 2.0

    jaxpr = jax.jit(lambda x: -inner(x)).trace(np.ones(3, np.float32)).jaxpr
    text, lines = printing.jaxpr_text(printing.copy_jaxpr(jaxpr)[0])
    assert text == jaxpr.pretty_print(use_color=False)
    begins = [lines[number] for number in (1, 2, 3, 4)]
    assert begins == [1, 4, 5, 8]
    assert [text.split("\n")[line].split(" = ")[1].split()[0] for line in begins] == ["jit[", "sin", "mul", "neg"]


def test_an_equation_that_is_not_copied_hides_no_other() -> None:
    def root(x: Any) -> Any:  # on jax 0.12 a primitive that holds its programs itself
        return jax.lax.custom_root(lambda y: y - x, x, lambda f, y: y - f(y), lambda g, z: z / g(jnp.ones_like(z)))

    jaxpr = jax.jit(lambda x: -root(jnp.sin(x))).trace(np.ones(3, np.float32)).jaxpr
    text, lines = printing.jaxpr_text(printing.copy_jaxpr(jaxpr)[0])
    assert text == jaxpr.pretty_print(use_color=False)
    copy, _ = printing.copy_jaxpr(jaxpr)
    sine, _, negation = (jaxprs.equation_facts(equation) for equation in jaxprs.opened(copy.jaxpr).eqns)
    assert [text.split("\n")[lines[facts.traceback]].split(" = ")[1] for facts in (sine, negation)] == [
        "sin a",
        "neg c",
    ]
