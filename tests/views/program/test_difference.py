from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitviz
from jitviz.model import ListingName
from jitviz.views.program import difference, shape_difference, shape_listing
from jitviz.views.program.difference import compare
from jitviz.views.schema import Difference, Hunks

from . import programs

OPERATIONS = ("add", "mul", "sub")
NAMES: tuple[ListingName, ...] = ("jaxpr", "stablehlo", "hlo")


@dataclass(frozen=True)
class Step:
    """An operation on two earlier values: -1 and -2 are the inputs, other numbers are steps."""

    operation: str
    left: int
    right: int


Written = list[tuple[str, list[str]]]  # lines, each with its variables


def write_lines(steps: list[Step], kind: ListingName, names: list[str]) -> Written:
    """A program in one of the three languages; `names` are those of the inputs and of the results of the steps."""
    x, y, *made = names
    inputs = {-1: x, -2: y}
    rows = [
        (made[at], step.operation, *[inputs.get(place) or made[place] for place in (step.left, step.right)])
        for at, step in enumerate(steps)
    ]
    last = made[len(steps) - 1] if steps else x
    variables = [[out, left, right] for out, _, left, right in rows]
    if kind == "jaxpr":
        head = f"{{ lambda ; {x}:f32[4] {y}:f32[4]. let"
        body = [f"    {out}:f32[4] = {operation} {left} {right}" for out, operation, left, right in rows]
        return [(head, [x, y]), *zip(body, variables, strict=True), (f"  in ({last},) }}", [last])]
    if kind == "stablehlo":
        head = f"  func.func public @main(%{x}: tensor<4xf32>, %{y}: tensor<4xf32>) -> tensor<4xf32> {{"
        body = [f"    %{out} = stablehlo.{op} %{left}, %{right} : tensor<4xf32>" for out, op, left, right in rows]
        tail = f"    return %{last} : tensor<4xf32>"
        start: Written = [("module @jit_f {", []), (head, [x, y])]
        return [*start, *zip(body, variables, strict=True), (tail, [last]), ("  }", []), ("}", [])]
    head = f"ENTRY %main.1 ({x}: f32[4], {y}: f32[4]) -> f32[4] {{"
    start = [("HloModule jit_f", []), ("", []), (head, [x, y])]
    start += [(f"  %{name} = f32[4]{{0}} parameter({at})", [name]) for at, name in enumerate((x, y))]
    body = [f"  %{out} = f32[4]{{0}} {op}(%{left}, %{right})" for out, op, left, right in rows]
    tail = f"  ROOT %tuple.1 = (f32[4]{{0}}) tuple(%{last})"
    return [*start, *zip(body, variables, strict=True), (tail, [last]), ("}", [])]


def write(steps: list[Step], kind: ListingName, names: list[str]) -> str:
    return "\n".join(line for line, _ in write_lines(steps, kind, names))


def names_of(count: int, seed: int = 0) -> list[str]:
    """Names as JAX makes them: "a", "b", ..., "ba", ...; shuffled by `seed`."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [*letters, *(first + second for first in letters[1:] for second in letters)][: count + 2]
    if seed:
        Random(seed).shuffle(names)
    return names


@st.composite
def steps_of(draw: st.DrawFn) -> list[Step]:
    steps: list[Step] = []
    for at in range(draw(st.integers(0, 30))):
        left, right = (draw(st.integers(-2, at - 1)) for _ in range(2))
        steps.append(Step(draw(st.sampled_from(OPERATIONS)), left, right))
    return steps


def hunks_of(difference: Difference) -> list[tuple[int, int, int, int]]:
    hunks = difference.hunks
    return list(zip(hunks.before, hunks.before_end, hunks.after, hunks.after_end, strict=True))


@given(steps_of(), st.sampled_from(NAMES), st.integers(1, 1000))
def test_a_program_with_other_names_is_the_same(steps: list[Step], kind: ListingName, seed: int) -> None:
    before = write(steps, kind, names_of(len(steps)))
    after = write(steps, kind, names_of(len(steps), seed))
    assert compare(before, after, kind) == Difference(Hunks(), ("the same program",))


@given(steps_of(), steps_of(), st.sampled_from(NAMES), st.integers(0, 1000))
def test_lines_outside_the_hunks_correspond(
    steps: list[Step], others: list[Step], kind: ListingName, seed: int
) -> None:
    """Replacing the hunks of `before` by the lines of `after` gives `after`, except for the names."""
    before = write_lines(steps, kind, names_of(len(steps)))
    after = write_lines(others, kind, names_of(len(others), seed))
    found = compare(write(steps, kind, names_of(len(steps))), write(others, kind, names_of(len(others), seed)), kind)
    end = (len(before), len(before), len(after), len(after))
    place = to = 0
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    for b, b_end, a, a_end in [*hunks_of(found), end]:
        assert b - place == a - to
        for (mine, its), (theirs, others_) in zip(before[place:b], after[to:a], strict=True):
            assert re.sub(r"\b[a-z]{1,2}\b", "_", mine) == re.sub(r"\b[a-z]{1,2}\b", "_", theirs)
            for one, other in zip(its, others_, strict=True):
                assert there.setdefault(one, other) == other
                assert back.setdefault(other, one) == one
        place, to = b_end, a_end


@given(steps_of().filter(bool), st.data())
def test_a_different_operand_is_a_difference(steps: list[Step], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(steps) - 1))
    step = steps[at]
    other = data.draw(st.integers(-2, at - 1).filter(lambda place: place != step.right))
    changed = [*steps[:at], Step(step.operation, step.left, other), *steps[at + 1 :]]
    kind = data.draw(st.sampled_from(NAMES))
    names = names_of(len(steps))
    before, after = write(steps, kind, names), write(changed, kind, names)
    assert hunks_of(compare(before, after, kind)) != []


CHAIN = [Step("mul", -1, -1), *[Step("add", at - 1, -2) for at in range(1, 9)]]


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize(
    ("steps", "line", "n_removed", "summary"),
    [
        ([*CHAIN[:4], Step("sub", 3, -2), *CHAIN[5:]], 4, 1, ("+ 1 sub", "- 1 add")),
        # All names after an added line are different.
        (
            [*CHAIN[:5], Step("mul", 4, 4), Step("add", 4, -2), *[Step("add", at - 1, -2) for at in range(7, 10)]],
            5,
            0,
            ("+ 1 mul",),
        ),
        ([*CHAIN[:5], Step("add", 4, -1), *CHAIN[6:]], 5, 1, ("other operands in 1 line",)),
    ],
)
def test_hunks_are_exact(
    kind: ListingName, steps: list[Step], line: int, n_removed: int, summary: tuple[str, ...]
) -> None:
    found = compare(write(CHAIN, kind, names_of(9)), write(steps, kind, names_of(len(steps), 7)), kind)
    start = {"jaxpr": 1, "stablehlo": 2, "hlo": 5}[kind] + line
    assert found == Difference(Hunks((start,), (start + n_removed,), (start,), (start + 1,)), summary)


SAME_BUT = ("the same program except for sizes", "shapes 32 → 17")


@pytest.mark.parametrize(
    ("before", "after", "kind", "summary"),
    [
        ("b:f32[32,8] = sin a", "b:f32[17,8] = sin a", "jaxpr", SAME_BUT),
        (  # parameters that change with a size are sizes too
            "b:f32[4,8] = sin a\nc:f32[32] = reshape[new_sizes=(4, 8)] b\nd:f32[32] = div c 128.0",
            "b:f32[3,8] = sin a\nc:f32[24] = reshape[new_sizes=(3, 8)] b\nd:f32[24] = div c 96.0",
            "jaxpr",
            ("the same program except for sizes", "shapes 32 → 24, 4 → 3"),
        ),
        (  # an axis is not a size
            "b:f32[4] = sin a\nc:f32[] = reduce_sum[axes=(0,)] b",
            "b:f32[3] = sin a\nc:f32[] = reduce_sum[axes=(1,)] b",
            "jaxpr",
            ("shapes 4 → 3", "other parameters in 1 line"),
        ),
        ("b:f32[32] = sin a", "b:bf16[32] = sin a", "jaxpr", ("dtypes f32 → bf16",)),
        ("b:f32[] = sin a", "b:f32[4,5] = sin a", "jaxpr", ("shapes [] → [4,5]",)),
        (
            "%0 = stablehlo.sine %a : tensor<32x8xf32>",
            "%0 = stablehlo.sine %a : tensor<17x8xf64>",
            "stablehlo",
            ("shapes 32 → 17", "dtypes f32 → f64"),
        ),
        ("  %b.1 = f32[32]{0} sine(%a)", "  %b.7 = f32[17]{0} sine(%c)", "hlo", SAME_BUT),
        (
            "b:f32[] = reduce_sum[axes=(0,)] a",
            "b:f32[] = reduce_sum[axes=(1,)] a",
            "jaxpr",
            ("other parameters in 1 line",),
        ),
        (
            "b:f32[] = sin a",
            "\n".join(f"b{n}:i32[] = {op} a" for n, op in enumerate(("convert_element_type",) * 3 + ("cos",))),
            "jaxpr",
            ("+ 3 convert_element_type", "+ 1 cos", "- 1 sin"),
        ),
        (
            "",
            "\n".join(f"b:i32[] = op{n} a" for n in range(12)),
            "jaxpr",
            (*(f"+ 1 op{n}" for n in (0, 1, 10, 11, 2, 3, 4, 5)), "4 more kinds of operations"),
        ),
        (  # the pair of `sin` lines with different sizes is accidental
            "\n".join(["b:f32[3] = sin a", *["b:f32[4] = add[x=1] a"] * 5]),
            "\n".join(["b:f32[5] = sin a", *["b:f32[4] = add[x=2] a"] * 5, *["b:f32[4] = exp a"] * 3]),
            "jaxpr",
            ("+ 3 exp", "other parameters in 5 lines"),
        ),
        (  # but not if all sizes differ
            "\n".join(["b:f32[3] = sin a", "b:f32[3] = cos a"]),
            "\n".join(["b:f32[5] = sin a", "b:f32[5] = cos a", "b:f32[5] = exp a"]),
            "jaxpr",
            ("+ 1 exp", "shapes 3 → 5"),
        ),
        ("(a)\n", "(a)\n\n", "jaxpr", ("the same operations in another form",)),
    ],
)
def test_a_difference_has_a_summary(before: str, after: str, kind: ListingName, summary: tuple[str, ...]) -> None:
    assert compare(before, after, kind).summary == summary


@pytest.mark.parametrize("kind", NAMES)
def test_programs_with_the_same_names_are_compared_in_place(kind: ListingName, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference, "align", None)
    before = write(CHAIN, kind, names_of(9))
    after = before.replace("f32[4]", "f32[5]").replace("4xf32", "5xf32")
    assert compare(before, after, kind).summary == ("the same program except for sizes", "shapes 4 → 5")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("%fusion.12 = f32[4]{0} fusion(%param_0.4), calls=%f.3", "%fusion = f32[4]{0} fusion(%p), calls=%g"),
        ("%region_0.7 (a.1: f32[]) -> f32[] {", "%region_9 (b: f32[]) -> f32[] {"),
        ("HloModule jit_f, is_scheduled=true", "HloModule jit_g, is_scheduled=true"),
    ],
)
def test_names_of_hlo_do_not_count(before: str, after: str) -> None:
    assert compare(before, after, "hlo").summary == ("the same program",)


def test_the_name_of_a_custom_call_counts() -> None:
    line = "%0 = stablehlo.custom_call @{}(%a) : (tensor<4xf32>) -> tensor<4xf32>"
    assert compare(line.format("lu"), line.format("qr"), "stablehlo").summary == ("other parameters in 1 line",)


def test_an_inner_program_may_use_a_name_again() -> None:
    """In a jaxpr, an inner program may reuse the names of the outer one."""
    text = (
        "{{ lambda ; a:f32[]. let\n"
        "    c:f32[] = jit[jaxpr={{ lambda ; {0}:f32[]. let {1}:f32[] = sin {0} in ({1},) }}] a\n"
        "    d:f32[] = add c a\n"
        "  in (d,) }}"
    )
    assert compare(text.format("a", "b"), text.format("e", "f"), "jaxpr").summary == ("the same program",)


def test_the_name_of_a_shared_program_does_not_count() -> None:
    text = "let {0} = {{ lambda ; a:f32[]. let b:f32[] = sin a in (b,) }} in\nc:f32[] = jit[name=f jaxpr={0}] d"
    assert compare(text.format("f"), text.format("f1"), "jaxpr").summary == ("the same program",)


@pytest.mark.parametrize("kind", NAMES)
def test_two_versions_of_a_function_differ_as_their_inputs_do(kind: ListingName) -> None:
    @jax.jit
    def function(x: jax.Array) -> jax.Array:
        return (jnp.sin(x) * 2).sum()

    with jitviz.record() as recording:
        function(jnp.ones(32))
        function(jnp.ones(17))
        function(jnp.ones(17, jnp.int32))
    first = next(row.index for row in recording.compiles if row.function.endswith("function"))
    by_shape = shape_difference(recording, first, first + 1, kind)
    assert by_shape.summary == SAME_BUT
    by_dtype = shape_difference(recording, first + 1, first + 2, kind)
    assert by_dtype.summary[0] in ("+ 1 convert_element_type", "+ 1 convert")
    assert by_dtype.hunks.before


def test_two_functions_that_do_the_same_are_the_same_program() -> None:
    def double(x: jax.Array) -> jax.Array:
        return x * 2 + 1

    def twice(value: jax.Array) -> jax.Array:
        made = value * 2
        return made + 1

    with jitviz.record() as recording:
        jax.jit(double)(jnp.ones(3))
        jax.jit(twice)(jnp.ones(3))
    numbers = [row.index for row in recording.compiles if row.function.split(".")[-1] in ("double", "twice")]
    for kind in NAMES:
        assert shape_difference(recording, numbers[0], numbers[1], kind).summary == ("the same program",)


@pytest.mark.parametrize("kind", NAMES)
def test_an_additional_block_of_a_model_is_summarised_by_its_operations(kind: ListingName) -> None:
    texts = [shape_listing(*programs.transformer(blocks), kind) for blocks in (2, 3)]
    found = compare(*texts, kind)
    lines = [text.split("\n") for text in texts]
    n_kept = len(lines[0]) - sum(end - start for start, end, _, _ in hunks_of(found))
    assert found.summary[0].startswith("+ ")
    assert n_kept > 0.6 * len(lines[0])


def test_a_missing_compile_cannot_be_compared() -> None:
    recording, compile = programs.nested()
    with pytest.raises(LookupError, match="The recording has no compile 99"):
        shape_difference(recording, compile, 99, "jaxpr")
