"""The timeline for text and saved HTML: a line of blocks per lane.

In: a `Timeline`.  Out: lines, or lanes whose marks the caller colours.
Must never: draw a hit longer than it took; it is a tick.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..views.schema import Timeline
from ..views.timeline import stretches
from ..views.words import plain, seconds
from .layout import pad, width_of, wrap

MARKS = {"trace": "░", "lower": "▒", "compile": "█", "run": "─", "jitviz": "·", "hit": "|"}
_MOST_LANES = 24


def draw_timeline(timeline: Timeline, width: int) -> Iterator[str]:
    """A legend, an axis, and a lane per function and thread."""
    lanes = list(draw_lanes(timeline, width))
    if lanes:
        yield from wrap("  ".join(f"{mark} {name}" for name, mark in MARKS.items()), width)
        yield from (f"{name}  {cells}".rstrip() for name, cells in lanes)


def draw_lanes(timeline: Timeline, width: int) -> Iterator[tuple[str, str]]:
    """The axis and at most 24 lanes, each with its label and its marks."""
    if not timeline.lanes or timeline.duration_s <= 0:
        return
    names = [_lane_name(timeline, number) for number in range(min(_MOST_LANES, len(timeline.lanes)))]
    column = min(max(width_of(name) for name in names), width // 3)
    cells = width - column - 2
    yield pad("", column), "0 s" + seconds(timeline.duration_s).rjust(cells - 3)
    lanes = _fill(timeline, cells)
    for number, name in enumerate(names):
        yield pad(plain(name, column), column), "".join(lanes[number])
    if len(timeline.lanes) > _MOST_LANES:
        yield f"{len(timeline.lanes) - _MOST_LANES:,} more lanes", ""


def _lane_name(timeline: Timeline, number: int) -> str:
    lane = timeline.lanes[number]
    return "  " * min(lane.depth, 4) + lane.name + (f" [{lane.thread}]" if lane.thread else "")


def _fill(timeline: Timeline, cells: int) -> list[list[str]]:
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
    return lanes
