"""What JAX's cache on disk spared a run, and what it could not, is among the first lines."""

from collections.abc import Sequence

import pytest

from jitviz.findings.on_disk import tell_disk
from jitviz.model import OpByOp
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.views import shape_panel

KEY = "jit_{}-" + 64 * "0"
FLOOR = "With all programs from disk, {} remain: {}."
AND_LOADING = FLOOR[:-1] + "; and the time to load what was missed."
QUICK = 'To keep quick programs as well: jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)'
SOME = list(zip(map(KEY.format, "de"), ("other", "absent"), strict=True))


def op(name: str, compile_s: float = 2.0, least_s: float | None = 1.0, key: str = KEY) -> OpByOp:
    """A program that was found if JAX keeps nothing of it (`least_s` is None)."""
    return OpByOp(
        name,
        name,
        source="a.py:1",
        trace_s=0.25,
        lower_s=0.25,
        compile_s=compile_s,
        origin="loaded" if least_s is None else "compiled",
        disk_least_s=least_s,
        disk_key=key.format(name),
    )


def recorded(*ops: OpByOp, states: Sequence[tuple[str, str]] = (), problem: str = "") -> Recording:
    events = [ev.OpCompiled(0.0, one) for one in ops]
    end = ev.RecordingFinished(8.0, disk_states=tuple(states), disk_problem=problem)
    return Recording([ev.RecordingStarted(0.0), *events, end])


@pytest.mark.parametrize(
    ("rec", "told"),
    [
        (recorded(op("a", key="")), []),
        (
            recorded(op("a", 0.5, None), op("b", 0.5, None)),
            ["2 of 2 programs from disk.", FLOOR.format("2.0 s", "500 ms tracing, 500 ms lowering and 1.0 s loading")],
        ),
        (
            recorded(op("a", 0.5, None), op("b", 0.25), op("c"), op("d"), op("e"), states=SOME),
            [
                "1 of 5 programs from disk, 4 missed: 1 there by name, with another key: program, `XLA_FLAGS`, jaxlib "
                "or devices changed (`jitviz diff` says which); 1 not there yet; 1 not there, and JAX did not keep it; "
                "1 too quick to be kept (250 ms; threshold 1.0 s).",
                QUICK,
                AND_LOADING.format("3.0 s", "1.2 s tracing, 1.2 s lowering and 500 ms loading"),
            ],
        ),
        (
            recorded(op("a", 0.25), op("b", 0.5)),
            [
                "0 of 2 programs from disk, 2 missed: 2 too quick to be kept (up to 500 ms; threshold 1.0 s).",
                QUICK,
                AND_LOADING.format("1.0 s", "500 ms tracing and 500 ms lowering"),
            ],
        ),
        (
            recorded(problem="late"),
            ["JAX's cache on disk was set too late: set it before the first compile. Nothing came from it."],
        ),
        (
            recorded(problem="moved"),
            ["`jax_compilation_cache_dir` was set too late: JAX kept using the folder that was set before."],
        ),
    ],
)
def test_what_came_from_disk_is_counted_and_why_others_did_not(rec: Recording, told: list[str]) -> None:
    assert list(tell_disk(rec)) == told
    assert list(shape_panel(rec).verdict.notes) == told
