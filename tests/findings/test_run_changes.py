"""What two runs are said to differ in besides causes: phases, programs outside any jit by line, programs, settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import jitviz
from jitviz.findings.on_disk import tell_changed_settings
from jitviz.model import Compile, seconds
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.recording.codec import pack
from tests.display.samples import EPOCH_S, op_compiled
from tests.findings.runs import Run
from tests.findings.test_other_programs import module
from tests.reasons.samples import array

AT = ", most of it at train.py:7"
FOUR = ("init", "step", "test", "save")


def phases(*, by: Sequence[float] = (1, 1, 1), only: str = "", loaded: bool = False) -> Recording:
    """A run of four functions, whose phases take so many times longer than a tenth of a second; or only one's do."""
    run = Run()
    for name in FOUR:
        slower = by if only in ("", name) else (1, 1, 1)
        run.call(name, array("x", (4,)), phases_s=(0.1 * slower[0], 0.1 * slower[1], 0.1 * slower[2]))
    events: list[ev.Event] = []
    for one in run.end().events:
        if loaded and isinstance(one, ev.PhaseFinished) and one.phase == "compile":
            events.append(ev.ProgramLoaded(one.at_s, one.compile))
        events.append(one)
    return Recording(events)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (phases(), phases(by=(40, 1, 1)), f"tracing 400 ms → 16 s in all 4 functions{AT}, compiling as before"),
        (phases(by=(40, 1, 1)), phases(), "tracing 16 s → 400 ms in all 4 functions, compiling as before"),
        (phases(), phases(by=(1, 1, 40)), "compiling 400 ms → 16 s in all 4 functions, tracing as before"),
        (phases(), phases(by=(40, 1, 1), only="test"), f"tracing 100 ms → 4.0 s in `test`{AT}, compiling as before"),
        (
            phases(by=(10, 10, 10)),
            phases(by=(17, 10, 10)),
            f"tracing 4.0 → 6.8 s in all 4 functions{AT}, compiling as before",
        ),
        (  # a machine is slower by what slowed its phases down least
            phases(),
            phases(by=(40, 20, 1.2)),
            f"tracing 400 ms → 16 s in all 4 functions{AT}, compiling as before\n"
            "lowering 400 ms → 8.0 s in all 4 functions, compiling as before",
        ),
        (
            phases(by=(1, 1, 65)),
            phases(by=(1, 1, 3), loaded=True),
            "compiling 26 → 1.2 s in all 4 functions: loaded from disk",
        ),
        (
            phases(by=(1, 1, 3), loaded=True),
            phases(by=(1, 1, 65)),
            "compiling 1.2 → 26 s in all 4 functions: no longer loaded from disk",
        ),
    ],
)
def test_a_phase_that_took_longer_or_shorter_is_told_with_its_functions(
    before: Recording, after: Recording, told: str
) -> None:
    said = jitviz.compare(before, after)
    assert (str(said), bool(said), said.is_worse) == (told, True, False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (phases(), phases(by=(4, 4, 4))),  # another machine
        (phases(by=(10, 0.1, 10)), phases(by=(40, 0.1, 40))),  # the same; lowering is too short to tell
        (phases(by=(10, 10, 10)), phases(by=(1, 1, 1))),
        (phases(), phases(by=(3, 1, 1))),  # little
        (phases(by=(40, 40, 40)), phases(by=(56, 40, 40))),  # not much
    ],
)
def test_a_machine_of_another_speed_and_small_differences_are_silent(before: Recording, after: Recording) -> None:
    assert str(jitviz.compare(before, after)).startswith("no difference: ")


def sized(*sizes: int, once_s: float = 9.0) -> Recording:
    """A run whose first trace makes what all later ones use."""
    run = Run()
    for place, size in enumerate(sizes):
        run.call("f", array("x", (size,)), phases_s=(0.03 + once_s * (not place), 0.01, 0.01))
    return run.end()


def test_what_the_first_trace_does_once_is_no_slower_trace_of_the_version_that_came_first() -> None:
    said = str(jitviz.compare(sized(8, 9, 10, 13), sized(13)))
    assert said.startswith("gone: `f`: `x` came in 4 sizes")
    assert "tracing" not in said
    assert str(jitviz.compare(sized(8, 13), sized(13, 8, once_s=40.0))).startswith("tracing 9.0 → 40 s in `f`")


def test_a_program_from_disk_is_told_however_little_it_saves() -> None:
    said = str(jitviz.compare(phases(), phases(loaded=True)))
    assert said == "compiling 400 → 400 ms in all 4 functions: loaded from disk"


def test_the_title_adds_up_what_is_drawn_below_it() -> None:
    before, after = sized(8, 13), ops(("init.py:6", "w = jnp.ones(n)", 3))
    sums = [
        sum(part.seconds for part in rec.account.parts if part.what not in ("python", "run")) for rec in (before, after)
    ]
    assert jitviz.compare(before, after).title.startswith(f"This run compiled {seconds(sums[0] - sums[1])} less: ")


def ops(*lines: tuple[str, str, int]) -> Recording:
    """A run in which lines of user code, each with its source and its text, compiled so many programs."""
    *log, end = Run().end().events
    for source, text, n in lines:
        log += [op_compiled(EPOCH_S + 1, "jnp.ones", 0.1, source=source, line=text) for _ in range(n)]
    return Recording([*log, end])


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (ops(("init.py:6", "w = jnp.ones(n)", 23)), "3 → 23 programs at init.py:6: `w = jnp.ones(n)`"),
        (ops(("init.py:9", "w = jnp.ones(n)", 23)), "3 → 23 programs at init.py:9: `w = jnp.ones(n)`"),
        (ops(("init.py:6", "w = 2 * jnp.ones(n)", 23)), "3 → 23 programs at init.py:6: `w = 2 * jnp.ones(n)`"),
        (ops(), "3 → 0 programs at init.py:6: `w = jnp.ones(n)`"),
        (ops(("init.py:9", "w = jnp.ones(n)", 4)), "no difference: was 0 compiles, 0 s; now 0, 0 s"),
    ],
)
def test_programs_outside_any_jit_are_counted_by_line_wherever_the_line_moved(after: Recording, told: str) -> None:
    said = str(jitviz.compare(ops(("init.py:6", "w = jnp.ones(n)", 3)), after))
    assert said.partition(" → Each shape, axis or other static argument has its own program")[0] == told


def compiled(text: str, *, versions: tuple[tuple[str, str], ...] = (), **key: str) -> Recording:
    run = Run()
    run.call("step", array("x", (8,)))
    *events, end = [one for one in run.end().events if not isinstance(one, ev.TextSeen)]
    number = next(one.compile for one in events if isinstance(one, ev.CompileStarted))
    events.append(ev.TextSeen(end.at_s, number, "stablehlo", pack(text)))
    return Recording([*events, ev.RecordingFinished(end.at_s, versions, tuple(key.items()))])


def test_another_program_for_equal_arguments_is_told_with_the_line_whose_operations_differ() -> None:
    assert str(jitviz.compare(compiled(module(4)), compiled(module(8)))) == (
        "`step` compiled another program: 8 slices at w.py:7 where the run before has 4; the first operation that "
        "differs is `slice [0:1] : (tensor<8xf32>) -> tensor<1xf32>`, in the run before "
        "`slice [0:2] : (tensor<8xf32>) -> tensor<2xf32>` at w.py:7"
    )
    assert not jitviz.compare(compiled(module(4)), compiled(module(4, file="moved/w.py")))


def test_jax_flags_and_devices_that_changed_are_told_and_other_programs_of_another_jax_only_counted() -> None:
    before = compiled(module(4), versions=(("jax", "0.10.2"),), XLA_FLAGS="none", devices="1 of cpu")
    after = compiled(module(8), versions=(("jax", "0.12.0"),), XLA_FLAGS="a", devices="2 of cpu")
    assert str(jitviz.compare(before, after)).splitlines() == [
        "another program in 1 function, compiled by another jax",
        "jax changed from 0.10.2 to 0.12.0",
        "XLA_FLAGS changed",
        "devices changed from 1 of cpu to 2 of cpu",
    ]


def test_a_setting_that_another_jax_writes_differently_has_not_changed() -> None:
    def row(**settings: str) -> Compile:
        (row,) = compiled(module(4)).compiles
        return replace(row, signature=replace(row.signature, context=tuple(settings.items())))

    old = row(promotion="'standard'", mesh="none", precision="None", seed="1.5")
    new = row(promotion="NumpyDtypePromotion.STANDARD", mesh="empty", precision="'high'", seed="2.5")
    changed = ["`precision` changed from None to 'high'", "`seed` changed from 1.5 to 2.5"]
    assert list(tell_changed_settings(old, new, is_other_jax=True)) == changed
    assert len(list(tell_changed_settings(old, new))) == 4
