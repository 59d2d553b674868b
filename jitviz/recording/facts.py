"""What a log says of the recording itself: when and where it was made, its cells, its failures, and what it lacks.

In: events, one at a time, in order.  Out: small facts, in the words of the user; whether the process still runs.
"""

import contextlib
import os
import re
import sys
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..model import MAIN_THREAD, UNKNOWN, EagerLine, Function, HitsSeen, OpByOp, Raised, Sample, raised_at, size
from . import events as ev
from .events import ProcessJoined
from .redaction import this_host

_MOST_BEATS = 4096  # stretches of what a killed run did


@dataclass(frozen=True)
class Cell:
    """One cell that ran while recording; seconds count from the start of the recording. `text`, `last_run`,
    `last_compiles` and `last_s` are as in `CellStarted`."""

    label: str
    start_s: float
    duration_s: float | None = None
    error: str | None = None
    text: str = ""
    last_run: str = ""
    last_compiles: int = 0
    last_s: float = 0.0


class LogFacts:
    """What is known after some of the events."""

    def __init__(self) -> None:
        self.label = ""  # "In [3]", "train.py"
        self.versions: tuple[tuple[str, str], ...] = ()  # (("jax", "0.10.2"), ...)
        self.processes: dict[str, ev.ProcessJoined] = {}  # by the name of their threads; "" where there is only one
        self.thread = MAIN_THREAD  # the one that started the recording
        self.hits_seen: HitsSeen | None = None  # of functions whose hits JAX answers in C++
        self.disk_key: dict[str, str] = {}  # as in `RecordingFinished`
        self.disk_states: dict[str, str] = {}  # the same
        self.disk_problem = ""  # the same

        self.started_s: float | None = None  # since the epoch
        self.finished_s: float | None = None  # since the epoch
        self.last_s = 0.0  # the latest event, since the epoch
        self.error: str | None = None  # of the last cell that raised: "ValueError: no"
        self.raised: list[Raised] = []  # exceptions that left a cell, a block or the program, explained
        self._explained: dict[tuple[str, str], Raised] = {}  # the newest of each type, by the line that raised
        self.ended: str | None = None  # of a whole program, as in `RecordingFinished`: "status 3"

        self.cells: list[Cell] = []
        self.sources: dict[str, bytes] = {}  # packed texts of files and cells: "train.py", "In [3]"
        self.functions: dict[ev.FunctionNumber, Function] = {}
        self.gone: set[int] = set()  # tokens of functions that no longer existed at the end
        self.stages: Counter[tuple[str, str, str]] = Counter()  # ("step", "eval_shape", "a.py:9"): that is no call
        self.op_by_op: list[OpByOp] = []
        self.samples: list[Sample] = []
        self.samples_of: dict[str, list[Sample]] = {"": self.samples}  # also of other processes, by their labels
        self.eager: dict[str, EagerLine] = {}  # by line
        self.beats: dict[str, deque[ev.Heartbeat]] = {}  # by thread, the last of each stretch, in seconds of the log

        self.failures: list[str] = []  # inside jitviz: "hit: KeyError: 1"
        self.n_added = 0  # events
        self.n_summed = 0  # calls of which only sums are kept
        self.n_lost = 0  # hits of lines that are not known
        self._limits: dict[str, None] = {}  # sentences, each once: "Hits of jax.jit functions are not seen here."
        self._gaps: list[str] = []  # sentences: "In the file, a line is missing (line 7)."

    def add(self, event: ev.Event) -> None:
        self.n_added += 1
        if self.started_s is None:
            self.started_s = event.at_s
        self.last_s = max(self.last_s, event.at_s)
        getattr(self, method_for(type(event).__name__))(event)

    @property
    def is_finished(self) -> bool:
        return self.finished_s is not None

    @property
    def wall_s(self) -> float:
        """Seconds from the start of the recording to its end, or to its last event."""
        if self.started_s is None:
            return 0.0
        return max(0.0, (self.last_s if self.finished_s is None else self.finished_s) - self.started_s)

    def _since(self, at_s: float) -> float:
        return at_s - (self.started_s or 0.0)

    def _recording_started(self, event: ev.RecordingStarted) -> None:
        if not self.functions:
            self.started_s = event.at_s
        self.label = self.label or event.label
        self.thread = event.thread
        self.versions = self.versions or event.versions
        self._limits |= dict.fromkeys(event.limits)
        self.hits_seen = event.hits_seen if self.hits_seen in (None, event.hits_seen) else "some"
        if event.pid:
            self.processes.setdefault("", event.joined)

    def _process_joined(self, event: ev.ProcessJoined) -> None:
        known = self.processes.get(event.label, event)
        self.processes[event.label] = replace(known, process_index=event.process_index)

    def _recording_finished(self, event: ev.RecordingFinished) -> None:
        self.finished_s = event.at_s
        self.versions = tuple(dict([*self.versions, *event.versions]).items())
        self.disk_key.update(event.disk_key)
        self.disk_states.update(event.disk_states)
        self.disk_problem = event.disk_problem or self.disk_problem
        self.ended = event.ended

    @property
    def limits(self) -> tuple[str, ...]:
        """Sentences on what is not in this recording, though nothing failed."""
        if not self.n_summed:
            return tuple(self._limits)
        return (*self._limits, f"Of the oldest {self.n_summed:,} calls, only sums by line are kept (max_bytes).")

    @property
    def is_whole(self) -> bool:
        """Whether every line of its file was read."""
        return not self._gaps

    @property
    def gaps(self) -> list[str]:
        """Sentences on what the file of this recording lacks."""
        lost = f"{self.n_lost:,} hits are left out: they began before the recording, or the file has lost their line."
        return [*self._gaps, *[lost] * bool(self.n_lost)]

    def _texts_dropped(self, event: ev.TextsDropped) -> None:
        n = event.count
        texts = "The largest program text was" if n == 1 else f"The {n:,} largest program texts were"
        self._limits[f"{texts} dropped: {size(event.nbytes)} compressed (max_bytes)."] = None

    def _cell_started(self, event: ev.CellStarted) -> None:
        last = event.last_run, event.last_compiles, event.last_s
        self.cells.append(Cell(event.label, self._since(event.at_s), None, None, event.text, *last))

    def _cell_finished(self, event: ev.CellFinished) -> None:
        for number in range(len(self.cells) - 1, -1, -1):
            cell = self.cells[number]
            if cell.label == event.label and cell.duration_s is None:
                spent_s = self._since(event.at_s) - cell.start_s
                self.cells[number] = replace(cell, duration_s=spent_s, error=event.error)
                break
        self.error = event.error or self.error

    def _function_seen(self, event: ev.FunctionSeen) -> None:
        self.functions[event.function] = event.info

    def _source_seen(self, event: ev.SourceSeen) -> None:
        self.sources[event.label] = event.packed

    def _error_explained(self, event: ev.ErrorExplained) -> None:
        self._explained[event.raised.error, event.raised.source] = event.raised

    def _error_raised(self, event: ev.ErrorRaised) -> None:
        self.raised.append(event.raised)
        self._explained[event.raised.error, event.raised.source] = event.raised

    def explanation(self, error: str | None) -> Raised | None:
        """The exception that a call or compile raised, by the text of its error, if a kind recognises it."""
        found = self._explained.get((error.partition(":")[0], raised_at(error)[0])) if error else None
        return found if found is not None and found.kind else None

    def _functions_gone(self, event: ev.FunctionsGone) -> None:
        self.gone.update(event.tokens)

    def _op_compiled(self, event: ev.OpCompiled) -> None:
        self.op_by_op.append(replace(event.op, start_s=self._since(event.op.start_s)))

    def _lines_sampled(self, event: ev.LinesSampled) -> None:
        self.eager |= {line.source: line for line in event.eager}
        for sample in event.samples:
            start_s, end_s = self._since(sample.start_s), self._since(sample.end_s)
            self.samples_of.setdefault(event.process, []).append(replace(sample, start_s=start_s, end_s=end_s))

    def _heartbeat(self, event: ev.Heartbeat) -> None:
        since_s = max(0.0, self._since(event.since_s))
        beat = replace(event, at_s=max(since_s, self._since(event.at_s)), since_s=since_s)
        beats = self.beats.setdefault(event.thread, deque(maxlen=_MOST_BEATS))
        if beats and beats[-1] == replace(beat, at_s=beats[-1].at_s, seen=beats[-1].seen):
            beats.pop()
        beats.append(beat)

    def beats_without_end(self, thread: str) -> Sequence[ev.Heartbeat]:
        """The heartbeats of a thread in a process that has not ended: at its end, it writes the samples."""
        process = self.processes.get(thread)
        has_ended = self.is_finished or (process is not None and process.lacks != "end")
        return () if has_ended else self.beats.get(thread, ())

    def _stage_noted(self, event: ev.StageNoted) -> None:
        name = self.functions.get(event.function, UNKNOWN).name
        self.stages[name, event.stage, event.source] += 1

    def _capture_failed(self, event: ev.CaptureFailed) -> None:
        messages, message = self._gaps, f"In the file, {event.message}."
        if event.where == "save":
            message = f"The file {event.message}."
        elif event.where == "clock":
            message = f"The computer's clock {event.message}."
        elif event.where != "load":
            messages, message = self.failures, f"{event.where}: {event.message}"
        if message not in messages:
            messages.append(message)


@cache
def method_for(event: str) -> str:
    """The name of the method that takes such an event: "_call_started" for "CallStarted"."""
    return re.sub("([A-Z])", r"_\1", event).lower()


def is_running(process: ProcessJoined | None, last_s: float) -> bool | None:
    """Whether the process at `process`, last heard of at `last_s`, still runs; None if that is unknown here. It is not
    signalled, and no other process with its number is taken for it."""
    if process is None or process.host != this_host() or sys.platform == "win32":
        return None  # on Windows, `os.kill` would end it
    with contextlib.suppress(OSError, IndexError):  # not on Linux, or it has just ended
        folder = Path(f"/proc/{process.pid}")
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        if state in "ZX" or folder.stat().st_ctime > last_s + 1.0:
            return False
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        pass
    return True
