"""Folding events into rows: the state of a recording after some of its events.

In: events, one at a time, in order.  Out: `Call` and `Compile` rows, and the smaller facts round them.
Must never: look at anything but events; the live recording and a loaded file go through the same code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

from ..model import UNKNOWN, Call, Compile, Cost, Function, HitsSeen, Links, Miss, OpByOp, Outcome, Pass, Phase, Sample
from . import events as ev
from .calls import Calls, Site


@dataclass(frozen=True)
class Cell:
    """One cell that ran while recording; seconds count from the start of the recording.

    `text` is what it says, or "". `last_run`, `last_compiles` and `last_s` are as in the event.
    """

    label: str
    start_s: float
    duration_s: float | None = None
    error: str | None = None
    text: str = ""
    last_run: str = ""
    last_compiles: int = 0
    last_s: float = 0.0


@dataclass(frozen=True)
class Stage:
    """Ahead-of-time work of the user: `f.lower(...)`, `jax.eval_shape(f, ...)`, `jax.make_jaxpr(f)(...)`."""

    function: str
    stage: str
    source: str
    start_s: float


@dataclass(frozen=True)
class Process:
    """Where a process ran. `index` is its number among those of `jax.distributed`, None where it was alone."""

    index: int | None = None
    host: str = ""
    pid: int = 0


_Place: TypeAlias = tuple[list[Compile], int]  # of a row, among those of the recording or of the time before it


class Fold:
    """The rows so far. `links`, if given, answers what rows ask for later (reasons, texts): the recording itself."""

    def __init__(self, links: Links | None = None) -> None:
        self._links = links
        self.label = ""
        self.versions: tuple[tuple[str, str], ...] = ()
        self.limits: tuple[str, ...] = ()
        self.processes: dict[str, Process] = {}  # by what their threads are called; "" where there is only one
        self.hits_seen: HitsSeen | None = None
        self.started_s: float | None = None  # since the epoch
        self.finished_s: float | None = None
        self.last_s = 0.0
        self.functions: dict[ev.FunctionNumber, Function] = {}
        self.calls = Calls(links)
        self.compiles: list[Compile] = []
        self.earlier: list[Compile] = []
        self.misses: list[Miss] = []
        self.row_of_miss: list[_Place] = []
        self.cells: list[Cell] = []
        self.stages: list[Stage] = []
        self.failures: list[str] = []  # inside jitviz
        self.gaps: list[str] = []  # sentences on what the file of this recording lacks
        self.error: str | None = None
        self.disk_key: dict[str, str] = {}
        self.passes: dict[int, tuple[Pass, ...]] = {}
        self.texts: dict[tuple[int, str], bytes] = {}
        self.op_by_op: list[OpByOp] = []
        self.samples: list[Sample] = []
        self.thread = "MainThread"  # that began the recording
        self._sites: dict[int, Site] = {}
        self._call_at: dict[ev.CallNumber, int] = {}  # index in calls
        self._row_at: dict[ev.CompileNumber, _Place] = {}
        self._missed: set[int] = set()  # indices of calls that compiled
        self._version_at: dict[tuple[str, int], _Place] = {}  # by lineage and version
        self._call_of_compile: dict[int, int] = {}
        self._ahead: dict[ev.CompileNumber, int] = {}  # number of the miss, if it was asked for ahead of time
        self._versions_of: Counter[str] = Counter()
        self.held_from = 0  # the first of the compiles that caches were not cleared after
        self.gone: set[int] = set()  # tokens of functions
        self._clearings: list[str] = []
        self._cleared_seen: dict[str, int] = {}  # lineage -> how many clearings its last miss had seen
        self._newest_of: dict[str, ev.CompileNumber] = {}  # by lineage

    @property
    def is_finished(self) -> bool:
        return self.finished_s is not None

    @property
    def wall_s(self) -> float:
        """Seconds from the start of the recording to its end, or to its last event."""
        if self.started_s is None:
            return 0.0
        return max(0.0, (self.last_s if self.finished_s is None else self.finished_s) - self.started_s)

    def call_of(self, index: int) -> Call | None:
        """The call that caused compile number `index`."""
        number = self._call_of_compile.get(index)
        return None if number is None else self.calls[number]

    def add(self, event: ev.Event) -> None:
        """Take one more event into account."""
        if self.started_s is None:
            self.started_s = self.calls.epoch_s = event.at_s
        self.last_s = max(self.last_s, event.at_s)
        take = getattr(self, _name_of_taker(type(event).__name__), None)
        if take is None:
            self.failures.append(f"unknown event {type(event).__name__}")
        else:
            take(event)

    def _since(self, at_s: float) -> float:
        return at_s - (self.started_s or 0.0)

    # -- the recording itself ---------------------------------------------------------------------------------

    def _recording_started(self, event: ev.RecordingStarted) -> None:
        if not self.functions:
            self.started_s = self.calls.epoch_s = event.at_s
        self.label = self.label or event.label
        self.thread = event.thread
        self.versions = self.versions or event.versions
        self.limits += tuple(limit for limit in event.limits if limit not in self.limits)
        self.hits_seen = event.hits_seen if self.hits_seen in (None, event.hits_seen) else "some"

        if event.pid:
            self.processes.setdefault("", Process(event.process_index, event.host, event.pid))

    def _process_joined(self, event: ev.ProcessJoined) -> None:
        known = self.processes.get(event.label, Process(None, event.host, event.pid))
        self.processes[event.label] = replace(known, index=event.process_index)

    def _recording_finished(self, event: ev.RecordingFinished) -> None:
        self.finished_s = event.at_s
        self.versions = tuple(dict([*self.versions, *event.versions]).items())
        self.disk_key.update(event.disk_key)

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

    def _op_compiled(self, event: ev.OpCompiled) -> None:
        self.op_by_op.append(replace(event.op, start_s=self._since(event.op.start_s)))

    def _lines_sampled(self, event: ev.LinesSampled) -> None:
        rows = zip(event.number, event.start_s, event.end_s, event.is_in_phase, strict=True)
        for number, start_s, end_s, is_in_phase in rows:
            self.samples.append(Sample(self._since(start_s), self._since(end_s), event.seen[number], is_in_phase))

    def _stage_noted(self, event: ev.StageNoted) -> None:
        name = self.functions.get(event.function, UNKNOWN).name
        self.stages.append(Stage(name, event.stage, event.source, self._since(event.at_s)))

    def _capture_failed(self, event: ev.CaptureFailed) -> None:
        told, message = self.failures, f"{event.where}: {event.message}"
        if event.where == "save":
            told, message = self.gaps, f"The file {event.message}."
        elif event.where == "load":
            told, message = self.gaps, f"In the file, {event.message}."
        if message not in told:
            told.append(message)

    def _caches_cleared(self, event: ev.CachesCleared) -> None:
        self._clearings.append(event.scope)
        self.held_from = len(self.compiles)  # of one function, it is not told of which

    def _functions_gone(self, event: ev.FunctionsGone) -> None:
        self.gone.update(event.tokens)

    # -- calls -----------------------------------------------------------------------------------------------

    def _site_seen(self, event: ev.SiteSeen) -> None:
        function, version = self.functions.get(event.function, UNKNOWN), self._version(event.compile)
        self._sites[event.site] = Site(function, event.source, event.thread, version)

    def _hits_noted(self, event: ev.HitsNoted) -> None:
        self.calls.extend(event.numbers, self._sites)

    def _hits_summed(self, event: ev.HitsSummed) -> None:
        n = self.calls.sum_up(event.numbers, self._sites)
        self.limits += (f"Of the oldest {n:,} hits, only sums by line and minute are kept (max_bytes).",)

    def _texts_dropped(self, event: ev.TextsDropped) -> None:
        texts = (
            "The largest program text was" if event.count == 1 else f"The {event.count:,} largest program texts were"
        )
        self.limits += (f"{texts} dropped: {event.nbytes / 1e6:.1f} MB compressed (max_bytes).",)

    def _call_started(self, event: ev.CallStarted) -> None:
        self._put_call(event, len(self.calls), event.at_s, outcome="trace", duration_s=None)

    def _call_finished(self, event: ev.CallFinished) -> None:
        index = self._call_at.get(event.call, len(self.calls))
        begun = self.calls[index] if index < len(self.calls) else None
        version, is_miss = self._version(event.compile), index in self._missed
        self._put_call(
            event,
            index,
            event.started_s,
            outcome=event.outcome,
            duration_s=max(0.0, event.at_s - event.started_s),
            error=event.error,
            version=version if version is not None or begun is None else begun.version,
            is_end_known=event.is_end_known,
            signature=event.signature if event.signature is not None or begun is None else begun.signature,
            ready_s=self._ready(event, begun if is_miss else None),
        )

    def _ready(self, event: ev.CallFinished, begun: Call | None) -> float | None:
        """When a program of its own began to run, which a call inside a trace has none of."""
        if event.outcome not in ("hit", "compile"):
            return None
        return self._since(event.started_s) if begun is None else begun.ready_s

    def _put_call(self, event: ev.CallStarted | ev.CallFinished, index: int, started_s: float, **known: Any) -> None:
        function = self.functions.get(event.function, UNKNOWN)
        parent = None if event.parent is None else self._call_at.get(event.parent)
        call = Call(
            function=function.name,
            index=index,
            start_s=self._since(started_s),
            # A call inside another is known after it, so that nothing is inside of itself.
            parent=parent if parent is not None and parent < index else None,
            thread=event.thread,
            source=event.source,
            function_info=function,
            _links=self._links,
            **known,
        )
        if index == len(self.calls):
            self._call_at[event.call] = index
            self.calls.append(call)
        else:
            self.calls[index] = call

    def compile_of(self, lineage: str, version: int) -> Compile | None:
        """A version of a function, compiled in this recording or before."""
        found = self._version_at.get((lineage, version))
        return None if found is None else found[0][found[1]]

    def _version(self, compile_number: ev.CompileNumber | None) -> int | None:
        row = self._row(compile_number)
        return None if row is None else row.version

    def _row(self, compile_number: ev.CompileNumber | None) -> Compile | None:
        rows, place = ([], -1) if compile_number is None else self._row_at.get(compile_number, ([], -1))
        return rows[place] if rows else None

    def _index(self, compile_number: ev.CompileNumber) -> int | None:
        """That of a compile of this recording."""
        rows, place = self._row_at.get(compile_number, ([], -1))
        return place if rows is self.compiles else None

    def _change_call(self, compile_number: ev.CompileNumber, fields: Callable[[Call], dict[str, Any]]) -> None:
        """Replace the row of the call that something compiles in, if there is one."""
        number = self._call_of_compile.get(-1 if (index := self._index(compile_number)) is None else index)
        if number is not None:
            self.calls[number] = replace(self.calls[number], **fields(self.calls[number]))

    # -- compiles --------------------------------------------------------------------------------------------

    def _compile_started(self, event: ev.CompileStarted) -> None:
        if event.compile in self._row_at:
            return
        function = self.functions.get(event.function, UNKNOWN)
        lineage = function.lineage
        self._versions_of[lineage] += 1
        clearings = self._clearings[self._cleared_seen.get(lineage, len(self._clearings)) :]
        self._cleared_seen[lineage] = len(self._clearings)
        newest = self._row(self._newest_of.get(lineage))
        is_retry = newest is not None and newest.error is not None and newest.stage == "call"
        self._newest_of[lineage] = event.compile
        self.misses.append(
            Miss(
                function=function,
                signature=event.signature,
                is_traced=event.is_traced,
                is_before=event.is_before,
                is_warm=event.is_warm,
                cleared="all" if "all" in clearings else "function" if clearings else "",
                is_retry=is_retry,
                transform=event.transform,
                stage=event.stage,
                source=event.source,
            )
        )
        if event.stage != "call":
            self._ahead[event.compile] = len(self.misses) - 1
        rows = self.earlier if event.is_before else self.compiles
        place = rows, len(rows)
        self.row_of_miss.append(place)
        self._row_at[event.compile] = self._version_at[lineage, self._versions_of[lineage]] = place
        rows.append(
            Compile(
                function=function.name,
                index=len(rows),
                version=self._versions_of[lineage],
                signature=event.signature,
                start_s=self._since(event.at_s),
                transform=event.transform,
                stage=event.stage,
                source=event.source,
                written=event.written,
                status="done" if event.is_before else "running",
                thread=event.thread,
                function_info=function,
                _links=None if event.is_before else self._links,
            )
        )
        if event.call is not None and event.call in self._call_at and not event.is_before:
            number = self._call_at[event.call]
            self._call_of_compile[place[1]] = number
            self._missed.add(number)
            self._change_call(
                event.compile,
                lambda call: {
                    "outcome": _more(call.outcome, "trace" if event.is_traced else "compile"),
                    "signature": call.signature or event.signature,
                    "version": call.version or self._versions_of[lineage],
                },
            )

    def _phase_started(self, event: ev.PhaseStarted) -> None:
        phase = Phase(event.phase, self._since(event.at_s), None)
        self._change(event.compile, lambda row: {"phases": (*row.phases, phase)})
        seen: Outcome | None = None if event.phase == "trace" else "compile"
        self._change_call(
            event.compile, lambda call: {"outcome": _more(call.outcome, seen or call.outcome), "ready_s": None}
        )

    def _phase_finished(self, event: ev.PhaseFinished) -> None:
        done = Phase(event.phase, self._since(event.started_s), event.at_s - event.started_s, event.own_s)
        ready_s = self._since(event.at_s) + event.own_s
        self._change_call(event.compile, lambda _: {"ready_s": ready_s})

        def close(row: Compile) -> dict[str, Any]:
            phases = list(row.phases)
            for number in range(len(phases) - 1, -1, -1):
                if phases[number].name == event.phase and phases[number].duration_s is None:
                    phases[number] = done
                    break
            else:
                phases.append(done)
            return {"phases": tuple(phases), "error": event.error or row.error}

        self._change(event.compile, close)
        ahead = self._ahead.get(event.compile)
        if ahead is not None and event.phase == "compile" and event.error is None:
            self.misses.append(replace(self.misses[ahead], stage="compile", cleared="", is_retry=False))
            self.row_of_miss.append(self.row_of_miss[ahead])

    def _program_loaded(self, event: ev.ProgramLoaded) -> None:
        self._change(event.compile, lambda _: {"origin": "loaded", "saved_s": event.saved_s})

    def _program_missed(self, event: ev.ProgramMissed) -> None:
        self._change(event.compile, lambda _: {"disk_least_s": event.least_s})

    def _passes_seen(self, event: ev.PassesSeen) -> None:
        if (index := self._index(event.compile)) is not None:
            rows = zip(event.name, event.start_s, event.duration_s, event.parent, strict=True)
            self.passes[index] = tuple(
                Pass(event.names[name], self._since(start_s), spent_s, None if parent < 0 else parent)
                for name, start_s, spent_s, parent in rows
            )

    def _text_seen(self, event: ev.TextSeen) -> None:
        if (index := self._index(event.compile)) is not None:
            self.texts[index, event.name] = event.packed

    def _program_seen(self, event: ev.ProgramSeen) -> None:
        self._change(
            event.compile,
            lambda row: {
                "outputs": event.outputs or row.outputs,
                "output_nodes": event.output_nodes or row.output_nodes,
                "output_transform": event.output_transform or row.output_transform,
                "cost": _joined(row.cost, event.cost),
                "memory": event.memory or row.memory,
                "dropped": event.dropped or row.dropped,
                "reused": event.reused or row.reused,
            },
        )

    def _compile_finished(self, event: ev.CompileFinished) -> None:
        self._change(
            event.compile,
            lambda row: {"status": "failed" if event.error or row.error else "done", "error": event.error or row.error},
        )

    def _change(self, number: ev.CompileNumber, fields: Callable[[Compile], dict[str, Any]]) -> None:
        """Replace one compile row; an event of a version that was dropped from a cut file is left out."""
        if number in self._row_at:
            rows, place = self._row_at[number]
            rows[place] = replace(rows[place], **fields(rows[place]))


@cache
def _name_of_taker(event: str) -> str:
    """The method of `Fold` that takes such an event: "_call_started" for "CallStarted"."""
    return re.sub("([A-Z])", r"_\1", event).lower()


def _more(known: Outcome, seen: Outcome) -> Outcome:
    """The outcome that says more: a call that traced and then compiled is a compile."""
    return "compile" if "compile" in (known, seen) else seen


def _joined(known: Cost | None, more: Cost | None) -> Cost | None:
    """What the trace and the compile say of the cost, each in its time."""
    if known is None or more is None:
        return more or known
    is_traced = more.jaxpr_flops is not None
    traced, compiled = (more, known) if is_traced else (known, more)
    return replace(traced, flops=compiled.flops, bytes_accessed=compiled.bytes_accessed)
