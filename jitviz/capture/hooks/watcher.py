"""One per process: what every hook reports to, and what hands events to the recordings.

In: facts from the hooks (phases, filter calls, hits).  Out: events, to each open recording; misses also to the history.
Must never: hold an object of the user's between two calls of a hook.
"""

from __future__ import annotations

import itertools
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...jaxcompat import arrays, caches
from ...model import Function
from ...recording import Recording
from ...recording import events as ev
from ...recording.events import CompileNumber, FunctionNumber, SiteNumber
from ...recording.unread import Unread
from ..identity import living, token
from ..opened import CallSite, OpenCall, OpenCompile, OpenOps, OpenPhase
from ..threads import each, forget_sites, here, take_hits
from .history import End, History
from .seen import SeenFunctions

# What may wait to be read: three for a program, and roughly what it keeps alive. Beyond, calls wait for the reading.
UNREAD, UNREAD_NBYTES = 3_000, 128 << 20
AHEAD = 64  # stages ahead of time that wait for their next one


@dataclass
class Sink:
    """An open recording, and which functions and histories it has been told of."""

    recording: Recording
    has_profile: bool = False
    functions: set[FunctionNumber] = field(default_factory=set)
    lineages: set[str] = field(default_factory=set)
    first_calls: set[FunctionNumber] = field(default_factory=set)


class Guard(NamedTuple):
    """Who is told of each miss as it begins, and may raise, and of hits; `holds` says whether for this thread.

    `hit` is told of the first hit of each line, and again where another version may have run.

    `compiles_op` is told of each program outside any jit of the user's, as it begins to compile (no times are known).
    """

    holds: Callable[[], bool]
    missed: Callable[[OpenCompile], Any]
    hit: Callable[[CallSite], Any] | None = None
    compiles_op: Callable[[Any], Any] | None = None


class Watcher:
    """State shared by all hooks. Numbers of calls, compiles and functions are unique in the process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.sinks: list[Sink] = []
        self.guards: list[Guard] = []  # the innermost last
        self.numbers = itertools.count(1)
        self.functions = SeenFunctions(self.numbers)
        self.history = History(self.functions)
        self.ahead: dict[int, OpenCompile] = {}  # token of a jaxpr or a module -> whose it is, see `keep_ahead`
        self._unread: list[weakref.ref[Unread]] = []  # the oldest first
        self._unread_nbytes = 0
        self.probe: caches.ClearedProbe | None = None
        self.process_index = arrays.process_index()
        self._rows: dict[
            tuple[FunctionNumber, str, str, CompileNumber | None], SiteNumber
        ] = {}  # of sites, as the recordings know them

    # -- per thread ---------------------------------------------------------------------------------------------

    @property
    def calls(self) -> list[OpenCall]:
        """Open calls of this thread, outermost first."""
        return here.mine.calls

    @property
    def phases(self) -> list[OpenPhase]:
        """Open phases of this thread, outermost first."""
        return here.mine.phases

    @property
    def compiles(self) -> dict[int, OpenCompile]:
        """Open misses of this thread by the address of their frame."""
        return here.mine.compiles

    @property
    def ops(self) -> OpenOps:
        """Open programs of this thread outside any jit of the user's."""
        return here.mine.ops

    def forget_open_calls(self) -> None:
        """Of calls that were open, on any thread, when nothing was recorded any more, the end was not seen."""
        for mine in each():
            mine.calls, mine.hits[:] = [], []

    def newest_compile(self) -> OpenCompile | None:
        """The miss that is under way on this thread, the innermost if there are several."""
        return next((phase.compile for phase in reversed(self.phases) if phase.compile is not None), None)

    # -- functions ----------------------------------------------------------------------------------------------

    def number_of(self, function: Function) -> FunctionNumber:
        """The number of this function object; its row is kept for events to come."""
        with self.lock:
            return self.functions.number_of(function)

    def number_of_wrapper(self, wrapper: Any, identify: Callable[[], Function]) -> FunctionNumber:
        """The number of the function behind a wrapper object; the row is made at the wrapper's first call."""
        with self.lock:
            return self.functions.number_of_wrapper(wrapper, identify)

    def is_warm(self, number: FunctionNumber) -> bool:
        """Whether this function has compiled versions that nothing is known of: from before jitviz watched, or so long
        ago that the history has forgotten all of its lineage."""
        if self.functions.is_warm(number):
            return True
        return bool(self.functions.versions(number)) and not self.history.knows(self.functions[number].lineage)

    # -- events ---------------------------------------------------------------------------------------------------

    def emit(self, event: ev.Event) -> None:
        """Hand an event to every open recording, and before it what it refers to and the hits that it comes after."""
        with self.lock:
            self.tell_hits()
            if isinstance(event, End):
                self.history.note_end(event)
            for sink in self.sinks:
                number: FunctionNumber | None = getattr(event, "function", None)
                if number is not None and number not in sink.functions:
                    self._introduce(sink, number, event.at_s)
                sink.recording.append(event)

    def tell_hits(self) -> None:
        """Hand on the hits that wait on the threads."""
        with self.lock:
            numbers = take_hits()
            if numbers:
                told = ev.HitsNoted((numbers[-2] + numbers[-1]) / 1e9, numbers.tobytes())
                for sink in self.sinks:
                    sink.recording.append(told)

    def row_of(self, site: CallSite, ran: CompileNumber | None) -> SiteNumber:
        """The number under which all open recordings know this line, on this thread, with the version that it runs."""
        with self.lock:
            thread = threading.current_thread().name
            known = site.function, site.source, thread, ran
            if known not in self._rows:
                self._rows[known] = SiteNumber(next(self.numbers))
                self.emit(ev.SiteSeen(time.time(), self._rows[known], site.function, site.source, thread, ran))
            return self._rows[known]

    def look_anew(self) -> None:
        """Somebody begins to listen, who was not told of any line yet."""
        with self.lock:
            self.tell_hits()
            self._rows.clear()
            forget_sites()

    def expect(self, unread: Unread) -> None:
        """Let every open recording read this when it is asked for; what waits longest is read if it is too much."""
        with self.lock:
            recordings = [sink.recording for sink in self.sinks]
            self._unread.append(weakref.ref(unread))
            self._unread_nbytes += unread.nbytes
        for recording in recordings:
            recording.read_later(unread)
        if len(self._unread) > UNREAD or self._unread_nbytes > UNREAD_NBYTES:
            self._read_oldest()

    def _read_oldest(self) -> None:
        waiting = [unread for one in self._unread if (unread := one()) is not None and not unread.is_read]
        nbytes = sum(unread.nbytes for unread in waiting)
        n_read = 0
        while len(waiting) - n_read > UNREAD or nbytes > UNREAD_NBYTES:
            nbytes -= waiting[n_read].nbytes
            waiting[n_read].events()
            n_read += 1
        self._unread, self._unread_nbytes = [weakref.ref(unread) for unread in waiting[n_read:]], nbytes

    def read_all(self) -> None:
        """Read what still waits, while all that it takes is there."""
        for one in list(self._unread):
            unread = one()
            if unread is not None:
                unread.events()

    def _introduce(self, sink: Sink, number: FunctionNumber, at_s: float) -> None:
        function = self.functions.get(number)
        if function is None:
            return
        self._tell_of(sink, number, at_s)
        if function.lineage in sink.lineages or not self.history.knows(function.lineage):
            return
        sink.lineages.add(function.lineage)
        for earlier in self.history.functions_of(function.lineage):
            self._tell_of(sink, earlier, at_s)
        for event in (*self.history.earlier(function.lineage), *self.history.clearings_since(function.lineage)):
            sink.recording.append(event)

    def _tell_of(self, sink: Sink, number: FunctionNumber, at_s: float) -> None:
        if number not in sink.functions:
            sink.functions.add(number)
            sink.recording.append(ev.FunctionSeen(at_s, number, self.functions[number]))

    def note_compile(self, event: ev.CompileStarted) -> None:
        """Log a miss, and remember it for recordings to come."""
        with self.lock:
            self._look_for_others(event.at_s)
            self.look_for_clearing(event.at_s)
            self.emit(event)
            for sink in self.sinks:
                sink.lineages.add(self.functions[event.function].lineage)
            self.history.note_start(event)
            self.functions.note_compile(event.function, event.signature, is_traced=event.is_traced)

    def _look_for_others(self, at_s: float) -> None:
        """`jax.distributed` may have been initialised since."""
        found = arrays.process_index()
        if found != self.process_index:
            self.process_index = found
            self.emit(ev.ProcessJoined(at_s, found))

    def look_for_clearing(self, at_s: float) -> None:
        """Tell of caches that were cleared since the last look."""
        if self.probe is None:
            return
        scope = self.probe.look()
        if scope == "all" or scope == "function":
            cleared = ev.CachesCleared(at_s, "all" if scope == "all" else "function")
            self.history.note_clearing(cleared)
            self.emit(cleared)

    def gone(self, sink: Sink) -> tuple[int, ...]:
        """The tokens of functions that a recording was told of, and that are there no more."""
        known = {row.token for number in sink.functions if (row := self.functions.get(number)) is not None}
        return tuple(sorted(known - living()))

    def forget(self, opened: OpenCompile) -> None:
        """This miss raised, so that JAX kept nothing of it: nothing later may be compared with it."""
        with self.lock:
            self.history.forget(opened.number)
            self.functions.drop_version(opened)

    def keep_ahead(self, work: Any, opened: OpenCompile) -> None:
        """Remember whose jaxpr or module this is: the next stage may come at any time."""
        self.ahead[token(work)] = opened
        if len(self.ahead) > AHEAD:
            del self.ahead[next(iter(self.ahead))]


watcher = Watcher()
