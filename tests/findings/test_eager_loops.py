"""Loops of operations outside any jit: what to jit, what it is estimated to save, and what ran once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jitviz.model import EagerLine, Glance, OpByOp, Sample
from jitviz.model.finding import Finding
from jitviz.recording import Recording
from jitviz.recording import events as ev

LOOP = EagerLine("train.py:20", "", "train.py:19", 100)  # at the top level: `for …: p, s = step(p, s)`
STEP = EagerLine("train.py:7", "step", calls=100)


def eager(
    *stacks: tuple[float, str, tuple[EagerLine, ...]], wall_s: float = 10.0, more: tuple[ev.Event, ...] = ()
) -> Recording:
    """What the sampler sees for some seconds: the function that the innermost line is in, lines the outermost first."""
    at_s, samples, lines = 0.0, [], {}
    for spent_s, inside, stack in stacks:
        *above, innermost = (line.source for line in stack)
        seen = Glance(innermost, tuple(reversed(above)), inside, is_eager=True)
        samples.append(Sample(at_s, at_s + spent_s, seen))
        lines |= {line.source: line for line in stack}
        at_s += spent_s
    sampled = ev.LinesSampled(wall_s, tuple(samples), eager=tuple(lines.values()))
    return Recording([ev.RecordingStarted(0.0), *more, sampled, ev.RecordingFinished(wall_s)])


def told(rec: Recording) -> list[tuple[str, str, str, str]]:
    return [(one.kind, one.summary, one.advice, one.code) for one in rec.findings]


def the_one(rec: Recording) -> Finding:
    (found,) = rec.findings
    return found


def test_a_function_that_is_called_in_a_loop_is_to_be_jitted() -> None:
    rec = eager((1.0, "jnp.sin", (LOOP, STEP)), (2.0, "optax.adam", (LOOP, STEP)))
    assert told(rec) == [
        (
            "eager_loop",
            "`step`, called at train.py:20, is not jitted: its operations ran one by one, for 3.0 s of 10 s",
            "Jit `step`: it compiles once, and each call runs one program.",
            "step = jax.jit(step)  # once, after its definition",
        )
    ]
    found = the_one(rec)
    assert (found.function, found.source, found.seconds, found.count) == ("step", "train.py:20", 3.0, 100)
    assert (found.saves, found.saves_s, found.is_estimated) == (None, 1.5, True)  # a compile: 50 of at least 100 calls


def test_a_loop_that_only_creates_arrays_would_not_gain() -> None:
    assert told(eager((3.0, "jnp.ones", (LOOP,)), (0.2, "jnp.sin", (LOOP,)))) == []
    assert the_one(eager((3.0, "jnp.ones", (LOOP,)), (2.0, "jnp.sin", (LOOP,)))).seconds == 5.0


def test_a_function_that_one_line_calls_is_told_once_wherever_that_was_called_from() -> None:
    train = EagerLine("train.py:11", "train", "train.py:10", 100)
    at_top, in_loop = EagerLine("train.py:20"), EagerLine("train.py:30", "", "train.py:29", 2)
    rec = eager((1.0, "jnp.sin", (at_top, train, STEP)), (2.0, "jnp.sin", (in_loop, train, STEP)))
    found = the_one(rec)
    assert (found.function, found.source, found.seconds) == ("step", "train.py:11", 3.0)


def test_of_a_gradient_the_compile_is_estimated_as_shorter() -> None:
    step = EagerLine("train.py:7", "step", calls=100, through="grad")
    assert the_one(eager((3.0, "", (LOOP, step)))).saves_s == pytest.approx(3.0 - 20 * 3.0 / 100)


def test_what_the_operations_compiled_to_is_saved_as_well() -> None:
    op = ev.OpCompiled(9.0, OpByOp("jnp.sin", source="train.py:7", start_s=8.0, span_s=0.5))
    found = the_one(eager((3.0, "", (LOOP, STEP)), more=(op,)))
    assert (found.seconds, found.saves_s) == (3.5, 2.0)


def test_the_body_of_a_loop_that_differentiates_is_to_be_a_function() -> None:
    body = EagerLine("train.py:9", "train", "train.py:8", 100, "grad")
    loss = EagerLine("train.py:3", "loss", calls=100)
    rec = eager((2.0, "jnp.mean", (body, loss)), (1.0, "optax.adam", (body,)))
    assert told(rec) == [
        (
            "eager_loop",
            "The loop at train.py:8 is not jitted: its operations ran one by one, for 3.0 s of 10 s",
            "Put the body of the loop into a function and jit that, or at least the gradient: "
            "`jax.jit(jax.value_and_grad(loss))`, once, before the loop.",
            "loss_and_grad = jax.jit(jax.value_and_grad(loss))",
        )
    ]
    assert the_one(rec).source == "train.py:8"


def test_a_function_that_many_cells_call_is_told_once() -> None:
    step = EagerLine("In [2]:7", "step", calls=100)
    cells = [EagerLine(f"In [{number}]:1", "", calls=1) for number in range(3, 103)]
    found = the_one(eager(*[(0.03, "jnp.sin", (cell, step)) for cell in cells]))
    assert (found.summary, found.advice, found.seconds, found.count, found.saves_s) == (
        "`step`, called at In [3]:1 and 99 more lines, is not jitted: its operations ran one by one, for 3.0 s of 10 s",
        "Jit `step`: it compiles once, and each call runs one program.",
        pytest.approx(3.0),
        100,
        pytest.approx(1.5),
    )


def test_functions_of_one_name_in_two_files_are_two() -> None:
    first, second = EagerLine("one.py:7", "step", calls=60), EagerLine("two.py:7", "step", calls=60)
    calls = [EagerLine(f"train.py:{line}", "", calls=60) for line in (1, 2)]
    found = told(eager((2.0, "jnp.sin", (calls[0], first)), (2.0, "jnp.sin", (calls[1], second))))
    assert [summary.partition(" is not")[0] for _, summary, *_ in found] == [
        "`step`, called at train.py:1,",
        "`step`, called at train.py:2,",
    ]


def test_a_function_that_runs_too_seldom_to_pay_for_its_compile_leaves_its_own_loop() -> None:
    outer = EagerLine("train.py:20", "", "train.py:19", 8)
    inner = EagerLine("train.py:7", "step", "train.py:6", 100)
    (found,) = told(eager((3.0, "jnp.sin", (outer, inner))))
    assert found[1].startswith("The loop at train.py:6 is not jitted")
    assert found[2].endswith("or write the loop with `jax.lax.fori_loop` or `jax.lax.scan` in a jitted function.")


def test_a_loop_inside_the_function_would_be_unrolled() -> None:
    inner = EagerLine("train.py:7", "step", "train.py:6", 100)
    (found,) = told(eager((3.0, "jnp.sin", (LOOP, inner))))
    assert found[2].endswith(
        "Write its loop at train.py:6 with `jax.lax.fori_loop` or `jax.lax.scan`: a jit unrolls it."
    )


def test_what_a_jit_cannot_contain_stays_outside() -> None:
    (found,) = told(eager((3.0, "jnp.sin", (LOOP, EagerLine("train.py:7", "step", calls=100, host="print")))))
    assert found[2:] == ("Put what `step` computes into a function without `print` and jit that.", "")


def test_an_array_that_is_taken_apart_belongs_on_the_host() -> None:
    (found,) = told(eager((2.0, "x[...]", (LOOP,)), (0.2, "jnp.add", (LOOP,))))
    assert found[2] == "Take the array apart on the host: `x = np.asarray(x)` before the loop, once."


def test_a_jitted_function_that_is_never_called_is_named() -> None:
    plain = EagerLine("train.py:7", "nuts.step", calls=100, jitted="step")
    few = EagerLine("train.py:20", "", "train.py:19", 30)
    rec = eager((3.0, "jnp.sin", (few, plain)))
    assert told(rec) == [
        (
            "unused_jit",
            "`step` is jitted and was never called; `nuts.step`, called at train.py:20, is not: its operations ran one "
            "by one, for 3.0 s of 10 s",
            "Call `step` instead of `nuts.step` at train.py:20.",
            "",
        )
    ]


def test_what_a_library_calls_in_its_loop_is_of_the_user() -> None:
    minimize = EagerLine("fit.py:9", "", "scipy/optimize/_optimize.py:1404", 1)
    rec = eager((3.0, "jnp.sum", (minimize, EagerLine("fit.py:4", "loss", calls=100))))
    assert told(rec)[0][1].startswith("`loss`, called at fit.py:9, is not jitted")


def test_without_a_count_nothing_is_estimated() -> None:
    """On Python 3.11, calls are not counted."""
    line = EagerLine("train.py:20", "", "train.py:19")
    found = the_one(eager((3.0, "jnp.sin", (line, EagerLine("train.py:7", "step")))))
    assert (found.saves_s, found.is_estimated) == (0.0, False)


@pytest.mark.parametrize(
    ("rec", "why"),
    [
        (eager((3.0, "jnp.sin", (EagerLine("a.py:3"),))), "no loop"),
        (eager((3.0, "jnp.sin", (EagerLine("a.py:9", calls=1), EagerLine("a.py:3", "f", calls=1)))), "called once"),
        (eager((3.0, "jnp.sin", (EagerLine("a.py:9", "", "a.py:8", 12),))), "12 iterations"),
        (eager((3.0, "jnp.sin", (replace(LOOP, through="jit"), STEP))), "jitted, under disable_jit"),
        (eager((0.2, "jnp.sin", (LOOP, STEP)), wall_s=0.5), "too quick"),
        (eager((3.0, "jnp.sin", (LOOP, STEP)), wall_s=100.0), "little of the whole"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_would_not_gain_is_no_finding(rec: Recording, why: str) -> None:
    assert rec.findings == (), why
