"""The timeline as text: a line of blocks per lane.

In: a `Timeline`.  Out: lines.
Must never: draw a hit longer than it took; it is a tick.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..views.schema import Timeline
from ..views.timeline import stretches
from ..views.words import plain, seconds
from .layout import pad, width_of, wrap

_MARKS = {"trace": "░", "lower": "▒", "compile": "█", "run": "─", "own": "·", "hit": "|"}
LEGEND = "░ trace  ▒ lower  █ compile  ─ run  · jitviz  | hit"
_MOST_LANES = 24


def draw_timeline(timeline: Timeline, width: int) -> Iterator[str]:
    """A legend, an axis, and a lane per function and thread; at most 24 lanes."""
    if not timeline.lanes or timeline.duration_s <= 0:
        return
    names = [_lane_name(timeline, number) for number in range(min(_MOST_LANES, len(timeline.lanes)))]
    column = min(max(width_of(name) for name in names), width // 3)
    cells = width - column - 2
    yield from wrap(LEGEND, width)
    end = seconds(timeline.duration_s)
    yield pad("", column) + "  0 s" + end.rjust(cells - 3)
    lanes = _fill(timeline, cells)
    for number, name in enumerate(names):
        yield f"{pad(plain(name, column), column)}  {''.join(lanes[number])}".rstrip()
    if len(timeline.lanes) > _MOST_LANES:
        yield f"{len(timeline.lanes) - _MOST_LANES:,} more lanes"


def _lane_name(timeline: Timeline, number: int) -> str:
    lane = timeline.lanes[number]
    return "  " * min(lane.depth, 4) + lane.name + (f" [{lane.thread}]" if lane.thread else "")


def _fill(timeline: Timeline, cells: int) -> list[list[str]]:
    """Draw from the back to the front."""
    lanes = [[" "] * cells for _ in timeline.lanes]
    scale = cells / timeline.duration_s

    def place(start_s: float) -> int:
        return min(cells - 1, max(0, int(start_s * scale)))

    def draw(lane: int, start_s: float, duration_s: float, mark: str) -> None:
        end_s = timeline.duration_s if duration_s < 0 else start_s + duration_s
        for cell in range(place(start_s), max(place(start_s) + 1, round(end_s * scale))):
            if cell < cells:
                lanes[lane][cell] = mark

    for lane, kind, start_s, duration_s in stretches(timeline):
        if kind == "hit":
            lanes[lane][place(start_s)] = _MARKS[kind]
        else:
            draw(lane, start_s, duration_s, _MARKS[kind])
    return lanes
