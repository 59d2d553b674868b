"""What was not compiled ahead of time gets the line that would have done it."""

from pathlib import Path

import pytest

import jitviz
from jitviz.model.finding import Finding

from ..reasons.samples import array
from .runs import Run

PROGRAM = """\
import jax
import jax.numpy as jnp
import numpy as np
from jitviz import filter_jit

@{wrapper}
def prefill(params, tokens, scale=None, *, shift=2.0):
    return params * tokens.sum() + shift

params, made = np.ones(3, np.float32), lambda: np.float32(1)
prefill.lower(params, jax.ShapeDtypeStruct((32,), jnp.float32)).compile()
{added}
results = [{call} for size in (32, 48)]
"""


def found_in(folder: Path, call: str, *, wrapper: str = "jax.jit", added: str = "") -> list[Finding]:
    file = folder / "serve.py"
    file.write_text(PROGRAM.format(wrapper=wrapper, added=added, call=call))
    with jitviz.record() as rec:
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "serve"})
    return [one for one in rec.findings if one.kind == "not_warmed"]


@pytest.mark.parametrize("wrapper", ["jax.jit", "filter_jit"])
def test_the_line_that_is_pasted_beside_the_warm_ups_saves_the_compile(wrapper: str, tmp_path: Path) -> None:
    call = "prefill(params, np.ones(size, np.float32))"
    (found,) = found_in(tmp_path, call, wrapper=wrapper)
    line = "prefill.lower(params, jax.ShapeDtypeStruct((48,), jnp.float32)).compile()"
    assert (
        found.code
        == f"import jax\nimport jax.numpy as jnp\n\n# next to the other calls that compile ahead of time:\n{line}\n"
    )
    assert found_in(tmp_path, call, wrapper=wrapper, added=found.code) == []


def test_a_function_in_parentheses_is_still_the_one_to_lower(tmp_path: Path) -> None:
    (found,) = found_in(tmp_path, "(prefill)(params, np.ones(size, np.float32))")
    assert found.code.endswith("\nprefill.lower(params, jax.ShapeDtypeStruct((48,), jnp.float32)).compile()\n")


def test_a_size_that_was_left_out_is_reported_even_if_another_line_has_a_size_of_its_own() -> None:
    run = Run()
    run.warm("prefill", array("x", (32,)))
    for size, source in ((48, "serve.py:7"), (48, "serve.py:7"), (128, "serve.py:9")):
        run.call("prefill", array("x", (size,)), source=source)
    (found,) = run.end().findings
    assert (found.kind, found.source) == ("not_warmed", "serve.py:7")


@pytest.mark.parametrize(
    "call",
    [
        "prefill(made(), np.ones(size, np.float32))",  # would run the user's code once more
        "prefill(*(params, np.ones(size, np.float32)))",
        "prefill(params, np.ones(size, np.float32), shift=made())",
        "prefill(params, jax.device_put(np.ones(size, np.float32), jax.devices()[0]))",  # committed
    ],
)
def test_where_a_line_is_not_safe_there_is_none(call: str, tmp_path: Path) -> None:
    (found,) = found_in(tmp_path, call)
    assert found.code == ""
