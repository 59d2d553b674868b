"""Capture leaves nothing behind: no reference cycle after a call, and no output at the end of a program."""

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.capture import sampler

from .samples import JITS, fresh

pytestmark = pytest.mark.usefixtures("little_to_collect")

# -- reference cycles --------------------------------------------------------------------------------------------------


def garbage_of(run: Callable[[], Any]) -> Iterator[str]:
    """The objects of jitviz that only the garbage collector can free after `run`."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        run()
        gc.collect()
        found = list(gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    for one in found:
        if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(jitviz.__path__[0]):
            yield one.__qualname__
        elif isinstance(one, FrameType) and one.f_code.co_filename.startswith(jitviz.__path__[0]):
            yield f"frame of {one.f_code.co_qualname}"
        elif type(one).__module__.startswith("jitviz."):
            yield type(one).__qualname__


# The frame of jitviz around a call while it is recorded.
FRAMES = {
    "equinox.filter_jit": "frame of EquinoxJit.install.<locals>.watched",
    "jitviz.filter_jit": "frame of _call_observed",
}


def error(jit: Any) -> None:
    def fail(x: Any) -> Any:
        raise ValueError

    with pytest.raises(ValueError):
        jit(fail)(jnp.ones(3))


def kept_error(jit: Any) -> None:
    def fail(x: Any) -> Any:
        raise ValueError

    try:
        jit(fail)(jnp.ones(3))
    except ValueError as error:
        mine = error  # a cycle of the user's: error, traceback, this frame
    assert mine


def guarded_call(jit: Any) -> None:
    step, shapes = fresh(jit), [jnp.ones(3), jnp.ones(4)]
    with pytest.raises(AssertionError), jitviz.no_recompiles():
        list(map(step, shapes))


USES: dict[str, Callable[[Any], Any]] = {
    "miss": lambda jit: fresh(jit)(jnp.ones(3)),
    "hit": lambda jit: [step(jnp.ones(3)) for step in [fresh(jit)] for _ in range(3)],
    "error": error,
    "nested": lambda jit: jit(lambda x: fresh(jit)(x) + 1.0)(jnp.ones(3)),
    "tree": lambda jit: jit(lambda model, x: model["w"] * x)({"w": jnp.ones(3)}, jnp.ones(3)),
    "ahead of time": lambda jit: jax.jit(lambda x: x * 5.0).lower(jnp.ones(3)).compile()(jnp.ones(3)),
    "eager gradient": lambda jit: jax.grad(lambda x: fresh(jit)(x).sum())(jnp.ones(3)),
    "eager loop": lambda jit: jax.lax.scan(lambda carry, x: (carry + x, x), 0.0, jnp.ones(3)),
}


@pytest.mark.parametrize("name", list(USES))
@pytest.mark.parametrize("api", list(JITS))
def test_no_object_of_jitviz_is_in_a_cycle_after_a_call(api: str, name: str) -> None:
    with jitviz.record() as rec:
        found = sorted(set(garbage_of(lambda: USES[name](JITS[api]))))
    expected = []
    if name == "error" and jax.__version_info__ < (0, 8):  # it leaves in a cycle of JAX's own
        expected = sorted({*garbage_of(lambda: error(JITS[api])), *([FRAMES[api]] if api in FRAMES else [])})
    assert found == expected
    assert len(rec.compiles) >= 1
    assert rec.facts.failures == []


@pytest.mark.parametrize("api", list(JITS))
def test_a_cycle_of_the_users_holds_the_same_as_without_a_recording(api: str) -> None:
    with jitviz.record(sample=False):
        found = set(garbage_of(lambda: kept_error(JITS[api])))
    assert found - {FRAMES.get(api)} == set(garbage_of(lambda: kept_error(JITS[api])))


@pytest.mark.xfail(jax.__version_info__ < (0, 8), reason="an error leaves jax 0.7 in a cycle of JAX's own", strict=True)
def test_no_object_of_jitviz_is_in_a_cycle_after_a_guard_raised() -> None:
    with jitviz.record():
        assert sorted(set(garbage_of(lambda: guarded_call(jax.jit)))) == []


def test_no_object_of_jitviz_is_in_a_cycle_after_a_sample() -> None:
    assert list(garbage_of(sampler._look_round)) == []


# -- the end of a program ----------------------------------------------------------------------------------------------

PROGRAM = """
import atexit, sys, threading
# these run after all that are registered later, in reverse order
atexit.register(lambda: print(jitviz.capture.is_watching()))
atexit.register(lambda: call())
import jax, jax.numpy as jnp
import equinox as eqx
import jitviz, jitviz.capture

rec = jitviz.capture.begin()
rec.save(sys.argv[1])
steps = [jit(lambda x: x * 2.0) for jit in (jax.jit, eqx.filter_jit, jitviz.filter_jit)]
x = jnp.ones(3)

def call():
    for step in steps:
        step(x)

def work():
    threading.main_thread().join()
    for _ in range(5):
        call()
        jax.jit(lambda x: x + 1.0)(x)

call()
if sys.argv[2] == "threads":
    for _ in range(2):
        threading.Thread(target=work).start()
    threading.Thread(target=threading.Event().wait, daemon=True).start()
if sys.argv[2] == "raises":
    raise SystemExit(5)
sys.exit(3)
"""


def test_a_recording_that_is_open_at_the_end_of_a_program_prints_nothing_and_watching_ends(tmp_path: Path) -> None:
    statuses = {"threads": 3, "raises": 5}
    running = {
        how: subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path / how), how],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for how in statuses
    }
    for how, status in statuses.items():
        out, err = running[how].communicate()
        assert (err, out, running[how].returncode) == ("", "False\n", status)
        rec = jitviz.load(tmp_path / how)
        assert not rec.is_cut
        assert rec.facts.failures == []
        assert len(rec.compiles) >= 3
        assert all(compile_.status == "done" for compile_ in rec.compiles[:3])
        assert all(compile_.hlo for compile_ in rec.compiles[:3])
