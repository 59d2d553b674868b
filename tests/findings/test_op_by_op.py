"""Programs outside any jit that come from one line are one row, with what they differ by."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from jitviz.findings.op_by_op import advise, gather, gather_by_process
from jitviz.model import OpByOp


def ops(
    inputs: Sequence[tuple[str, ...]], line: str, name: str = "jnp.median", source: str = "train.py:12"
) -> list[OpByOp]:
    return [OpByOp(name, "median", one, source, line, (source,), 0.0, 1.0, 0.0, 0.0, 1.0) for one in inputs]


LENGTHS = [("f32[3]",), ("f32[4]",), ("f32[5]",)]


@pytest.mark.parametrize(
    ("inputs", "line", "told"),
    [
        (LENGTHS, "x = jnp.median(rewards)", "3 times, once per length of `rewards`"),
        (LENGTHS, "x = jnp.median(buffer.rewards[:n])", "3 times, once per length of `buffer.rewards[:n]`"),
        (LENGTHS, "x = rewards.median()", "3 times, once per length of `rewards`"),
        (LENGTHS, "if jnp.median(rewards) > 0:", "3 times, once per length of `rewards`"),
        (LENGTHS, "elif jnp.median(rewards) > 0:", "3 times, once per length of `rewards`"),
        (LENGTHS, "jnp.median(f(rewards))", "3 times, once per length of its input (f32[3], f32[4], …)"),
        (LENGTHS, "jnp.median(", "3 times, once per length of its input (f32[3], f32[4], …)"),
        (LENGTHS, "jnp.median(a) + jnp.median(b)", "3 times, once per length of its input (f32[3], f32[4], …)"),
        (LENGTHS, "jnp.median(*rows)", "3 times, once per length of its input (f32[3], f32[4], …)"),
        ([*LENGTHS, LENGTHS[0]], "jnp.median(x)", "4 times, for 3 lengths of `x`"),
        ([("f32[2,3]",), ("f32[2,4]",)], "jnp.median(x)", "2 times, once per size of axis 1 of `x`"),
        ([("f32[2,3]",), ("f32[3]",)], "jnp.median(x)", "2 times, once per shape of `x`"),
        ([("f32[3]",), ("i32[3]",)], "jnp.median(x)", "2 times, once per dtype of `x`"),
        ([("f32[3]", "i32[1]"), ("f32[3]", "i32[2]")], "jnp.median(x, y)", "2 times, once per length of `y`"),
        (
            [("f32[3]", "i32[1]"), ("f32[3]", "i32[2]")],
            "jnp.median(x, 3, y)",
            "2 times, once per length of its input (i32[1], i32[2])",
        ),
        (LENGTHS, "jnp.median(jnp.add, rewards)", "3 times, once per length of `rewards`"),
        ([("f32[3]",), ("f32[3]",)], "jnp.median(x)", "2 times"),
        ([("f32[3]",)], "jnp.median(x)", "once"),
    ],
)
def test_a_row_says_how_often_and_what_it_varies_with(inputs: list[tuple[str, ...]], line: str, told: str) -> None:
    (row,) = gather(ops(inputs, line))
    assert row.summary == f"`jnp.median` at train.py:12 compiled {told}"


NUMBERS = [
    replace(op, n_inputs=number)
    for number, op in enumerate(ops([("f32[]",) * 2] * 7, "x = jnp.array(losses)", "jnp.array"), 2)
]


def test_the_elements_of_a_growing_list_are_a_number_of_inputs() -> None:
    (row,) = gather(NUMBERS)
    assert row.summary == "`jnp.array` at train.py:12 compiled 7 times, once per number of inputs"
    assert row.is_repeated
    assert advise(row, 7) == (
        "Join the arrays with NumPy, which compiles nothing; or compute them in one `jax.lax.scan`, which returns "
        "them joined."
    )


def test_the_steps_that_join_one_list_are_no_growing_list() -> None:
    (row,) = gather(NUMBERS[:4])
    assert row.summary == "`jnp.array` at train.py:12 compiled 4 times"
    assert not row.is_repeated


@pytest.mark.parametrize(("n_inputs", "seconds", "is_wide"), [(2000, 1.5, True), (2000, 0.1, False), (16, 1.5, False)])
def test_a_slow_program_of_many_inputs_is_wide(n_inputs: int, seconds: float, is_wide: bool) -> None:
    (row,) = gather([replace(NUMBERS[0], n_inputs=n_inputs, span_s=seconds)])
    assert row.is_wide == is_wide
    assert (f", with {n_inputs:,} inputs" in row.summary) == (n_inputs == 2000)


def test_rows_come_by_their_seconds_and_keep_lines_apart() -> None:
    rows = gather([*ops(LENGTHS[:1], "jnp.median(x)", source="a.py:1"), *ops(LENGTHS, "jnp.median(x)")])
    assert [(row.source, row.count, row.seconds) for row in rows] == [("train.py:12", 3, 3.0), ("a.py:1", 1, 1.0)]


def test_what_each_process_compiles_once_is_no_repetition() -> None:
    rows = [
        OpByOp("jnp.ones", inputs=(f"f32[{size}]",), source="train.py:3", span_s=index, thread=f"process {index}{of}")
        for index in range(12)
        for size, of in ((2, ""), (3, " loader"))
    ]
    (line,) = gather_by_process(rows, [f"process {index}" for index in range(12)])
    assert (line.count, line.is_repeated, line.seconds) == (2, False, 22)
    assert line.summary.endswith(", in 12 processes (the slowest is counted)")
