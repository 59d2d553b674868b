"""Limits that raise with a reason: on the number of traces of a function, and on recompiles in a block.

In: functions, or a block of code.  Out: the same behaviour, or a `RecompileError` that names the leaf and the reason.
Must never: count a call as a trace, or change what the guarded code computes.

Both raise before anything is compiled, and their tracebacks end at the user's call.
"""

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, Literal, ParamSpec, TypeVar, overload

from ..capture import traces
from ..capture.sources import frame_owner
from ..findings.sentences import told_once
from ..model import OpByOp, Reason, count, split_source
from ..model.printable import one_line
from ..reasons import Explainer

P = ParamSpec("P")
T = TypeVar("T")


class RecompileError(AssertionError):
    """What the limits raise: a function was traced or compiled more often than allowed.

    >>> try:
    ...     with jitviz.no_recompiles():
    ...         train()
    ... except jitviz.RecompileError as error:
    ...     print(error.reasons[0].summary)

    `reasons` say why; `reasons[0]` is the cause.
    """

    __module__ = "jitviz"  # its public name, in tracebacks

    def __init__(self, message: str, reasons: tuple[Reason, ...] = ()) -> None:
        super().__init__(message)
        self.reasons = reasons


class RecompileWarning(UserWarning):
    """The warning of `no_recompiles(action="warn")` and `watch`."""


def warn(message: str, source: str) -> None:
    """Warn at the user's line `source`, not at a line of jitviz."""
    file, line = split_source(source)
    warnings.warn_explicit(message, RecompileWarning, file or "<unknown>", line)


@overload
def assert_max_traces(fun: Callable[P, T], *, max_traces: int) -> Callable[P, T]: ...
@overload
def assert_max_traces(fun: None = None, *, max_traces: int) -> Callable[[Callable[P, T]], Callable[P, T]]: ...
def assert_max_traces(fun: Any = None, *, max_traces: int) -> Any:
    """Raise when `fun` is traced more than `max_traces` times.

    >>> @jitviz.assert_max_traces(max_traces=1)
    ... def loss(model, batch):
    ...     return (model * batch).sum()

    It counts traces, not calls. `jit(assert_max_traces(f))` counts how often JAX runs the body of `f`, and
    `assert_max_traces(jit(f))` how often JAX traces `f`. You can combine it with the decorators of the same name in
    Chex and Equinox, in any order.

    Args:
        fun: a function, or a function jitted by anything (`jax.jit`, `filter_jit`, `nnx.jit`).
        max_traces: the number of traces allowed over the life of the decorated function.

    Raises:
        RecompileError: at the trace that is one too many; it names the leaf that changed and the reason.
        ValueError: `max_traces` is not a number, or is negative.
    """
    if fun is None:
        return functools.partial(assert_max_traces, max_traces=max_traces)
    given: Any = max_traces
    if not isinstance(given, Integral) or int(given) < 0:
        raise ValueError(f"max_traces must be 0 or more, not {max_traces!r}; 1 allows the first compile and no other.")
    counter = traces.Counter(fun)

    @functools.wraps(fun, updated=())
    def guarded(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with _ending_at_the_call(), counter.counting(lambda *trace: _check(counter.name, max_traces, *trace)):
            return fun(*args, **kwargs)

    guarded.__jitviz_counter__ = counter  # type: ignore[attr-defined]
    return guarded


def num_traces(fun: Callable[..., Any]) -> int:
    """Count the traces of `fun` since jitviz started to watch.

    >>> jitviz.num_traces(step)

    Args:
        fun: a jitted function, or the result of `assert_max_traces`.

    Raises:
        TypeError: `fun` is neither.
    """
    counter = getattr(fun, "__jitviz_counter__", None)
    if counter is not None:
        return int(counter.count)
    return traces.traces_of(fun)


def no_recompiles(
    action: Literal["raise", "warn"] = "raise", *, op_by_op: bool = False, fresh: bool = False
) -> "contextlib._GeneratorContextManager[None]":
    """Raise if anything compiles a second time, in a block or in a decorated function (`@no_recompiles()`).

    >>> with jitviz.no_recompiles():
    ...     train()

    In the block, each function may have one version: the first that compiles there, or that a call runs from the cache.
    A second version raises or warns, with the reason why it is not the first. `jax.grad(step)` outside a jit makes a
    program of its own, which counts by itself. Ahead-of-time work (`step.lower(...)`) is a warm-up, and never raises.

    The limit applies to the thread that enters the block, and to threads started inside it.

    Args:
        action: "raise" a `RecompileError` before the compile begins, or "warn" with a `RecompileWarning` and go on.
        op_by_op: forbid compiles outside any jit as well: `jnp` calls, indexing, a `+` between arrays. JAX compiles
            each of them, and again for each new shape. What ran before the block is in JAX's cache.
        fresh: clear JAX's caches first (`jax.clear_caches()`), so that no earlier version hides a recompile. You need
            this with `jax.jit` on Python 3.11, where jitviz does not see hits.

    Raises:
        RecompileError: with `action="raise"`, at the call that would compile again.
        ValueError: `action` is neither "raise" nor "warn".
    """
    if action not in ("raise", "warn"):
        given = repr(action) if isinstance(action, str) else f"a {type(action).__name__}"
        how = " Write @no_recompiles(), with parentheses." if callable(action) else ""
        raise ValueError(f'action must be "raise" or "warn", not {given}.{how}')
    return _no_recompiles(action, op_by_op, fresh)


@contextlib.contextmanager
def _no_recompiles(action: Literal["raise", "warn"], op_by_op: bool, fresh: bool) -> Iterator[None]:
    def check(miss: traces.NewMiss) -> None:
        reasons = _reasons(miss)
        is_only = len(miss.history) <= 1 and not miss.has_run
        if is_only or reasons[0].kind in ("first", "transform"):
            return
        message = _message(f"`{miss.name}` compiles again inside no_recompiles().", reasons)
        complain(message, reasons, miss.history[-1].source)

    def complain(message: str, reasons: tuple[Reason, ...], source: str) -> None:
        if action == "raise":
            raise RecompileError(message, reasons)
        warn(message, source)

    def check_op(op: OpByOp) -> None:
        complain(_message_of_op(op), (), op.source)

    if fresh:
        traces.clear_caches()
    with _ending_at_the_call(), traces.WatchedBlock().watching(check, check_op if op_by_op else None):
        yield


@contextlib.contextmanager
def limit_traces(most: int, *, fresh: bool = False) -> Iterator[None]:
    """Allow each function `most` traces in the block; a version that a call runs from JAX's cache counts as one. With
    `fresh`, JAX's caches are cleared first, so that none is there."""
    if fresh:
        traces.clear_caches()
    with (
        _ending_at_the_call(),
        traces.WatchedBlock().watching(lambda miss: _check(miss.name, most, miss.n_traces, miss)),
    ):
        yield


@contextlib.contextmanager
def _ending_at_the_call() -> Iterator[None]:
    """Cut the traceback of a guard's error after the user's line."""
    try:
        yield
    except RecompileError as error:
        step = last = error.__traceback__ and error.__traceback__.tb_next  # the first is this frame
        while step is not None:
            if frame_owner(step.tb_frame.f_code.co_filename) == "user":
                last = step
            step = step.tb_next
        if last is not None:
            last.tb_next = None
        raise


def _check(name: str, most: int, count: int, miss: traces.NewMiss | None) -> None:
    if count <= most:
        return
    reasons = _reasons(miss) if miss is not None else ()
    what = "runs" if miss is not None and miss.is_held else "is traced for"
    which = "version, counting those from JAX's cache" if what == "runs" else "time"
    head = f"`{name}` {what} the {_ordinal(count)} {which}; the limit is {most}."
    raise RecompileError(_message(head, reasons), reasons)


def _reasons(miss: traces.NewMiss) -> tuple[Reason, ...]:
    """Why this miss happens, by the process-wide history."""
    explainer = Explainer()
    numbers = [explainer.add(past) for past in miss.history]
    return explainer.reasons(numbers[-1]) if numbers else ()


def _message(head: str, reasons: tuple[Reason, ...]) -> str:
    if not reasons:
        return f"{head}\n  The reason is unknown: jitviz saw no earlier trace of the function."
    lines = [head, *(f"  {told_once(reason)}" for reason in reasons[:3])]
    if len(reasons) > 3:
        lines.append(f"  and {count(len(reasons) - 3, 'more change')}")
    if reasons[0].advice:
        lines.append(f"What to do: {reasons[0].advice}")
    return "\n".join(lines)


def _message_of_op(op: OpByOp) -> str:
    inputs = f" for {', '.join(op.inputs)}" if op.inputs else ""
    return (
        f"`{one_line(op.name)}` at {op.source} compiles{inputs} outside any jit, inside no_recompiles(op_by_op=True).\n"
        "What to do: put it into a jitted function, keep its shapes as they are, or use NumPy."
    )


def _ordinal(count: int) -> str:
    ending = "th" if 10 <= count % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{ending}"
