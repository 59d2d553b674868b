"""One per process: what every hook reports to, and what hands events to the recordings.

In: facts from the hooks (phases, filter calls, hits).  Out: events, to each open recording; misses also to the history.
Must never: hold an object of the user's between two calls of a hook.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter, deque
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...filters.kernel import functions_with_programs
from ...jaxcompat import caches
from ...model import Function, Miss, Signature
from ...recording import Recording
from ...recording import events as ev
from ..arguments.signature import trace_key
from ..identity import token
from ..opened import OpenCall, OpenCompile, OpenOps, OpenPhase

HISTORY = 64  # versions remembered per function: what a later recording can compare with


@dataclass
class Sink:
    """An open recording, and which functions and histories it has been told of."""

    recording: Recording
    functions: set[int] = field(default_factory=set)
    lineages: set[str] = field(default_factory=set)
    first_calls: set[int] = field(default_factory=set)


@dataclass
class _Past:
    """What is remembered of a lineage: its newest misses, and how many clearings of caches came before the last one."""

    misses: deque[tuple[int, ev.CompileStarted]] = field(default_factory=lambda: deque(maxlen=HISTORY))
    clearings: int = 0


class Guard(NamedTuple):
    """Who is told of each miss as it begins, and may raise, and of each hit; `holds` says whether for this thread.

    `compiles_op` is told of each program outside of any jit of the user's (`ops.Op`), as it begins to compile.
    """

    holds: Callable[[], bool]
    missed: Callable[[OpenCompile], Any]
    hit: Callable[[OpenCall], Any] | None = None
    compiles_op: Callable[[Any], Any] | None = None


class _PerThread(threading.local):
    """What is under way on one thread."""

    def __init__(self) -> None:
        self.generation = 0
        self.calls: list[OpenCall] = []
        self.phases: list[OpenPhase] = []
        self.misses: dict[int, OpenCompile] = {}
        self.ops = OpenOps()


class Watcher:
    """State shared by all hooks. Numbers of calls, compiles and functions are unique in the process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.sinks: list[Sink] = []
        self.guards: list[Guard] = []  # the innermost last
        self.numbers = itertools.count(1)
        self.functions: dict[int, Function] = {}  # number -> row
        self._number_of: dict[tuple[int, str], int] = {}  # (token, api) -> number
        self._keyed: dict[int, list[int]] = {}  # version key -> compile numbers
        self._wrappers: dict[int, int] = {}  # token of a wrapper -> function number
        self._traced: dict[int, set[int]] = {}  # function number -> trace keys, see `trace_key`
        self._cleared_before: dict[int, str] = {}  # compile number -> what was cleared since the one before
        self.versions: dict[int, list[int]] = {}  # function number -> compile numbers
        self._past: dict[str, _Past] = {}
        self._ends: dict[int, list[ev.PhaseFinished | ev.CompileFinished | ev.ProgramLoaded]] = {}  # by compile number
        self._clearings: list[ev.CachesCleared] = []
        self.warm: set[int] = set()
        self.by_source_info: dict[str, int] = {}
        self.ahead: dict[int, OpenCompile] = {}  # token of a jaxpr or a module -> whose it is, see `keep_ahead`
        self.traces: Counter[int] = Counter()  # token of a function -> traces since watching
        self.probe: caches.ClearedProbe | None = None
        self._local = _PerThread()
        self._generation = 0  # open calls of an earlier one were left behind, see `forget_open_calls`

    # -- per thread ---------------------------------------------------------------------------------------------

    @property
    def calls(self) -> list[OpenCall]:
        """Open calls of this thread, outermost first."""
        if self._local.generation != self._generation:
            self._local.generation = self._generation
            self._local.calls = []
        return self._local.calls

    @property
    def phases(self) -> list[OpenPhase]:
        """Open phases of this thread, outermost first."""
        return self._local.phases

    @property
    def misses(self) -> dict[int, OpenCompile]:
        """Open misses of this thread by the address of their frame."""
        return self._local.misses

    @property
    def ops(self) -> OpenOps:
        """Open programs of this thread outside of any jit of the user's."""
        return self._local.ops

    def forget_open_calls(self) -> None:
        """Of calls that were open, on any thread, when nothing was recorded any more, the end was not seen."""
        self._generation += 1

    def newest_miss(self) -> OpenCompile | None:
        """The miss that is under way on this thread, the innermost if there are several."""
        return next((phase.miss for phase in reversed(self.phases) if phase.miss is not None), None)

    # -- functions ----------------------------------------------------------------------------------------------

    def number_of(self, function: Function) -> int:
        """The number of this function object; its row is kept for events to come."""
        with self.lock:
            key = (function.token, function.lineage)
            number = self._number_of.get(key)
            if number is None:
                number = self._number_of[key] = next(self.numbers)
            self.functions[number] = function
            return number

    # -- events ---------------------------------------------------------------------------------------------------

    def emit(self, event: ev.Event) -> None:
        """Hand an event to every open recording, and before it what it refers to."""
        with self.lock:
            if isinstance(event, ev.PhaseFinished | ev.CompileFinished | ev.ProgramLoaded):
                self._ends.setdefault(event.compile, []).append(event)
            for sink in self.sinks:
                number = getattr(event, "function", None)
                if isinstance(number, int) and number not in sink.functions:
                    self._introduce(sink, number, event.at_s)
                sink.recording.append(event)

    def _introduce(self, sink: Sink, number: int, at_s: float) -> None:
        sink.functions.add(number)
        function = self.functions[number]
        sink.recording.append(ev.FunctionSeen(at_s, number, function))
        past = self._past.get(function.lineage)
        if past is None or function.lineage in sink.lineages:
            return
        sink.lineages.add(function.lineage)
        for earlier, miss in past.misses:
            if earlier not in sink.functions:
                sink.functions.add(earlier)
                sink.recording.append(ev.FunctionSeen(at_s, earlier, self.functions[earlier]))
            sink.recording.append(replace(miss, is_before=True, call=None))
            for end in self._ends.get(miss.compile, ()):
                sink.recording.append(end)
        for cleared in self._clearings[past.clearings :]:
            sink.recording.append(cleared)

    def note_miss(self, event: ev.CompileStarted) -> None:
        """Log a miss, and remember it for recordings to come."""
        with self.lock:
            self._look_for_clearing(event.at_s)
            lineage = self.functions[event.function].lineage
            self.emit(event)
            for sink in self.sinks:
                sink.lineages.add(lineage)
            past = self._past.setdefault(lineage, _Past())
            cleared = {clearing.scope for clearing in self._clearings[past.clearings :]} if past.misses else set()
            if cleared:
                self._cleared_before[event.compile] = "all" if "all" in cleared else "function"
            if len(past.misses) == HISTORY:
                self._ends.pop(past.misses[0][1].compile, None)
            past.misses.append((event.function, event))
            past.clearings = len(self._clearings)
            self.traces[self.functions[event.function].token] += event.is_traced
            self._traced.setdefault(event.function, set()).add(trace_key(event.signature))

    def _look_for_clearing(self, at_s: float) -> None:
        if self.probe is None:
            return
        scope = self.probe.look()
        if scope == "all" or scope == "function":
            cleared = ev.CachesCleared(at_s, "all" if scope == "all" else "function")
            self._clearings.append(cleared)
            self.emit(cleared)

    def is_warm(self, number: int) -> bool:
        """Whether this function had compiled versions before jitviz watched, and none since."""
        return self.functions[number].token in self.warm and not self.versions.get(number)

    def was_traced(self, number: int, signature: Signature) -> bool:
        """Whether this function was traced with such a signature, as far as a trace depends on it."""
        return trace_key(signature) in self._traced.get(number, ())

    def note_warm_functions(self) -> None:
        """Called when watching starts: remember whose caches are filled already."""
        filled = [*caches.functions_with_filled_caches(), *functions_with_programs()]
        self.warm = {token(found) for found in filled if found is not None}

    def forget(self, opened: OpenCompile) -> None:
        """This miss raised, so that JAX kept nothing of it: nothing later may be compared with it."""
        with self.lock:
            past = self._past.get(self.functions[opened.function].lineage)
            if past is not None and past.misses and past.misses[-1][1].compile == opened.number:
                past.misses.pop()
            for numbers in (self.versions.get(opened.function), self._keyed.get(opened.version_key or 0)):
                if numbers and numbers[-1] == opened.number:
                    numbers.pop()

    def keep_ahead(self, work: Any, opened: OpenCompile) -> None:
        """Remember whose jaxpr or module this is: the next stage may come at any time."""
        self.ahead[token(work)] = opened
        if len(self.ahead) > HISTORY:
            del self.ahead[next(iter(self.ahead))]

    def note_version(self, opened: OpenCompile) -> None:
        """Remember which versions a function, and a static key of it, have."""
        self.versions.setdefault(opened.function, []).append(opened.number)
        if opened.version_key is not None:
            self._keyed.setdefault(opened.version_key, []).append(opened.number)

    def version_of_hit(self, call: OpenCall) -> int | None:
        """The version that a hit must have run, if there is just one that it can have been."""
        if call.version_key is not None:
            known = self._keyed.get(call.version_key, [])
            return known[0] if len(known) == 1 else None
        known = self.versions.get(call.function, [])
        return known[0] if len(known) == 1 and self.functions[call.function].token not in self.warm else None

    def number_of_wrapper(self, wrapper: Any, identify: Callable[[], Function]) -> int:
        """The number of the function behind a wrapper object; the row is made at the wrapper's first call."""
        mark = token(wrapper)
        number = self._wrappers.get(mark)
        if number is None:
            number = self._wrappers[mark] = self.number_of(identify())
        return number

    def replay(self, mark: int) -> list[ev.Event]:
        """What was compiled of the function with this token, and of those it is compared with, as events."""
        with self.lock:
            lineages = {function.lineage for function in self.functions.values() if function.token == mark}
            misses = [
                row for lineage in sorted(lineages) if lineage in self._past for row in self._past[lineage].misses
            ]
            found: list[ev.Event] = [
                ev.FunctionSeen(miss.at_s, number, self.functions[number])
                for number, miss in dict(reversed(misses)).items()
            ]
            for _, miss in misses:
                cleared = self._cleared_before.get(miss.compile)
                if cleared is not None:
                    found.append(ev.CachesCleared(miss.at_s, "all" if cleared == "all" else "function"))
                found += [replace(miss, call=None), *self._ends.get(miss.compile, ())]
            return found

    def history(self, lineage: str, among: Container[int] | None = None) -> list[Miss]:
        """What was compiled of a function since jitviz watched, as `jitviz.reasons` takes it; the newest last.

        `among` are the numbers of the compiles that count, where not all do.
        """
        with self.lock:
            past = self._past.get(lineage)
            misses = [row for row in past.misses if among is None or row[1].compile in among] if past else []
            compiled = {miss.compile for _, miss in misses if self._is_compiled(miss.compile)}
        found = []
        for number, event in misses:
            miss = Miss(
                function=self.functions[number],
                signature=event.signature,
                is_traced=event.is_traced,
                is_warm=event.is_warm,
                cleared=self._cleared_before.get(event.compile, ""),
                transform=event.transform,
                stage=event.stage,
                source=event.source,
            )
            found.append(miss)
            if event.stage != "call" and event.compile in compiled:
                found.append(replace(miss, stage="compile", cleared=""))
        return found

    def _is_compiled(self, number: int) -> bool:
        ends = (end for end in self._ends.get(number, ()) if isinstance(end, ev.PhaseFinished))
        return any(end.phase == "compile" and end.error is None for end in ends)


watcher = Watcher()
