"""Limits on traces, inside and outside every jit, and blocks in which nothing compiles again."""

import functools
import threading
from collections.abc import Callable
from typing import Any

import chex
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture.hooks import hits
from jitviz.capture.log.watcher import watcher
from jitviz.filters import hook
from jitviz.guards import RecompileError, RecompileWarning, limit_traces
from jitviz.guards.trace_limits import _ordinal

Decorator = Callable[[Any], Any]


def once(fun: Any) -> Any:
    return jitviz.assert_max_traces(fun, max_traces=1)


def chexed(fun: Any) -> Any:
    return chex.assert_max_traces(fun, n=9)


def equinoxed(fun: Any) -> Any:
    return eqx.debug.assert_max_traces(fun, max_traces=9)


ORDERS: dict[str, tuple[Decorator, ...]] = {
    "outside jax.jit": (jax.jit, once),
    "inside jax.jit": (once, jax.jit),
    "outside filter_jit": (jitviz.filter_jit, once),
    "inside filter_jit": (once, jitviz.filter_jit),
    "outside equinox.filter_jit": (eqx.filter_jit, once),
    "inside equinox.filter_jit": (once, eqx.filter_jit),
    "around Chex's": (chexed, once, jax.jit),
    "inside Chex's": (once, chexed, jax.jit),
    "outside a jit of Chex's": (chexed, jax.jit, once),
    "around Equinox's": (jax.jit, equinoxed, once),
    "inside Equinox's": (once, equinoxed, eqx.filter_jit),
    "outside a jit, inside Equinox's": (eqx.filter_jit, once, equinoxed),
}


@pytest.mark.parametrize(("n", "more"), [(3, []), (4, ["  and 1 more change"]), (5, ["  and 2 more changes"])])
def test_the_message_has_three_changes_and_counts_the_others(n: int, more: list[str]) -> None:
    step = once(jax.jit(lambda *xs: sum(x.sum() for x in xs)))
    step(*[jnp.ones(2)] * n)
    with pytest.raises(RecompileError) as raised:
        step(*[jnp.ones(3)] * n)
    changes = [f"  `xs[{number}]` changed its shape from f32[2] to f32[3]" for number in range(3)]
    assert str(raised.value).splitlines()[1:-1] == [*changes, *more]


@pytest.mark.parametrize("order", ORDERS)
def test_the_first_trace_above_the_limit_raises_and_names_the_leaf(order: str) -> None:
    def double(x: Any) -> Any:
        return x * 2

    step: Any = double
    for decorator in ORDERS[order]:
        step = decorator(step)
    step(jnp.ones(2))
    step(jnp.ones(2))
    with pytest.raises(RecompileError) as raised:
        step(jnp.ones(3))
    message = str(raised.value)
    assert "is traced for the 2nd time; the limit is 1." in message
    assert "`x` changed its shape from f32[2] to f32[3]" in message
    assert raised.value.reasons[0].kind == "shape"


def test_traces_are_counted_rather_than_calls() -> None:
    step = jitviz.assert_max_traces(jax.jit(lambda x: x + 1), max_traces=2)
    for size in (1, 1, 2, 2, 1):
        step(jnp.ones(size))
    assert jitviz.num_traces(step) == 2
    step.__wrapped__.lower(jnp.ones(3))  # ahead of time
    assert jitviz.num_traces(step.__wrapped__) == 3


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="num_traces takes a jitted function"):
        jitviz.num_traces(lambda x: x)
    with pytest.raises(ValueError, match="max_traces must be 0 or more, not -1"):
        jitviz.assert_max_traces(lambda x: x, max_traces=-1)
    with pytest.raises(ValueError, match="max_traces must be 0 or more, not '2'"):
        jitviz.assert_max_traces(lambda x: x, max_traces="2")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='action must be "raise" or "warn", not \'print\''):
        jitviz.no_recompiles("print")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"not a function\. Write @no_recompiles\(\), with parentheses\."):
        jitviz.no_recompiles(lambda x: x)  # type: ignore[arg-type]


def test_a_first_compile_is_allowed_and_a_second_raises() -> None:
    step = jax.jit(lambda x: x - 1)
    with jitviz.no_recompiles():
        step(jnp.ones(2))
        step(jnp.ones(2))
        with pytest.raises(RecompileError, match="compiles again inside no_recompiles"):
            step(jnp.ones(3))
    assert step(jnp.ones(3)).tolist() == [0, 0, 0]  # JAX still works


def test_warnings_let_the_program_go_on() -> None:
    step = jax.jit(lambda x: x - 2)

    @jitviz.no_recompiles(action="warn")
    def train() -> Any:
        step(jnp.ones(2))
        return step(jnp.ones(3))

    with pytest.warns(RecompileWarning, match=r"`x` changed its shape from f32\[2\] to f32\[3\]") as caught:
        assert train().tolist() == [-1, -1, -1]
    assert caught[0].filename.endswith("test_trace_limits.py")


def test_closures_from_a_factory_may_compile_once_per_block() -> None:
    def made() -> Any:
        def step(x: Any) -> Any:
            return x * 3

        return jax.jit(step)

    made()(jnp.ones(2))
    with jitviz.no_recompiles():
        made()(jnp.ones(2))
    with jitviz.no_recompiles():
        made()(jnp.ones(2))
        with pytest.raises(RecompileError, match="new object with the same code"):
            made()(jnp.ones(2))


def limited_method(jit: Any, order: str) -> Any:
    """A bound method with a limit on the given side of `jit`."""

    class Model(eqx.Module):
        weight: jax.Array

        def method(self, x: Any) -> Any:
            return self.weight * x

        method = once(jit(method)) if order == "outside" else jit(once(method))  # type: ignore[assignment]

    class Plain:
        def method(self, x: Any) -> Any:
            return x + 1

        method = once(jit(method)) if order == "outside" else jit(once(method))  # type: ignore[assignment]

    return Plain().method if jit is STATIC_SELF else Model(jnp.ones(())).method


STATIC_SELF = functools.partial(jax.jit, static_argnums=0)


@pytest.mark.parametrize("order", ["inside", "outside"])
@pytest.mark.parametrize("jit", [STATIC_SELF, eqx.filter_jit, jitviz.filter_jit], ids=["jax", "equinox", "jitviz"])
def test_methods_are_limited_like_functions(jit: Any, order: str) -> None:
    method = limited_method(jit, order)
    method(jnp.ones(2))
    method(jnp.ones(2))
    with pytest.raises(RecompileError, match=r"method` is traced for the 2nd time"):
        method(jnp.ones(3))


def test_a_limit_holds_after_capture_was_switched_off() -> None:
    step = once(jax.jit(lambda x: x + 5))
    step(jnp.ones(2))
    capture.unwatch()
    with pytest.raises(RecompileError, match=r"from f32\[2\] to f32\[3\]"):
        step(jnp.ones(3))


@pytest.mark.parametrize("order", [(once, jax.jit), (jax.jit, once)])
def test_an_inner_function_is_limited_inside_an_outer_one(order: tuple[Decorator, ...]) -> None:
    def inner(x: Any) -> Any:
        return x + 1

    for decorator in order:
        inner = decorator(inner)
    outer = jax.jit(lambda x: inner(x) * 2)
    outer(jnp.ones(2))
    with pytest.raises(RecompileError, match=r"`inner` is traced for the 2nd time(.|\n)*from f32\[2\] to f32\[3\]"):
        outer(jnp.ones(3))
    assert outer(jnp.ones(2)).tolist() == [4, 4]


@pytest.mark.parametrize("order", [(once, jax.jit), (jax.jit, once)])
def test_a_trace_after_the_caches_were_cleared_has_that_reason(order: tuple[Decorator, ...]) -> None:
    def step(x: Any) -> Any:
        return x + 2

    for decorator in order:
        step = decorator(step)
    step(jnp.ones(2))
    jax.clear_caches()
    with pytest.raises(RecompileError) as raised:
        step(jnp.ones(2))
    assert raised.value.reasons[0].kind == "cache_cleared"


def test_transformations_without_a_trace_are_not_counted() -> None:
    step = once(lambda x: jnp.sum(x**2))
    for _ in range(3):
        jax.vmap(step)(jnp.ones((2, 3)))
        jax.grad(step)(jnp.ones(3))
        step(jnp.ones(3))
    assert jitviz.num_traces(step) == 0


def test_a_compile_without_a_trace_is_a_recompile_but_not_a_trace() -> None:
    step = once(jax.jit(lambda x: x * 7))
    committed = jax.device_put(jnp.ones(2), jax.devices()[0])
    with jitviz.no_recompiles():
        step(jnp.ones(2))
        with pytest.raises(RecompileError) as raised:
            step(committed)
    assert raised.value.reasons[0].kind == "committed"
    step(committed)
    assert jitviz.num_traces(step) == 1


def test_a_limit_of_none_forbids_the_first_trace() -> None:
    step = jitviz.assert_max_traces(jax.jit(lambda x: x), max_traces=0)
    with pytest.raises(RecompileError, match="traced for the 1st time; the limit is 0"):
        step(1.0)


def test_a_limited_function_keeps_its_name_and_docstring() -> None:
    @once
    def documented(x: Any) -> Any:
        """What it does."""
        return x

    assert (documented.__name__, documented.__doc__) == ("documented", "What it does.")
    assert documented(3) == 3


def test_after_an_error_of_a_guard_the_function_works_and_the_recording_is_complete() -> None:
    step = jax.jit(lambda x: x * 5)
    with jitviz.record() as rec:
        with jitviz.no_recompiles():
            step(jnp.ones(2))
            with pytest.raises(RecompileError):
                step(jnp.ones(3))
        assert step(jnp.ones(3)).tolist() == [5, 5, 5]
    assert [compile_.status for compile_ in rec.compiles] == ["done", "failed", "done"]
    assert rec.calls[1].outcome == "error"
    assert rec.calls[1].error is not None
    assert rec.calls[1].error.startswith("RecompileError: `<lambda>` compiles again inside no_recompiles().")
    assert [call.parent for call in rec.calls] == [None] * 3
    assert rec.facts.failures == []


def in_a_thread(work: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_a_guard_applies_to_threads_started_inside_it() -> None:
    step = jax.jit(lambda x: x * 9)
    raised: list[str] = []

    def work() -> None:
        try:
            step(jnp.ones(3))
        except RecompileError as error:
            raised.append(error.reasons[0].kind)

    with jitviz.no_recompiles():
        step(jnp.ones(2))
        in_a_thread(work).join()
    assert raised == ["shape"]


def test_a_guard_does_not_apply_to_threads_started_before() -> None:
    step = jax.jit(lambda x: x * 9)
    begin, done, raised = threading.Event(), threading.Event(), []

    def work() -> None:
        begin.wait()
        try:
            step(jnp.ones(3))
        except RecompileError as error:
            raised.append(error)
        done.set()

    other = in_a_thread(work)
    with jitviz.no_recompiles():
        step(jnp.ones(2))
        begin.set()
        done.wait()
    other.join()
    assert raised == []


def test_a_block_does_not_depend_on_earlier_compiles() -> None:
    capture.watch()
    step = jax.jit(lambda x: x + 11)
    step(jnp.ones(2))
    with jitviz.no_recompiles():
        step(jnp.ones(3))
        with pytest.raises(RecompileError, match=r"from f32\[3\] to f32\[5\]"):
            step(jnp.ones(5))
    step(jnp.ones(4))
    with jitviz.no_recompiles():
        step(jnp.ones(5))


SEEN_HITS = [jitviz.filter_jit, eqx.filter_jit] + ([jax.jit] if hits.monitoring is not None else [])


@pytest.mark.parametrize("jit", SEEN_HITS)
def test_a_version_that_a_block_finds_in_the_cache_counts_as_its_first(jit: Any) -> None:
    capture.watch()
    step = jit(lambda x: x + 12)
    step(jnp.ones(2))
    with jitviz.no_recompiles():
        step(jnp.ones(2))
        with pytest.raises(RecompileError, match=r"from f32\[2\] to f32\[3\]"):
            step(jnp.ones(3))


@pytest.mark.parametrize(
    ("before", "sizes", "count"),
    [
        ([1], [1, 1, 1, 3], 2),  # one from the cache, however often it ran, and a new one
        ([1, 2], [1, 2, 3], 2),  # it is not known which of the two ran: at least one
        ([1], [3, 3, 4], 2),
        ([1, 2], [3, 4, 1, 5], 3),
    ],
)
def test_a_trace_that_the_cache_saves_a_block_counts_once(before: list[int], sizes: list[int], count: int) -> None:
    def called(sizes: list[int], function: Any) -> Any:
        return [function(jnp.ones(size)) for size in sizes] and function

    allowed = called(before, jitviz.filter_jit(lambda x: 2 * x))
    refused = called(before, jitviz.filter_jit(lambda x: 3 * x))
    with limit_traces(count):
        called(sizes, allowed)
    with pytest.raises(RecompileError, match=f"the {count}(nd|rd) (time|version)"), limit_traces(count - 1):
        called(sizes, refused)


def test_a_fresh_block_does_not_use_a_warm_cache() -> None:
    step = jax.jit(lambda x: x + 13)
    step(jnp.ones(2))
    with jitviz.no_recompiles(fresh=True):
        step(jnp.ones(2))
        with pytest.raises(RecompileError, match=r"from f32\[2\] to f32\[3\]"):
            step(jnp.ones(3))


@pytest.mark.parametrize("clears", ["the block", "the program", "the program, this function"])
@pytest.mark.parametrize("jit", [jax.jit, jitviz.filter_jit, eqx.filter_jit])
def test_a_block_after_a_clearing_names_the_change_and_not_the_clearing(jit: Any, clears: str) -> None:
    step = jit(lambda x: x + 14)

    def train() -> None:
        for size in (32, 32, 32, 4):
            step(np.ones(size, np.float32))

    capture.watch()
    for _ in range(2):  # the versions of one round are no sizes of the next
        if not clears.startswith("the block"):
            getattr(step, "clear_cache" if "function" in clears else "", jax.clear_caches)()
        with pytest.raises(RecompileError) as raised, jitviz.no_recompiles(fresh=clears == "the block"):
            train()
        assert str(raised.value).splitlines()[1:] == [
            "  `x` changed its shape from f32[32] to f32[4]",
            "What to do: Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding.",
        ]
        with jitviz.record():
            train()


@pytest.mark.parametrize("jit", SEEN_HITS)
def test_a_hit_in_a_block_did_not_run_a_version_that_was_cleared(jit: Any) -> None:
    capture.watch()
    step = jit(lambda x: x + 17)
    for size in (32, 4):
        step(jnp.ones(size))
    jax.clear_caches()
    step(jnp.ones(32))
    with jitviz.no_recompiles():
        step(jnp.ones(32))
        with pytest.raises(RecompileError, match=r"from f32\[32\] to f32\[4\]"):
            step(jnp.ones(4))


@pytest.mark.parametrize("jit", SEEN_HITS)
def test_a_version_from_before_jitviz_watched_counts_once_it_has_run_in_the_block(jit: Any) -> None:
    capture.unwatch()
    ran, unused = jit(lambda x: x + 15), jit(lambda x: x + 16)
    for step in (ran, unused):
        step(jnp.ones(2))
    with jitviz.no_recompiles():
        ran(jnp.ones(2))
        unused(jnp.ones(3))  # the first that the block sees
        with pytest.raises(RecompileError, match="before jitviz"):
            ran(jnp.ones(3))


def test_the_programs_of_one_eager_gradient_are_no_recompiles_of_each_other() -> None:
    step = jax.jit(lambda x: (x**2).sum())
    with jitviz.no_recompiles():
        step(jnp.ones(2))
        jax.grad(step)(jnp.ones(2))
        with pytest.raises(RecompileError, match=r"from f32\[2\] to f32\[3\]"):
            jax.grad(step)(jnp.ones(3))


def test_warm_ups_never_raise_but_versions_that_they_miss_do() -> None:
    step = jax.jit(lambda x: x + 14)
    with jitviz.no_recompiles():
        for size in (2, 3):
            step.lower(jnp.ones(size)).compile()
        step(jnp.ones(2))
        step(jnp.ones(3))
        with pytest.raises(RecompileError, match=r"from f32\[3\] to f32\[4\]"):
            step(jnp.ones(4))


def test_a_guard_leaves_no_hook_behind() -> None:
    before = hook.observer
    with jitviz.no_recompiles():
        assert hook.observer is not None
    assert hook.observer is before
    assert watcher.guards == []


@pytest.mark.parametrize("limit", [lambda f: jitviz.no_recompiles()(f), once], ids=["a block", "a function"])
def test_the_traceback_ends_in_the_users_line(limit: Decorator) -> None:
    step = limit(jax.jit(lambda x: x * 2)) if limit is once else jax.jit(lambda x: x * 2)

    def run() -> None:
        step(jnp.ones(2))
        step(jnp.ones(3))

    with pytest.raises(RecompileError) as error:
        (run if limit is once else limit(run))()
    assert [entry.name for entry in error.traceback if not entry.ishidden(error)][-1] == "run"


def test_the_error_is_public_and_an_assertion() -> None:
    assert jitviz.RecompileError is RecompileError
    assert issubclass(jitviz.RecompileError, AssertionError)


def test_guards_nest_and_leave_nothing_behind() -> None:
    step = jax.jit(lambda x: x - 9)
    with jitviz.no_recompiles():
        with jitviz.no_recompiles("warn"):
            step(jnp.ones(2))
            with pytest.warns(RecompileWarning), pytest.raises(RecompileError):
                step(jnp.ones(3))
        with pytest.raises(RecompileError):
            step(jnp.ones(4))
    step(jnp.ones(5))


def test_the_number_of_a_trace_is_told_as_one_says_it() -> None:
    numbers = (1, 2, 3, 4, 10, 11, 13, 20, 21, 100, 101, 111, 113, 120, 121)
    told = "1st 2nd 3rd 4th 10th 11th 13th 20th 21st 100th 101st 111th 113th 120th 121st"
    assert " ".join(map(_ordinal, numbers)) == told


def test_a_version_from_the_cache_is_not_said_to_be_traced() -> None:
    step = jitviz.filter_jit(lambda x: x + 19)
    step(jnp.ones(2))
    with limit_traces(1):
        step(jnp.ones(2))
        with pytest.raises(RecompileError) as raised:
            step(jnp.ones(3))
    head = str(raised.value).splitlines()[0]
    assert head == "`<lambda>` runs the 2nd version, counting those from JAX's cache; the limit is 1."
