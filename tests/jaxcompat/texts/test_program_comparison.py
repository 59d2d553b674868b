from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jitviz.jaxcompat.jaxprs import module_bytecode, stablehlo_text
from jitviz.jaxcompat.texts.locations import plain_stablehlo
from jitviz.jaxcompat.texts.program_comparison import compare_programs, fingerprint

from .program_pairs import CASES, Case

X = jnp.ones((4, 4))


def text_of(f: Callable[..., Any], *args: Any, **options: Any) -> str:
    """The text of a program as a recording keeps it; for findings alone, it is kept without its locations."""
    bytecode = module_bytecode(jax.jit(f, **options).lower(*args).compiler_ir())
    text = stablehlo_text(bytecode)
    assert plain_stablehlo(text) == plain_stablehlo(stablehlo_text(bytecode, has_locations=False))
    return text


def two_relus(x: jax.Array) -> jax.Array:
    return jax.nn.relu(x) - jax.nn.softmax(x)


def renamed_two_relus(y: jax.Array) -> jax.Array:
    doubled = jax.nn.relu(y)

    return doubled - jax.nn.softmax(y)


def test_names_and_places_do_not_count() -> None:
    text, other = text_of(two_relus, X), text_of(renamed_two_relus, X)
    assert text != other
    assert fingerprint(text) == fingerprint(plain_stablehlo(text)) == fingerprint(other)
    assert len(fingerprint(text)) == 32


def test_the_names_of_outputs_do_not_count() -> None:
    assert fingerprint(text_of(lambda x: {"a": x}, X)) == fingerprint(text_of(lambda x: [x], X))


def test_another_operation_counts() -> None:
    assert fingerprint(text_of(lambda x, y: x - y, X, X)) != fingerprint(text_of(lambda x, y: y - x, X, X))


MODULE = """\
module @jit_f {{
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {{
    %0 = call @{first}(%arg0) : (tensor<f32>) -> tensor<f32>
    %1 = call @{second}(%0) : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.custom_call @sine(%1) {{format = "%0 and @sine"}} : (tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }}
{functions}
}}
"""
FUNCTION = """\
  func.func private @{name}(%arg0: tensor<f32>) -> tensor<f32> {{
    %{value} = stablehlo.{operation} %arg0 : tensor<f32>
    return %{value} : tensor<f32>
  }}"""


def module(first: str, second: str, *functions: tuple[str, str, str]) -> str:
    written = [FUNCTION.format(name=name, operation=does, value=value) for name, does, value in functions]
    return MODULE.format(first=first, second=second, functions="\n".join(written))


def test_functions_are_known_by_what_they_do() -> None:
    program = module("sine", "cosine", ("sine", "sine", "0"), ("cosine", "cosine", "0"))
    other_order = module("sine", "cosine", ("cosine", "cosine", "0"), ("sine", "sine", "0"))
    other_names = module("f", "g_0", ("g_0", "cosine", "c_3"), ("f", "sine", "cst"), ("unused", "tanh", "0"))
    assert fingerprint(program) == fingerprint(other_order) == fingerprint(other_names)
    assert fingerprint(program) != fingerprint(
        module("sine", "cosine", ("sine", "cosine", "0"), ("cosine", "sine", "0"))
    )
    twice = module("f", "f", ("f", "sine", "0"))
    assert fingerprint(twice) == fingerprint(module("f", "f_0", ("f", "sine", "0"), ("f_0", "sine", "1")))
    assert fingerprint(twice) != fingerprint(program)


def test_what_is_called_outside_of_the_module_and_what_stands_in_strings_counts() -> None:
    program = module("f", "f", ("f", "sine", "0"))
    for changed in (program.replace("custom_call @sine", "custom_call @f"), program.replace('"%0', '"%1')):
        assert fingerprint(program) != fingerprint(changed)


def test_what_jit_is_told_counts() -> None:
    assert fingerprint(text_of(lambda x: x + 1, X)) != fingerprint(text_of(lambda x: x + 1, X, donate_argnums=0))


def test_a_module_that_cannot_be_read_has_a_fingerprint() -> None:
    texts = ["", "}", "module", "func.func @f(", "module @f {\n  func.func public @main(%", "%0 = %1#", "{-#\n"]
    texts += [
        "func.func @f() {\ncall @f() : () -> ()\n}",
        "func.func @a() {\ncall @b()\n}\nfunc.func @b() {\ncall @a()\n}",
    ]
    assert len({fingerprint(text) for text in texts}) > 6


CONSTANT_AT_THE_END = """\
func.func @f() {
  %c = stablehlo.constant dense_resource<NAME> : tensor<1xf32>
}
{-#
  dialect_resources: {
    builtin: {
      NAME: "0x04000000DATA"
    }
  }
#-}"""


def test_a_constant_that_stands_at_the_end_of_the_module_counts() -> None:
    found = [
        fingerprint(CONSTANT_AT_THE_END.replace("NAME", name).replace("DATA", data))
        for name, data in (("a", "0000803F"), ("b", "0000803F"), ("a", "00008040"))
    ]
    assert found[0] == found[1] != found[2]


SCRIPT = """
import jax, jax.numpy as jnp
from tests.jaxcompat.texts.test_program_comparison import X, fingerprint, text_of, two_relus
jax.jit(lambda x: jax.nn.relu(x) * 2)(X)
print(fingerprint(text_of(two_relus, X)))
"""


def test_another_process_finds_the_same_fingerprint() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    assert found.strip() == fingerprint(text_of(two_relus, X))


@pytest.mark.parametrize(
    "row",
    [
        '    %c = stablehlo.constant dense<"0x' + "AB" * 500_000 + '"> : tensor<250000xf32>',
        "    %c = stablehlo.constant dense<[" + "1.0, " * 200_000 + "1.0]> : tensor<200001xf32>",
        '    %0 = stablehlo.custom_call @f(%a) {note = "' + "{[" * 500_000 + '"} : (tensor<f32>) -> tensor<f32>',
        "    %0 = stablehlo.custom_call @f(%a) " + "{[" * 500_000 + " : (tensor<f32>) -> tensor<f32>",
        "    " + "%a = " * 200_000,
        "    return " + "%a, " * 250_000 + ": " + "tensor<f32>, " * 80_000,
        "    %0 = x " + "tensor<" * 150_000,
        "    %0 = x " + "dense<[[" * 130_000 + " : tensor",
        "    stablehlo.slice %0 [" + "0:1, " * 200_000,
        '    %0 = x "' + "\\" * 1_000_000,
        "    x " + '" loc(' * 200_000,
        "    x " + " loc((" * 200_000,
        "    func.func " * 100_000,
        "    " + "op_sharding_rule<" * 60_000,
        "    stablehlo.reduce_window" + " padding = dense<" * 60_000,
    ],
    ids=range(15),
)
def test_a_line_of_a_million_characters_is_read_to_its_end(row: str) -> None:
    """A reader whose time grows with the square of a line takes minutes for each of these."""
    text = f"module @m {{\n  func.func public @main(%a: tensor<f32>) {{\n{row}"
    assert fingerprint(f"{text}1\n  }}\n}}") != fingerprint(f"{text}2\n  }}\n}}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_programs_differ_in(case: Case) -> None:
    before, after = (text_of(f, *args) for f, args in (case.before, case.after))
    found = compare_programs(before, after)
    assert (found.kind, found.is_arithmetic) == (case.kind, case.is_arithmetic)
    assert case.words in ("", found.words)
    assert bool(found.numbers) == (found.kind == "numbers")
    assert bool(found.sizes) == (found.kind == "sizes")
    assert bool(found.words) == (found.kind in ("form", "other", "unseen"))
    if found.kind != "unseen":
        assert (found.kind == "same") == (fingerprint(before) == fingerprint(after))
    back = compare_programs(after, before)
    assert (back.kind, back.is_arithmetic) == (found.kind, found.is_arithmetic)
    assert back.numbers == tuple((new, old) for old, new in found.numbers)
    assert back.sizes == tuple((new, old) for old, new in found.sizes)


def test_calls_that_double_with_each_function_take_no_time_in_proportion() -> None:
    """Forty functions, each of which calls the next one twice, run 2**40 operations."""
    names = [f"f{number}" for number in range(41)]
    row = "    %{to} = call @{name}(%{value}) : (tensor<f32>) -> tensor<f32>\n"
    functions = [
        f"  func.func private @{name}(%a: tensor<f32>) -> tensor<f32> {{\n"
        + row.format(to=0, name=below, value="a")
        + row.format(to=1, name=below, value=0)
        + "    return %1 : tensor<f32>\n  }\n"
        for name, below in pairwise(names)
    ]
    text = module("f0", "f0", ("f40", "sine", "0")).replace("\n}\n", "\n" + "".join(functions) + "}\n")
    assert compare_programs(text, text.replace("stablehlo.sine", "stablehlo.tanh")).kind == "other"


def test_a_damaged_text_is_another_program() -> None:
    text = text_of(lambda x: jnp.sum(x, axis=0) * 2, X)
    damaged = text.replace("(tensor<f32>) -> tensor<4xf32>", "")
    assert damaged != text
    assert compare_programs(text, damaged).kind == "other"
    assert compare_programs(damaged, text).kind == "other"


def test_another_number_of_outputs_is_said() -> None:
    before, after = text_of(lambda x: (x + 1,), X), text_of(lambda x: (x + 1,) * 2, X)
    assert compare_programs(before, after).words == "2 outputs instead of 1"
    assert compare_programs(before, text_of(lambda x: (x + 1,), X, donate_argnums=0)).words == (
        "other arrays are donated or sharded"
    )
