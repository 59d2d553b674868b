"""The timeline as an outline: a line of blocks per lane.

In: a `Timeline`.  Out: lines.
"""

from collections.abc import Iterator

from ..model.quantities import seconds
from ..views.schema import Lane, Span, Timeline
from ..views.timeline import stretches
from ..views.words import plain
from .layout import pad, width_of
from .line import Line, say

_MARKS = {
    "trace": "░",
    "lower": "▒",
    "compile": "█",
    "load": "▚",
    "op_by_op": "▓",
    "run": "─",
    "jitviz": "·",
    "hit": "|",
}
_NAMES = {"op_by_op": "outside any jit"}
_MOST_LANES = 24


def outline_timeline(timeline: Timeline, width: int) -> Iterator[Line]:
    """A legend, an axis, and at most 24 lanes, one per function and thread."""
    if not timeline.lanes or timeline.duration_s <= 0:
        return
    drawn = {kind for _, kind, _, _ in stretches(timeline)}
    legend = (f"{mark} {_NAMES.get(kind, kind)}" for kind, mark in _MARKS.items() if kind in drawn)
    yield say(0, "  ".join(legend), hang=0, look="timeline")
    lanes = timeline.lanes[:_MOST_LANES]
    column = min(max(width_of(_lane_name(lane)) for lane in lanes), width // 3)
    names = [_lane_name(lane, column) for lane in lanes]
    n_cells = width - column - 2
    axis = "0 s" + seconds(timeline.duration_s).rjust(n_cells - 3)
    for name, cells in zip(["", *names], [axis, *_fill(timeline, n_cells)], strict=False):
        yield say(0, Span(f"{pad(plain(name, column), column)}  {cells}"), look="timeline")
    if len(timeline.lanes) > _MOST_LANES:
        yield say(0, f"{len(timeline.lanes) - _MOST_LANES:,} more lanes")


def _lane_name(lane: Lane, most: int = 1000) -> str:
    """Function and thread. Where both do not fit, the function is cut: one line may have run on every thread."""
    name, thread = "  " * min(lane.depth, 4) + lane.name, f" [{lane.thread}]" if lane.thread else ""
    return plain(name, max(most - len(thread), most // 3)) + thread


def _fill(timeline: Timeline, cells: int) -> list[str]:
    """The marks of each lane, drawn back to front."""
    lanes = [[" "] * cells for _ in timeline.lanes]
    scale = cells / timeline.duration_s
    for lane, kind, start_s, spent_s in stretches(timeline):
        end_s = start_s if kind == "hit" else timeline.duration_s if spent_s < 0 else start_s + spent_s
        first = min(cells - 1, max(0, int(start_s * scale)))
        for cell in range(first, min(cells, max(first + 1, round(end_s * scale)))):
            lanes[lane][cell] = _MARKS[kind]
    return list(map("".join, lanes))
