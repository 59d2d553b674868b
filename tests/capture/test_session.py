"""Switching on and off: every hook is restored, recordings nest and overlap, hooks of other code are left alone."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import equinox as eqx
import flax
import jax
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture.arguments import signature
from jitviz.capture.hooks import phases
from jitviz.filters import hook
from jitviz.jaxcompat.monitoring import is_listening

from ..jaxcompat.watching import listening
from .samples import SEES_HITS, causes, fresh, on_threads, outcomes

X, Y = np.ones(3, np.float32), np.ones(4, np.float32)


def tools() -> list[str | None]:
    return [sys.monitoring.get_tool(number) for number in range(6)] if SEES_HITS else []


def hooks() -> dict[str, Any]:
    """Everything that a recording attaches itself to."""
    return {
        "tools": tools(),
        "equinox": vars(eqx._jit._JitWrapper)["__call__"],
        "filters": hook.observer,
        "listening": is_listening(phases.on_start, phases.on_end, phases.on_duration, before=False),
    }


def test_a_recording_restores_every_hook_except_those_of_the_history() -> None:
    capture.unwatch()
    before = hooks()
    with jitviz.record():
        during = hooks()
    after = hooks()
    assert [name for name in before if during[name] != before[name]] == [
        *(["tools"] if SEES_HITS else []), "equinox", "filters", "listening",
    ]  # fmt: skip
    assert after == before | {"listening": (True, True, True)}
    capture.unwatch()
    assert hooks() == before


def test_a_recording_without_its_with_says_what_is_missing() -> None:
    with pytest.raises(AttributeError) as error:
        jitviz.record().findings  # noqa: B018  # asking is the test
    told = "nothing is recorded yet. Write `with jitviz.record() as rec:`, and then read `rec.findings`"
    assert str(error.value) == told


def test_hooks_are_restored_when_the_block_raises() -> None:
    capture.watch()
    before = hooks()
    with pytest.raises(ValueError, match="mine"), jitviz.record() as rec:
        raise ValueError("mine")
    assert hooks() == before
    assert not rec.is_live


def test_watching_can_be_switched_on_and_off_repeatedly() -> None:
    for _ in range(3):
        capture.watch()
        capture.watch()
        assert capture.is_watching()
        capture.unwatch()
        capture.unwatch()
        assert not capture.is_watching()
    assert is_listening(phases.on_start, phases.on_end, phases.on_duration, before=False) == (False, False, False)


def test_unwatching_ends_open_recordings() -> None:
    rec = capture.begin()
    fresh()(X)
    capture.unwatch()
    fresh()(X)
    assert not rec.is_live
    assert len(rec.compiles) == 1
    assert capture.end(rec) is rec


def test_listeners_of_other_code_stay_registered() -> None:
    heard: list[str] = []

    def listener(event: str, *args: Any, **kwargs: Any) -> None:
        heard.append(event)

    with listening(listener, "scalar", "event_time_span"):
        with jitviz.record():
            fresh()(X)
        during = len(heard)
        capture.unwatch()
        fresh()(X)
    assert during == 6
    assert len(heard) == 12


def test_a_wrapper_that_other_code_put_around_equinox_stays() -> None:
    original = vars(eqx._jit._JitWrapper)["__call__"]

    def theirs(self: Any, *args: Any, **kwargs: Any) -> Any:
        return original.__get__(self, type(self))(*args, **kwargs)

    type.__setattr__(eqx._jit._JitWrapper, "__call__", theirs)
    try:
        with jitviz.record() as rec:
            fresh(eqx.filter_jit)(X)
        assert vars(eqx._jit._JitWrapper)["__call__"] is theirs
    finally:
        type.__setattr__(eqx._jit._JitWrapper, "__call__", original)
    assert outcomes(rec) == [("step", "compile")]


def test_a_slot_that_another_observer_holds_stays_theirs() -> None:
    class Observer:
        def started(self, call: Any) -> object:
            return None

        def finished(self, token: object, error: BaseException | None) -> None: ...

    theirs = hook.observer = Observer()
    try:
        with jitviz.record() as rec:
            fresh(jitviz.filter_jit)(X)
        assert hook.observer is theirs
    finally:
        hook.observer = None
    assert [compile_.function for compile_ in rec.compiles] == ["step"]


def test_cleared_listeners_are_registered_again_by_the_next_recording() -> None:
    with jitviz.record() as before:
        fresh()(X)
        jax.monitoring.clear_event_listeners()  # jax 0.7 keeps those of scalars
        fresh()(X)
    with jitviz.record() as after:
        fresh()(X)
    capture.unwatch()
    assert [compile_.hlo is None for compile_ in before.compiles] == [False, True]
    assert [compile_.hlo is None for compile_ in after.compiles] == [False]


def test_recordings_nest_and_each_sees_its_own_time() -> None:
    step = fresh(jitviz.filter_jit)
    with jitviz.record() as outer:
        step(X)
        with jitviz.record() as inner:
            step(X)
            step(Y)
        step(Y)
    assert [call.outcome for call in outer.calls] == ["compile", "hit", "compile", "hit"]
    assert [call.outcome for call in inner.calls] == ["hit", "compile"]
    assert inner.earlier[-1].signature == outer.compiles[0].signature
    assert inner.compiles[0].reasons == outer.compiles[1].reasons


def test_recordings_overlap() -> None:
    step = fresh(jitviz.filter_jit)
    first = capture.begin("first")
    step(X)
    second = capture.begin("second")
    step(X)
    capture.end(first)
    step(X)
    capture.end(second)
    step(X)
    assert [len(first.calls), len(second.calls)] == [2, 2]
    assert (first.facts.label, second.facts.label) == ("first", "second")
    assert hook.observer is None


def test_recordings_of_several_threads_see_the_whole_process() -> None:
    barrier = threading.Barrier(3)
    found: list[Any] = []

    def work(_: int) -> None:
        with jitviz.record() as rec:
            barrier.wait()
            fresh(jitviz.filter_jit)(X)
            barrier.wait()
        found.append(rec)

    on_threads(work, 3)
    assert [len(rec.compiles) for rec in found] == [3, 3, 3]
    assert all(len({call.thread for call in rec.calls}) == 3 for rec in found)
    assert hook.observer is None


def test_a_recording_that_begins_inside_a_trace_sees_the_rest_of_it() -> None:
    inside: list[Any] = []

    @jitviz.filter_jit
    def outer(x: Any) -> Any:
        with jitviz.record() as rec:
            y = fresh(jitviz.filter_jit)(x)
        inside.append(rec)
        return y

    outer(X)
    (rec,) = inside
    assert outcomes(rec) == [("step", "inlined")]
    assert rec.facts.failures == []


def test_a_recording_that_ends_inside_a_call_leaves_no_open_call_behind() -> None:
    rec = capture.begin()

    @jax.jit
    def outer(x: Any) -> Any:
        capture.end(rec)
        return x

    outer(X)
    with jitviz.record() as after:
        fresh()(X)
    assert [call.parent for call in after.calls] == [None]


def test_a_setting_changed_inside_a_recording_is_the_cause() -> None:
    step = fresh()
    before = jax.config.jax_default_matmul_precision
    with jitviz.record() as rec:
        step(X)
        jax.config.update("jax_default_matmul_precision", "float32")
        try:
            step(X)
        finally:
            jax.config.update("jax_default_matmul_precision", before)
    assert causes(rec)[1:] == [("config_context", "jax_default_matmul_precision")]


def test_a_value_of_the_users_in_the_trace_context_is_neither_hashed_nor_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Own:
        __hash__ = __eq__ = None  # type: ignore[assignment]

    own = Own()
    monkeypatch.setattr(signature.contexts, "trace_context", lambda: (("user", own), ("jax_enable_x64", False)))
    first, second = signature.trace_context(), signature.trace_context()
    assert [name for name, _ in first] == ["user", "jax_enable_x64"]
    assert first == second


def test_a_package_that_must_not_be_imported_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flax", None)  # type: ignore[arg-type]
    with jitviz.record() as rec:
        pass
    assert "flax" not in dict(rec.facts.versions)


def test_a_recording_holds_the_versions_of_its_software() -> None:
    with jitviz.record() as rec:
        pass
    versions = dict(rec.facts.versions)
    assert versions["jax"] == jax.__version__
    assert versions["jitviz"] == jitviz.__version__
    assert versions["flax"] == flax.__version__
    assert {"python", "backend", "equinox"} <= set(versions)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_a_forked_child_records_in_memory_and_leaves_the_file_to_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "rec.jsonl"
    with jitviz.record() as rec:
        fresh()(X)
        rec.save(path)
        child = os.fork()
        if child == 0:  # without calling JAX, whose threads are not here
            capture.end(rec)
            os._exit(0 if not rec.is_live else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert '"RecordingFinished"' not in path.read_text()  # the heartbeat of the parent may have written
        fresh()(X)
    assert path.read_text().count('"RecordingFinished"') == 1
    assert len(jitviz.load(path).compiles) == 2


def test_capture_imports_neither_equinox_nor_flax_nor_ipython() -> None:
    program = (
        "import sys, jax, jitviz\n"
        "with jitviz.record() as rec: jax.jit(lambda x: x)(1.0)\n"
        "print(len(rec.compiles), sorted({'equinox', 'flax', 'IPython', 'anywidget'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1 []\n"
