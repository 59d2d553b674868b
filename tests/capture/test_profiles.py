"""XLA's own passes in a compile, from a profiler session during the compile phase."""

import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture.hooks import pass_profiles
from jitviz.jaxcompat.texts.names import fusion_of
from jitviz.model import Compile, Pass
from jitviz.views.account_rows import tell_fusion
from tests.conftest import AS_USUAL

X = np.linspace(0, 1, 32 * 32, dtype=np.float32).reshape(32, 32)


def step(x: Any) -> Any:
    for _ in range(4):
        x = jnp.sin(x) @ x + jnp.tanh(x).sum(0)
    return x


@pytest.fixture(scope="module")
def profiled() -> Compile:
    with jitviz.record(profile=True) as rec:
        jax.jit(step, compiler_options=AS_USUAL)(X)  # the older way of fusing names no fusions
    capture.unwatch()
    return rec.compiles[0]


def test_outer_spans_are_as_long_as_the_compile(profiled: Compile) -> None:
    phase = next(phase for phase in profiled.phases if phase.name == "compile")
    outer = sum(one.duration_s for one in profiled.passes if one.parent is None)
    assert outer == pytest.approx(phase.duration_s, rel=0.5)  # two clocks, on a busy machine
    assert all(phase.start_s <= one.start_s for one in profiled.passes)  # type: ignore[operator]


def test_passes_lie_within_their_parents(profiled: Compile) -> None:
    names = {one.name.partition(" ")[0] for one in profiled.passes}
    assert {"backend_compile_and_load", "CpuCompiler::CompileCpuExecutable"} <= names
    assert len(names) > 50
    for place, one in enumerate(profiled.passes):
        if one.parent is not None:
            around = profiled.passes[one.parent]
            assert one.parent < place
            assert around.start_s <= one.start_s
            assert one.start_s + one.duration_s <= around.start_s + around.duration_s + 1e-6


def test_a_fusion_is_linked_to_its_source_lines(profiled: Compile) -> None:
    fusions = {fusion for one in profiled.passes if (fusion := fusion_of(one.name))}
    first = step.__code__.co_firstlineno
    named = [tell_fusion(profiled.recording, profiled.index, fusion) for fusion in fusions]
    assert any(f"test_profiles.py:{first + 2}" in name for name in named)


def test_a_saved_recording_keeps_the_passes(profiled: Compile, tmp_path: Path) -> None:
    loaded = jitviz.load(profiled.recording.save(tmp_path / "rec.jsonl"))
    assert loaded.compiles[0].passes == profiled.passes
    assert type(loaded.compiles[0].passes[0]) is Pass


def test_nothing_is_profiled_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Path] = []
    monkeypatch.setattr("jitviz.jaxcompat.xla_profiles.start", started.append)
    with jitviz.record() as rec:
        jax.jit(lambda x: x + 1)(X)
    assert (started, rec.compiles[0].passes) == ([], ())


def test_results_are_the_same_with_and_without_a_profile() -> None:
    plain = np.asarray(jax.jit(step)(X))
    jax.clear_caches()
    with jitviz.record(profile=True):
        profiled = np.asarray(jax.jit(step)(X))
    assert plain.tobytes() == profiled.tobytes()


def test_a_recording_with_a_profile_is_refused_while_the_user_has_a_session(tmp_path: Path) -> None:
    jax.profiler.start_trace(tmp_path)
    try:
        with pytest.raises(RuntimeError, match=r"another jax.profiler session is open.*stop_trace\(\)"):  # noqa: SIM117
            with jitviz.record(profile=True):
                pass
    finally:
        jax.profiler.stop_trace()
    assert list(tmp_path.rglob("*.xplane.pb"))


def test_a_session_that_the_user_begins_meanwhile_is_left_alone_and_reported(tmp_path: Path) -> None:
    with jitviz.record(profile=True) as rec:
        jax.profiler.start_trace(tmp_path)
        jax.jit(lambda x: x - 1)(X)
        jax.profiler.stop_trace()
        jax.jit(lambda x: x - 2)(X)
    assert [bool(row.passes) for row in rec.compiles] == [False, True]
    assert rec.facts.failures == [f"profile: {pass_profiles.IS_OPEN}"]


def test_a_compile_that_fails_leaves_no_session_and_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with jitviz.record(profile=True):
        with pytest.raises(Exception, match="no_such_option"):
            jax.jit(lambda x: x * 3, compiler_options={"no_such_option": True})(X)
        assert not pass_profiles.is_refused()
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_jitviz_left_open_ends_with_the_recording() -> None:
    with jitviz.record(profile=True):
        pass_profiles.begin(1)
        assert pass_profiles.is_refused()
    assert not pass_profiles.is_refused()
