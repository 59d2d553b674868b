from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.views.program import shape_links
from jitviz.views.schema import Links

from . import programs, unrolled

X = jnp.ones(4)
WS = [jnp.ones((4, 4))] * 20
LEAVES = {f"leaf{number}": jnp.ones((2, 3)) for number in range(80)}
FUNNEL = [np.ones((size, size - 1), np.float32) for size in range(30, 4, -1)]


ARGS: dict[Any, tuple[Any, ...]] = {
    unrolled.over_parameters: (WS, X),
    unrolled.over_several_lines: (WS, X),
    unrolled.over_range: (X,),
    unrolled.that_collects: (X,),
    unrolled.while_true: (X,),
    unrolled.in_a_comprehension: (WS, X),
    unrolled.over_rows: (jnp.ones((64, 4)),),
    unrolled.over_rows_in_a_comprehension: (jnp.ones((64, 4)),),
    unrolled.nested: (X,),
    unrolled.over_leaves: (LEAVES,),
    unrolled.over_items: (LEAVES,),
    unrolled.over_other_shapes: (FUNNEL, jnp.ones(30)),
    unrolled.a_short_loop: (X,),
    unrolled.a_jitted_body: (WS, X),
    unrolled.a_scan: (jnp.ones((20, 4, 4)), X),
}


@functools.cache
def links_of(function: Any) -> Links:
    return shape_links(*programs.record(function, *ARGS[function]))


def line_of(text: str) -> int:
    return programs.line_in(unrolled, text)


@pytest.mark.parametrize(
    ("function", "line", "turns", "share", "advice"),
    [
        (
            unrolled.over_parameters,
            "# over_parameters",
            20,
            1.0,
            "Stack `ws` along a new first axis and run `jax.lax.scan` over it with `x` as the carry, so "
            "that the body is traced once instead of 20 times.",
        ),
        (
            unrolled.over_several_lines,
            "# over_several_lines",
            20,
            1.0,
            "Stack the values that the loop iterates over along a new first axis and run "
            "`jax.lax.scan` over them with `x` as the carry, so that the body is traced once instead of 20 times.",
        ),
        (
            unrolled.over_range,
            "in range(100)",
            100,
            1.0,
            "Use `jax.lax.fori_loop` with `x` as the carry, so that the body is traced once instead of 100 times."
            " If each iteration has its own parameters, stack them along a new first axis and use `jax.lax.scan`.",
        ),
        (
            unrolled.that_collects,
            "# that_collects",
            100,
            1.0,
            "Use `jax.lax.scan` over `jnp.arange(100)` with `x` as the carry, so that the body is traced once instead "
            "of 100 times. Return what goes into `seen` as the second result of the body.",
        ),
        (
            unrolled.while_true,
            "# while_true",
            80,
            1.0,
            "Use `jax.lax.while_loop` with `x, n` as the carry, or `jax.lax.fori_loop` if the number of "
            "iterations is known, so that the body is traced once instead of 80 times.",
        ),
        (
            unrolled.in_a_comprehension,
            "# in_a_comprehension",
            20,
            0.9,
            "Stack `ws` along a new first axis and use `jax.vmap` over it, so that the body is traced once instead of "
            "20 times; nothing is carried from one iteration to the next.",
        ),
        (
            unrolled.nested,
            "# nested",
            100,
            1.0,
            "Use `jax.lax.fori_loop` with `x` as the carry, so that the body is traced once instead of 100 times."
            " If each iteration has its own parameters, stack them along a new first axis and use `jax.lax.scan`."
            " Do the same with the loop inside it, at `tests/views/program/unrolled.py:64`.",
        ),
    ],
)
def test_an_unrolled_loop_gets_advice(
    function: Callable[..., Any], line: str, turns: int, share: float, advice: str
) -> None:
    links = links_of(function)
    (told,) = links.advice
    made = int(told.summary.split(" ")[2].replace(",", ""))
    assert made >= share * links.equations
    assert told.line == line_of(line)
    assert told.summary == (
        f"line {told.line}: {made:,} of {links.equations:,} equations, unrolled into {turns} iterations"
    )
    assert told.advice == advice
    assert links.files[told.file] == "tests/views/program/unrolled.py"


@pytest.mark.parametrize(
    "function",
    [
        unrolled.over_leaves,
        unrolled.over_items,
        unrolled.over_other_shapes,
        unrolled.a_scan,
    ],
)
def test_a_loop_that_a_scan_would_not_help_gets_no_advice(function: Callable[..., Any]) -> None:
    assert links_of(function).advice == ()


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (unrolled.a_short_loop, "called 21 times, 12 of them with the inputs of an earlier one"),
        (unrolled.a_jitted_body, "400 of 400 once XLA inlines nested jits, unrolled into 20 iterations"),
    ],
)
def test_calls_in_a_short_loop_and_nested_jits_are_counted(function: Callable[..., Any], told: str) -> None:
    (advice,) = links_of(function).advice
    assert advice.summary.endswith(told)


@pytest.mark.parametrize("function", [unrolled.over_rows, unrolled.over_rows_in_a_comprehension])
def test_a_loop_over_the_rows_of_an_array_is_mapped_over_its_first_axis(function: Callable[..., Any]) -> None:
    (told,) = links_of(function).advice
    assert told.advice == (
        "Use `jax.vmap` over the first axis of `xs`, so that the body is traced once instead of 64 times; nothing is "
        "carried from one iteration to the next."
    )


def test_the_turns_of_what_a_gradient_computes_again_are_those_of_the_loop() -> None:
    def loss(x: Any) -> Any:
        part = jax.checkpoint(unrolled.over_range.__wrapped__)
        return part(part(x)).sum()

    work = shape_links(*programs.record(jax.jit(jax.grad(loss)), X)).lines
    repeats = dict(zip(work.line, work.repeats, strict=True))
    body = line_of("in range(100)") + 1
    assert (repeats[body], repeats[body + 1]) == (200, 200)


def test_the_loops_without_advice_are_long_enough_for_it() -> None:
    """Otherwise the test above could not fail."""
    long = (unrolled.over_leaves, unrolled.over_items, unrolled.over_other_shapes, unrolled.a_short_loop)
    assert min(links_of(function).equations for function in long) >= 300


def test_the_lines_of_an_unrolled_loop_have_their_repeats() -> None:
    links = links_of(unrolled.over_parameters)
    repeats = dict(zip(links.lines.line, links.lines.repeats, strict=True))
    body = line_of("# over_parameters") + 1
    layer = line_of("def layer")
    assert repeats == {body: 20, layer + 1: 20, layer + 2: 20, layer + 3: 20}


def test_a_line_that_is_called_from_several_lines_of_a_loop_ran_for_each() -> None:
    work = shape_links(*programs.transformer()).lines
    repeats = dict(zip(zip(work.file, work.line, strict=True), work.repeats, strict=True))
    assert repeats[0, programs.line_of("body")] == programs.BLOCKS
    assert repeats[0, programs.line_of("norm")] == 2 * programs.BLOCKS
    assert repeats[0, programs.line_of("logits")] == 1


def test_a_loop_of_a_cut_program_gets_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jitviz.capture.programs.equations.MOST", 201)
    unrolled.over_range.clear_cache()
    links = shape_links(*programs.record(unrolled.over_range, X))
    unrolled.over_range.clear_cache()
    assert [one.summary.split(": ")[1] for one in links.advice] == ["201 of 201 equations, unrolled into 51 iterations"]
    assert links.note == "The program is so long that only its first 201 equations are counted and linked."


def test_the_advised_scan_gives_the_same_result() -> None:
    looped, scanned = links_of(unrolled.over_parameters), links_of(unrolled.a_scan)
    assert scanned.equations < looped.equations / 10
    assert jnp.allclose(unrolled.over_parameters(WS, X), unrolled.a_scan(jnp.stack(WS), X))
