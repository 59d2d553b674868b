"""What caches keep alive of a function is told with its size, and no longer than it is kept."""

from __future__ import annotations

import gc
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jitviz
from jitviz.findings.memory import KeptPrograms, kept_alive
from jitviz.model.finding import Finding
from jitviz.recording import Recording
from jitviz.views.program import shape_facts
from tests.findings.runs import Run
from tests.reasons.samples import array, made, static

TABLE = jnp.asarray(np.arange(300_000, dtype=np.float32).reshape(3, 100_000))


def with_a_table() -> Any:
    def look_up(x: Any) -> Any:
        return x[:, None] * TABLE[: len(x)]

    return jax.jit(look_up)


def found(rec: Recording) -> list[Finding]:
    return [one for one in rec.findings if one.kind == "kept_alive"]


def test_versions_that_hold_much_are_a_finding_and_stand_with_their_cost() -> None:
    look_up = with_a_table()
    with jitviz.record() as rec:
        for size in (1, 2, 3):
            look_up(np.ones(size, np.float32))
    (one,) = found(rec)
    assert (one.count, one.compiles, one.seconds) == (3, (0, 1, 2), 0.0)
    assert one.summary.startswith("`look_up` keeps alive 3 versions, 3.6 MB of constants")
    assert "`jax.clear_caches()`" in one.advice
    assert shape_facts(rec, 0).kept.startswith("3 versions, 3.6 MB of constants")
    assert "kept alive: 3 versions, 3.6 MB of constants" in str(rec)


def test_after_clearing_nothing_is_kept() -> None:
    look_up = with_a_table()
    with jitviz.record() as rec:
        for size in (1, 2, 3):
            look_up(np.ones(size, np.float32))
        jax.clear_caches()
    assert (kept_alive(rec), found(rec), shape_facts(rec, 0).kept) == ({}, [], "")


def test_what_compiles_after_a_clearing_is_kept() -> None:
    look_up = with_a_table()
    with jitviz.record() as rec:
        look_up(np.ones(1, np.float32))
        jax.clear_caches()
        look_up(np.ones(2, np.float32))
    (kept,) = kept_alive(rec).values()
    assert kept.compiles == (1,)


def test_versions_of_a_function_that_is_gone_are_not_kept() -> None:
    with jitviz.record() as rec:
        for _ in range(2):
            with_a_table()(np.ones(1, np.float32))
        gc.collect()
    assert kept_alive(rec) == {}


def test_versions_that_no_call_hit_again_and_static_objects_are_counted() -> None:
    run = Run()
    for size in (3, 4, 5):
        run.call("step", array("x", shape=(size,)), static("mode", made("Mode", size)))
    run.call("step", array("x", shape=(4,)), static("mode", made("Mode", 4)))
    (kept,) = kept_alive(run.end()).values()
    assert (len(kept.compiles), kept.unused, kept.objects) == (3, 2, 3)
    assert str(kept) == "3 versions, 3 static objects; 2 were not hit again"


def test_code_and_constants_are_distinguished() -> None:
    assert str(KeptPrograms((0,), 2_000_000, 500, 0, None)) == "1 version, 2 MB of code, 500 B of constants"
