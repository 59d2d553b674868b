"""The account of the wall time: each second of a recording belongs to one kind of work and, if possible, to a line.

In: a `Recording`.  Out: an `Account`, whose parts add up to the wall time.
Must never: count a second twice.

At each moment the innermost work counts: a program outside any jit that compiles inside a trace is not tracing. Time
in which nothing is known to run is Python, unless the thread was seen waiting for a program. The account covers the
thread that started the recording; the work of other threads at the same time is listed separately.
"""

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple, TypeVar, get_args

from ..model import AHEAD, CALLBACK, GARBAGE, TRACED, UNDER, Call, Compile, Glance, PhaseName, Sample
from ..model.finding import WHATS, Account, LineShare, Part, Share, Stack, What
from ..recording import Recording
from ..recording.events import Heartbeat
from .once_for_each_log import once_for_each_log


class TimeSpan(NamedTuple):
    """A stretch of time; `function` and `stack` are where it is accounted, empty if unknown. `row` is the index of the
    compile that it is a phase of, or -1."""

    start_s: float
    end_s: float
    what: What
    stack: Stack = ()
    function: str = ""
    row: int = -1


_ALWAYS = TimeSpan(float("-inf"), float("inf"), "python")  # around all other spans
_PHASES = get_args(PhaseName)
_WORK: dict[str, What] = {"trace": "trace", "lower": "lower", "compile": "compile"}
_WORK |= dict.fromkeys(("run", "device", "callback"), "run")
_CALLBACKS = "Python callbacks"
_NAMED: dict[str, tuple[What, str]] = {
    GARBAGE: ("python", "collecting garbage"),
    AHEAD: ("run", "what was compiled ahead of time"),
    CALLBACK: ("run", _CALLBACKS),
}
T = TypeVar("T", TimeSpan, Sample)


@once_for_each_log
def find_account(recording: Recording) -> Account:
    """Where the time of a recording went."""
    facts = recording.facts
    return _account(recording, facts.thread, _lived(recording), facts.samples, *_work(recording))


@once_for_each_log
def find_accounts(recording: Recording) -> Mapping[str, Account]:
    """The account of the main thread of each process of a merged recording, by the label of the process."""
    facts = recording.facts
    zero_s, accounts = facts.started_s or 0.0, {}
    hits, spans = _work(recording)
    hits_of, spans_of = defaultdict[str, list[Call]](list), defaultdict[str, list[tuple[str, TimeSpan]]](list)
    for call in hits:
        hits_of[call.thread].append(call)
    for thread, span in spans:
        spans_of[thread].append((thread, span))
    for label, place in facts.processes.items():
        if label and place.at_s < place.until_s:
            window = TimeSpan(place.at_s - zero_s, place.until_s - zero_s, "python")
            samples = facts.samples_of.get("" if label == facts.thread else label, [])
            accounts[label] = _account(recording, label, [window], samples, hits_of[label], spans_of[label])
    return accounts


def account_between(recording: Recording, thread: str, windows: Sequence[TimeSpan]) -> Account:
    """Where the time of a thread went in stretches of it, without the hits in them."""
    samples = recording.facts.samples if thread == recording.facts.thread else ()
    return _account(recording, thread, windows, samples, (), list(_spans(recording)))


def waits_between(recording: Recording, gaps: Sequence[TimeSpan]) -> Iterator[tuple[int, str, float]]:
    """The waits for results that were seen in stretches of the main thread: the row of the stretch, line, seconds."""
    samples = (sample for sample in _in_order(recording.facts.samples) if sample.seen.inside != AHEAD)
    waits = [sample for sample in samples if sample.seen.is_waiting and not sample.is_in_phase]
    for gap, sample, start_s, end_s in _overlaps(gaps, waits):
        yield gap.row, sample.source, end_s - start_s


def _work(recording: Recording) -> tuple[list[Call], list[tuple[str, TimeSpan]]]:
    """Hits that were recorded as a sum, and all other work with its thread."""
    # These hits contain nothing and are inside nothing, so that their sum is enough.
    hits = [call for call, n in recording.facts.calls.summed() if n > 1 and call.outcome == "hit"]
    return hits, list(_spans(recording, [call for call, n in recording.facts.calls.summed() if n == 1]))


def _account(
    recording: Recording,
    thread: str,
    windows: Sequence[TimeSpan],
    samples: Sequence[Sample],
    hits: Sequence[Call],
    spans: Sequence[tuple[str, TimeSpan]],
) -> Account:
    """Where the time of one thread went."""
    facts = recording.facts
    wall_s = sum(window.end_s - window.start_s for window in windows)
    beats = facts.beats_without_end(thread)
    spans = [*spans, *(_span_of(beat) for beat in beats)]
    samples = [
        *samples,
        *(Sample(heartbeat.since_s, heartbeat.at_s, heartbeat.seen, heartbeat.doing in _PHASES) for heartbeat in beats),
    ]
    pieces = _pieces(thread, spans, windows)
    ways = ((sample.source, sample.seen.inside) for sample in samples)
    under = {source: way.replace(UNDER, "jitted functions under ") for source, way in ways if way.startswith(UNDER)}
    spent: dict[tuple[What, str, Stack], float] = defaultdict(float)
    for piece, seen in _with_samples(pieces, samples).items():
        for sample, seen_s in seen:
            what, name = _work_of(sample.seen, under) if piece.what == "python" else (piece.what, piece.function)
            spent[what, name, _stack_of(sample, piece)] += seen_s
        unseen_s = piece.end_s - piece.start_s - sum(seen_s for _, seen_s in seen)
        spent[piece.what, piece.function, () if seen else piece.stack] += unseen_s
    beneath: dict[str, float] = defaultdict(float)  # the seconds of callbacks beneath a line
    for (_, name, stack), spent_s in spent.items():
        if name == _CALLBACKS:
            for line in {*stack[:-1]}:
                beneath[line] += spent_s
    for call in hits:
        if call.thread == thread and any(span.start_s <= call.start_s <= span.end_s for span in windows):
            _give_to_run(call, spent, beneath)
    seconds: dict[What, float] = defaultdict(float)
    for (what, _, _), share_s in spent.items():
        seconds[what] += share_s
    seen_s, left_s = seconds["python"], wall_s - sum(share_s for what, share_s in seconds.items() if what != "python")
    seconds["python"] = max(0.0, left_s)
    too_much = max(1.0, seen_s / seconds["python"]) if seconds["python"] else math.inf  # hits ran beside what was seen
    shares = sorted(
        (Share(*place, share_s / (too_much if place[0] == "python" else 1)) for place, share_s in spent.items()),
        key=lambda share: (-share.seconds, share),
    )
    return Account(
        wall_s,
        tuple(_part(what, seconds[what], shares) for what in WHATS),
        _beside(spans, hits, thread),
        tuple(share for share in shares if share.seconds > 0 and (share.function or share.stack)),
    )


def _work_of(seen: Glance, under: Mapping[str, str]) -> tuple[What, str]:
    """What a sample shows of time in which nothing is known to run, and its name. `under` are the lines that call a
    jitted function under a transformation, in Python up to the call."""
    if seen.inside in _NAMED:
        return _NAMED[seen.inside]
    if seen.inside.startswith(TRACED):
        return "trace", seen.inside.removeprefix(TRACED)
    if seen.is_waiting:
        return "run", ""
    if seen.is_eager:
        return ("run", under[seen.source]) if seen.source in under else ("python", "operations, not jitted")
    return "python", ""


def _pieces(thread: str, spans: Iterable[tuple[str, TimeSpan]], windows: Sequence[TimeSpan]) -> list[TimeSpan]:
    work = innermost([_ALWAYS, *(span for its_thread, span in spans if its_thread == thread)])
    return [span._replace(start_s=start_s, end_s=end_s) for span, _, start_s, end_s in _overlaps(work, windows)]


def eager_seen(recording: Recording) -> Iterator[tuple[Glance, float]]:
    """What the sampler saw of operations that ran outside any jit, with its seconds."""
    if not any(sample.seen.is_eager for sample in recording.facts.samples):
        return
    single = (call for call, n in recording.facts.calls.summed() if n == 1)
    pieces = _pieces(recording.facts.thread, _spans(recording, single), _windows(recording))
    for seen in _with_samples(pieces, recording.facts.samples).values():
        yield from ((sample.seen, seen_s) for sample, seen_s in seen if sample.seen.is_eager and not sample.is_in_phase)


def _span_of(beat: Heartbeat) -> tuple[str, TimeSpan]:
    """What a heartbeat says of a run without an end: its samples are written at the end."""
    is_op = beat.doing in _PHASES and not beat.function
    what: What = "op_by_op" if is_op else _WORK.get(beat.doing, "python")
    stack = () if what in ("trace", "python") else _alone(beat.source)
    return beat.thread, TimeSpan(
        beat.since_s, beat.at_s, what, stack, beat.function if what not in ("python", "op_by_op") else ""
    )


def traces_seen(recording: Recording) -> Iterator[tuple[Compile, float, list[tuple[Sample, float]]]]:
    """All tracing in pieces, if the sampler saw any: the compile, the seconds, and what it saw in the piece."""
    facts = recording.facts
    if not any(sample.is_in_phase for sample in facts.samples):
        return
    work = innermost(span for thread, span in _spans(recording) if thread == facts.thread)
    for piece, seen in _with_samples([piece for piece in work if piece.what == "trace"], facts.samples).items():
        yield recording.compiles[piece.row], piece.end_s - piece.start_s, seen


def _part(what: What, spent_s: float, shares: Iterable[Share]) -> Part:
    lines: dict[str, float] = defaultdict(float)
    for share in shares:
        if share.what == what and share.source:
            lines[share.source] += share.seconds
    inorder = sorted(lines.items(), key=lambda item: (-item[1], item[0]))
    return Part(what, spent_s, tuple(LineShare(source, share_s) for source, share_s in inorder if share_s > 0))


def _give_to_run(hits: Call, spent: dict[tuple[What, str, Stack], float], beneath: dict[str, float]) -> None:
    """Count hits as running, and no longer as what the sampler took them for: Python or waiting at their line. The
    callbacks `beneath` it are counted already."""
    left_s, stack = hits.duration_s or 0.0, _alone(hits.source)
    counted_s = min(left_s, beneath[hits.source])
    beneath[hits.source] -= counted_s
    left_s -= counted_s
    spent["run", hits.function, stack] += left_s
    places: tuple[tuple[What, str, Stack], ...] = (("run", "", stack), ("python", "", stack), ("python", "", ()))
    for place in places:
        taken_s = min(left_s, max(0.0, spent[place]))
        spent[place] -= taken_s
        left_s -= taken_s


def _alone(source: str) -> Stack:
    return (source,) if source else ()


def _stack_of(sample: Sample, piece: TimeSpan) -> Stack:
    """The stack that was seen, from the line that is known to have called; samples may lack the lines above it."""
    seen = (*reversed(sample.seen.callers), sample.source)
    if piece.stack and piece.stack[-1] in seen:
        return seen[seen.index(piece.stack[-1]) :]
    return piece.stack + seen


def _beside(spans: Sequence[tuple[str, TimeSpan]], hits: Iterable[Call], thread: str) -> tuple[Part, ...]:
    """The innermost work of each other thread, added up."""
    seconds: dict[What, float] = defaultdict(float)
    for call in hits:
        seconds["run"] += (call.duration_s or 0.0) if call.thread != thread else 0.0
    for other in {name for name, _ in spans} - {thread}:
        for piece in innermost(span for name, span in spans if name == other):
            seconds[piece.what] += piece.end_s - piece.start_s
    return tuple(Part(what, seconds[what]) for what in WHATS if seconds[what])


def _spans(recording: Recording, calls: Iterable[Call] = ()) -> Iterator[tuple[str, TimeSpan]]:
    """All work at known times, with its thread."""
    until_s = recording.facts.wall_s
    for call in calls:
        if call.ready_s is not None:
            end_s = until_s if call.duration_s is None else call.start_s + call.duration_s
            yield call.thread, TimeSpan(call.ready_s, end_s, "run", _alone(call.source), call.function)
    for row in recording.compiles:
        for phase in row.phases:
            if phase.start_s is None or (phase.duration_s is None and row.status != "running"):
                continue
            end_s = until_s if phase.duration_s is None else phase.start_s + phase.duration_s
            is_load = phase.name == "compile" and row.origin == "loaded"
            what: What = "load" if is_load else phase.name
            yield row.thread, TimeSpan(phase.start_s, end_s, what, _alone(row.source), row.function, row.index)
            yield row.thread, TimeSpan(end_s, end_s + phase.own_s, "jitviz")
    for op in recording.op_by_op:
        end_s = op.start_s + op.span_s
        yield op.thread, TimeSpan(op.start_s, end_s, "op_by_op", op.stack[::-1] or _alone(op.source), op.name)
        yield op.thread, TimeSpan(end_s, end_s + op.own_s, "jitviz")


def innermost(spans: Iterable[TimeSpan]) -> Iterator[TimeSpan]:
    """Pieces that do not overlap, in order: at each moment the span that started last; of two, the shorter. This is a
    sweep line: from edge to edge, the spans that have begun wait in a heap with the innermost on top."""
    ordered = sorted(span for span in spans if span.end_s > span.start_s)
    upcoming = deque(ordered)
    begun: list[tuple[float, float, TimeSpan]] = []
    for start_s, end_s in pairwise(sorted({edge for span in ordered for edge in span[:2]})):
        while upcoming and upcoming[0].start_s <= start_s:
            span = upcoming.popleft()
            heappush(begun, (-span.start_s, span.end_s, span))
        while begun and begun[0][1] <= start_s:
            heappop(begun)
        if begun:
            yield begun[0][2]._replace(start_s=start_s, end_s=end_s)


def _windows(recording: Recording) -> list[TimeSpan]:
    """The stretches that count: the cells, joined where they overlap, or the whole recording; of a merged one, the life
    of its first process."""
    facts, wall_s = recording.facts, recording.facts.wall_s
    first, zero_s = facts.processes.get(facts.thread), facts.started_s or 0.0
    whole = (0.0, wall_s) if first is None or not first.until_s else (first.at_s - zero_s, first.until_s - zero_s)
    cells = [
        (cell.start_s, wall_s if cell.duration_s is None else cell.start_s + cell.duration_s) for cell in facts.cells
    ]
    windows: list[TimeSpan] = []
    for start_s, end_s in sorted(window for window in cells or [whole] if window[0] < window[1]):
        if windows and start_s <= windows[-1].end_s:
            windows[-1] = windows[-1]._replace(end_s=max(end_s, windows[-1].end_s))
        else:
            windows.append(TimeSpan(start_s, end_s, "python"))
    return windows


def _lived(recording: Recording) -> list[TimeSpan]:
    """The windows; of a merged recording, only while the process of its thread lived."""
    facts, windows = recording.facts, _windows(recording)
    place = facts.processes.get(facts.thread) if len(facts.processes) > 1 else None
    if place is None or place.at_s >= place.until_s or facts.cells:
        return windows
    zero_s = facts.started_s or 0.0
    return [TimeSpan(place.at_s - zero_s, place.until_s - zero_s, "python")]


def _overlaps(pieces: Iterable[TimeSpan], others: Sequence[T]) -> Iterator[tuple[TimeSpan, T, float, float]]:
    """Each overlap with its start and end; both sequences are in order and do not overlap themselves."""
    first = 0
    for piece in pieces:
        while first < len(others) and others[first].end_s <= piece.start_s:
            first += 1
        for place in range(first, len(others)):
            other = others[place]
            if other.start_s >= piece.end_s:
                break
            yield piece, other, max(piece.start_s, other.start_s), min(piece.end_s, other.end_s)


def _in_order(samples: Iterable[Sample]) -> Iterator[Sample]:
    """The samples in order, without the overlaps that several recordings in one process cause."""
    end_s = float("-inf")
    for sample in sorted(samples, key=lambda sample: sample.start_s):
        if sample.end_s > end_s:
            yield replace(sample, start_s=max(end_s, sample.start_s))
            end_s = sample.end_s


def _with_samples(pieces: Iterable[TimeSpan], samples: Sequence[Sample]) -> dict[TimeSpan, list[tuple[Sample, float]]]:
    """The samples in each piece and their seconds: those in a phase are of tracing, all others of Python."""
    seen: dict[TimeSpan, list[tuple[Sample, float]]] = {piece: [] for piece in pieces}
    for what in ("trace", "python"):
        of_what = list(_in_order(sample for sample in samples if sample.is_in_phase == (what == "trace")))
        for piece, sample, start_s, end_s in _overlaps((piece for piece in seen if piece.what == what), of_what):
            seen[piece].append((sample, end_s - start_s))
    return seen
