"""The log of a recording: events in the order they happened, within a budget, and in a file once it is saved.

In: events, and programs that are read later (`unread_programs`).  Out: the log, and a file that holds the same.
Must never: change an event once it is in the log, or fail in the user's program because a file cannot be written.
"""

import contextlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from ..model import system
from . import events as ev
from . import jsonlines
from .bounding import bounded, nbytes
from .redaction import cleaned
from .unread_programs import Unread, reading_depth
from .whole_file import refuse_if_taken, whole_file

_SLOW_S = 0.5  # of a phase: about shorter ones, findings say nothing for which the text of a program must be read
WRITE_S = 1.0  # how many seconds of hits a killed process may lose


class Log:
    """What happened so far. `nbytes` is the size of its calls and texts, which `max_bytes` bounds."""

    def __init__(
        self,
        events: Iterable[ev.Event] = (),
        *,
        is_closed: bool = False,
        catch_up: Callable[[], None] | None = None,
        max_bytes: int | None = None,
    ) -> None:
        """`is_closed` says that no more events come, even if the last of `events` is no `RecordingFinished`.
        `catch_up` appends what has happened but is not in the log yet. For `max_bytes` see `bounding`.
        """
        self._events: list[ev.Event] = list(events)
        self._is_loaded = is_closed
        self._is_closed = is_closed or any(isinstance(event, ev.RecordingFinished) for event in self._events)
        self._catch_up = catch_up
        self._max_bytes = max_bytes
        self._shrinks_at = max_bytes
        self.nbytes = sum(map(nbytes, self._events))
        self.newest_beat: ev.Heartbeat | None = None  # of a live log
        self._failures: set[tuple[str, str]] = set()  # inside jitviz, each of which is logged once
        self._unread: list[Unread] = []
        self._read_for_findings: set[Unread] = set()
        self._largest_read: dict[str, int] = {}
        self._lock = system.RLock()
        self._reading = system.RLock()  # taken before `_lock`; nobody waits for another lock with it
        self._still_for: int | None = None  # the thread that reads of one moment
        self._listeners: list[Callable[[ev.Event], None]] = []
        self._sink: jsonlines.Appender | None = None
        self._is_file_too_big = False  # the log has shrunk, and the file has not
        self._is_file_behind = False  # Ctrl-C struck before the file had an event: it is written again, then goes on
        self._writer: threading.Thread | None = None
        self._is_over = threading.Event()

    def append(self, event: ev.Event, *, is_clean: bool = False) -> None:
        """Add one event, without secrets. When `save` was called on a live recording, it is also added to that file."""
        event = event if is_clean else cleaned(event)
        if isinstance(event, ev.CaptureFailed):
            if (event.where, event.message) in self._failures:
                return
            self._failures.add((event.where, event.message))
        with self._lock:
            was_behind, self._is_file_behind = self._is_file_behind, True
            self._events.append(event)
            self._is_closed |= isinstance(event, ev.RecordingFinished)
            self.nbytes += nbytes(event)
            if self._max_bytes is not None and self._shrinks_at is not None and self.nbytes > self._shrinks_at:
                self.shrink(self._max_bytes)
                # Some of it cannot become smaller; then it must not try again at every event.
                is_small = self.nbytes < 0.9 * self._max_bytes
                self._shrinks_at = self._max_bytes if is_small else self.nbytes + self._max_bytes // 4
            if not was_behind:
                self._to_file(event)
            self._is_file_behind = was_behind
        for listener in list(self._listeners):
            listener(event)

    def beat(self, beat: ev.Heartbeat) -> None:
        """Replace the newest heartbeat, and add it to the file. It is left out while another thread appends."""
        beat = cleaned(beat)
        if self._lock.acquire(blocking=False):
            try:
                if not self._is_closed:
                    self.newest_beat = beat
                if not self._is_closed and not self._is_file_behind:
                    self._to_file(beat)
            finally:
                self._lock.release()

    def _to_file(self, event: ev.Event) -> None:
        if self._sink is not None:
            self._sink.write(event)
            if self._sink.failure is not None:
                self._events.append(self._sink.failure)
                self._sink = None

    def shrink(self, most: int) -> None:
        """Drop the oldest hits and the largest texts. The remaining calls get new rows and new indices."""
        with self._lock:
            self._events = bounded(self._events, most)
            self.nbytes = sum(map(nbytes, self._events))
            self._is_file_too_big = True

    def listen(self, listener: Callable[[ev.Event], None]) -> Callable[[], None]:
        """Call `listener` with every event from now on. Returns a function that stops this."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @property
    def is_live(self) -> bool:
        """Whether events may still come."""
        return bool(self._events) and not self._is_closed

    # -- what is not in the log yet ------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Append what has happened until now, so that it comes before anything that happens next."""
        if self._catch_up is not None and not self._is_closed:
            self._catch_up()

    def read_later(self, unread: Unread) -> None:
        """Read a program when it is needed; at once if a file is open, which must survive a killed process."""
        self._unread.append(unread)
        if unread.is_compared:  # earlier ones may be needed now
            self._read_for_findings = {unread for unread in self._read_for_findings if not unread.is_compared}
        if self._sink is not None:
            self._read()

    @property
    def unread_nbytes(self) -> int:
        """Roughly how many bytes wait to be read: a measure of how long reading them takes."""
        return sum(unread.nbytes for unread in list(self._unread) if not unread.is_read)

    @property
    def has_unread(self) -> bool:
        """Whether something waits to be read, or is being read by another thread."""
        return bool(self._unread)

    def _numbers_unread(self) -> frozenset[ev.CompileNumber]:
        """The compiles of which something that findings depend on is not in the log yet."""
        known = self._read_for_findings
        waiting = (unread.compile for unread in list(self._unread) if unread not in known)
        return frozenset(number for number in waiting if number is not None)

    def _read(self) -> None:
        """Append what was put off, unless this thread reads of one moment."""
        if self._still_for == system.get_ident():
            return
        self.catch_up()
        if (depth := reading_depth()) in ("findings", "causes"):
            self._read_what_findings_need()
        slow = self._numbers_slow() if depth == "causes" and self._unread else ()
        while unread := next((each for each in list(self._unread) if depth == "whole" or each.compile in slow), None):
            events = unread.events()  # without the lock: this takes long, and other threads append meanwhile
            with self._lock:
                if unread in self._unread:  # else another thread appended them
                    for event in events:
                        self.append(event)
                    self._unread.remove(unread)  # after an interrupt, all are appended again: nothing changes
                    self._read_for_findings.discard(unread)

    def _numbers_slow(self) -> set[ev.CompileNumber]:
        finished = (event for event in list(self._events) if isinstance(event, ev.PhaseFinished))
        return {event.compile for event in finished if event.at_s - event.started_s >= _SLOW_S}

    def _read_what_findings_need(self) -> None:
        waiting = [unread for unread in list(self._unread) if unread not in self._read_for_findings]
        lineages, compared = self._lineages() if waiting else ({}, set[ev.CompileNumber]())
        largest = self._largest_read  # by lineage
        for unread in sorted(waiting, key=lambda each: -each.nbytes if each.is_of_largest else 0):
            is_needed = not unread.is_compared or unread.compile in compared
            if unread.is_of_largest and (lineage := lineages.get(unread.compile)) is not None:
                is_needed = unread.nbytes > largest.get(lineage, 0)
                largest[lineage] = max(unread.nbytes, largest.get(lineage, 0))
            events = unread.events_for_findings() if is_needed else ()
            with self._lock:
                for event in events:
                    self.append(event)
                self._read_for_findings.add(unread)

    def _lineages(self) -> tuple[dict[ev.CompileNumber | None, str], set[ev.CompileNumber]]:
        """The lineage of each compile, and those of functions that compiled in this recording and not for the first
        time."""
        lineages: dict[ev.FunctionNumber, str] = {}
        numbers: defaultdict[str, list[ev.CompileNumber]] = defaultdict(list)
        here: set[str] = set()
        for event in list(self._events):
            if isinstance(event, ev.FunctionSeen):
                lineages[event.function] = event.info.lineage
            elif isinstance(event, ev.CompileStarted):
                lineage = lineages.get(event.function, "")
                numbers[lineage].append(event.compile)
                if not event.is_before:
                    here.add(lineage)
        compared = {number for lineage in here if len(numbers[lineage]) > 1 for number in numbers[lineage]}
        return {number: lineage for lineage, some in numbers.items() for number in some}, compared

    # -- the file ------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write the recording as JSON lines, one event a line, and return the path.

        >>> rec.save("run.jsonl")

        A recording that is still live goes on appending to the file, so that the file survives a killed process.
        From then on, texts of programs are read inside the call that compiles, so that no killed process loses them.

        Raises:
            OSError: the file cannot be written, or another recording is being saved to it.
        """
        target = Path(path)
        self._read()
        full = target.absolute()  # since the program may change the working directory
        is_own = self._sink is not None and self._sink.path == full
        if not is_own:
            refuse_if_taken(full)
        self._write(full)
        if self._sink is not None:
            self._read()  # what another thread has put off while the file was written
        self.go_on_writing()
        return target

    def go_on_writing(self) -> None:
        """Start the thread that writes hits to the file, if there is a file."""
        if self._sink is not None and self._catch_up is not None and self._writer is None:
            args = (self._is_over,)
            writer = threading.Thread(target=self._keep_writing, args=args, name="jitviz writer", daemon=True)
            with contextlib.suppress(RuntimeError):  # no threads on this platform, or no more of them
                writer.start()
                self._writer = writer

    def pause_writing(self) -> None:
        """Stop that thread, and wait until it has ended."""
        self._is_over.set()
        writer, self._writer, self._is_over = self._writer, None, threading.Event()
        if writer is not None:
            writer.join(1.0)

    def _write(self, target: Path, *, instead_of: jsonlines.Appender | None = None) -> None:
        """Write the whole log to a file, and go on there; only if `instead_of`, when given, is still the open file."""
        with self._lock:
            events, n_events = self._events, len(self._events)
        with contextlib.ExitStack() as moving:
            place = moving.enter_context(whole_file(target))
            sink = moving.enter_context(contextlib.closing(jsonlines.Appender(place, target.name)))
            for event in events[:n_events]:  # without the lock: this takes long, and other threads append meanwhile
                sink.write(event)
            with self._lock:  # as a block: Ctrl-C cannot strike between taking it and knowing to release it
                if instead_of is not None and self._sink is not instead_of:
                    raise OSError("another thread has saved elsewhere")
                if self._events is not events:  # the log has shrunk, which is too rare to come again and again
                    sink.close()
                    sink, events, n_events = jsonlines.Appender(place, target.name), self._events, 0
                sink.write_whole(islice(events, n_events, None))  # and what a destructor appends meanwhile
                self._is_file_behind = True  # a destructor may append once more
                with self._sink.let_go() if self._sink is not None else contextlib.nullcontext():
                    moving.close()
                if self.is_live:
                    sink.continue_at(target)
                self._sink = sink if self.is_live else None
                self._is_file_too_big, self._is_file_behind = False, sink.n_events != len(self._events)

    def _keep_writing(self, is_over: threading.Event) -> None:
        while not is_over.wait(WRITE_S):
            self.update_file()

    def update_file(self) -> None:
        """Append to the file what has happened until now. Write it again once the log has shrunk, or it is behind."""
        self.catch_up()
        with self._lock:
            sink = self._sink
            is_other = self._is_file_too_big or self._is_file_behind
            self._is_file_too_big = False  # a write that fails is not tried again
        if sink is not None and is_other:
            with contextlib.suppress(OSError):  # the larger file goes on
                self._write(sink.path, instead_of=sink)

    def close(self) -> None:
        """Close the file that `save` keeps open while the recording is live."""
        if self._is_file_behind:
            self.update_file()
        self.pause_writing()
        with self._lock:
            sink, self._sink = self._sink, None
        if sink is not None:
            sink.close()

    def leave_file(self) -> None:
        """In a forked child, go on in memory alone: the file is the parent's, and another thread may hold the lock."""
        self._lock, self._reading, self._still_for = system.RLock(), system.RLock(), None
        self._is_over = threading.Event()
        self._sink = self._writer = None
        self._unread = []  # XLA and its threads are the parent's
