"""Of a program that JAX's cache on disk might have spared, it is told why it was not there."""

import pytest

import jitviz
from jitviz.findings.disk import tell_missed
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.views.program.facts import shape_facts
from tests.display.samples import EPOCH_S
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
            "It was not in JAX's cache on disk, and was too quick to be kept there: 500 ms, and JAX keeps what takes "
            "1.0 s or more (`jax_persistent_cache_min_compile_time_secs`)",
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
def test_against_an_earlier_run_the_part_of_the_key_that_changed_is_told(after: Recording, why: str) -> None:
    told = f"`step` was not found on disk: {why}"
    compared = jitviz.compare(recorded(), after)
    assert compared.missed == (told,)
    assert str(compared).endswith(told)


@pytest.mark.parametrize("after", [recorded(), recorded({**KEY, "jaxlib": "0.12"}, least_s=None), recorded(size=4)])
def test_where_nothing_is_known_to_have_changed_nothing_is_said(after: Recording) -> None:
    assert jitviz.compare(recorded(), after).missed == ()
