"""The score: which calls are a column, which leaves are rows, and what is written in the cells."""

import contextlib
from collections.abc import Callable
from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.views import TERMINAL, shape_panel
from jitviz.views.schema import Score, ScoreRow

SIGNS = {"traced": "●", "static": "○", "mixed": "◐", "absent": "·"}
NUMBERS = count()
MANY = 300  # calls, more than a screen has columns


def score_of(*blocks: Callable[[], object], n: int = 0) -> Score:
    """The score number `n` of what these run."""
    with jitviz.record(sample=False) as rec:
        for block in blocks:
            block()
    return shape_panel(rec).scores[n]


def drawn(score: Score) -> dict[str, str]:
    """The names of the columns, and by the name of a row where it changed: "● 3" in the first, "◆ 4" in the fourth is
    `0● 3  3◆ 4`."""
    heads = " ".join(column.name for column in score.columns)
    return {"": heads} | {"  " * row.depth + row.name: "  ".join(_cells(row)) for row in score.rows}


def _cells(row: ScoreRow) -> list[str]:
    return [f"{cell.column}{'◆' if cell.is_cause else SIGNS[cell.role]} {cell.text}".rstrip() for cell in row.cells]


def ones(*shape: int, dtype: Any = np.float32) -> Any:
    return np.ones(shape, dtype)


def fresh() -> Any:
    """A function of a name of its own, since one that is made anew by a line is compared with the one before."""
    names: dict[str, Any] = {"jax": jax, "is_array": jitviz.is_array}
    name = f"plus_{next(NUMBERS)}"
    exec(f"def {name}(x, rate=1.0): return jax.tree.map(lambda leaf: leaf + 1 if is_array(leaf) else leaf, x)", names)
    return jitviz.filter_jit(names[name])


def test_consecutive_hits_are_one_column_and_each_compile_is_its_own() -> None:
    step = fresh()
    score = score_of(lambda: [step(ones(size)) for size in (3, 3, 3, 4, 3, 3)])
    assert drawn(score) == {"": "1 ×2 2 v1 ×2", "x": "0● 3  2◆ 4  3● 3"}
    assert [(column.kind, column.first, column.last) for column in score.columns] == [
        ("compile", 1, 1), ("hits", 2, 3), ("compile", 4, 4), ("hits", 5, 6),
    ]  # fmt: skip
    assert (score.calls, score.compiles, score.api) == (6, 2, "jitviz.filter_jit")


def test_hits_say_which_version_they_ran_where_static_leaves_decide() -> None:
    step = fresh()
    score = score_of(lambda: [step(ones(3), rate) for rate in (1.0, 1.0, 2.0, 1.0, 1.0)])
    assert drawn(score) == {"": "1 · 2 v1 ×2", "x": "0●", "rate": "0○ 1.0  2◆ 2.0  3○ 1.0"}


def test_a_column_says_in_words_what_it_was() -> None:
    step = fresh()
    labels = [column.label for column in score_of(lambda: [step(ones(size)) for size in (3, 3, 3, 4)]).columns]
    assert labels[0].startswith("call 1: compile, version 1, ")
    assert labels[1].startswith("calls 2 to 3: 2 hits of version 1")
    assert labels[2].startswith("call 4: compile, version 2, ")


@pytest.mark.parametrize(
    ("arguments", "cells"),
    [
        ([ones(2, 3), ones(2, 5)], "0● 3  1◆ 5"),
        ([ones(2), ones(2, 2)], "0● [2]  1◆ [2,2]"),
        ([ones(2), ones(2, dtype=np.int32)], "0● f32  1◆ i32"),
        ([ones(2, 3), ones(4, 5)], "0● 2×3  1◆ 4×5"),
        ([jnp.float32(1), 1.0], "0● f32[]  1◆ 1.0"),
        (["train", "eval"], "0○ 'train'  1◆ 'eval'"),
        ([ones(2), None], "0● f32[2]  1◆ None"),
        ([True, False, True], "0○ True  1◆ False  2○ True"),
    ],
)
def test_a_cell_says_what_differs_from_the_column_before_and_whether_it_made_the_call_compile(
    arguments: list[Any], cells: str
) -> None:
    step = fresh()
    assert drawn(score_of(lambda: [step(given) for given in arguments]))["x"] == cells


def test_weakness_is_written_where_it_changes() -> None:
    step = jax.jit(lambda x: x)
    assert drawn(score_of(lambda: [step(1.0), step(np.float32(1))]))["x"] == "0● weak  1◆ strong"


def test_the_whole_change_is_in_the_title_of_a_cell_and_what_varies_beside_the_type() -> None:
    step = fresh()
    row = next(row for row in score_of(lambda: [step(ones(n)) for n in (3, 4, 5)]).rows if row.name == "x")
    assert [cell.told for cell in row.cells] == ["", "f32[3] → f32[4]", "f32[4] → f32[5]"]
    assert (row.type, row.varies) == ("f32[·]", "3 | 4 | 5")


def test_another_calling_form_is_written_as_a_word_and_not_as_a_size() -> None:
    step = jax.jit(lambda x: x)
    assert drawn(score_of(lambda: [step(ones(3)), step(x=ones(3))]))["x"] == "0●  1◆ keyword"


def test_what_is_no_leaf_has_a_row_of_its_own() -> None:
    def make_and_call() -> None:
        for _ in range(2):
            jax.jit(lambda x: x)(ones(3))

    assert "the function itself" in drawn(score_of(make_and_call))
    step = jax.jit(lambda x: x)
    cleared = drawn(score_of(lambda: [step(ones(3)), jax.clear_caches(), step(ones(3))]))
    assert cleared["JAX's caches"] == "0○  1◆ cleared"


def test_equal_blocks_are_one_row_and_what_changed_among_them_is_apart() -> None:
    def blocks(size: int) -> list[dict[str, Any]]:
        return [{"w": ones(2), "b": ones(size if number == 3 else 1)} for number in range(6)]

    step = fresh()
    rows = score_of(lambda: [step(blocks(size)) for size in (1, 2)]).rows
    assert [(row.name, row.is_open) for row in rows if row.depth == 1] == [
        ("[0..2]", False), ("[3]", True), ("[4..5]", False),
    ]  # fmt: skip
    assert [_cells(row) for row in rows if row.name == "['b']"] == [["0●"], ["0● 1", "1◆ 2"], ["0●"]]


def test_what_changed_is_not_lost_among_its_many_siblings() -> None:
    def tree(size: int) -> dict[str, Any]:
        return {f"w{number:02}_": ones(size if number == 17 else number + 1) for number in range(20)}

    step = fresh()
    rows = score_of(lambda: [step(tree(size)) for size in (3, 4)]).rows
    assert [row.name for row in rows] == [
        "x", "['w00_']", "['w01_']", "['w02_']", "['w03_']", "['w17_']", "15 more that never changed",
    ]  # fmt: skip


def test_values_that_look_alike_and_are_not_equal_have_numbers() -> None:
    step = jitviz.filter_jit(lambda x, clip: x)
    rows = drawn(score_of(lambda: [step(ones(3), float("nan")) for _ in range(2)]))
    assert rows["clip"] == "0○ nan #1  1◆ nan #2"


def test_leaves_that_come_and_go_are_rows_too() -> None:
    step = fresh()
    rows = drawn(score_of(lambda: [step({"a": ones(2)}), step({"a": ones(2), "b": ones(3)})]))
    assert rows["  ['b']"].startswith("0·")
    assert "1◆" in rows["x"] or "1◆" in rows["  ['b']"]


def test_a_call_that_raised_is_a_column_with_its_error() -> None:
    def fail(x: Any) -> Any:
        if x.shape == (4,):
            raise ValueError("four")
        return x

    step = jitviz.filter_jit(fail)

    def run() -> None:
        step(ones(3))
        with pytest.raises(ValueError, match="four"):
            step(ones(4))

    *_, column = score_of(run).columns
    assert (column.kind, column.name, column.error.partition(".")[0]) == ("error", "✕", "ValueError: four")
    assert column.label.startswith("call 2: raised ValueError")


def test_a_program_compiled_ahead_of_time_and_an_inlined_call_have_marks() -> None:
    step = jax.jit(lambda x: x * 2)
    ahead = score_of(lambda: step.lower(ones(3)).compile())
    assert [(column.kind, column.marks) for column in ahead.columns] == [("ahead", ("ahead of time",))]
    inlined = jitviz.filter_jit(lambda x: x * 2, inline=True)
    outer = jitviz.filter_jit(lambda x: inlined(x) + 1)
    with jitviz.record(sample=False) as rec:
        outer(ones(5))
    inner = next(score for score in shape_panel(rec).scores if any(c.kind == "inlined" for c in score.columns))
    assert [column.name for column in inner.columns] == ["↳"]


def test_a_donated_leaf_is_marked() -> None:
    step = jax.jit(lambda state, x: state + x, donate_argnums=0)
    rows = {row.name: row.marks for row in score_of(lambda: step(jnp.ones(3), ones(3))).rows}
    assert rows == {"state": ("donated",), "x": ()}


def test_where_there_are_too_many_columns_compiles_of_one_cause_become_one() -> None:
    step = jitviz.filter_jit(lambda x: x + 1)
    score = score_of(lambda: [step(ones(1 + number % 60)) for number in range(MANY)])
    (first, many, hits) = score.columns[0], score.columns[1], score.columns[-1]
    assert (first.kind, many.kind, hits.kind) == ("compile", "many", "hits")
    assert (many.first, many.last, len(many.compiles)) == (2, 60, 59)
    assert sum(column.count for column in score.columns) == MANY
    assert [cell.text for cell in score.rows[0].cells][1] == "2 … 60"


def test_hits_of_an_unknown_version_say_so() -> None:
    step = fresh()
    for size in (3, 4):
        step(ones(size))
    (column,) = score_of(lambda: [step(ones(3)), step(ones(3))]).columns
    assert (column.kind, column.count) == ("hits", 2)
    assert column.is_known == (column.version > 0)


def test_several_functions_stand_below_each_other_the_most_expensive_first() -> None:
    cheap, dear = fresh(), jitviz.filter_jit(lambda x: x * 3)
    with jitviz.record(sample=False) as rec:
        cheap(ones(3))
        for size in range(1, 6):
            dear(ones(size))
    scores = [score for score in shape_panel(rec).scores if score.place >= 0]
    assert [score.compiles for score in scores] == [5, 1]
    assert [score.seconds for score in scores] == sorted((score.seconds for score in scores), reverse=True)


def test_the_function_that_raised_what_ended_the_block_stands_first() -> None:
    for ends in (True, False):
        dear, cheap = fresh(), jitviz.filter_jit(lambda x: 1 if x else 2)
        with contextlib.suppress(jax.errors.TracerBoolConversionError), jitviz.record(sample=False) as rec:
            for size in range(1, 6):
                dear(ones(size))
            with contextlib.nullcontext() if ends else contextlib.suppress(jax.errors.TracerBoolConversionError):
                cheap(ones())
        scores = shape_panel(rec).scores
        assert [score.columns[-1].kind for score in scores[:2]] == (
            ["error", "compile"] if ends else ["compile", "error"]
        )


def test_what_compiles_outside_any_jit_is_the_last_score_with_a_row_for_each_line() -> None:
    def eager() -> None:
        x = jnp.full((7,), 2.5)
        (x * 3.5).block_until_ready()

    score = score_of(eager, n=-1)
    assert (score.function, score.place) == ("outside any jit", -1)
    assert {row.kind for row in score.rows} == {"line"}
    assert all("test_scores.py:" in row.name for row in score.rows)
    assert sum(column.count for column in score.columns) == score.compiles


def test_a_wide_tree_is_cut_to_what_changed_and_the_rest_is_counted() -> None:
    def tree(size: int) -> dict[str, Any]:
        return {f"w{number:04}": ones(number % 7 + 1, 2) for number in range(2_000)} | {"w0500": ones(size)}

    step = jitviz.filter_jit(lambda tree: tree["w0001"] * 2)
    with jitviz.record(sample=False) as rec:
        for size in (3, 4):
            step(tree(size))
    (score,) = shape_panel(rec, TERMINAL).scores[:1]
    names = [row.name for row in score.rows]
    assert "['w0500']" in names
    assert len(names) < 100
    assert any(row.kind in ("more", "group", "fields") for row in score.rows)
