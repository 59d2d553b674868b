"""Warnings while a job runs: one for each cause."""

import logging
import re
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz.guards import RecompileWarning, watching
from tests.leftovers import left_by


def calls(step: Any, *sizes: int) -> None:
    for size in sizes:
        step(np.ones(size, np.float32))


@pytest.fixture
def step() -> Any:
    @jax.jit
    def step(x: Any, y: Any = 1.0) -> Any:
        return x * y

    return step


@pytest.fixture
def told() -> Iterator[list[warnings.WarningMessage]]:
    """The warnings of a test."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of a file that another test left to the collector
        yield caught


Told = list[warnings.WarningMessage]


def without_seconds(text: str) -> str:
    return re.sub(r"[\d.]+ (s|ms)\b", "T", text)


def test_each_cause_is_warned_of_once_and_logged(step: Any, told: Told, caplog: pytest.LogCaptureFixture) -> None:
    with jitviz.watch(every=3600):
        calls(step, 2, 3)
        step(np.ones(2, np.int32))
    assert [one.category for one in told] == [RecompileWarning] * 3
    first, second, last = (str(one.message) for one in told)
    assert without_seconds(last).startswith("2 recompiles took T in all: `step`, in T (")
    assert first.startswith("`step` compiled again, in ")
    assert ": `x` changed its shape from f32[2] to f32[3]. Pad it" in first
    assert ": `x` changed its dtype from f32[2] to i32[2]." in second
    assert [(one.filename.endswith("test_watching.py"), one.lineno > 0) for one in told[:2]] == [(True, True)] * 2
    records: list[Any] = [record for record in caplog.records if record.name == "jitviz"]
    assert [record.levelno for record in records] == [logging.WARNING] * 3
    about = records[0].jitviz
    assert about.pop("seconds") == about.pop("total_seconds") > 0
    assert about.pop("source").partition(":")[0] == "tests/guards/test_watching.py"
    assert about == {
        "function": "step",
        "kind": "shape",
        "path": "x",
        "before": "f32[2]",
        "after": "f32[3]",
        "count": 1,
    }


def test_a_cause_is_told_again_when_it_has_doubled_and_summed_up_at_the_end(told: Told) -> None:
    evaluate = jax.jit(lambda x: x * 5)
    watch = jitviz.watch(every=3600)
    for size in range(2, 12):
        calls(evaluate, size)
        watch._look()
    watch.stop()
    assert [without_seconds(str(one.message).partition(":")[0]) for one in told] == [
        "`<lambda>` compiled again, in T",
        "`<lambda>` compiled again 2 times, in T",
        "`<lambda>` compiled again 4 times, in T",
        "`<lambda>` compiled again 8 times, in T",
        "9 recompiles took T in all",
    ]
    assert (
        without_seconds(str(told[-1].message)) == "9 recompiles took T in all: `<lambda>` 9 times, in T (shape of x)."
    )
    assert {(one.filename, one.lineno) for one in told} == {(told[0].filename, told[0].lineno)}
    assert told[0].filename.endswith("test_watching.py")


def test_earlier_recompiles_and_known_causes_are_not_warned_of(step: Any, told: Told) -> None:
    with jitviz.record(sample=False):
        calls(step, 2, 3)
    watch = jitviz.watch(every=3600)
    calls(step, 4)
    watch._look()
    watch._look()
    watch.stop()
    watch.stop()
    assert len(told) == 1


def test_the_thread_looks_by_itself_and_covers_all_threads(step: Any, told: Told) -> None:
    heard = threading.Event()

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.set()

    handler = Heard()
    logging.getLogger("jitviz").addHandler(handler)
    try:
        with jitviz.watch(every=0.01):
            thread = threading.Thread(target=calls, args=(step, 2, 3))
            thread.start()
            thread.join()
            assert heard.wait(60)
    finally:
        logging.getLogger("jitviz").removeHandler(handler)


@pytest.mark.parametrize("raises", ["the warning", "the log"])
def test_an_error_in_telling_one_cause_ends_no_call_and_hides_no_other_cause(
    step: Any, told: Told, caplog: pytest.LogCaptureFixture, raises: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise OSError("no space left")

    other = jax.jit(lambda y: y * 3)
    if raises == "the warning":
        warnings.simplefilter("error")
    else:
        monkeypatch.setattr(logging.getLogger("jitviz"), "handlers", [Full()])
    with jitviz.record() as rec, jitviz.watch(every=3600):
        calls(step, 2, 3, 4)
        step(np.ones(2, np.int32))
        calls(other, 2, 3)
    if raises == "the warning":
        texts = [record.getMessage() for record in caplog.records if record.name == "jitviz"]
    else:
        texts = [str(one.message) for one in told]
    causes = [re.search(r"^`(.*?)` compiled .* changed its (\w+)", text) for text in texts]
    assert sorted(cause.groups() for cause in causes if cause) == [
        ("<lambda>", "shape"),
        ("step", "dtype"),
        ("step", "shape"),
    ]
    assert all(failure.startswith("watch: ") for failure in rec.facts.failures)
    assert rec.facts.failures


def test_the_number_of_warnings_is_bounded(step: Any, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_MOST", 1)
    with jitviz.watch(every=3600) as watch:
        calls(step, 2, 3)
        step(np.ones(2, np.int32))
        step(np.ones(2, np.float32), 2)
    assert len(told) == len(watch._known) == 1
    assert watch._changed == set()


def test_hours_of_watching_warn_of_each_cause_once_and_leave_nothing_behind(told: Told) -> None:
    @jax.jit
    def steady(x: Any) -> Any:
        return x * 2

    with jitviz.watch(every=3600) as watch:
        calls(steady, *range(2, 8))
        steady(np.ones(2, np.int32))
        (lineage,) = watch._changed

        def look_again() -> None:
            watch._changed.add(lineage)
            watch._look()

        n_threads, n_files, n_objects = left_by(look_again, 200)
    assert [str(one.message).partition(" changed its ")[2][:5] for one in told] == ["shape", "dtype", ""]
    assert (n_threads, n_files, watch._changed, len(watch._known)) == (0, 0, set(), 2)
    assert n_objects < 20


def test_seconds_must_be_positive() -> None:
    with pytest.raises(ValueError, match=r"every must be a positive number of seconds, not 0\."):
        jitviz.watch(every=0)
