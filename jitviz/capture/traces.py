"""Count the traces of one function, and check every miss before it is done: the basis of the guards.

In: a function, or a check.  Out: counts, and calls of the check at the start of a miss.
Must never: swallow what a check raises (that is the point of a guard), or count anything that is not a trace.
"""

import collections
import contextlib
import threading
import weakref
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from .. import model
from ..jaxcompat import tracing
from ..model import system
from ..recording import Recording
from ..recording import events as ev
from ..recording.folding import Fold
from .adapters import functions
from .adapters.registry import jitted_under
from .failures import guarded
from .hooks import hits, misses
from .in_progress import CallingLine, OpenMiss, here
from .log.watcher import Guard, watcher
from .session import guarding, versions, watch


@dataclass
class NewMiss:
    """A miss that has just begun, with everything that was compiled of its function, this miss last.

    `has_run` says that the function had a hit in the block before, and `is_held` that one ran a version of before the
    block. `n_traces` counts its traces in the block, this one included, and those that JAX's cache spared.
    """

    name: str
    history: Sequence[model.Miss]
    has_run: bool = False
    is_held: bool = False
    n_traces: int = 0


Check = Callable[[NewMiss], None]
CheckOp = Callable[[model.OpByOp], None]
Count = Callable[[int, NewMiss | None], None]


class Counter:
    """Counts the traces of one function, inside or outside a jit."""

    def __init__(self, fun: Any) -> None:
        watch()
        self.count = 0
        self.name = functions.names_of(functions.innermost(fun))[0]
        self._jitted = jitted_under(fun)
        self._token = None if self._jitted is None else self._jitted.token

    @contextlib.contextmanager
    def counting(self, check: Count) -> Iterator[None]:
        """Count the traces in the block, and call `check` at every trace as it begins."""
        if self._jitted is None:
            # A plain function: JAX runs its body to trace it; outside a trace this is an ordinary call.
            if tracing.is_staging():
                watch()  # it may have been switched off since
                self._add(check, here.mine.newest_miss())
            yield
        elif tracing.is_staging():
            # Inside an outer trace an inner jit has no events of its own: its cache shows whether it was traced.
            before = self._jitted.trace_count()
            yield
            for _ in range(self._jitted.trace_count() - before):
                self._add(check, here.mine.newest_miss())
        else:
            thread = system.get_ident()

            def count(opened: OpenMiss) -> None:
                if "trace" in opened.phases and watcher.functions[opened.function].token == self._token:
                    self._add(check, opened)

            with guarding(Guard(lambda: system.get_ident() == thread, count)):
                yield

    def _add(self, check: Count, opened: OpenMiss | None) -> None:
        self.count += 1
        if opened is not None:  # the function runs, so JAX did not find the trace in its cache: it is not doubtful
            guarded(None)(misses.begin_phase)(opened, "trace", opened.started_s)
        check(self.count, None if opened is None else _new_miss(opened))


class WatchedBlock:
    """The compiles and hits of one block of code, on its own thread and on threads started inside it."""

    def __init__(self) -> None:
        self._others = weakref.WeakSet(threading.enumerate())
        self._others.discard(system.current_thread())
        self._numbers: set[int] = set()  # of compiles that began in the block, or had hits there
        self._ran: set[str] = set()  # lineages that had hits
        self._held: set[str] = set()  # those with hits of versions that are older than the block
        self._traces = collections.Counter[str]()  # by lineage

    @contextlib.contextmanager
    def watching(self, check: Check, check_op: CheckOp | None = None) -> Iterator[None]:
        """Call `check` at the start of every compile of a user's function in the block, and `check_op` where a program
        outside the user's jitted functions begins to compile. Both may raise."""

        def missed(opened: OpenMiss) -> None:
            self._numbers.add(opened.number)
            lineage = watcher.functions[opened.function].lineage
            self._traces[lineage] += "trace" in opened.phases
            miss = _new_miss(opened, self._numbers)
            miss.has_run, miss.is_held = lineage in self._ran, lineage in self._held
            miss.n_traces = self._traces[lineage]
            if opened.stage == "call":  # ahead-of-time work is a warm-up
                check(miss)

        with guarding(Guard(lambda: system.current_thread() not in self._others, missed, self._hit, check_op)):
            yield

    def _hit(self, site: CallingLine) -> None:
        lineage = watcher.functions[site.function].lineage
        self._ran.add(lineage)
        ran = watcher.functions.version_of_hit(site)
        if ran is not None and ran not in self._numbers:
            self._held.add(lineage)
            self._traces[lineage] += 1
            self._numbers.add(ran)
        elif ran is None and not self._traces[lineage]:  # one that JAX holds; else it may be the one that the block has
            self._held.add(lineage)
            self._traces[lineage] = 1
            self._numbers.update(watcher.functions.versions_held(site.function))


@contextlib.contextmanager
def noting(lineages: set[str]) -> Iterator[None]:
    """Add to `lineages` the lineage of every miss in the block, on any thread; their programs are kept meanwhile."""
    watcher.n_watches += 1
    try:
        with guarding(Guard(lambda: True, lambda miss: lineages.add(watcher.functions[miss.function].lineage))):
            yield
    finally:
        watcher.n_watches -= 1


def _new_miss(opened: OpenMiss, among: Container[int] | None = None) -> NewMiss:
    function = watcher.functions[opened.function]
    return NewMiss(function.name, folded(function.lineage, among).misses)


def clear_caches() -> None:
    """Empty JAX's caches at the user's request."""
    watch()
    jax.clear_caches()  # type: ignore[no-untyped-call]


def traces_of(fun: Any) -> int:
    """How often a jitted function was traced since jitviz began to watch.

    Raises:
        TypeError: `fun` is not jitted.
    """
    jitted = jitted_under(fun)
    if jitted is None:
        raise TypeError(
            "num_traces takes a jitted function, or what assert_max_traces returned; this is a plain "
            f"{type(fun).__name__}. Jit it first, with jax.jit, or decorate it with assert_max_traces."
        )
    watch()
    return watcher.functions.traces_of(jitted.token)


def history_of(function: Callable[..., Any]) -> Recording:
    """Everything compiled of a jitted function since jitviz began to watch, as a finished recording without calls.

    Raises:
        TypeError: `function` is not jitted.
    """
    jitted = jitted_under(function)
    if jitted is None:
        raise TypeError(f"{type(function).__name__} is not jitted, so it has no history. Pass the jitted function.")
    now = system.time()
    start = ev.RecordingStarted(now, "", versions(), hits.limits(), hits_seen=hits.seen())
    events = with_programs(*sorted(watcher.functions.lineages_of(jitted.token)))
    return Recording([start, *events, ev.RecordingFinished(now)])


def replayed(*lineages: str, among: Container[int] | None = None) -> list[ev.Event]:
    """The events that the history holds of some lineages."""
    with watcher.lock:
        return [event for lineage in lineages for event in watcher.history.replay(lineage, among)]


def with_programs(*lineages: str) -> list[ev.Event]:
    """The same, with the programs that are kept; reading them takes time."""
    with watcher.lock:
        events = replayed(*lineages)
        programs = [unread for lineage in lineages for unread in watcher.history.programs(lineage)]
    return [*events, *(event for unread in programs for event in unread.events())]


def folded(lineage: str, among: Container[int] | None = None) -> Fold:
    """The rows that the history holds of a lineage.

    A recording would be in a cycle with its rows, which only a garbage collection frees.
    """
    fold = Fold()
    for event in replayed(lineage, among=among):
        fold.add(event)
    return fold
