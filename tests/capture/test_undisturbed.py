"""The observer does not disturb: the program behaves exactly as without jitviz."""

import inspect
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jitviz
from jitviz.jaxcompat.frame_locals import executable
from jitviz.model import TextName

from ..jaxcompat.watching import at_end, listening
from .samples import JITS, affine, fresh

X = np.ones(3, np.float32)


@pytest.fixture(autouse=True, scope="module")
def jax_has_given_its_first_warnings() -> None:
    jax.jit(lambda x: x)(X)


def test_reading_everything_in_a_recording_causes_no_work_in_jax() -> None:
    step = eqx.filter_jit(eqx.filter_grad(lambda model, x: (model.weight * x).sum()))
    with jitviz.record() as rec:
        for x in (X, X[None]):
            step(affine(), x)

    def ask() -> None:
        str(rec)
        for compile_ in rec.compiles:
            _ = compile_.reasons, compile_.call
            assert all(rec.text(compile_.index, name) for name in get_args(TextName))
            assert all(rec.located(compile_.index, name) for name in get_args(TextName))

    before: list[str] = []

    def note(event: str, *args: Any, **kwargs: Any) -> None:
        before.append(event)

    with listening(note, "scalar"):
        ask()
    assert before == []


@pytest.mark.parametrize("api", list(JITS))
def test_nothing_is_moved_between_devices(api: str) -> None:
    step, x = fresh(JITS[api]), jnp.ones(3)
    model = affine()
    predict = JITS[api](lambda weight, x: weight * x)
    with jax.transfer_guard("disallow"), jitviz.record() as rec:
        step(x)
        predict(model.weight, x)
        str(rec)
    assert rec.facts.failures == []
    assert len(rec.compiles) == 2


@pytest.mark.parametrize("api", list(JITS))
def test_a_program_is_identical_down_to_its_stack_frames(api: str) -> None:
    def hlo_of(is_recorded: bool) -> str:  # called from one line, so that the stacks are the same
        step = JITS[api](lambda x: jnp.sin(x) * 2.0)
        recording = jitviz.capture.begin() if is_recorded else None
        (text,) = at_end("compile", lambda: step(X), lambda frame: executable(frame).hlo_modules()[0].to_string())
        if recording is not None:
            jitviz.capture.end(recording)
        return str(text)

    jitviz.capture.unwatch()
    alone, watched = (hlo_of(is_recorded).splitlines() for is_recorded in (False, True))
    assert watched == alone


@pytest.mark.parametrize("api", list(JITS))
def test_donated_buffers_are_donated(api: str) -> None:
    options = {"donate_argnums": 0} if api == "jax.jit" else {"donate": "all"}
    step, x = JITS[api](lambda x: x + 1, **options), jnp.ones(3)
    with jitviz.record() as rec:
        step(x)
    assert x.is_deleted()
    assert rec.compiles[0].signature.leaves[0].donated
    assert rec.compiles[0].reused == ("x",)


# -- exceptions and warnings -------------------------------------------------------------------------------------------


class MineError(Exception):
    """An exception that cannot be rebuilt from its args, and that raises when printed."""

    def __init__(self, number: int, *, detail: str) -> None:
        super().__init__(number)
        self.detail = detail

    def __str__(self) -> str:
        raise RuntimeError("asked for text")


def errors() -> dict[str, Callable[[], BaseException]]:
    return {
        "own": lambda: MineError(3, detail="more"),
        "value": lambda: ValueError("mine\nsecond line"),
        "key": lambda: KeyError(("a", 1)),
        "os": lambda: FileNotFoundError(2, "no such file", "x.txt"),
        "group": lambda: ExceptionGroup("many", [ValueError("a"), TypeError("b")]),
        "stop": lambda: StopIteration(3),
        "assertion": AssertionError,
        "interrupt": KeyboardInterrupt,
        "exit": lambda: SystemExit(3),
        "generator exit": GeneratorExit,
    }


def caught(run: Callable[[], Any]) -> BaseException:
    try:
        run()
    except BaseException as error:  # noqa: BLE001  # every kind is meant
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("name", list(errors()))
@pytest.mark.parametrize("api", list(JITS))
def test_an_error_in_a_trace_reaches_the_user_unchanged(api: str, name: str) -> None:
    raised = errors()[name]()
    raised.add_note("a note")
    cause = OSError("the cause")

    @JITS[api]
    def fail(x: Any) -> Any:
        raise raised from cause

    jitviz.capture.unwatch()
    alone = traceback.extract_tb(caught(lambda: fail(X)).__traceback__)[-1]
    raised.__traceback__ = None
    with jitviz.record() as rec:
        error = caught(lambda: fail(X))
    assert error is raised
    assert error.__cause__ is cause
    assert error.__notes__[0] == "a note"
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert (last.filename, last.lineno, last.name) == (alone.filename, alone.lineno, "fail")
    assert [(call.outcome, compile_.status) for call, compile_ in zip(rec.calls, rec.compiles, strict=True)] == [
        ("error", "failed")
    ]
    assert (rec.calls[0].error or "").startswith(type(raised).__name__)
    assert rec.facts.failures == []


HERE = Path(jitviz.__file__).parent


def refuse(x: Any) -> Any:
    raise ValueError("refused")


class Refusing:
    @jitviz.filter_jit
    def jitted(self, x: Any) -> Any:
        refuse(x)

    @jitviz.filter_grad
    def gradient(self, x: Any) -> Any:
        refuse(x)


@pytest.mark.parametrize(
    "call",
    [
        jitviz.filter_jit(refuse),
        jitviz.filter_grad(refuse),
        jitviz.filter_value_and_grad(refuse),
        Refusing().jitted,
        Refusing().gradient,
        lambda x: jitviz.assert_max_traces(refuse, max_traces=2)(x),
        eqx.filter_jit(refuse),
    ],
)
@pytest.mark.parametrize("is_recording", [False, True])
def test_frames_of_jitviz_are_hidden_in_tracebacks(call: Callable[[Any], Any], is_recording: bool) -> None:
    """IPython and pytest leave out the frames that have a `__tracebackhide__`."""
    with jitviz.record() if is_recording else nullcontext(), pytest.raises(ValueError, match="refused") as raised:
        call(jnp.ones(()))
    frames = [frame for frame, _ in traceback.walk_tb(raised.tb) if Path(frame.f_code.co_filename).is_relative_to(HERE)]
    assert [frame.f_code.co_qualname for frame in frames if not frame.f_locals.get("__tracebackhide__")] == []


@pytest.mark.parametrize("jit", [eqx.filter_jit, jitviz.filter_jit])
def test_jax_warns_of_a_leaf_as_often_as_without_jitviz(jit: Any) -> None:
    def warned(is_recorded: bool) -> list[str]:
        step, leaf = jit(lambda x, rest: x * 2.0), iter([1, 2])
        recording = jitviz.capture.begin() if is_recorded else None
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            step(X, leaf)
        if recording is not None:
            jitviz.capture.end(recording)
            assert [leaf.role for leaf in recording.compiles[0].signature.leaves][:2] == ["traced", "static"]
        return [str(one.message) for one in found]

    jitviz.capture.unwatch()
    alone = warned(is_recorded=False)
    assert warned(is_recorded=True) == alone
    assert len(alone) >= (jax.__version_info__ >= (0, 10))


@pytest.mark.skipif(not hasattr(nnx, "List"), reason="flax 0.11 has no lists")
def test_nnx_warns_of_an_iterator_as_often_as_without_jitviz_and_the_length_of_a_list_is_not_a_leaf() -> None:
    class Model(nnx.Module):
        def __init__(self) -> None:
            self.layers = nnx.List([nnx.Param(jnp.ones(1))])
            self._length = 2
            self.batches = iter([1])

    def warned() -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nnx.jit(lambda model: model.layers[0][...] * 2)(Model())
        return [str(one.message) for one in caught]

    plain = warned()
    with jitviz.record() as rec:
        recorded = warned()
    assert recorded == plain
    paths = [leaf.path for leaf in rec.compiles[0].signature.leaves]
    assert paths == ["model._length", "model.batches", "model.layers[0]"]


def test_an_error_under_equinox_has_no_frame_of_jitviz_in_its_traceback() -> None:
    @eqx.filter_jit
    def fail(x: Any) -> Any:
        return x.missing

    def lines() -> list[str]:
        try:
            fail(X)
        except AttributeError as error:
            return [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        raise AssertionError

    alone = lines()
    with jitviz.record():
        assert lines() == alone


def test_a_hit_at_the_recursion_limit_fails_one_frame_earlier_at_most() -> None:
    """The callback of the interpreter is a frame, and so is what stands around the calls of Equinox."""

    def deepest(call: Callable[[Any], Any]) -> int:
        def descend(left: int) -> Any:
            return descend(left - 1) if left else call(X)

        for depth in reversed(range(sys.getrecursionlimit())):
            with suppress(RecursionError):
                descend(depth)
                return depth
        raise AssertionError

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        for step in [fresh(jit) for jit in JITS.values()]:
            step(X)
            alone = deepest(step)
            with jitviz.record(sample=False) as rec:
                for _ in range(3):
                    step(X)
                assert deepest(step) >= alone - 1
                assert [said for said in rec.facts.failures if "RecursionError" not in said] == []
    finally:
        sys.setrecursionlimit(limit)
