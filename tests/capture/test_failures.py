"""An error inside jitviz is noted in the recording, and never reaches the user's program."""

from types import SimpleNamespace
from typing import Any

import equinox as eqx
import jax
import numpy as np
import pytest

import jitviz
from jitviz.capture import raising
from jitviz.capture.adapters import equinox_jit, filter_jit, functions, jax_sites, registry
from jitviz.capture.arguments import describe
from jitviz.capture.hooks import hits, misses, phases
from jitviz.capture.in_progress import here
from jitviz.capture.log import call_log, watcher
from jitviz.capture.programs import reading as programs
from jitviz.jaxcompat import printing
from jitviz.recording.events import CaptureFailed

from ..jaxcompat.watching import listening
from .samples import JITS, SEES_HITS, fresh

X, Y = np.ones(3, np.float32), np.ones(4, np.float32)


def broken(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("jitviz is broken")


PLACES: dict[str, tuple[Any, str]] = {
    "the stack": (phases, "locate"),
    "whose call": (misses, "find_origin"),
    "which function": (functions, "identify"),
    "the signature": (misses, "signature_of"),
    "the end of a phase": (phases.programs, "of_trace"),
    "the program": (programs, "pack"),
    "the equations": (programs.equations, "to_json"),
    "names of constants": (programs, "_names_of_constants"),
    "the sources": (programs, "excerpts"),
    "labels in a module": (programs, "label_stablehlo"),
    "the executable": (programs, "_cost"),
    "the call site": (misses, "call_site"),
    "the outputs": (registry, "outputs_of"),
    "closing calls": (call_log, "_outcome"),
    "sites": (jax_sites.frame_locals, "read_miss"),
}


@pytest.mark.parametrize("place", list(PLACES))
@pytest.mark.parametrize("api", list(JITS))
def test_a_failure_is_noted_and_the_call_continues(api: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    step = fresh(JITS[api])
    monkeypatch.setattr(*PLACES[place], broken)
    with jitviz.record() as rec:
        results = [float(step(x)[0]) for x in (X, X, Y)]
    assert results == [2.0, 2.0, 2.0]
    assert rec.facts.failures != []
    assert all("RuntimeError: jitviz is broken" in failure for failure in rec.facts.failures)
    monkeypatch.undo()
    with jitviz.record() as after:
        fresh(JITS[api])(X)
    assert after.facts.failures == []
    assert [call.outcome for call in after.calls] == ["compile"]
    assert [call.parent for call in after.calls] == [None]


@pytest.mark.parametrize(
    ("module", "api"),
    [(equinox_jit, "equinox.filter_jit"), (filter_jit, "jitviz.filter_jit"), (hits, "jax.jit")],
)
def test_a_failure_of_a_hook_is_noted_and_the_call_continues(
    module: Any, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if api == "jax.jit" and not SEES_HITS:
        pytest.skip("hits of jax.jit are not seen on Python 3.11")
    for name in ("open_call", "close_call"):
        step = fresh(JITS[api])
        with monkeypatch.context() as patch:
            for place in (call_log, module):
                if hasattr(place, name):
                    patch.setattr(place, name, broken)
            with jitviz.record() as rec:
                assert float(step(X)[0]) == 2.0
        assert rec.facts.failures != []


def test_an_error_of_the_users_is_raised_even_if_noting_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(x: Any) -> Any:
        raise ValueError("mine")

    monkeypatch.setattr(call_log, "error_text", broken)
    monkeypatch.setattr(raising, "text_and_line", broken)
    for jit in JITS.values():
        with jitviz.record() as rec, pytest.raises(ValueError, match="mine"):
            jit(fail)(X)
        assert rec.facts.failures != []


def test_misses_whose_programs_cannot_be_read_are_listed_with_one_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "pack", broken)
    with jitviz.record() as rec:
        for _ in range(3):
            fresh()(X)
    for compile_ in rec.compiles:
        assert compile_.status == "done"
        assert [phase.name for phase in compile_.phases] == ["trace", "lower", "compile"]
        assert (compile_.jaxpr, compile_.hlo) == (None, None)
    assert rec.facts.failures == ["program: RuntimeError: jitviz is broken"]
    assert "program: RuntimeError: jitviz is broken" in str(rec)


def test_a_jaxpr_that_cannot_be_numbered_is_still_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing._Numbering, "of", broken)
    copy, constants = printing.copy_jaxpr(jax.make_jaxpr(lambda x: x * 2.0)(X))
    assert (copy.may_wait, constants) == (False, [])
    assert printing.jaxpr_text(copy) == ("{ lambda ; a:f32[3]. let\n    b:f32[3] = mul a 2.0:f32[]\n  in (b,) }", {})


def test_a_value_that_cannot_be_described_is_shown_by_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe, "parts_of", broken)
    step = jax.jit(lambda x, setting: x, static_argnums=1)
    with jitviz.record() as rec:
        step(X, ("a", "b"))
    x, setting = rec.compiles[0].signature.leaves
    assert (x.repr, setting.repr, setting.type) == ("f32[3]", "<tuple>", "tuple")
    assert rec.facts.failures == ["describe: RuntimeError: jitviz is broken"]


def test_a_listener_of_other_code_that_raises_leaves_no_phase_open() -> None:
    is_raising = True

    def listener(event: str, *args: Any, **kwargs: Any) -> None:
        if is_raising:
            raise ValueError("theirs")

    jitviz.capture.watch()
    # it is called before the listener of jitviz
    with listening(listener, "event_duration_secs"), jitviz.record() as rec:
        with pytest.raises(ValueError, match="theirs"):
            fresh()(X)
        is_raising = False
        fresh()(X)
        eqx.filter_jit(lambda x: x)(X)
    assert [compile_.hlo is None for compile_ in rec.compiles] == [True, False, False]
    assert [call.parent for call in rec.calls] == [None] * 3
    assert here.mine.phases == []


def test_a_clock_that_jumps_is_said_once_and_one_that_is_kept_right_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [1000.0]
    clocks = {"time": lambda: now_s[0], "monotonic": lambda: 0.0}
    monkeypatch.setattr(watcher, "system", SimpleNamespace(**vars(watcher.system) | clocks))
    step = fresh()
    with jitviz.record() as rec:
        for size, later_s in enumerate((0.0, 1.0, 86_400.0, 0.0)):
            now_s[0] += later_s
            step(np.ones(size, np.float32))
    said = [event.message for event in rec.events if isinstance(event, CaptureFailed)]
    assert said == ["jumped forward by 1440 min 1 s: seconds are wrong by that"]
    assert "The computer's clock jumped forward by 1440 min 1 s: seconds are wrong by that." in str(rec)
