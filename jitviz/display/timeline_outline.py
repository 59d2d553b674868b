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

MARKS = {"trace": "░", "lower": "▒", "compile": "█", "run": "─", "jitviz": "·", "hit": "|"}
_MOST_LANES = 24


def outline_timeline(timeline: Timeline, width: int) -> Iterator[Line]:
    """A legend, an axis, and at most 24 lanes, one per function and thread."""
    if not timeline.lanes or timeline.duration_s <= 0:
        return
    yield say(0, "  ".join(f"{mark} {name}" for name, mark in MARKS.items()), hang=0, look="timeline")
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

    def place(start_s: float) -> int:
        return min(cells - 1, max(0, int(start_s * scale)))

    def draw(lane: int, start_s: float, duration_s: float, mark: str) -> None:
        end_s = timeline.duration_s if duration_s < 0 else start_s + duration_s
        for cell in range(place(start_s), min(cells, max(place(start_s) + 1, round(end_s * scale)))):
            lanes[lane][cell] = mark

    for lane, kind, start_s, duration_s in stretches(timeline):
        if kind == "hit":
            lanes[lane][place(start_s)] = MARKS[kind]
        else:
            draw(lane, start_s, duration_s, MARKS[kind])
    return list(map("".join, lanes))
