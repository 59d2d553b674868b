import subprocess
import sys
from pathlib import Path

import jax
import numpy as np

from jitviz.jaxcompat import disk_cache, frame_locals, jax_frames, monitoring

from .watching import listening


def test_a_call_goes_through_three_phases() -> None:
    starts: list[str] = []

    def listener(event: str, value: float | int, **kwargs: str | int) -> None:
        starts.append(event)

    with listening(listener, "scalar"):
        jax.jit(lambda x: x)(np.ones(3))
    assert [monitoring.PHASE_OF_EVENT.get(event) for event in starts] == ["trace", "lower", "compile"]


def test_jax_says_when_it_looks_for_a_program_on_disk_and_its_key_is_known() -> None:
    keys: list[str] = []

    def listener(event: str, **kwargs: str | int) -> None:
        if event == monitoring.ASKED_DISK:
            frame = sys._getframe()
            assert jax_frames.find_frame(frame, jax_frames.COMPILE_OR_GET) is not None
            keys.append(frame_locals.disk_key(frame))

    def looked_up(x: jax.Array) -> jax.Array:
        return x

    with listening(listener, "event"):
        jax.jit(looked_up)(np.ones(3))
    assert [disk_cache.name_of(key) for key in keys] == ["looked_up"]


def test_cleared_listeners_are_noticed() -> None:
    def on_start(event: str, value: float | int, **kwargs: str | int) -> None: ...
    def on_end(event: str, start_time: float, end_time: float, **kwargs: str | int) -> None: ...

    with listening(on_start, "scalar"), listening(on_end, "event_time_span"):
        assert monitoring.is_listening(on_start, on_end, before=False) == (True, True)
    assert monitoring.is_listening(on_start, on_end, before=True) == (False, False)


def test_a_load_from_the_disk_cache_says_what_it_saved(tmp_path: Path) -> None:
    program = (
        "import sys, jax\n"
        "jax.config.update('jax_compilation_cache_dir', sys.argv[1])\n"
        "jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)\n"
        "jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)\n"
        "jax.monitoring.register_event_duration_secs_listener(lambda event, seconds, **rest: print(event))\n"
        "for _ in range(2):\n"
        "    jax.jit(lambda x: x * 2)(1.0)\n"
        "    jax.clear_caches()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    ).stdout.split()
    assert done.count(monitoring.SAVED_BY_DISK) == 1
    compiled = next(event for event, phase in monitoring.PHASE_OF_EVENT.items() if phase == "compile")
    assert done.index(monitoring.SAVED_BY_DISK) > done.index(compiled)
