"""Two runs, and what is said of them."""

from __future__ import annotations

import itertools
import runpy
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jax
import pytest

import jitviz
from jitviz import compare
from jitviz.__main__ import main
from jitviz.recording import Recording
from tests.findings.runs import Run
from tests.findings.test_find import a_size_that_was_not_warmed, five_thousand_calls, overlapping_causes, two_functions
from tests.reasons.samples import array, static


def sizes(*lengths: int, seconds: float = 1.0) -> Recording:
    run = Run()
    for length in lengths:
        run.call("step", array("x", (length,)), seconds=seconds)
    return run.end()


def several(**seconds: float) -> Recording:
    run = Run()
    for function, spent_s in seconds.items():
        run.call(function, array("x", (4,)), seconds=spent_s)
    return run.end()


def sizes_and_values(*pairs: tuple[int, float]) -> Recording:
    run = Run()
    for length, rate in pairs:
        run.call("step", array("x", (length,)), static("rate", rate))
    return run.end()


AT = ", at train.py:7"
PAD = f"{AT} → Pad `x` to 4 with `np.pad`, and mask out the padding: 1 compile instead of"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            sizes(4),
            sizes(4, 3),
            f"new: `step`: `x` changed its shape from f32[4] to f32[3] (1 recompile, 1.0 s){PAD} 2.",
        ),
        (sizes(4, 3), sizes(4), f"gone: `step`: `x` changed its shape from f32[4] to f32[3] (1 recompile, 1.0 s){AT}"),
        (  # the rate changed whenever the size did
            sizes_and_values((3, 0.1), (4, 0.2), (4, 0.1)),
            sizes_and_values((3, 0.1), (3, 0.2), (3, 0.1)),
            f"gone: `step`: `x` changed its shape from f32[3] to f32[4] (1 recompile, 1.0 s){AT}",
        ),
        (
            sizes(4, 3),
            sizes(4, 3, 2, 1),
            "more expensive: `step`: `x` came in 4 sizes: f32[1] … f32[4] (3 recompiles, 3.0 s), "
            f"was 1 recompile, 1.0 s{PAD} 4.",
        ),
        (
            sizes(4, 3, 2),
            sizes(4, 2),
            "cheaper: `step`: `x` changed its shape from f32[4] to f32[2] (1 recompile, 1.0 s), "
            f"was 2 recompiles, 2.0 s{AT}",
        ),
        (sizes(4), sizes(4, seconds=9.0), f"more expensive: `step`: 1 compile, 9.0 s, was 1 compile, 1.0 s{AT}"),
        (sizes(4), sizes(4, seconds=1.9), "no difference: was 1 compile, 1.0 s; now 1, 1.9 s"),
        (sizes(4, 3), sizes(8, 5), "no difference: was 2 compiles, 2.0 s; now 2, 2.0 s"),
        (
            sizes_and_values((4, 0.5), (3, 0.5)),
            sizes_and_values((4, 0.5), (4, 0.7)),
            f"gone: `step`: `x` changed its shape from f32[4] to f32[3] (1 recompile, 1.0 s){AT}\n"
            f"new: `step`: `rate` is static and changed from `0.5` to `0.7` (1 recompile, 1.0 s){AT} "
            "→ The program is the same for these values: if it is for all, do not pass it to the jitted function; "
            "otherwise pass one of these.",
        ),
        (
            several(step=1.0, init=2.0, test=3.0),
            several(step=5.0, init=10.0, test=15.0),
            "no difference: was 3 compiles, 6.0 s; now 3, 30 s",
        ),
        (
            several(step=1.0, init=2.0, test=3.0),
            several(step=1.0, init=2.0, test=15.0),
            f"more expensive: `test`: 1 compile, 15 s, was 1 compile, 3.0 s{AT}",
        ),
        (Recording(), sizes(4), f"new: `step`: 1 compile, 1.0 s{AT}"),
        (Recording(), Recording(), "no difference: was 0 compiles, 0 s; now 0, 0 s"),
    ],
)  # fmt: skip
def test_what_is_said_of_two_runs(before: Recording, after: Recording, expected: str) -> None:
    said = compare(before, after)
    assert str(said) == expected
    assert bool(said) == (not expected.startswith("no difference"))


@pytest.mark.parametrize(
    "record", [overlapping_causes, two_functions, five_thousand_calls, a_size_that_was_not_warmed, Recording]
)
def test_the_same_run_differs_in_nothing(record: Callable[[], Recording]) -> None:
    assert not compare(record(), record())


def xs(*avals: tuple[int, str]) -> Recording:
    run = Run()
    for length, dtype in avals:
        run.call("step", array("x", (length,), dtype))
    return run.end()


A_SHAPE_AND_A_DTYPE = xs((8, "float32"), (5, "float32"), (8, "float16"))
BOTH_AT_ONCE = xs((8, "float32"), (5, "float16"))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            A_SHAPE_AND_A_DTYPE,
            xs((8, "float32"), (8, "float16")),
            f"gone: `step`: `x` changed its shape from f32[8] to f32[5] (1 recompile, 1.0 s){AT}",
        ),
        (
            A_SHAPE_AND_A_DTYPE,
            xs((8, "float32"), (5, "float32")),
            f"gone: `step`: `x` changed its dtype from f32[8] to float16[8] (1 recompile, 1.0 s){AT}",
        ),
        (BOTH_AT_ONCE, xs((8, "float32"), (8, "float16")), "no difference: was 2 compiles, 2.0 s; now 2, 2.0 s"),
        (BOTH_AT_ONCE, xs((8, "float32"), (5, "float32")), "no difference: was 2 compiles, 2.0 s; now 2, 2.0 s"),
    ],
)
def test_a_leaf_that_changed_in_two_ways_of_which_one_is_mended_is_no_new_cause(
    before: Recording, after: Recording, expected: str
) -> None:
    said = compare(before, after)
    assert (str(said), said.is_worse) == (expected, False)


def test_a_second_change_of_a_leaf_is_new_beside_the_first() -> None:
    said = compare(xs((8, "float32"), (5, "float32")), A_SHAPE_AND_A_DTYPE)
    assert [(one.reason, one.count) for one in said.new] == [("dtype", 1)]
    assert said.is_worse


@pytest.mark.parametrize("loss", ["killed", "a line is damaged"])
def test_nothing_is_gone_from_a_run_that_is_incomplete(loss: str, tmp_path: Path) -> None:
    before = sizes(4, 3, 2)
    *lines, _ = sizes(4).save(tmp_path / "after.jsonl").read_text().splitlines(keepends=True)
    after_path = tmp_path / "after.jsonl"
    if loss == "killed":
        after_path.write_text("".join(lines))
    else:
        kept = before.save(after_path).read_text().splitlines(keepends=True)
        lost = next(number for number, line in enumerate(kept) if "CompileStarted" in line and '"compile":2' in line)
        after_path.write_text("".join([*kept[:lost], "{\n", *kept[lost + 1 :]]))
    after = jitviz.load(after_path)
    said = compare(before, after)
    lacks = "recording is incomplete (its process was killed or still ran, or its file has lost lines)"
    assert (said.gone, said.cheaper, said.is_worse, said.is_after_incomplete) == ((), (), False, True)
    assert "no difference" not in str(said)
    assert said.incomplete == (f"The second {lacks}: what it lacks is not known to be gone.",)
    assert compare(after, before).incomplete == (f"The first {lacks}: what is new may have been there.",)
    before.save(tmp_path / "before.jsonl")
    assert main(["diff", str(tmp_path / "before.jsonl"), str(after_path)]) == 2
    assert main(["diff", str(after_path), str(tmp_path / "before.jsonl")]) == 1


def moved(recording: Recording) -> Recording:
    """The same run, its functions elsewhere in memory and in the file, run by another cell."""
    events = []
    for event in recording.events:
        if hasattr(event, "info"):
            body = replace(event.info.body, origin="In [99]:77", token=555)
            info = replace(event.info, token=77_000 + event.function, body=body)
            event = replace(event, info=info)
        if getattr(event, "source", ""):
            event = replace(event, source="In [99]:123")
        events.append(event)
    return Recording(events)


def test_addresses_cells_and_lines_do_not_tell_functions_apart() -> None:
    assert not compare(overlapping_causes(), moved(overlapping_causes()))
    assert not compare(two_functions(), moved(two_functions()))


SCRIPT = """\
import jax
import numpy as np


def make():
    return jax.jit(lambda x: x * 2)


@jax.jit
def step(x):
    for _ in range(120):
        x = x * 2 + 1
    return x


for size in SIZES:
    step(np.ones(size, np.float32))
for _ in range(3):
    make()(np.ones(3, np.float32))
"""


def test_a_script_that_runs_twice_differs_in_nothing_and_a_planted_recompile_is_one_line(tmp_path: Path) -> None:
    names = (f"train_{n}" for n in itertools.count())

    def run(sizes: str, blank_lines: int = 0) -> Recording:
        script = tmp_path / "train.py"
        script.write_text("\n" * blank_lines + SCRIPT.replace("SIZES", sizes))
        jax.clear_caches()
        with jitviz.record() as rec:
            runpy.run_path(str(script), run_name=next(names))
        sys.modules.pop("train", None)
        return rec

    def named(rec: Recording) -> Recording:
        """Every run of a script is `__main__`; here each has a name, so that none is explained by another."""
        return Recording(
            [
                replace(event, info=replace(event.info, module="__main__")) if hasattr(event, "info") else event
                for event in rec.events
            ]
        )

    first, again, planted = named(run("(4,)")), named(run("(4,)", blank_lines=5)), named(run("(4, 5)"))
    assert str(compare(first, again)).startswith("no difference")
    assert len(str(compare(first, planted)).splitlines()) == 1
    assert [(one.function, one.path, one.kind) for one in compare(first, planted).new] == [("step", "x", "recompile")]
    assert [one.path for one in compare(planted, first).gone] == ["x"]


def functions(*seconds: float) -> Recording:
    """A run of as many functions, each with one recompile that took so long."""
    run = Run()
    for number, spent_s in enumerate(seconds):
        for length in (8, 5):
            run.call(f"f{number}", array("x", (length,)), seconds=spent_s)
    return run.end()


def test_what_three_causes_agree_on_is_the_machine_and_one_that_took_longer_still_is_told() -> None:
    before = functions(1.0, 1.0, 1.0, 1.0)
    for seconds, told in (([6.0] * 4, []), ([6.0, 6.0, 6.0, 20.0], ["f3"]), ([6.0, 1.0, 1.0, 1.0], ["f0"])):
        assert [shift.after.function for shift in compare(before, functions(*seconds)).dearer] == told
