"""The state that all hooks share: open recordings, guards, the history. Every event passes through here.

In: facts from the hooks (phases, calls, hits).  Out: events for each open recording; misses also for the history.
"""

import itertools
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...jaxcompat import caches, devices
from ...model import MAIN_THREAD, MOST_THREADS, OTHER_THREADS, Function, seconds, split_source, system
from ...recording import Recording
from ...recording import events as ev
from ...recording.codec import pack
from ...recording.unread_programs import Unread
from ..failures import guarded, take_failures
from ..in_progress import CallingLine, OpenMiss, forget_sites, take_hits
from ..sources import text_of
from ..tokens import token
from .history import End, History
from .known_functions import KnownFunctions

# How much may wait to be read: three items per program, and roughly the memory that they keep alive. Beyond that, the
# oldest are read at once.
UNREAD, UNREAD_NBYTES = 3_000, 128 << 20
AHEAD = 64  # ahead-of-time stages that may wait for the next one

_CLOCK_STEP_S = 2.0  # less is a clock that is kept right


@dataclass
class Sink:
    """An open recording, and the functions and histories that it has received."""

    recording: Recording
    functions: set[ev.FunctionNumber] = field(default_factory=set)
    lineages: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)  # the labels of files and cells whose texts it has
    first_calls: set[ev.FunctionNumber | tuple[ev.FunctionNumber, str]] = field(default_factory=set)  # see `call_log`
    clock_s: float = field(default_factory=lambda: system.time() - system.monotonic())

    def check_clock(self, at_s: float) -> None:
        """Say that the clock was set, or the computer slept: JAX measures with this clock, too."""
        step_s = system.time() - system.monotonic() - self.clock_s
        if abs(step_s) > _CLOCK_STEP_S:
            self.clock_s += step_s
            told = f"{'forward' if step_s > 0 else 'back'} by {seconds(abs(step_s))}"
            self.recording.append(ev.CaptureFailed(at_s, "clock", f"jumped {told}: seconds are wrong by that"))


class Guard(NamedTuple):
    """A listener that may raise in the user's call; `holds` returns whether it applies to the current thread.

    `missed` is called with each miss as it begins. `hit` is called at the first hit of each line, and again once
    another version may have run. `compiles_op` is called with each program outside the user's jitted functions as it
    begins to compile (its times are not known yet).
    """

    holds: Callable[[], bool]
    missed: Callable[[OpenMiss], Any]
    hit: Callable[[CallingLine], Any] | None = None
    compiles_op: Callable[[Any], Any] | None = None


class Watcher:
    """The shared state. Numbers of calls, compiles and functions are unique in the process."""

    def __init__(self) -> None:
        self.lock = system.RLock()
        self.sinks: list[Sink] = []
        self.guards: list[Guard] = []  # the innermost last
        self.n_watches = 0  # that compare programs without a recording
        self.numbers = itertools.count(1)
        self.functions = KnownFunctions(self.numbers)
        self.history = History(self.functions)
        self.ahead: dict[int, OpenMiss] = {}  # by the token of a jaxpr or a module, see `keep_ahead`
        self._unread: list[weakref.ref[Unread]] = []  # the oldest first
        self._unread_nbytes = 0
        self.probe: caches.ClearedProbe | None = None
        self.process_index = devices.process_index()
        self._threads: set[str] = set()  # with names of their own
        self._n_waiting = 0  # hits of other threads since the last flush, at most
        # Numbers of sites in the open recordings, by function, source, thread and version.
        self._rows: dict[tuple[ev.FunctionNumber, str, str, ev.CompileNumber | None], ev.SiteNumber] = {}
        self._stale: set[tuple[ev.CompileNumber, str, str, str]] = set()  # told in the open recordings

    # -- functions ----------------------------------------------------------------------------------------------

    def number_of(self, function: Function) -> ev.FunctionNumber:
        """The number of this function object; its row is kept for later events."""
        with self.lock:
            return self.functions.number_of(function)

    def number_of_wrapper(self, wrapper: Any, identify: Callable[[], Function]) -> ev.FunctionNumber:
        """The number of the function inside a wrapper object; `identify` makes its row at the wrapper's first call."""
        with self.lock:
            return self.functions.number_of_wrapper(wrapper, identify)

    def is_warm(self, number: ev.FunctionNumber) -> bool:
        """Whether this function has compiled versions that nothing is known about: compiled before jitviz watched, or
        so long ago that the history has forgotten the whole lineage."""
        if self.functions.is_warm(number):
            return True
        return bool(self.functions.versions(number)) and not self.history.knows(self.functions[number].lineage)

    # -- events ---------------------------------------------------------------------------------------------------

    def emit(self, event: ev.Event) -> None:
        """Append an event to every open recording, after the hits that ended before it."""
        with self.lock:
            self.flush_hits()
            if isinstance(event, End):
                self.history.note_end(event)
            for sink in self.sinks:
                sink.check_clock(event.at_s)
                self._append(sink, event, event.at_s)

    def _append(self, sink: Sink, event: ev.Event, at_s: float) -> None:
        """Append an event to one recording, after the function that it names and the history of that function."""
        number: ev.FunctionNumber | None = getattr(event, "function", None)
        if number is not None and number not in sink.functions and (row := self.functions.get(number)) is not None:
            # Marked once it is done: after an interrupt it is done again, and what comes twice counts once.
            sink.recording.append(ev.FunctionSeen(at_s, number, row))
            if row.lineage not in sink.lineages:
                earlier = self.history.earlier(row.lineage)
                others = {past.function for past in earlier if isinstance(past, ev.CompileStarted)} - sink.functions
                rows = {other: self.functions.get(other) for other in others - {number}}
                seen = [ev.FunctionSeen(at_s, other, of) for other, of in rows.items() if of is not None]
                for introduced in seen:
                    sink.recording.append(introduced)
                for past in earlier:
                    sink.recording.append(past, is_clean=True)
                for clearing in self.history.clearings_since(row.lineage):
                    sink.recording.append(clearing)
                for unread in self.history.programs(row.lineage):
                    sink.recording.read_later(unread)
                sink.lineages.add(row.lineage)
                sink.functions.update(introduced.function for introduced in seen)
            sink.functions.add(number)
        sink.recording.append(event)

    def flush_hits(self) -> None:
        """Pass the waiting hits of all threads to the recordings, and what failed meanwhile."""
        with self.lock:
            for failure in take_failures():
                for sink in self.sinks:
                    sink.recording.append(failure)
            numbers = take_hits()
            if numbers:
                hits = ev.HitsNoted((numbers[-2] + numbers[-1]) / 1e9, numbers.tobytes())
                for sink in self.sinks:
                    sink.recording.append(hits)

    def thread_name(self) -> str:
        """What all events call this thread: the first ones by their names, and all others, where there may be one for
        each request, by one."""
        name = system.current_thread().name
        if name not in self._threads:
            if len(self._threads) >= MOST_THREADS and name != MAIN_THREAD:
                return OTHER_THREADS
            self._threads.add(name)
        return name

    def row_of(self, site: CallingLine, ran: ev.CompileNumber | None) -> ev.SiteNumber:
        """The number of this line, on this thread and with this version, in all open recordings."""
        with self.lock:
            thread = self.thread_name()
            self._n_waiting += thread == OTHER_THREADS
            if self._n_waiting >= MOST_THREADS:  # there is a thread for each request: none of them ever has enough
                self._n_waiting = 0
                self.flush_hits()
            key = site.function, site.source, thread, ran
            if key not in self._rows:
                row = ev.SiteNumber(next(self.numbers))
                self.emit(ev.SiteSeen(system.time(), row, site.function, site.source, thread, ran))
                self._rows[key] = row  # known once the recordings know it: hits of an unknown site are lost
            return self._rows[key]

    def note_trace(self, opened: OpenMiss, at_s: float) -> None:
        """Remember a trace that ended without an exception, and log what it drew."""
        self.functions.note_trace(opened)
        for draw, is_certain in opened.reads.draws() if opened.reads is not None else ():
            self.emit(ev.TracedOnce(at_s, opened.number, draw.kind, draw.name, draw.source, not is_certain))

    @guarded(False, "stale")
    def note_stale(self, site: CallingLine, at_s: float) -> bool:
        """Log what has changed since the program was traced that a hit of a site just ran. False if it read nothing.

        If it may have run several programs, something must have changed for each of them.
        """
        ran = self.functions.versions_of_hit(site, is_plain=True) if self.sinks else {}
        reads = [version.reads for version in ran.values()]
        if not reads or not all(reads):
            return False
        changes = [list(read.changed()) for read in reads if read is not None]
        if all(changes):
            number, changed = list(zip(ran, changes, strict=True))[-1]
            with self.lock:
                for read, now, is_maybe in changed:
                    key = number, read.kind, read.of, read.name
                    if key not in self._stale:
                        self._stale.add(key)
                        self.emit(ev.StaleRan(at_s, number, site.function, site.source, read, now, is_maybe))
        return bool(changes)

    def forget_rows(self) -> None:
        """Introduce every line again: a new listener knows none of them."""
        with self.lock:
            self.flush_hits()
            self._rows.clear()
            self._stale.clear()
            self._threads.clear()
            forget_sites()

    def expect(self, unread: Unread) -> None:
        """Let every open recording read this on demand. Where too much waits, the oldest is read now."""
        with self.lock:
            recordings = [sink.recording for sink in self.sinks]
            self._unread.append(weakref.ref(unread))
            self._unread_nbytes += unread.nbytes
            if unread.is_compared:
                self.history.note_program(unread)
        for recording in recordings:
            recording.read_later(unread)
        if len(self._unread) > UNREAD or self._unread_nbytes > UNREAD_NBYTES:
            self._read_oldest()

    def _read_oldest(self) -> None:
        waiting = deque(unread for weak in self._unread if (unread := weak()) is not None and not unread.is_read)
        nbytes = sum(unread.nbytes for unread in waiting)
        while len(waiting) > UNREAD or nbytes > UNREAD_NBYTES:
            oldest = waiting.popleft()
            nbytes -= oldest.nbytes
            oldest.events()
        self._unread, self._unread_nbytes = [weakref.ref(unread) for unread in waiting], nbytes

    def read_all(self) -> None:
        """Read everything that still waits, while what it needs is available."""
        self.history.drop_unread()
        for weak in list(self._unread):
            if (unread := weak()) is not None:
                unread.events()

    def note_compile(self, event: ev.CompileStarted) -> None:
        """Log a miss, and remember it for later recordings."""
        with self.lock:
            self._check_process_index(event.at_s)
            self.check_for_clearing(event.at_s, event.compile)
            self.emit(event)
            info = self.functions[event.function]
            self.note_sources(event.at_s, event.source, info.defined_at)
            for sink in self.sinks:
                sink.lineages.add(info.lineage)
            self.history.note_start(event)
            self.functions.note_compile(event.function, event.signature, is_traced=event.is_traced)

    def note_sources(self, at_s: float, *places: str) -> None:
        """Log the texts of the files and cells that these places are in, once for each recording."""
        for label in dict.fromkeys(split_source(place)[0] for place in places):
            sinks = [sink for sink in self.sinks if label and label not in sink.sources]
            packed = pack(text) if sinks and (text := text_of(label)) else b""
            for sink in sinks if packed else ():
                sink.recording.append(ev.SourceSeen(at_s, label, packed))
                sink.sources.add(label)

    def _check_process_index(self, at_s: float) -> None:
        """Log the index of this process once `jax.distributed` has been initialised."""
        found = devices.process_index()
        if found != self.process_index:
            self.process_index = found
            self.emit(ev.ProcessJoined(at_s, found))

    def check_for_clearing(self, at_s: float, newest: ev.CompileNumber | None = None) -> None:
        """Log that JAX's caches were cleared since the last check, before the compile `newest` where there is one."""
        scope = "" if self.probe is None else self.probe.look()
        if scope:
            cleared = ev.CachesCleared(at_s, scope)
            self.history.note_clearing(cleared)
            if scope == "all":
                self.functions.held_from = newest or ev.CompileNumber(next(self.numbers))
            self.emit(cleared)

    def forget(self, opened: OpenMiss) -> None:
        """Forget a miss that raised. JAX kept nothing of it, so no later miss may be compared with it."""
        with self.lock:
            self.history.forget(opened.number)
            self.functions.drop_version(opened)

    def keep_ahead(self, work: Any, opened: OpenMiss) -> None:
        """Remember which compile made this jaxpr or module: the next stage may come at any time."""
        self.ahead[token(work)] = opened
        if len(self.ahead) > AHEAD:
            del self.ahead[next(iter(self.ahead))]


watcher = Watcher()
