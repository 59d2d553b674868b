"""Which line of a library reduces a padded axis."""

import json
from typing import Any

from jitviz.jaxcompat.texts.library_reductions import find_library_reduction

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
