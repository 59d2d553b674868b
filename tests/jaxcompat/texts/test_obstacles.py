"""Which line of a library reduces a padded axis, and what the source says of JAX's own decorators."""

import json
from typing import Any

from jitviz.jaxcompat.texts.obstacles import find_library_reduction, given_by_nondiff

MEAN = {"primitive": "reduce_sum", "in": ["x"], "out": [["y", "f32[4]"]], "at": 0, "source": "train.py:3"}


def program(**changed: Any) -> str:
    return json.dumps({
        "inputs": [["x", "f32[32,4]"]],
        "frames": [["flax/nnx/normalization.py", "", 260]],
        "stacks": [[0]],
        "equations": [MEAN | changed],
    })  # fmt: skip


def test_the_line_of_a_library_that_reduces_an_axis_of_one_of_the_sizes_is_named() -> None:
    assert find_library_reduction(program(), [32, 48]) == "flax/nnx/normalization.py:260"
    assert find_library_reduction(program(), [48]) == ""


def test_a_line_of_the_users_own_a_gradient_and_another_operation_are_none() -> None:
    others: list[dict[str, Any]] = [
        {"source": "flax/nnx/normalization.py:260"},
        {"stack": "transpose(jvp(step))"},
        {"primitive": "sort"},
    ]
    assert [find_library_reduction(program(**other), [32]) for other in others] == [""] * 3


def test_a_reduction_inside_an_inner_program_is_found() -> None:
    inner = json.loads(program())
    outer = {**inner, "equations": [{"primitive": "jit", "in": ["x"], "out": [], "programs": [["jaxpr", inner]]}]}
    assert find_library_reduction(json.dumps(outer), [32]) == "flax/nnx/normalization.py:260"


TEXT = """
@partial(jax.custom_vjp, nondiff_argnums=(0,))
def solve(f, x):
    return f(x)

@jax.jit
def step(g, x, rate):
    return solve(g, x * rate)

def other(h, x):
    return h(x)
"""


def test_names_that_are_given_to_a_function_with_nondiff_argnums_are_found_at_its_line_or_its_decorators() -> None:
    assert [given_by_nondiff(TEXT, line) for line in (6, 7, 10)] == [{"g"}, {"g"}, set()]


def test_a_text_without_them_or_that_is_no_python_gives_none() -> None:
    assert given_by_nondiff("def f(x): return x", 1) == given_by_nondiff("nondiff_argnums (", 1) == set()
