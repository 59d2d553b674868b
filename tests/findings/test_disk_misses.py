"""Of a program that JAX's cache on disk might have spared, it is told why it was not there."""

from dataclasses import replace
from typing import Any

import pytest

import jitviz
from jitviz.findings.on_disk import spared_by_disk, tell_disk, tell_missed
from jitviz.model import OpByOp
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.recording.events import OpCompiled
from jitviz.views import shape_panel
from jitviz.views.program import shape_facts
from tests.display.samples import EPOCH_S, op_compiled
from tests.findings.runs import Run
from tests.reasons.samples import array

KEY = {"XLA_FLAGS": "none", "jaxlib": "0.10", "devices": "1 of cpu"}


def recorded(
    key: dict[str, str] = KEY, *, compile_s: float = 2.0, x64: str = "False", least_s: float | None = 1.0, size: int = 3
) -> Recording:
    run = Run()
    run.call("step", array("x", (size,)), phases_s=(0.25, 0.25, compile_s), context=(("jax_enable_x64", x64),))
    *log, end = run.end().events
    missed = [ev.ProgramMissed(EPOCH_S + 1, 0, least_s)] if least_s is not None else []
    return Recording([*log, *missed, ev.RecordingFinished(end.at_s, (), tuple(key.items()))])


@pytest.mark.parametrize(
    ("rec", "told"),
    [
        (recorded(), "It was not in JAX's cache on disk"),
        (
            recorded(compile_s=0.5),
            "It was not in JAX's cache on disk, and was too quick to be kept there: 500 ms, and JAX keeps programs "
            "that take 1.0 s or more (`jax_persistent_cache_min_compile_time_secs`)",
        ),
        (recorded(least_s=None), ""),
    ],
)
def test_a_program_says_that_it_was_missed_or_too_quick(rec: Recording, told: str) -> None:
    assert tell_missed(rec.compiles[0]) == told
    assert shape_facts(rec, 0).warnings == ((f"{told}.",) if told else ())


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (recorded({**KEY, "jaxlib": "0.12"}), "jaxlib changed from 0.10 to 0.12"),
        (recorded({**KEY, "XLA_FLAGS": "abc"}), "XLA_FLAGS changed"),
        (recorded({**KEY, "devices": "2 of cpu"}), "devices changed from 1 of cpu to 2 of cpu"),
        (recorded(x64="True"), "`jax_enable_x64` changed from False to True"),
    ],
)
def test_against_an_earlier_run_the_part_of_the_key_that_changed_is_reported(after: Recording, why: str) -> None:
    told = f"`step` was not found on disk: {why}"
    compared = jitviz.compare(recorded(), after)
    assert compared.missed == (told,)
    assert str(compared).endswith(told)


def ops_recorded(*ops: OpCompiled, key: dict[str, str] = KEY) -> Recording:
    *log, end = Run().end().events
    return Recording([*log, *ops, ev.RecordingFinished(end.at_s, (), tuple(key.items()))])


def op(compile_s: float = 2.0, **given: Any) -> OpCompiled:
    where = {"program": "_median", "source": "a.py:1", "inputs": ("f32[3]",)}
    return op_compiled(EPOCH_S + 3, "jnp.median", compile_s, **where, **given)


@pytest.mark.parametrize(
    ("ops", "told"),
    [
        ([op()], ""),
        ([op(disk_least_s=1.0)], ""),
        ([op(origin="loaded")], "1 loaded from disk"),
        (
            [op(origin="loaded", saved_s=2.0), op(origin="loaded", saved_s=1.0), op(disk_least_s=1.0)],
            "2 loaded from disk, 3.0 s saved",
        ),
    ],
)
def test_of_programs_outside_any_jit_those_that_were_loaded_are_counted(ops: list[OpCompiled], told: str) -> None:
    rec = ops_recorded(*ops)
    (row,) = shape_panel(rec).op_by_op
    assert (f" ({told})" in row.told) == bool(told)
    assert str(rec).count("from disk") == told.count("disk")


def test_what_changed_since_an_earlier_run_is_reported_of_them_as_well() -> None:
    before, changed = ops_recorded(op(disk_least_s=1.0)), {**KEY, "devices": "2 of cpu"}
    told = "`jnp.median` was not found on disk: devices changed from 1 of cpu to 2 of cpu"
    assert jitviz.compare(before, ops_recorded(op(disk_least_s=1.0), key=changed)).missed == (told,)
    assert jitviz.compare(before, ops_recorded(op(), key=changed)).missed == ()


@pytest.mark.parametrize("after", [recorded(), recorded({**KEY, "jaxlib": "0.12"}, least_s=None), recorded(size=4)])
def test_where_nothing_is_known_to_have_changed_nothing_is_said(after: Recording) -> None:
    assert jitviz.compare(recorded(), after).missed == ()


def quick(n: int, compile_s: float = 0.1, least_s: float | None = None, origin: str = "compiled") -> Recording:
    """So many programs outside any jit, each at a line of its own."""
    ops = [
        OpByOp(f"op{place}", source=f"a.py:{place}", start_s=place, compile_s=compile_s, disk_least_s=least_s)
        for place in range(n)
    ]
    events = [ev.OpCompiled(0.0, replace(op, origin=origin)) for op in ops]  # type: ignore[arg-type]
    return Recording([ev.RecordingStarted(0.0), *events, ev.RecordingFinished(8.0)])


def test_what_only_the_next_process_would_gain_is_a_line_and_no_finding() -> None:
    rec = quick(20)
    assert rec.findings == ()
    assert list(tell_disk(rec)) == [
        "A cache on disk would spare the next process about 1.9 s, for 20 programs: set "
        "`jax_compilation_cache_dir` to a folder and `jax_persistent_cache_min_compile_time_secs` to 0."
    ]


def test_of_a_cache_that_is_on_only_the_threshold_is_to_be_changed() -> None:
    spared = spared_by_disk(quick(20, least_s=1.0))
    assert spared is not None
    assert spared.settings == "`jax_persistent_cache_min_compile_time_secs` to 0"


def test_a_slow_compile_is_one_of_the_programs_to_keep_and_an_avoidable_recompile_is_not() -> None:
    run = Run()
    run.call("step", array("x"), phases_s=(1.0, 1.0, 10.0))
    run.call("step", array("x", (4,)), seconds=1.0)
    *log, end = run.end().events
    ops = [event for event in quick(20, 0.6).events if isinstance(event, ev.OpCompiled)]
    rec = Recording([*log, *ops, end])
    spared = spared_by_disk(rec)
    assert spared is not None
    assert (spared.programs, round(spared.seconds)) == (21, 22)
    assert [found.kind for found in rec.findings] == ["recompile", "slow_compile"]


@pytest.mark.parametrize(
    "rec",
    [quick(20, 0.04), quick(20, least_s=0.0), quick(20, origin="loaded")],
    ids=["cheap", "kept", "loaded"],
)
def test_what_the_disk_would_not_save_is_not_told(rec: Recording) -> None:
    assert spared_by_disk(rec) is None
