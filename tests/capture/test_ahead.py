"""Ahead-of-time work is a warm-up: never a recompile, and never a call."""

from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture.log.history import History
from jitviz.capture.log.watcher import watcher
from jitviz.views import shape_panel
from jitviz.views.groups import add_up, group_rows
from jitviz.views.words import as_text

from .samples import needs_hits

X, Y, Z = (np.ones(size, np.float32) for size in (3, 4, 5))


def fresh() -> Any:
    def warmed(x: Any) -> Any:
        return x + 1

    return jax.jit(warmed)


@pytest.fixture(autouse=True)
def _no_history(monkeypatch: pytest.MonkeyPatch) -> None:
    capture.watch()
    monkeypatch.setattr(watcher, "history", History(watcher.functions))


def counted(recording: jitviz.Recording) -> tuple[int, int, int]:
    totals = add_up(recording, group_rows(recording))
    return totals["compile"], totals["recompile"], totals["avoidable recompile"]


def kinds(recording: jitviz.Recording) -> list[str]:
    return [row.reasons[0].kind for row in recording.compiles]


def test_warm_ups_are_compiles_but_not_recompiles() -> None:
    step = fresh()
    with jitviz.record() as rec:
        for x in (X, Y, Z):
            step.lower(x).compile()
    assert counted(rec) == (3, 0, 0)
    assert kinds(rec) == ["first", "shape", "shape"]
    assert [reason.advice for row in rec.compiles for reason in row.reasons] == ["", "", ""]
    assert "compiled 3 times (ahead of time)" in as_text(shape_panel(rec).verdict.subline)
    assert jitviz.explain(rec).split("\n")[1].startswith("  3 compiles")


def test_a_program_that_was_only_lowered_is_not_a_compile() -> None:
    step = fresh()
    with jitviz.record() as rec:
        step.lower(X)
        step.lower(Y)
    assert counted(rec) == (0, 0, 0)
    assert as_text(shape_panel(rec).verdict.title) == (
        "Nothing compiled in this recording: 2 programs traced or lowered ahead of time"
    )
    assert jitviz.explain(rec).split("\n")[1].startswith("  0 compiles")


def test_a_call_after_a_lowering_compiles_for_the_first_time() -> None:
    step = fresh()
    step.lower(X)
    with jitviz.record() as rec:
        step(X)
    assert kinds(rec) == ["first"]
    assert counted(rec) == (1, 0, 0)


def test_a_call_that_no_warm_up_covers_is_compared_with_them() -> None:
    step = fresh()
    step.lower(X).compile()
    with jitviz.record() as rec:
        step(Y)
    assert [(reason.kind, reason.path) for reason in rec.compiles[0].reasons] == [("shape", "x")]
    assert counted(rec) == (1, 1, 0)  # to compile it earlier would save nothing


def test_a_warm_up_that_failed_leaves_the_versions_before_it_known() -> None:
    def picky(x: Any) -> Any:
        if x.shape == (4,):
            raise ValueError("not four")
        return x * 2

    step = jax.jit(picky)
    with jitviz.record() as rec:
        step(X)
        with pytest.raises(ValueError, match="not four"):
            step.lower(Y)
        step(Z)
    assert kinds(rec) == ["first", "shape", "shape"]


@needs_hits
def test_a_call_that_a_warm_up_covers_is_a_hit_of_it() -> None:
    step = fresh()
    with jitviz.record() as rec:
        step.lower(X).compile()
        step(X)
    (call,) = rec.calls
    assert call.outcome == "hit"
    assert call.compile is rec.compiles[0]
    assert ", then 1 hit" in str(rec)


def test_limits_compare_with_warm_ups() -> None:
    step = fresh()
    limited = jitviz.assert_max_traces(step, max_traces=0)
    step.lower(X).compile()
    with pytest.raises(AssertionError, match=r"`x` changed its shape from f32\[3\] to f32\[4\]"):
        limited(Y)


def test_a_shape_struct_is_traced_like_the_array_that_it_stands_for() -> None:
    @jitviz.filter_jit
    def scale(x: Any, n: int) -> Any:
        return x * n

    with jitviz.record() as rec:
        scale.lower(jax.ShapeDtypeStruct((3,), np.float32), 2).compile()
        scale(Y, 2)
    ahead, called = rec.compiles
    assert [(leaf.path, leaf.role, leaf.repr) for leaf in ahead.signature.leaves] == [
        ("x", "traced", "f32[3]"),
        ("n", "static", "2"),
    ]
    assert [(reason.kind, reason.path) for reason in called.reasons] == [("shape", "x")]
