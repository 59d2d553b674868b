"""A recording: the log of events, folded into calls and compiles as they are asked for.

In: events, appended in the order they happened, or a file of them.  Out: `Call` and `Compile` rows, reasons, totals.
Must never: watch anything (that is `jitviz.capture`), or change an event once it is in the log.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from ..jaxcompat.texts.locations import plain_stablehlo
from ..model import Call, Compile, HitsSeen, OpByOp, Pass, Reason, TextName
from . import jsonlines
from .bounding import bounded, nbytes
from .events import CaptureFailed, Event, RecordingFinished
from .folding import Fold
from .merging import merge_events
from .packing import unpack
from .unread import Unread, leaves_unread
from .whole_file import whole_file

if TYPE_CHECKING:
    from ..findings import Finding
    from ..findings.account import Account
    from ..reasons import Explainer


WRITE_S = 1.0  # what a killed process may lose of hits


class Recording:
    """What happened between two moments: every call and every compile, oldest first; live while recording.

    Reasons are worked out when they are asked for. A recording can be saved, loaded on a machine without jax,
    and merged with others.
    """

    def __init__(
        self,
        events: Iterable[Event] = (),
        *,
        is_closed: bool = False,
        catch_up: Callable[[], None] | None = None,
        max_bytes: int | None = None,
    ) -> None:
        """`is_closed` says that no more events come, whether or not the last of these is an end. `catch_up` has what
        happened until now appended. `max_bytes` bounds hits and texts of what is appended (see `bounding`)."""
        self._events: list[Event] = list(events)
        self._is_loaded = is_closed
        self._is_closed = is_closed or any(isinstance(event, RecordingFinished) for event in self._events)
        self._catch_up = catch_up
        self._max_bytes = max_bytes
        self._nbytes = sum(map(nbytes, self._events))
        self._is_file_outgrown = False
        self._unread: list[Unread] = []
        self._fold = Fold(self)
        self._lock = threading.RLock()
        self._reading = threading.RLock()  # taken before `_lock`; nobody waits for another lock with it
        self._still_for: int | None = None  # the thread that reads of one moment
        self._folded = 0
        self._explainer: Explainer | None = None
        self._explained = 0
        self._miss_of: list[int] = []  # per compile, the number of its miss
        self._sink: jsonlines.Appender | None = None
        self._listeners: list[Callable[[Event], None]] = []
        self._n_lines: dict[tuple[int, TextName], tuple[bytes | None, int]] = {}
        self._found: tuple[int, tuple[Finding, ...]] | None = None  # and for how many events

    # -- writing -----------------------------------------------------------------------------------------------

    def append(self, event: Event) -> None:
        """Add one event. When `save` was called on a live recording, it is also added to that file."""
        with self._lock:
            self._events.append(event)
            self._is_closed |= isinstance(event, RecordingFinished)
            self._nbytes += nbytes(event)
            if self._max_bytes is not None and self._nbytes > self._max_bytes:
                self.shrink(self._max_bytes)
            if self._sink is not None:
                self._sink.write(event)
                if self._sink.failure is not None:
                    self._events.append(self._sink.failure)
                    self._sink = None
        if self._listeners:
            for listener in list(self._listeners):
                listener(event)

    @property
    def nbytes(self) -> int:
        """What hits and texts take, which `max_bytes` bounds."""
        return self._nbytes

    def shrink(self, most: int) -> None:
        """Let the oldest hits and the biggest texts go; rows of calls are made anew, and with other indices."""
        with self._lock:
            self._events = bounded(self._events, most)
            self._nbytes = sum(map(nbytes, self._events))
            self._fold, self._folded, self._found = Fold(self), 0, None
            self._is_file_outgrown = True

    def _keep_file(self) -> None:
        """Write what happened until now; once the recording has shrunk, write it anew. Others append meanwhile."""
        self.catch_up()
        with self._lock:
            sink, events, is_outgrown = self._sink, self._events, self._is_file_outgrown
            self._is_file_outgrown = False
            n_events = len(events)
        if sink is None or not is_outgrown:
            return
        with contextlib.suppress(OSError), contextlib.ExitStack() as unless_done:  # then the file goes on as it is
            anew = sink.begun_anew(events[:n_events])
            unless_done.callback(anew.discard)
            with self._lock:
                if self._sink is sink and self._events is events:  # else it has ended, or shrunk again
                    for event in events[n_events:]:
                        anew.write(event)
                    sink.go_on_in(anew)
                    unless_done.pop_all()

    def catch_up(self) -> None:
        """Have appended what happened until now, before something that happens now is."""
        if self._catch_up is not None and not self._is_closed:
            self._catch_up()

    def expect(self, unread: Unread) -> None:
        """Have this read when it is asked for; at once where a file is open, which is to survive a killed process."""
        with self._lock:
            self._unread.append(unread)
            has_file = self._sink is not None
        if has_file:
            self._read()

    @property
    def unread_nbytes(self) -> int:
        """Roughly, what waits to be read keeps alive: a measure of how long that will take."""
        return sum(unread.nbytes for unread in list(self._unread) if not unread.is_read)

    def close(self) -> None:
        """Let go of the file that `save` keeps open while the recording is live."""
        with self._lock:
            sink, self._sink = self._sink, None
        if sink is not None:
            sink.close()

    def leave_file(self) -> None:
        """In a forked child: go on in memory alone, since the file is the parent's, and so may be the lock."""
        self._lock, self._reading, self._still_for = threading.RLock(), threading.RLock(), None
        self._sink = None
        self._unread = []  # XLA and its threads are the parent's

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Have `listener` told of every event from now on; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # -- reading -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def held_still(self) -> Iterator[None]:
        """All that this thread reads in the block is of one moment, whatever other threads record meanwhile.

        They wait only if they read too.
        """
        self._read()
        with self._reading:
            before = self._still_for
            self._up_to_date()
            self._still_for = threading.get_ident()
            try:
                yield
            finally:
                self._still_for = before

    @property
    def events(self) -> Sequence[Event]:
        """The log itself, oldest first. What was read later of a program stands where it was read."""
        self._read()
        return self._events

    @property
    def calls(self) -> Sequence[Call]:
        """Every call of a jitted function, by the time it started being known, oldest first."""
        self._read()
        return self._up_to_date().calls

    @property
    def compiles(self) -> Sequence[Compile]:
        """Every compiled version (or attempt at one) of the recording, oldest first."""
        self._read()
        return self._up_to_date().compiles

    @property
    def earlier(self) -> Sequence[Compile]:
        """Versions from before this recording that its compiles are compared with."""
        return self._up_to_date().earlier

    @property
    def op_by_op(self) -> Sequence[OpByOp]:
        """Every program that was compiled outside any jit of the user's, oldest first."""
        return self._up_to_date().op_by_op

    @property
    def account(self) -> Account:
        """Where the wall time went, by kind of work and by the user's lines."""
        from ..findings.account import account

        with self.held_still():
            return account(self)

    @property
    def facts(self) -> Fold:
        """Everything else that the log tells: cells, stages, failures, limits, start and end."""
        self._read()
        return self._up_to_date()

    @property
    def hits_seen(self) -> HitsSeen:
        """Which hits were seen of functions whose hits JAX answers in C++."""
        return self.facts.hits_seen or "all"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is worth doing, most seconds first, one per cause."""
        from ..findings import find

        known, n_events = self._found, len(self.events)
        if known is None or known[0] != n_events:
            with self.held_still():
                known = self._found = n_events, find(self)
        return known[1]

    @property
    def is_live(self) -> bool:
        """Whether events may still come."""
        return bool(self._events) and not self._is_closed

    @property
    def is_cut(self) -> bool:
        """Whether it has no end though no more events come: its process was killed, or went on after it was read."""
        return bool(self._events) and self._is_closed and not self.facts.is_finished

    # -- links of the rows (see model.Compile) --------------------------------------------------------------------

    def reasons(self, index: int) -> tuple[Reason, ...]:
        """Why compile number `index` happened, as it is judged now."""
        with self._reading:
            return self._explain().reasons(self._miss_of[index])

    def compared_with(self, index: int) -> Compile | None:
        """The earlier version that the reasons of compile number `index` tell the changes from.

        It may be one of `earlier`. None where there is none: a first version, or one with nothing to compare with.
        """
        with self._reading:
            before = self._explain().compared_with(self._miss_of[index])
            if before is None:
                return None
            rows, place = self._fold.row_of_miss[before]
            return rows[place]

    def _explain(self) -> Explainer:
        """The explainer, fed with every miss so far."""
        from ..reasons import Explainer

        fold = self._up_to_date()
        explainer = self._explainer = self._explainer or Explainer(self._is_repeated)
        with self._anew_after_interrupt():
            for number in range(self._explained, len(fold.misses)):
                miss = fold.misses[number]
                explainer.explain(miss)
                if not miss.is_before and miss.stage != "compile":
                    self._miss_of.append(number)
            self._explained = len(fold.misses)
        return explainer

    def _is_repeated(self, source: str) -> bool:
        """Whether a line is known to have called more than once."""
        numbers = (number for call, number in self._up_to_date().calls.summed() if call.source == source)
        return any(sum_ > 1 for sum_ in accumulate(numbers))

    def call_of(self, index: int) -> Call | None:
        """The call that caused compile number `index`."""
        return self._up_to_date().call_of(index)

    def compile_of(self, lineage: str, version: int) -> Compile | None:
        """A version of a function, compiled in this recording or before."""
        return self.facts.compile_of(lineage, version)

    def text(self, index: int, name: TextName) -> str | None:
        """One text of compile number `index`, or None; StableHLO without its locations."""
        found = self.located(index, name)
        return plain_stablehlo(found) if found is not None and name == "stablehlo" else found

    def located(self, index: int, name: TextName) -> str | None:
        """The same with the places in the source that a program text tells of, as it was recorded."""
        packed = self.facts.texts.get((index, name))
        if packed is None:
            return None
        try:
            return unpack(packed)
        except ValueError as error:
            with self._reading:
                what = f"the {name} of compile {index} was left out: {error}"
                self._fold.add(CaptureFailed(self._fold.last_s, "load", what))
            return None

    def n_lines(self, index: int, name: TextName) -> int:
        """How many lines `text` has, 0 without one; counted once, since a panel that grows asks at every step."""
        packed = self.facts.texts.get((index, name))
        counted = self._n_lines.get((index, name))
        if counted is None or counted[0] is not packed:
            text = self.text(index, name)
            counted = self._n_lines[index, name] = packed, text.rstrip("\n").count("\n") + 1 if text else 0
        return counted[1]

    def passes(self, index: int) -> tuple[Pass, ...]:
        """What XLA did in the compile phase of compile number `index`."""
        return self.facts.passes.get(index, ())

    # -- keeping -----------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write the recording as JSON lines, one event a line, and return the path.

        A recording that is still live goes on appending to the file, so that the file survives a killed process.
        From then on, texts of programs are read inside the call that compiles, so that no killed process loses them.

        Raises:
            OSError: the file cannot be written.
        """
        target = Path(path)
        self._read()
        with self._lock:
            with whole_file(target) as place:
                sink = jsonlines.Appender(place, target.name)
                sink.write_whole(self._events)
            former, self._sink = self._sink, None
            if self.is_live:
                sink.go_on_at(target)
                self._sink = sink
                if self._catch_up is not None:
                    sink.each(WRITE_S, self._keep_file)
        if former is not None:
            former.close()
        return target

    def to_html(self, path: str | Path, *, most_ir_bytes: int | None = None) -> Path:
        """Write one self-contained page that opens offline, and return its path.

        Of program texts it holds all, or as much as fits into `most_ir_bytes` when packed: the biggest are left out
        first. Links, graphs and comparisons of very large programs are not worked out. The page says what is left out.
        """
        from ..display.page import write_page

        return write_page(self, Path(path), most_ir_bytes)

    def to_json(self, path: str | Path | None = None) -> str:
        """The account, the findings, and compiles and calls by function as one JSON object; also written to `path`.

        `jitviz/findings/schema.json` describes it. It does not grow with the number of calls and compiles.
        """
        from ..findings import write_json

        with self.held_still():
            text = write_json(self)
        if path is not None:
            with whole_file(Path(path)) as place:
                place.write_text(text + "\n", encoding="ascii")
        return text

    def to_perfetto(self, path: str | Path) -> Path:
        """Write the timeline as a trace that https://ui.perfetto.dev and chrome://tracing open, and return its path."""
        from ..display.perfetto import write_trace

        with self.held_still():
            return write_trace(self, Path(path))

    def _repr_html_(self) -> str:
        from ..display.html import fragment

        return fragment(self)

    def __str__(self) -> str:
        from ..display.text import render

        return render(self)

    def __repr__(self) -> str:
        return f"<jitviz.Recording: {len(self.calls)} calls, {len(self.compiles)} compiles>"

    def _read(self) -> None:
        """Read what was put off. Without the lock: it takes long, and others write meanwhile."""
        if self._still_for == threading.get_ident():
            return
        self.catch_up()
        while self._unread and not leaves_unread():
            with self._lock:
                unread = self._unread[0] if self._unread else None
            events = () if unread is None else unread.events()
            with self._lock:
                if unread in self._unread:
                    self._unread.remove(unread)
                    for event in events:
                        self.append(event)

    def _up_to_date(self) -> Fold:
        with self._reading:
            if self._still_for is None:
                with self._lock, self._anew_after_interrupt():
                    self._fold_rest()
            return self._fold

    @contextlib.contextmanager
    def _anew_after_interrupt(self) -> Iterator[None]:
        """What an interrupt leaves half folded or half explained is done again from the beginning."""
        try:
            yield
        except KeyboardInterrupt:
            self._fold, self._folded, self._found = Fold(self), 0, None
            self._explainer, self._explained, self._miss_of = None, 0, []
            raise

    def _fold_rest(self) -> None:
        while self._folded < len(self._events):
            event = self._events[self._folded]
            self._folded += 1
            try:
                self._fold.add(event)
            except (LookupError, TypeError, ValueError, ArithmeticError):
                what = f"{type(event).__name__} events that contradict others were left out"
                self._fold.add(CaptureFailed(event.at_s, "load" if self._is_loaded else "fold", what))


def load(path: str | Path, *, max_bytes: int = jsonlines.MAX_BYTES) -> Recording:
    """Read a recording that `Recording.save` wrote; neither jax nor the user's code is needed.

    What the file lacks (lines that were damaged, lost, or cut off by a killed process, or that take more than
    `max_bytes` of memory) is left out, and said so in `facts.gaps`; a recording without an end `is_cut`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no recording; the message names the path, the line, and what to do.
    """
    return Recording(jsonlines.read(Path(path), max_bytes), is_closed=True)


def merge(*recordings: Recording) -> Recording:
    """One recording of several, by the time things happened.

    Recordings of one process share their numbers and are explained together; what two of them hold is kept once.
    Those of other processes are renumbered, and explained by themselves, since processes share no caches.

    Raises:
        ValueError: they are runs of different days; compare those.
    """
    events = merge_events([recording.events for recording in recordings])
    return Recording(events, is_closed=not any(recording.is_live for recording in recordings))
