"""What other backends do: first imitated on the CPU, then on a GPU, where there is one (`pytest -m gpu`)."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import xla_bridge

import jitviz
from jitviz.jaxcompat import frame_locals, jaxprs
from jitviz.model import Cost
from jitviz.recording import Recording
from jitviz.views.program import shape_links

pytestmark = pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
HERE = f"tests/{Path(__file__).name}"


def line_of(text: str) -> int:
    """The first line of this file with that text."""
    return 1 + next(at for at, line in enumerate(Path(__file__).read_text().splitlines()) if text in line)


def shown_with(monkeypatch: pytest.MonkeyPatch, lacking: set[str]) -> Recording:
    """A recording on a backend whose executables cannot say these things of themselves."""

    def refuse(*_: object) -> Any:
        raise RuntimeError("UNIMPLEMENTED: the plugin has no such function")

    class Executable:
        def __init__(self, executable: Any) -> None:
            self._executable = executable

        def __getattr__(self, name: str) -> Any:
            return refuse if name in lacking else getattr(self._executable, name)

    whole = frame_locals.executable
    monkeypatch.setattr(frame_locals, "executable", lambda frame: Executable(whole(frame)))
    if "cost" in lacking:
        monkeypatch.setattr(jaxprs, "hlo_cost", refuse)
    step = jax.jit(lambda x, y: (x + y * 2, y[0]), donate_argnums=(0, 1))
    with jitviz.record() as rec:
        step(jnp.ones(3), jnp.ones(3))
    assert list(rec.facts.failures) == []
    return rec


def donated_in_vain(rec: Recording) -> list[str]:
    return [found.path for found in rec.findings if found.kind == "donation"]


def test_a_backend_without_figures_has_no_cost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rec = shown_with(monkeypatch, {"get_compiled_memory_stats", "cost"})
    (row,) = rec.compiles
    assert (row.memory, row.reused) == (None, ("x",))
    assert donated_in_vain(rec) == ["y"]
    assert row.cost in (None, Cost())
    text = str(rec)
    assert not re.search(r"^ *(cost|memory):", text, re.MULTILINE)
    assert rec.to_html(tmp_path / "page.html").stat().st_size > 100_000


def test_a_backend_that_shows_no_program_has_the_texts_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rec = shown_with(monkeypatch, {"hlo_modules"})
    (row,) = rec.compiles
    assert (row.hlo, row.reused) == (None, None)
    assert row.jaxpr
    assert row.stablehlo
    assert donated_in_vain(rec) == []  # nothing is known of it
    assert "memory: " in str(rec)


def test_devices_are_those_of_the_arrays_whatever_the_default_backend_is(monkeypatch: pytest.MonkeyPatch) -> None:
    x = jax.device_put(jnp.ones(3), jax.devices()[0])
    step = jax.jit(lambda x: x * 2)
    with jitviz.record() as rec:
        monkeypatch.setattr(xla_bridge, "_default_backend", SimpleNamespace(platform="tpu"))
        step.lower(x)
        monkeypatch.undo()
    assert "on cpu:0" in str(rec)


# From here on with a GPU.


@pytest.fixture
def gpu() -> Iterator[Any]:
    try:
        device = jax.devices("gpu")[0]
    except RuntimeError:
        pytest.skip("no GPU here")
    with jax.default_device(device):
        yield device


def label(device: Any) -> str:
    return f"{device.platform}:{device.id}"


@pytest.mark.gpu
def test_recording_on_a_gpu_transfers_nothing(gpu: Any) -> None:
    x = jax.device_put(np.ones((64, 64), np.float32), gpu)
    step = jax.jit(lambda x: jnp.sin(x) @ x)
    with jax.transfer_guard("disallow_explicit"), jitviz.record() as rec:
        step(x)
        step(x)
        text = str(rec)
    assert len(rec.compiles) == 1
    assert f"on {label(gpu)}" in text
    assert list(rec.facts.failures) == []


@pytest.mark.gpu
def test_a_buffer_on_a_gpu_is_reused_where_it_is_donated(gpu: Any) -> None:
    x, other = (jax.device_put(np.ones(1024, np.float32), gpu) for _ in range(2))
    with jitviz.record() as rec:
        jax.jit(lambda x, other: (x + 1, other[:3]), donate_argnums=(0, 1))(x, other)
    assert x.is_deleted()
    assert rec.compiles[0].reused == ("x",)
    assert donated_in_vain(rec) == ["other"]


@pytest.mark.gpu
def test_memory_on_a_gpu_is_as_the_executable_says(gpu: Any) -> None:
    x = jax.device_put(np.ones((64, 64), np.float32), gpu)
    step = jax.jit(lambda x: jnp.sort(x @ x))
    with jitviz.record() as rec:
        step(x)
    told, seen = step.lower(x).compile().memory_analysis(), rec.compiles[0].memory
    if told is None:
        assert seen is None
    else:
        assert seen is not None
        assert (seen.argument, seen.output) == (told.argument_size_in_bytes, told.output_size_in_bytes)
        assert seen.temporary == told.temp_size_in_bytes


@pytest.mark.gpu
def test_the_program_of_a_gpu_is_linked_to_its_source(gpu: Any) -> None:
    x = jax.device_put(np.ones((64, 64), np.float32), gpu)

    def step(x: Any) -> Any:
        y = jnp.sin(x) * 2  # elementwise
        return y @ x

    with jitviz.record() as rec:
        jax.jit(step)(x)
    assert (rec.compiles[0].hlo or "").startswith("HloModule")
    links = shape_links(rec, 0)
    places = zip(links.frames.file, links.frames.line, strict=True)
    line = line_of("# elementwise")
    here = {at for at, place in enumerate(places) if (links.files[place[0]], place[1]) == (HERE, line)}
    stacks = {at for at, frame in enumerate(links.stacks.frame) if frame in here}
    assert stacks & set(links.hlo.stack)


@pytest.mark.gpu
def test_a_function_on_two_backends_has_a_version_for_each(gpu: Any) -> None:
    step = jax.jit(lambda x: x + 1)
    cpu = jax.devices("cpu")[0]
    with jitviz.record() as rec:
        for device in (cpu, gpu, cpu, gpu):
            step(jax.device_put(np.ones(3, np.float32), device))
    assert len(rec.compiles) == 2
    assert [compile.reasons[0].path for compile in rec.compiles] == ["", "x"]
    assert label(cpu) in rec.compiles[1].reasons[0].summary
    assert label(gpu) in rec.compiles[1].reasons[0].summary
