import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.jaxcompat import frame_locals, jaxprs
from jitviz.jaxcompat.texts.program_comparison import compare_programs, fingerprint

from .watching import at_end


def test_jaxprs_of_the_same_equations_have_the_same_digest() -> None:
    def jaxpr(factor: float, size: int) -> Any:
        return jax.make_jaxpr(lambda x: x * np.full(size, factor, np.float32))(np.ones(size, np.float32))

    assert jaxprs.jaxpr_digest(jaxpr(1.0, 3)) == jaxprs.jaxpr_digest(jaxpr(2.0, 3))
    assert jaxprs.jaxpr_digest(jaxpr(1.0, 3)) != jaxprs.jaxpr_digest(jaxpr(1.0, 4))
    assert jaxprs.is_jaxpr(jaxpr(1.0, 3))
    assert not jaxprs.is_jaxpr("a jaxpr")


def test_equations_have_a_primitive_and_a_label() -> None:
    jaxpr = jax.make_jaxpr(lambda x: jax.jit(jnp.sin)(x) * 2.0)(1.0)
    inner = jaxprs.opened(jaxpr)
    facts = [jaxprs.equation_facts(equation) for equation in inner.eqns]
    assert [(fact.primitive, fact.label, len(fact.programs)) for fact in facts][-1] == ("mul", "", 0)
    assert any(fact.label == "sin" and fact.programs for fact in facts)
    assert jaxprs.aval_text(inner.invars[0].aval) == "f32[]"
    assert jaxprs.literal_text(facts[-1].inputs[1]) == "2.0"


def test_an_aval_has_the_bytes_of_its_array() -> None:
    (aval,) = jax.make_jaxpr(jnp.sin)(np.ones((3, 2), np.float32)).in_avals
    assert jaxprs.aval_nbytes(aval) == 24
    assert jaxprs.aval_nbytes(object()) == 0


def test_only_parameters_of_programs_alone_count_as_inner_programs() -> None:
    program = jax.make_jaxpr(jnp.sin)(1.0)
    assert jaxprs.inner_programs({"branches": (program, program)}) == [("branches", program)] * 2
    assert jaxprs.inner_programs({"flatten": [program, object()]}) == []  # as Equinox flattens its own primitives


def test_a_jaxpr_is_closed_with_its_constants() -> None:
    run = jax.jit(lambda x: x + np.arange(3.0)).trace
    jaxpr = at_end("trace", lambda: run(1.0), frame_locals.traced_jaxpr)[-1]
    assert len(jaxprs.constant_values(jaxpr)) == 1
    assert jaxprs.closed(jaxpr, ()) is jaxpr
    assert jaxprs.closed(None, ()) is None


def test_the_text_of_a_literal_is_its_value() -> None:
    values = (0, 2.5, True, 2 + 1j, float("inf"))
    jaxpr = jax.make_jaxpr(lambda: tuple(jnp.asarray(value) for value in values))()
    assert [jaxprs.literal_text(atom) for atom in jaxprs.opened(jaxpr).outvars] == [
        "0",
        "2.5",
        "True",
        "(2+1j)",
        "inf",
    ]


def test_an_array_has_the_bytes_of_its_elements_and_a_key_those_of_its_numbers() -> None:
    jaxpr = jax.make_jaxpr(lambda *inputs: inputs)(np.ones((3, 4), np.float32), True, jax.random.key(0))
    assert [jaxprs.aval_nbytes(var.aval) for var in jaxprs.opened(jaxpr).invars] == [48, 1, 8]


def test_an_equation_knows_how_often_its_programs_run_and_its_pass() -> None:
    def body(carry: Any, x: Any) -> Any:
        return carry * x, None

    jaxpr = jax.make_jaxpr(jax.grad(lambda x: jax.lax.scan(body, x, np.ones(7, np.float32))[0]))(1.0)
    facts = [jaxprs.equation_facts(equation) for equation in jaxprs.opened(jaxpr).eqns]
    scans = [(fact.times, str(fact.stack)) for fact in facts if fact.primitive == "scan"]
    assert scans == [(7, "jvp()"), (7, "transpose(jvp())")]


def test_an_equation_keeps_the_frames_that_made_it() -> None:
    def double(x: Any) -> Any:
        return x * 2.0

    (equation,) = jaxprs.opened(jax.make_jaxpr(double)(1.0)).eqns
    frames = jaxprs.raw_frames(jaxprs.equation_facts(equation).traceback)
    mine = [(code, offset) for code, offset in frames if code.co_filename == __file__]
    assert mine[-1][0] is double.__code__
    line = double.__code__.co_firstlineno + 1
    assert jaxprs.code_place(*mine[-1]) == (line, 15, line, 22)
    assert jaxprs.raw_frames(None) == []


def test_a_module_prints_with_its_locations() -> None:
    module = jax.jit(lambda x: x * 2.0).lower(np.ones(3, np.float32)).compiler_ir()
    text = jaxprs.stablehlo_text(jaxprs.module_bytecode(module))
    assert "stablehlo.multiply" in text
    assert re.search(rf'#loc\d* = loc\("{re.escape(__file__)}":\d+:\d+ to :\d+\)', text)
    assert "loc(" not in str(module)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64", "bool"])
def test_large_constants_are_named_by_their_numbers(dtype: str) -> None:
    def text_of(first: int, last: int) -> str:
        table, ones = jnp.array([first, *[0] * 9_998, last], dtype), jnp.ones(10_000, dtype)
        module = jax.jit(lambda: (table, ones)).lower().compiler_ir()
        assert jaxprs.constants_nbytes(module) > 1_000
        text = jaxprs.stablehlo_text(jaxprs.module_bytecode(module))
        assert fingerprint(jaxprs.module_text(module)) == fingerprint(text)
        return text

    assert len(text_of(1, 1)) < 8_000
    assert len(re.findall("dense_resource<array_[0-9a-f]{32}>", text_of(1, 1))) == 1  # equal numbers stay one number
    assert fingerprint(text_of(1, 1)) == fingerprint(text_of(1, 1))
    assert fingerprint(text_of(1, 1)) != fingerprint(text_of(1, 0))
    difference = compare_programs(text_of(1, 1), text_of(0, 1))
    assert (difference.kind, len(difference.numbers)) == ("numbers", 1)


def test_a_jaxpr_is_opened_to_its_equations_and_the_programs_inside() -> None:
    whole = jax.make_jaxpr(lambda x: jax.lax.scan(lambda carry, _: (carry + x, None), x, length=3))(1.0)
    assert isinstance(whole, jaxprs.JAXPR_TYPES)
    (scan,) = jaxprs.opened(whole).eqns
    ((name, inner),) = jaxprs.inner_programs(scan.params)
    assert name == "jaxpr"
    assert [equation.primitive.name for equation in jaxprs.opened(inner).eqns] == ["add"]


def test_the_cost_of_the_optimised_module_is_that_of_the_executable() -> None:
    executable = jax.jit(lambda x: x @ x).lower(np.ones((8, 8), np.float32)).compile().runtime_executable()
    told = executable.cost_analysis()
    assert jaxprs.hlo_cost(executable.client, executable.hlo_modules()[0]) == told
    assert told["flops"] > 500
