"""Folding events into rows: the calls and compiles of a recording after some of its events.

In: events, one at a time, in order.  Out: `Call` and `Compile` rows, and the misses that their reasons come from.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal, TypeVar

from ..model import UNKNOWN, Call, Compile, Cost, Phase, RowLinks
from ..model.printable import Numbered
from . import events as ev
from .calls import Calls, Site
from .facts import LogFacts

R = TypeVar("R", Call, Compile)


class Fold(LogFacts):
    """The rows so far. `links`, if given, answers what rows look up later (reasons, texts): the recording itself."""

    def __init__(self, links: RowLinks | None = None) -> None:
        super().__init__()
        self._links = links
        self.calls = Calls(links)
        self.compiles = Numbered[Compile]()
        self.earlier: list[Compile] = []
        self.misses: list[Compile] = []  # as they began
        self.first_miss: list[int] = []  # of each of `compiles`: a lowering that is compiled later is a second one
        self.held_from = 0  # the first of the compiles after the caches were last cleared
        self.texts: dict[tuple[int, str], bytes] = {}  # of an earlier version, by -1 - its index
        self.stale: dict[tuple[int, str, str, str], tuple[Compile, ev.StaleRan]] = {}  # hits of a program, and of what
        self.drawn: dict[tuple[int, str, str], tuple[Compile, ev.TracedOnce]] = {}  # by its name and its line
        self._sites: dict[int, Site] = {}
        self._call_at: dict[ev.CallNumber, int] = {}  # index in calls
        self._call_of_compile: dict[int, int] = {}
        self._begun: dict[ev.CompileNumber, Compile] = {}  # each as it began
        self._versions: dict[str, dict[int, Compile]] = {}  # the same, by lineage and version
        self._cleared: dict[str, str] = {}  # by lineage: which caches were cleared since its last miss

    def call_of(self, index: int) -> Call | None:
        number = self._call_of_compile.get(index)
        return None if number is None else self.calls[number]

    def compile_of(self, lineage: str, version: int) -> Compile | None:
        begun = self._versions.get(lineage, {}).get(version)
        return None if begun is None else self.newest(begun)

    def versions_of(self, lineage: str) -> Iterator[Compile]:
        yield from map(self.newest, self._versions.get(lineage, {}).values())

    def newest(self, begun: Compile) -> Compile:
        """The row of a compile that says most: each event that says more replaces the one before."""
        return (self.earlier if begun.is_before else self.compiles)[begun.index]

    # -- calls ---------------------------------------------------------------------------------------------------

    def _site_seen(self, event: ev.SiteSeen) -> None:
        function, version = self.functions.get(event.function, UNKNOWN), self._version(event.compile)
        self._sites[event.site] = Site(function, event.source, event.thread, version, event.outcome, event.error)
        self.calls.epoch_s = self.started_s or 0.0

    def _hits_noted(self, event: ev.HitsNoted) -> None:
        self.n_lost += self.calls.extend(event.numbers, self._sites)

    def _hits_summed(self, event: ev.HitsSummed) -> None:
        n_summed, n_lost = self.calls.sum_up(event, self._sites)
        self.n_summed += n_summed
        self.n_lost += n_lost

    def _call_started(self, event: ev.CallStarted) -> None:
        self._put_call(event, len(self.calls), event.at_s, outcome="trace", duration_s=None)

    def _call_finished(self, event: ev.CallFinished) -> None:
        index = self._call_at.get(event.call, len(self.calls))
        version, signature = self._version(event.compile), event.signature
        ready_s: float | None = self._since(event.started_s)
        if index < len(self.calls):
            begun = self.calls[index]
            if begun.version is not None:  # it compiled
                ready_s = begun.ready_s
            version = begun.version if version is None else version
            signature = begun.signature if signature is None else signature
        self._put_call(
            event,
            index,
            event.started_s,
            outcome=event.outcome,
            duration_s=max(0.0, event.at_s - event.started_s),
            error=event.error,
            version=version,
            is_end_known=event.is_end_known,
            signature=signature,
            # A call inside a trace runs no program of its own.
            ready_s=ready_s if event.outcome in ("hit", "compile") else None,
        )

    def _put_call(self, event: ev.CallStarted | ev.CallFinished, index: int, started_s: float, **known: Any) -> None:
        function = self.functions.get(event.function, UNKNOWN)
        parent = None if event.parent is None else self._call_at.get(event.parent)
        call = Call(
            function=function.name,
            index=index,
            start_s=self._since(started_s),
            # A call is known before the calls inside it. In a damaged log, this check prevents cycles.
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

    def _change_call(self, number: ev.CompileNumber, fields: Callable[[Call], dict[str, Any]]) -> None:
        """Replace the row of the call that something compiles in, if there is one."""
        index = self.index_of(number)
        call = None if index is None else self.call_of(index)
        if call is not None:
            self.calls[call.index] = _with(call, fields(call))

    # -- compiles ------------------------------------------------------------------------------------------------

    def _version(self, number: ev.CompileNumber | None) -> int | None:
        return self._begun[number].version if number in self._begun else None

    def index_of(self, number: ev.CompileNumber) -> int | None:
        begun = self._begun.get(number)
        return None if begun is None or begun.is_before else begun.index

    def _change(self, number: ev.CompileNumber, fields: Callable[[Compile], dict[str, Any]]) -> None:
        """Replace one compile row; an event of a version that was dropped from a cut file is left out."""
        if (begun := self._begun.get(number)) is not None:
            row = self.newest(begun)
            (self.earlier if begun.is_before else self.compiles)[begun.index] = _with(row, fields(row))

    def _stale_ran(self, event: ev.StaleRan) -> None:
        key = event.compile, event.read.kind, event.read.of, event.read.name
        if event.compile in self._begun:
            self.stale.setdefault(key, (self._begun[event.compile], event))

    def _traced_once(self, event: ev.TracedOnce) -> None:
        if event.compile in self._begun:
            self.drawn.setdefault((event.compile, event.name, event.source), (self._begun[event.compile], event))

    def _caches_cleared(self, event: ev.CachesCleared) -> None:
        self._cleared = {name: widest_scope((event.scope, self._cleared.get(name, ""))) for name in self._versions}
        self.held_from = len(self.compiles)  # "function" does not say which one

    def _compile_started(self, event: ev.CompileStarted) -> None:
        if event.compile in self._begun:
            return
        function = self.functions.get(event.function, UNKNOWN)
        lineage = function.lineage
        versions = self._versions.setdefault(lineage, {})
        last = self.newest(versions[next(reversed(versions))]) if versions else None
        version = len(versions) + 1
        rows = self.earlier if event.is_before else self.compiles
        row = Compile(
            function_info=function,
            function=function.name,
            index=len(rows),
            version=version,
            signature=event.signature,
            start_s=self._since(event.at_s),
            is_traced=event.is_traced,
            is_before=event.is_before,
            is_warm=event.is_warm,
            cleared=self._cleared.pop(lineage, ""),
            is_retry=last is not None and last.error is not None and last.stage == "call",
            transform=event.transform,
            stage=event.stage,
            source=event.source,
            through=event.through,
            written=event.written,
            stack=event.stack,
            status="done" if event.is_before else "running",
            thread=event.thread,
            _links=None if event.is_before else self._links,
        )
        self._begun[event.compile] = versions[version] = row
        if not event.is_before:
            self.first_miss.append(len(self.misses))
        self.misses.append(row)
        rows.append(row)
        if event.call is not None and event.call in self._call_at and not event.is_before:
            self._call_of_compile[row.index] = self._call_at[event.call]
            self._change_call(
                event.compile,
                lambda call: {
                    # a call that traced and then compiled is a compile
                    "outcome": "trace" if event.is_traced and call.outcome != "compile" else "compile",
                    "signature": call.signature or event.signature,
                    "version": call.version or version,
                },
            )

    def _phase_started(self, event: ev.PhaseStarted) -> None:
        phase = Phase(event.phase, self._since(event.at_s), None)
        self._change(event.compile, lambda row: {"phases": (*row.phases, phase)})
        self._change_call(
            event.compile,
            lambda call: {"outcome": call.outcome if event.phase == "trace" else "compile", "ready_s": None},
        )

    def _phase_finished(self, event: ev.PhaseFinished) -> None:
        spent_s = max(0.0, event.at_s - event.started_s)
        done = Phase(event.phase, self._since(event.started_s), spent_s, max(0.0, event.own_s))
        begun = self._begun.get(event.compile)
        if begun is not None and done in self.newest(begun).phases:
            return  # an interrupt may let an event come twice
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
            return {"phases": tuple(phases), "error": event.error or row.error, "dropped": event.dropped or row.dropped}

        self._change(event.compile, close)
        if begun is not None and begun.stage != "call" and event.phase == "compile" and event.error is None:
            self.misses.append(replace(begun, stage="compile", cleared="", is_retry=False))

    def _program_loaded(self, event: ev.ProgramLoaded) -> None:
        self._change(event.compile, lambda _: {"origin": "loaded", "saved_s": event.saved_s, "disk_key": event.key})

    def _program_missed(self, event: ev.ProgramMissed) -> None:
        self._change(event.compile, lambda _: {"disk_least_s": event.least_s, "disk_key": event.key})

    def _text_seen(self, event: ev.TextSeen) -> None:
        if (begun := self._begun.get(event.compile)) is not None:
            self.texts[-1 - begun.index if begun.is_before else begun.index, event.name] = event.packed

    def _program_seen(self, event: ev.ProgramSeen) -> None:
        self._change(
            event.compile,
            lambda row: {
                "outputs": event.outputs or row.outputs,
                "output_nodes": event.output_nodes or row.output_nodes,
                "output_transform": event.output_transform or row.output_transform,
                "cost": _joined(row.cost, event.cost),
                "memory": event.memory or row.memory,
                "reused": None if event.reused is None else event.reused or row.reused,
                "callbacks": event.callbacks or row.callbacks,
            },
        )

    def _compile_finished(self, event: ev.CompileFinished) -> None:
        self._change(
            event.compile,
            lambda row: {"status": "failed" if event.error or row.error else "done", "error": event.error or row.error},
        )


def widest_scope(scopes: Iterable[str]) -> Literal["all", "function", ""]:
    """What several clearings removed altogether: "all" if one of them removed everything, "" if there were none."""
    scopes = set(scopes)
    return "all" if "all" in scopes else "function" if "function" in scopes else ""


def _joined(known: Cost | None, more: Cost | None) -> Cost | None:
    """What the trace and the compile say of the cost, each in its time."""
    if known is None or more is None:
        return more or known
    compiled = known if more.flops is None and more.bytes_accessed is None else more
    return replace(compiled, has_loop=known.has_loop or more.has_loop)


def _with(row: R, fields: dict[str, Any]) -> R:
    """A row with some fields changed. A compile has forty, and each of its twelve events changes one or two of them:
    `dataclasses.replace`, which passes all to `__init__`, takes half of the time of folding."""
    changed: R = object.__new__(type(row))
    vars(changed).update(vars(row), **fields)
    return changed
