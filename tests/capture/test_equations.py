"""A jaxpr as JSON: the origin and cost of each equation, and the names of constants."""

import json
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import Primitive
from jax.interpreters import mlir

import jitviz
from jitviz.capture.programs import equations

from .cells import run_cell
from .samples import JITS

X = np.ones(3, np.float32)


def double(x: Any) -> Any:
    return x * 2.0


def recorded(run: Any) -> dict[str, Any]:
    """The equations of the only compile that `run` causes."""
    with jitviz.record() as rec:
        run()
    assert rec.facts.failures == []
    (compile_,) = rec.compiles
    found: dict[str, Any] = json.loads(compile_.equations or "")
    return found


def frames_of(program: dict[str, Any], at: int) -> list[tuple[str, int]]:
    """(function, line) of a stack, outermost first."""
    found = []
    while at != -1:
        frame, at = program["stacks"][at]
        found.append((program["frames"][frame][1], program["frames"][frame][2]))
    return found[::-1]


def test_the_whole_of_a_small_program(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = run_cell(
        "import jax\ndef double(x):\n    return x * 2.0\ndef f(x):\n    return -double(x)\n", "In [7]", monkeypatch
    )
    assert recorded(lambda: jax.jit(cell["f"])(X)) == {
        "trace": 0,
        "inputs": [["v0", "f32[3]"]],
        "constants": [],
        "equations": [
            {
                "primitive": "mul",
                "in": ["v0", "2.0"],
                "out": [["v1", "f32[3]"]],
                "at": 1,
                "source": "In [7]:3",
                "line": 1,
            },
            {
                "primitive": "neg",
                "in": ["v1"],
                "out": [["v2", "f32[3]"]],
                "at": 2,
                "source": "In [7]:5",
                "line": 2,
            },
        ],
        "outputs": ["v2"],
        "frames": [
            ["In [7]", "f", 5, 12, 5, 21],
            ["In [7]", "double", 3, 11, 3, 18],
            ["In [7]", "f", 5, 11, 5, 21],
        ],
        "stacks": [[0, -1], [1, 0], [2, -1]],
    }


CELL = """\
import jax, jax.numpy as jnp

@jax.jit
def inner(x):
    return jnp.sin(x)

def body(carry, x):
    return carry + inner(x), None

def f(x):
    return jax.lax.scan(body, 0.0, x)[0]
"""


def test_an_inner_equation_has_its_stack_inside_that_of_the_outer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    program = recorded(lambda: jax.jit(run_cell(CELL, "In [1]", monkeypatch)["f"])(X))
    (scan,) = (equation for equation in program["equations"] if equation["primitive"] == "scan")
    assert (scan["times"], frames_of(program, scan["at"])) == (3, [("f", 11)])
    ((_, inside),) = scan["programs"]
    call, *_, addition = inside["equations"]
    assert (call["label"], frames_of(program, call["at"])) == ("inner", [("f", 11), ("body", 8)])
    assert frames_of(program, addition["at"]) == [("f", 11), ("body", 8)]
    sine = call["programs"][0][1]["equations"][0]
    assert (sine["primitive"], frames_of(program, sine["at"])) == ("sin", [("f", 11), ("body", 8), ("inner", 5)])
    assert all(parent < place for place, (_, parent) in enumerate(program["stacks"]))


def test_an_equation_of_a_library_has_its_caller_in_its_stack() -> None:
    import optax

    def loss(x: Any) -> Any:
        return optax.losses.huber_loss(x).sum()

    program = recorded(lambda: jax.jit(loss)(X))
    stacks = [frames_of(program, equation["at"]) for equation in program["equations"] if "at" in equation]
    assert all(stack[0] == (loss.__qualname__, loss.__code__.co_firstlineno + 1) for stack in stacks)
    assert any(len(stack) > 1 and stack[1][0] == "huber_loss" for stack in stacks)
    files = {frame[0] for frame in program["frames"]}
    assert files == {"tests/capture/test_equations.py", "optax/losses/_regression.py"}
    assert {equation["source"].rpartition(":")[0] for equation in program["equations"]} == {
        "tests/capture/test_equations.py"
    }


def test_an_equation_of_a_library_alone_has_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equations, "frame_owner", lambda name: "library" if name == __file__ else "jax")
    (equation,) = recorded(lambda: jax.jit(double)(X))["equations"]
    assert equation["source"].endswith(f"test_equations.py:{double.__code__.co_firstlineno + 1}")


@pytest.mark.parametrize("api", ["equinox.filter_jit", "jitviz.filter_jit"])
def test_a_wrapper_around_the_users_function_is_not_in_the_stack(api: str) -> None:
    gradient = {"equinox.filter_jit": eqx.filter_grad, "jitviz.filter_jit": jitviz.filter_grad}[api]

    def loss(x: Any) -> Any:
        return jnp.sin(x).sum()

    program = recorded(lambda: JITS[api](gradient(loss))(X))
    assert {frame[0] for frame in program["frames"]} == {"tests/capture/test_equations.py"}
    assert {frames_of(program, equation["at"])[0][0] for equation in program["equations"]} == {loss.__qualname__}


def test_forward_and_backward_equations_differ_in_their_name_stack() -> None:
    program = recorded(lambda: jax.jit(jax.value_and_grad(lambda x: jnp.sin(x).sum()))(X))
    assert {(equation["primitive"], equation["stack"]) for equation in program["equations"]} == {
        ("sin", "jvp()"),
        ("cos", "jvp()"),
        ("reduce_sum", "jvp()"),
        ("broadcast_in_dim", "transpose(jvp())"),
        ("mul", "transpose(jvp())"),
    }


def test_a_program_with_too_many_equations_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equations, "MOST", 3)

    def many(x: Any) -> Any:
        for _ in range(5):
            x = jnp.sin(x)
        return x

    program = recorded(lambda: jax.jit(many)(X))
    assert (program["is_cut"], len(program["equations"])) == (True, 3)
    assert program["outputs"] != []


def test_the_names_of_scopes_and_primitives_are_escaped() -> None:
    name = 'a "quoted" name'
    same = Primitive(name)
    same.def_abstract_eval(lambda aval: aval)
    mlir.register_lowering(same, lambda _context, operand: [operand])

    def scoped(x: Any) -> Any:
        with jax.named_scope(name):
            return same.bind(x)

    (equation,) = recorded(lambda: jax.jit(scoped)(X))["equations"]
    assert (equation["primitive"], equation["stack"]) == (name, name)
