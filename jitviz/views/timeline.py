"""The timeline: calls and phases as columns, and a lane for each function and thread.

In: a `Recording`.  Out: `Timeline`, tuples of numbers that can be sent as binary buffers.
Must never: build an object per call; there may be a hundred thousand.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..model import MAIN_THREAD, WHATS, Call, is_loaded
from ..recording import Recording
from .schema import OUTCOMES, Band, Lane, Timeline
from .screen_limits import NAME_CHARS, Limits
from .words import plain

_OPS = "outside any jit"  # the lane of programs without a jitted function
_PHASE = ("compile", "call", "lane", "what", "start_s", "duration_s", "own_s")


def shape_timeline(recording: Recording, limits: Limits, function_at: Mapping[str, int]) -> Timeline:
    """Shape the timeline, with lanes in the order of their first call: an inner function comes after its caller.
    `function_at` gives the place of a lineage's function in the panel."""
    drawn, compiles = drawn_calls(recording, limits), recording.compiles
    calls = [call for call, _ in drawn]
    position_of = {call.index: place for place, call in enumerate(calls)}
    lane_at: dict[tuple[str, str], int] = {}
    lanes: list[Lane] = []

    def lane_of(key: str, name: str, thread: str, call: Call | None = None) -> int:
        if (key, thread) not in lane_at:
            lane_at[key, thread] = len(lanes)
            shown = "" if thread == MAIN_THREAD else plain(thread, NAME_CHARS)
            depth = 0 if call is None else _depth(call, calls, position_of)
            lanes.append(Lane(plain(name, NAME_CHARS), function_at.get(key, -1), shown, depth))
        return lane_at[key, thread]

    call_lane = tuple(lane_of(call.lineage, call.function, call.thread, call) for call in calls)
    phase_rows: list[tuple[Any, ...]] = []
    for row in compiles:
        call = row.call
        number = -1 if call is None else position_of[call.index]
        lane = lane_of(row.lineage, row.function, MAIN_THREAD) if call is None else call_lane[number]
        for phase in row.phases:
            if phase.start_s is not None:
                what = WHATS.index("load" if phase.name == "compile" and is_loaded(row) else phase.name)
                spent_s = _or_unknown(phase.duration_s)
                phase_rows.append((row.index, number, lane, what, phase.start_s, spent_s, phase.own_s))
    for op in recording.op_by_op:
        lane = lane_of(_OPS, _OPS, op.thread)
        phase_rows.append((-1, -1, lane, WHATS.index("op_by_op"), op.start_s, op.span_s, op.own_s))
    columns = tuple(zip(*phase_rows, strict=True)) or ((),) * len(_PHASE)
    outcome_at = {outcome: number for number, outcome in enumerate(OUTCOMES)}
    return Timeline(
        duration_s=recording.facts.wall_s,
        lanes=tuple(lanes),
        bands=tuple(
            Band(plain(cell.label, NAME_CHARS), cell.start_s, _or_unknown(cell.duration_s))
            for cell in recording.facts.cells
        ),
        call_lane=call_lane,
        call_parent=tuple(-1 if call.parent is None else position_of[call.parent] for call in calls),
        call_outcome=tuple(outcome_at[call.outcome] for call in calls),
        call_start_s=tuple(call.start_s for call in calls),
        call_duration_s=tuple(_or_unknown(call.duration_s) for call in calls),
        call_ready_s=tuple(_or_unknown(call.ready_s) for call in calls),
        call_version=tuple(call.version or 0 for call in calls),
        call_count=tuple(n for _, n in drawn),
        signed_calls=tuple(place for place, call in enumerate(calls) if is_signed(call)),
        **{f"phase_{name}": column for name, column in zip(_PHASE, columns, strict=True)},
    )


def _or_unknown(seconds: float | None) -> float:
    return -1.0 if seconds is None else seconds


def is_signed(call: Call) -> bool:
    """Whether the arguments of a call are known, though not which version ran."""
    return call.version is None and call.signature is not None


def drawn_calls(recording: Recording, limits: Limits) -> list[tuple[Call, int]]:
    """The calls that have a bar, each with the number of calls that it represents."""
    calls, n_summed = recording.facts.calls, recording.facts.n_summed
    return [(call, 1) for call in calls] if len(calls) <= limits.bars and not n_summed else list(calls.summed())


def _depth(call: Call, calls: Sequence[Call], position_of: Mapping[int, int]) -> int:
    """How many jitted calls a call is nested in. A parent comes before its children in the log, so this ends."""
    depth, parent = 0, call.parent
    while parent is not None and parent < call.index:
        depth, call = depth + 1, calls[position_of[parent]]
        parent = call.parent
    return depth
