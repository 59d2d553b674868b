"""The slot for an observer: its notifications, and calls that it never disturbs."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jitviz.filters import filter_grad, filter_jit, hook
from jitviz.filters.jit import FilterJit
from jitviz.filters.kernel import KeyedJit

from ..jaxcompat.watching import listening
from .samples import Linear, same

X = jnp.arange(3.0)


def number_of(wrapper: Any, program: KeyedJit) -> int:
    """The number of its static key among those of its function, from 1."""
    return list(wrapper.set_up().programs.values()).index(program) + 1


class Diary:
    """An observer that writes down its notifications."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def started(self, wrapper: FilterJit[..., Any], program: KeyedJit, leaves: Sequence[Any]) -> object:
        self.lines.append(("started", wrapper.__wrapped__.__name__, number_of(wrapper, program)))
        return len(self.lines)

    def finished(self, token: object, error: BaseException | None) -> None:
        self.lines.append(("finished", token, error and type(error).__name__))

    def refused(self, wrapper: FilterJit[..., Any], error: BaseException | None) -> None:
        self.lines.append(("refused", wrapper.__wrapped__.__name__, error and type(error).__name__))


class Saboteur:
    def started(self, wrapper: FilterJit[..., Any], program: KeyedJit, leaves: Sequence[Any]) -> object:
        raise ValueError("mine")

    def finished(self, token: object, error: BaseException | None) -> None:
        raise ValueError("mine")

    def refused(self, wrapper: FilterJit[..., Any], error: BaseException | None) -> None:
        raise ValueError("mine")


@pytest.fixture
def diary(monkeypatch: pytest.MonkeyPatch) -> Diary:
    observer = Diary()
    monkeypatch.setattr(hook, "observer", observer)
    return observer


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[hook.FilterCall]]:
    """Every observed call, kept until the end of the test."""
    kept: list[hook.FilterCall] = []

    class Keeper(Diary):
        def started(self, wrapper: FilterJit[..., Any], program: KeyedJit, leaves: Sequence[Any]) -> object:
            call = hook.call_in(sys._getframe(1))
            assert call is not None
            kept.append(call)
            return None

    monkeypatch.setattr(hook, "observer", Keeper())
    yield kept
    kept.clear()


@filter_jit
def inner(x: Any, label: str = "a") -> Any:
    return 2 * x


def test_the_observer_is_notified_before_and_after_a_call_with_its_program(diary: Diary) -> None:
    @filter_jit
    def step(x: Any, label: str) -> Any:
        return x

    for label in ("a", "b", "a"):
        step(X, label)
    step(jnp.ones(7), "a")  # shapes are part of JAX's key
    versions = [line[2] for line in diary.lines if line[0] == "started"]
    assert versions == [1, 2, 1, 1]
    assert diary.lines[:4] == [
        ("started", "step", 1),
        ("finished", 1, None),
        ("started", "step", 2),
        ("finished", 3, None),
    ]


def test_the_observer_learns_about_an_error_which_is_raised(diary: Diary) -> None:
    @filter_jit
    def fail(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fail(X)
    assert diary.lines == [("started", "fail", 1), ("finished", 1, "KeyError")]


def test_the_observer_learns_about_a_call_that_finds_no_program(diary: Diary) -> None:
    with pytest.raises(TypeError, match="missing"):
        inner()
    with pytest.raises(TypeError, match="cannot be hashed"):
        inner(X, {1})  # type: ignore[arg-type]
    assert diary.lines == [("refused", "inner", "TypeError"), ("refused", "inner", "UnhashableLeafError")]


def test_calls_inside_a_trace_are_observed_too(diary: Diary) -> None:
    @filter_jit
    def outer(x: Any) -> Any:
        return inner(x)

    outer(X)
    jax.jit(lambda x: inner(x))(X)
    names = [line[1] for line in diary.lines if line[0] == "started"]
    assert names == ["outer", "inner", "inner"]
    assert [line[0] for line in diary.lines] == ["started", "started", "finished", "finished", "started", "finished"]


def test_an_observer_that_fails_does_not_disturb_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "observer", Saboteur())
    assert same(inner(X), 2 * X)


def test_an_observer_that_is_removed_during_a_call_learns_how_it_ended(
    diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(x: Any) -> Any:
        monkeypatch.setattr(hook, "observer", None)
        return x

    filter_jit(leave)(X)
    inner(X)
    assert diary.lines == [("started", "leave", 1), ("finished", 1, None)]


def test_an_observed_call_returns_the_same_result(diary: Diary) -> None:
    model = Linear(X)
    assert same(filter_jit(lambda model, x: (model(x), model, "static"))(model, X), (X * X, model, "static"))


def test_a_call_has_the_arguments_by_name_and_their_leaves_in_order(calls: list[hook.FilterCall]) -> None:
    @filter_jit
    def gather(model: Any, *rest: Any, scale: float = 2.0, **options: Any) -> Any:
        return model

    gather(Linear(X), 1, [X, "s"], z=X, a=3)
    (call,) = calls
    assert list(call.arguments) == ["model", "rest", "options"]
    assert same(call.arguments["rest"], (1, [X, "s"]))
    assert same(call.arguments["options"], {"a": 3, "z": X})
    for found, leaf in zip(call.leaves, jax.tree.leaves(tuple(call.arguments.values())), strict=True):
        assert found is leaf
    assert call.program.key[2] == (None, type(jax.nn.relu), int, None, str, int, None)
    assert call.program.split.traced_at == (0, 3, 6)


def test_the_wrapper_of_a_call_has_its_signature_options_and_held_arrays(calls: list[hook.FilterCall]) -> None:
    def loss(x: Any) -> Any:
        return jnp.sum(x)

    model = Linear(X + 1)
    filter_jit(filter_grad(loss), donate="warn", keep_unused=True)(X + 1)
    filter_jit(model, donate="all-except-first")(X)
    first, second = (call.wrapper for call in calls)
    assert first.__wrapped__.__wrapped__ is loss  # type: ignore[attr-defined]
    assert (str(first.signature), first.donate, first.jit_options) == ("(x: Any) -> Any", "warn", {"keep_unused": True})
    assert second.held == (model.weight,)


def test_the_frame_that_enters_jax_is_found_observed_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []

    def look(event: str, duration: float, **_: Any) -> None:
        if event != "/jax/core/compile/backend_compile_duration":
            return
        frame = sys._getframe()
        while frame is not None and (call := hook.call_in(frame)) is None:
            frame = frame.f_back  # type: ignore[assignment]
        found.append(
            call and (list(call.arguments), number_of(call.wrapper, call.program), call.wrapper.__wrapped__.__name__)
        )

    def step(x: Any, label: str) -> Any:
        return x + 1

    spare = X + 0  # compiled before `look` listens, unless an earlier test compiled it
    with listening(look, "event_duration_secs"):
        filter_jit(step)(X, "unobserved")
        monkeypatch.setattr(hook, "observer", Diary())
        filter_jit(step)(X, "observed")
        monkeypatch.setattr(hook, "observer", None)
        filter_jit(step, donate="all")(spare, "quiet")
        filter_jit(step).lower(X, "lowered").compile()
        jax.jit(lambda x: x + 2)(X)
    assert found == [
        (["x", "label"], 1, "step"),
        (["x", "label"], 2, "step"),
        (["x", "label"], 1, "step"),
        None,  # a lowered function is compiled by JAX's own stage
        None,
    ]


def test_a_frame_that_has_not_found_its_program_has_no_call_yet() -> None:
    found: list[Any] = []

    class Leaf:
        def __hash__(self) -> int:
            found.append([hook.call_in(frame) for frame in _frames()])
            return 0

    filter_jit(lambda x: None)(Leaf())
    assert found[0]
    assert not any(found[0])


def _frames() -> Iterator[Any]:
    frame = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back  # type: ignore[assignment]
