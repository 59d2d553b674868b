"""Counting traces of one function, and being told of every miss before it is done: what the guards stand on.

In: a function, or a check.  Out: counts, and calls of the check at the start of a miss.
Must never: swallow what a check raises (that is the point of a guard), or count anything that is not a trace.
"""

from __future__ import annotations

import collections
import contextlib
import threading
import time
import weakref
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import Any

import jax

from .. import model
from ..filters.jit import FilterJit
from ..filters.methods import as_tree
from ..jaxcompat import caches, equinox, jits, nnx, tracing
from ..jaxcompat.raw import is_a
from ..recording import Recording
from ..recording import events as ev
from ..recording.folding import Fold
from .failures import guarded
from .hooks import hits, misses
from .hooks.watcher import Guard, watcher
from .identity import token
from .opened import CallSite, OpenCompile
from .origins import functions
from .session import guarding, versions, watch


@dataclass
class Missed:
    """A miss that has just begun: whose it is, and what was compiled of that function, this one last.

    `has_run` says that the function had a hit before, in a block that asks for it. `n_traces` are the traces of it that
    such a block made, this one among them, or was spared by the cache.
    """

    name: str
    history: list[model.Miss]
    has_run: bool = False
    n_traces: int = 0


Check = Callable[[Missed], None]
CheckOp = Callable[[model.OpByOp], None]
Count = Callable[[int, Missed | None], None]


class Counter:
    """Counts the traces of one function, whichever side of a jit it stands on."""

    def __init__(self, fun: Any) -> None:
        watch()
        self.count = 0
        self.name = functions.names_of(functions.innermost(fun))[0]
        self._fun = fun
        inside = function_inside(fun)
        self._target = None if inside is None else token(functions.owner(inside))

    @contextlib.contextmanager
    def counting(self, check: Count) -> Iterator[None]:
        """Count what is traced in the block, and have `check` told of every trace as it begins."""
        if self._target is None:
            # A plain function: JAX runs its body to trace it; outside of a trace it is only called.
            if tracing.is_staging():
                watch()  # somebody may have switched it off since
                self._add(check, watcher.newest_compile())
            yield
        elif tracing.is_staging():
            # Inside an outer trace an inner jit has no events of its own: its cache tells whether it was traced.
            before = _trace_count(self._fun)
            yield
            for _ in range(_trace_count(self._fun) - before):
                self._add(check, watcher.newest_compile())
        else:
            watch()

            thread = threading.get_ident()

            def count(opened: OpenCompile) -> None:
                if "trace" in opened.phases and watcher.functions[opened.function].token == self._target:
                    self._add(check, opened)

            with guarding(Guard(lambda: threading.get_ident() == thread, count)):
                yield

    def _add(self, check: Count, opened: OpenCompile | None) -> None:
        self.count += 1
        if opened is not None:
            _confirm(opened)
        check(self.count, None if opened is None else _told(opened))


@guarded(None)
def _confirm(opened: OpenCompile) -> None:
    """A trace that might have been found in JAX's cache is not: the function runs."""
    misses.begin_phase(opened, "trace", opened.started_s)


class Block:
    """What one block of code compiled and ran: on its own thread, and on those that were started inside it."""

    def __init__(self) -> None:
        self._others = weakref.WeakSet(threading.enumerate())
        self._others.discard(threading.current_thread())
        self._numbers: set[int] = set()  # of the compiles that were begun in the block, or had hits there
        self._ran: set[str] = set()  # lineages that had hits
        self._traces = collections.Counter[str]()  # by lineage

    @contextlib.contextmanager
    def watching(self, check: Check, check_op: CheckOp | None = None) -> Iterator[None]:
        """Have `check` called at the start of every compile of a user's function in the block; it may raise.

        So may `check_op`, called where a program outside any jit of the user's begins to compile.
        """

        def missed(opened: OpenCompile) -> None:
            self._numbers.add(opened.number)
            lineage = watcher.functions[opened.function].lineage
            self._traces[lineage] += "trace" in opened.phases
            told = _told(opened, self._numbers, has_run=lineage in self._ran)
            told.n_traces = self._traces[lineage]
            if opened.stage == "call":  # what is asked for ahead of time is a warm-up
                check(told)

        with guarding(Guard(self._holds, missed, self._hit, check_op)):
            yield

    def _holds(self) -> bool:
        return threading.current_thread() not in self._others

    def _hit(self, site: CallSite) -> None:
        lineage = watcher.functions[site.function].lineage
        self._ran.add(lineage)
        ran = watcher.functions.version_of_hit(site)
        self._traces[lineage] += not self._traces[lineage] if ran is None else ran not in self._numbers
        self._numbers.update(watcher.functions.versions(site.function) if ran is None else (ran,))


@contextlib.contextmanager
def noting(lineages: set[str]) -> Iterator[None]:
    """Add the lineage of every miss in the block, on any thread."""
    with guarding(Guard(lambda: True, lambda miss: lineages.add(watcher.functions[miss.function].lineage))):
        yield


def _told(opened: OpenCompile, among: Container[int] | None = None, *, has_run: bool = False) -> Missed:
    function = watcher.functions[opened.function]
    fold = Fold()  # and no recording: that is in a cycle with its rows, which only a collection would free
    for event in replayed(function.lineage, among=among):
        fold.add(event)
    return Missed(function.name, fold.misses, has_run)


def clear_caches() -> None:
    """Empty JAX's caches, as a user does who asks for it."""
    watch()
    jax.clear_caches()  # type: ignore[no-untyped-call]


def function_inside(fun: Any) -> Any:
    """The function that a jitted one is keyed by, through wrappers that tell what they wrap; None for a plain one."""
    for _ in range(16):
        if is_a(fun, jits.PjitFunction):
            return jits.jitted_function(fun)
        if is_a(fun, FilterJit):
            return as_tree(fun.__wrapped__)
        if nnx.is_equinox_jit(fun):
            return equinox.wrapped_by(fun)
        inner = nnx.jitted_attribute(fun)
        if inner is not None:
            return jits.jitted_function(inner)
        fun = equinox.wrapped_by(fun)
    return None


def _jits_inside(fun: Any) -> list[Any]:
    """The `jax.jit` objects that a jitted function has made so far."""
    for _ in range(16):
        if is_a(fun, jits.PjitFunction):
            return [fun]
        if is_a(fun, FilterJit):
            return [program.jitted for program in fun.set_up().programs.values()]
        inner = nnx.jitted_attribute(fun)
        if inner is not None:
            return [inner]
        fun = equinox.wrapped_by(fun)
    return []


def _trace_count(fun: Any) -> int:
    return sum(map(caches.trace_count, _jits_inside(fun)))


def traces_of(fun: Any) -> int:
    """How often a jitted function was traced since jitviz watched.

    Raises:
        TypeError: `fun` is not jitted.
    """
    inside = function_inside(fun)
    if inside is None:
        raise TypeError(
            "num_traces takes a jitted function, or what assert_max_traces returned; this is a plain "
            f"{type(fun).__name__}. Write num_traces(jax.jit(f)) and call that, or decorate f with assert_max_traces."
        )
    watch()
    return watcher.functions.traces_of(token(functions.owner(inside)))


def history_of(function: Callable[..., Any]) -> Recording:
    """What was compiled of a jitted function since jitviz watched, recorded or not: a finished recording without calls.

    Raises:
        TypeError: `function` is not jitted.
    """
    inside = function_inside(function)
    if inside is None:
        raise TypeError(f"{type(function).__name__} is not jitted, so it has no history. Pass the jitted function.")
    now = time.time()
    start = ev.RecordingStarted(now, "", versions(), hits.limits(), hits_seen=hits.seen())
    events = replayed(*sorted(watcher.functions.lineages_of(token(functions.owner(inside)))))
    return Recording([start, *events, ev.RecordingFinished(now)])


def replayed(*lineages: str, among: Container[int] | None = None) -> list[ev.Event]:
    """What the history holds of some lineages."""
    with watcher.lock:
        return [event for lineage in lineages for event in watcher.history.replay(lineage, among)]
