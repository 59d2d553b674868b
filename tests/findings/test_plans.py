"""Plans promise a number of compiles; here their code is run."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.findings.plans import best_sizes
from jitviz.findings.sentences import sizes_of
from jitviz.model.finding import Choice, Plan
from tests.findings.runs import Run
from tests.reasons.samples import array, static


def plan(sizes: Sequence[int]) -> Plan:
    run = Run()
    for size in sizes:
        run.call("step", array("x", (size, 8)))
    (found,) = run.end().findings
    assert found.plan is not None
    return found.plan


def choices(made: Plan) -> list[tuple[str, tuple[int, ...], int, float, float]]:
    return [(one.name, one.sizes, one.compiles, round(one.padding, 3), round(one.saved_s, 3)) for one in made.choices]


def test_forty_sizes_have_three_plans() -> None:
    made = plan(range(40, 80))
    assert choices(made) == [
        ("one size", (79,), 1, 0.328, 39.0),
        ("powers of two", (64, 128), 2, 0.479, 38.0),
        ("best 2 sizes", (59, 79), 2, 0.16, 38.0),
    ]
    assert made.choice.name == "one size"
    assert (made.paths, made.compiles, made.seen[0]) == ((("x", 0),), 40, (40, 1))


def test_calls_weigh_and_one_size_is_enough_where_it_costs_little() -> None:
    made = plan([32] * 9 + [17])
    assert choices(made) == [("one size", (32,), 1, 0.049, 1.0)]
    assert made.seen == ((17, 1), (32, 9))


def test_one_size_saves_what_mending_the_cause_saves_and_a_slow_first_compile_stays() -> None:
    run = Run()
    for size, seconds in ((20, 9.0), (32, 2.0), (23, 4.0), (32, 0.0)):
        run.call("step", array("x", (size, 8)), seconds=seconds)
    (found,) = [found for found in run.end().findings if found.kind == "recompile"]
    assert found.plan is not None
    assert found.saves_s == pytest.approx(6.0)
    assert choices(found.plan) == [("one size", (32,), 1, 0.196, 6.0), ("best 2 sizes", (23, 32), 2, 0.028, 4.0)]


def test_a_choice_that_saves_nothing_is_none() -> None:
    assert [one.sizes for one in plan([3, 1]).choices] == [(3,)]  # powers of two would be 1 and 4


def test_sizes_that_each_need_a_program_for_another_cause_have_no_plan() -> None:
    run = Run()
    for size, is_weak in ((3, False), (5, True)):
        run.call("step", array("x", (size, 8)), array("scale", (), weak_type=is_weak))
    assert [found.plan for found in run.end().findings] == [None]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_best_sizes_are_those_that_trying_all_would_find(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(20):
        sizes = sorted(rng.choice(60, 9, replace=False).tolist())
        seen = [(size, int(rng.integers(1, 9))) for size in sizes]

        def elements(chosen: Sequence[int], seen: Sequence[tuple[int, int]] = seen) -> int:
            return sum(calls * next(one for one in chosen if one >= size) for size, calls in seen)

        tried = min(elements([*chosen, sizes[-1]]) for chosen in combinations(sizes[:-1], k - 1))
        assert elements(best_sizes(seen, k)) == tried


def test_without_one_axis_that_changes_there_is_no_plan() -> None:
    run = Run()
    for shape in ((4, 4), (3, 3), (2,)):
        run.call("step", array("x", shape))
    run.call("draw", array("key", (4,), "key<fry>"))
    run.call("draw", array("key", (3,), "key<fry>"))
    assert [found.plan for found in run.end().findings] == [None, None]


def test_other_causes_multiply_what_is_left() -> None:
    run = Run()
    for size in (5, 6, 7):
        for mode in (1.5, 2.5):
            run.call("step", array("x", (size,)), static("rate", mode))
    by_shape = next(found for found in run.end().findings if found.plan is not None)
    assert by_shape.plan is not None
    assert [(one.sizes, one.compiles) for one in by_shape.plan.choices] == [((7,), 2), ((8,), 2), ((5, 7), 4)]


def test_a_size_of_an_earlier_recording_is_padded_to_and_costs_nothing() -> None:
    @jax.jit
    def step(x: Any) -> Any:
        return x.mean(axis=0)

    for sizes in ((13, 12), (10, 9, 2)):
        with jitviz.record() as rec:
            for size in sizes:
                step(np.ones((size, 2), np.float32))
    (found,) = rec.findings
    assert found.plan is not None
    assert (found.plan.compiles, found.saves, found.count) == (3, 3, 3)
    assert found.advice.startswith("Pad `x` to 13 with `np.pad`, and mask out the padding: no compile instead of 3")
    assert all(row.judgement.verdict == "avoidable" for row in rec.compiles)


def test_compiles_that_no_padding_spares_are_in_the_numbers() -> None:
    @jax.jit
    def loss(x: Any) -> Any:
        return jnp.sum(x**2)

    with jitviz.record() as rec:
        loss(jnp.ones(3))
        loss(jnp.ones(4))
        jax.grad(loss)(jnp.ones(4))  # a forward and a backward program
    (found,) = (found for found in rec.findings if found.plan)
    assert found.plan is not None
    assert (found.plan.compiles, found.plan.choice.compiles, found.saves) == (4, 3, 1)


@pytest.mark.parametrize(
    ("f", "has_plan"),
    [(lambda x: jax.nn.softmax(x)[:3], True), (jnp.sort, False), (lambda x: jnp.abs(jnp.fft.fft(x)), False)],
)
def test_there_is_a_plan_only_where_a_mask_undoes_the_padding(f: Any, has_plan: bool) -> None:
    step = jax.jit(f)
    with jitviz.record() as rec:
        for size in (48, 56):
            step(np.arange(size, dtype=np.float32))
    (found,) = rec.findings
    assert (found.plan is not None, not found.is_maybe) == (has_plan, has_plan)
    assert ("changes the result" in found.advice) == (not has_plan)


def test_hits_of_unknown_size_make_a_range() -> None:
    run = Run()
    for size in (64, 40, 64, 64):
        run.call("step", array("x", (size, 8)))
    for _ in range(4):
        run.hit_of_unknown_version("step")
    (found,) = run.end().findings
    assert found.advice.endswith(
        "1 compile instead of 2 (5% to 31% more elements, since the size of 4 hits is unknown)."
    )
    least, most = 24 / (232 + 4 * 64), (24 + 4 * 24) / (232 + 4 * 40)
    assert found.plan is not None
    assert (found.plan.choice.padding, found.plan.choice.padding_most) == (least, most)


def lengths() -> Iterator[int]:
    return iter([*range(40, 80, 3), 41, 41, 79])


def arguments(length: int) -> dict[str, Any]:
    return {"x": np.ones((length, 2), np.float32), "y": np.ones((3, length), np.float32)}


def test_code_that_is_pasted_keeps_the_promise() -> None:
    """Each choice: as many compiles as it says, and with its mask the same results."""

    def record(code: str) -> tuple[Any, list[float]]:
        names: dict[str, Any] = {}
        exec(code, names)  # that is what it is for

        @jax.jit
        def step(x: Any, y: Any, mask: Any) -> Any:
            return jnp.where(mask, x[:, 0] * y[0], 0).sum()

        results = []
        with jitviz.record() as rec:
            for length in lengths():
                given, mask = arguments(length), np.ones(length, bool)
                if code:
                    given["x"], mask = names["pad"](given["x"], axis=0)
                    given["y"], mask = names["pad"](given["y"], axis=1)
                results.append(float(step(**given, mask=mask)))
        return rec, results

    before, results = record("")
    (found,) = before.findings
    assert {found.path, *found.also} == {"x", "y", "mask"}
    assert found.plan is not None
    assert found.plan.compiles == len(before.compiles) == 15
    assert found.code == found.plan.choice.code
    assert (
        found.code.endswith("# padded_mask, mask = pad(mask, axis=0)\n") or "# x, mask = pad(x, axis=0)" in found.code
    )
    for choice in found.plan.choices:
        after, padded = record(choice.code)
        assert (choice.name, len(after.compiles)) == (choice.name, choice.compiles)
        assert padded == results


def test_what_is_added_is_as_valid_as_the_input() -> None:
    """Times stay in order, indices in range, and nothing is divided by a zero that was not there."""
    names: dict[str, Any] = {}
    exec(plan([2, 5, 0]).choices[0].code, names)
    times, mask = names["pad"](jnp.array([0.5, 1.5]), axis=0)
    assert times.tolist() == [0.5, 1.5, 1.5, 1.5, 1.5]
    assert mask.tolist() == [True, True, False, False, False]
    nothing, mask = names["pad"](np.zeros((3, 0), np.int32), axis=1)
    assert (nothing.shape, nothing.any(), mask.any()) == ((3, 5), False, False)


def test_a_few_sizes_are_listed_and_many_are_a_range() -> None:
    def said(n: int) -> str:
        return sizes_of(Choice("", tuple(range(1, n + 1)), 0, 0.0, 0.0, ""))

    assert (said(2), said(6), said(7)) == ("1 and 2", "1, 2, 3, 4, 5 and 6", "1 … 7")


def test_where_hits_are_not_seen_the_advice_says_that_each_size_counts_once() -> None:
    run = Run(hits_seen="none")
    for size in (32, 17):
        run.call("step", array("x", (size, 8)))
    (found,) = run.end().findings
    assert found.advice == (
        "Pad `x` to 32 with `np.pad`, and mask out the padding: 1 compile instead of 2 (hits are not seen "
        "here, so each size counts once)."
    )


@pytest.mark.parametrize(
    ("plain", "masked"),
    [
        (jax.nn.softmax, lambda x, mask: jax.nn.softmax(jnp.where(mask, x, -jnp.inf))),
        (lambda x: x.var(), lambda x, mask: x.var(where=mask)),
        (lambda x: x.max(), lambda x, mask: x.max(where=mask, initial=-jnp.inf)),
        (lambda x: x @ x, lambda x, mask: jnp.where(mask, x, 0) @ x),
        (lambda x: x * jnp.arange(len(x)), lambda x, mask: x * jnp.arange(len(x))),
        (lambda x: (x[1:] - x[:-1]).sum(), lambda x, mask: jnp.where(mask[1:], x[1:] - x[:-1], 0).sum()),
        (
            lambda x: jax.nn.logsumexp(x) - jnp.log(len(x)),
            lambda x, mask: jax.nn.logsumexp(x, where=mask) - jnp.log(mask.sum()),
        ),
    ],
)
def test_where_padding_is_advised_a_mask_gives_the_same_results(plain: Any, masked: Any) -> None:
    arrays = [np.arange(size, dtype=np.float32) / size for size in (48, 56, 40)]
    step, again = jax.jit(plain), jax.jit(masked)
    with jitviz.record() as before:
        results = [np.asarray(step(x)) for x in arrays]
    (found,) = before.findings
    names: dict[str, Any] = {}
    exec(found.code, names)  # that is what it is for
    with jitviz.record() as after:
        padded = [np.asarray(again(*names["pad"](x, axis=0))) for x in arrays]
    assert found.plan is not None
    assert (len(before.compiles), len(after.compiles)) == (found.plan.compiles, found.plan.choice.compiles)
    for result, other in zip(results, padded, strict=True):
        np.testing.assert_allclose(other[: len(result)] if result.ndim else other, result, rtol=1e-5)
