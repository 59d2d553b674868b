"""Processes that diverge: one compiles while the others hit and wait for it, possibly forever.

In: a recording that was merged from several processes.  Out: `Finding`s.
Must never: report a difference if it is unknown which calls were hits.

All processes of such a job make the same calls, so the calls of a function are compared by their numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..model import Call
from ..model.counting import hits_seen
from ..model.finding import Finding
from ..recording import Recording
from .words import listed

_COMPILED = ("compile", "trace")
_MOST_NAMES = 3


class _Parting(NamedTuple):
    """Call `number` of a function: the processes that `compiled` it and those that `hit`."""

    number: int
    compiled: Mapping[str, Call]
    hit: Mapping[str, Call]


def find_divergence(recording: Recording) -> Iterator[Finding]:
    """One finding per function, processes and cause."""
    for calls in _calls(recording).values():
        alike: dict[object, list[_Parting]] = defaultdict(list)
        for parting in _partings(calls):
            compile = next(iter(parting.compiled.values())).compile
            reason = compile.reasons[0] if compile is not None and compile.reasons else None
            key = reason and (reason.kind, reason.path)
            alike[frozenset(parting.compiled), frozenset(parting.hit), key].append(parting)
        yield from map(_finding, alike.values())


def _calls(recording: Recording) -> dict[str, dict[str, list[Call]]]:
    """The calls by function, which is the same in all processes, and by process."""
    found: dict[str, dict[str, list[Call]]] = defaultdict(lambda: defaultdict(list))
    for call in recording.calls:
        info = call.function_info
        if call.outcome != "inlined" and hits_seen(info, recording.hits_seen) != "none":
            found[info.lineage.removeprefix(f"{info.process}: ")][info.process].append(call)
    return found


def _partings(calls: Mapping[str, Sequence[Call]]) -> Iterator[_Parting]:
    if len(calls) < 2:
        return
    for number in range(max(map(len, calls.values()))):
        mine = {label: row[number] for label, row in calls.items() if number < len(row)}
        compiled = {label: call for label, call in mine.items() if call.outcome in _COMPILED}
        hit = {label: call for label, call in mine.items() if call.outcome == "hit"}
        # A process that hits and waits for the others has not finished the call, so its outcome is unknown.
        is_waited_for = number > 0 and all(len(row) in (number, number + 1) for row in calls.values())
        if compiled and (hit or (is_waited_for and len(mine) < len(calls))):
            yield _Parting(number + 1, compiled, hit)


def _finding(partings: Sequence[_Parting]) -> Finding:
    first = partings[0]
    compiles = [row for one in partings for call in one.compiled.values() if (row := call.compile) is not None]
    call = next(iter(first.compiled.values()))
    reason = compiles[0].reasons[0] if compiles and compiles[0].reasons else None
    change = f": `{reason.path}` {reason.before} → {reason.after}" if reason is not None and reason.path else ""
    if len(first.compiled) <= len(first.hit) or not first.hit:
        others = " where the others hit" if first.hit else ", which the others had not finished"
        told = f"{_named(first.compiled)} compiled `{call.function}` at call {first.number}{others}{change}"
    else:
        told = f"{_named(first.hit)} hit `{call.function}` at call {first.number} where the others compiled{change}"
    return Finding.about(
        compiles,
        "diverged",
        told,
        "Give all processes the same shapes, dtypes and static values: they wait for the one that compiles.",
        path=reason.path if reason is not None else "",
        reason=reason.kind if reason is not None else "",
        seconds=sum(row.duration_s for row in compiles),
        count=len(partings),
        caller=call,
    )


def _named(processes: Mapping[str, Call]) -> str:
    """ "process 1", "processes 1 and 3", "12 processes"."""
    names = list(processes)
    if len(names) > _MOST_NAMES:
        return f"{len(names)} processes"
    if len(names) > 1 and all(name.startswith("process ") for name in names):
        return f"processes {listed([name.removeprefix('process ') for name in names])}"
    return listed(names)
