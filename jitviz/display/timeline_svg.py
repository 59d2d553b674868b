"""The timeline as one SVG picture, for an `<img>` in saved HTML.

In: a `Timeline`.  Out: SVG text of bounded size.
Must never: need a script, a font of its own, or a certain width: places along the time axis are percentages, so that
the picture stretches with the page while its texts and patterns do not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from ..views.schema import Timeline
from ..views.timeline import stretches
from ..views.words import count, plain, seconds
from . import palette

_TOP, _LANE, _BAR, _LABEL = 20, 38, 16, 14  # pixels: axis, lane, its bar, its name above the bar
_MOST_LANES = 12
_MOST_BARS = 150
_COLOURS = {
    "trace": palette.TRACE,
    "lower": palette.LOWER,
    "compile": palette.COMPILE,
    "run": palette.RUN,
    "own": palette.FAINT,
    "hit": palette.HIT,
}
# Told apart by pattern as well as by colour: stripes, dots, solid, outline, ticks.
_STYLE = "".join(
    (
        f"<style>text{{font:12px system-ui,sans-serif;fill:{palette.FAINT}}}.n{{font-weight:600}}",
        f".g{{fill:{palette.FAINT};fill-opacity:.3}}.trace{{fill:url(#s)}}.lower{{fill:url(#d)}}",
        f".compile{{fill:{palette.COMPILE}}}.run{{fill:{palette.RUN};fill-opacity:.25;stroke:{palette.RUN}}}",
        f".own{{fill:{palette.FAINT};fill-opacity:.3}}",
        "path{stroke-width:1.5;vector-effect:non-scaling-stroke}</style>",
    )
)
_PATTERNS = "".join(
    (
        '<defs><pattern id="s" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">',
        f'<path d="M0 0h5v5h-5z" fill="{palette.TRACE}" fill-opacity=".35"/>',
        f'<path d="M1 0v5" stroke="{palette.TRACE}"/></pattern>',
        '<pattern id="d" width="5" height="5" patternUnits="userSpaceOnUse">',
        f'<path d="M0 0h5v5h-5z" fill="{palette.LOWER}" fill-opacity=".35"/>',
        f'<circle cx="2" cy="2" r="1.3" fill="{palette.LOWER}"/></pattern></defs>',
    )
)


@dataclass(frozen=True)
class Bar:
    """A stretch of time in a lane; places are fractions of the whole time."""

    lane: int
    kind: str
    start: float
    width: float


def draw_timeline(timeline: Timeline) -> str:
    """The picture; "" if there is nothing to draw."""
    if not timeline.lanes or timeline.duration_s <= 0:
        return ""
    return "".join(_draw(timeline))


def height_of(timeline: Timeline) -> int:
    """Pixels."""
    n_lanes = len(timeline.lanes)
    return _TOP + _LANE * min(n_lanes, _MOST_LANES) + (_LABEL + 4 if n_lanes > _MOST_LANES else 0)


def _draw(timeline: Timeline) -> Iterator[str]:
    height = height_of(timeline)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="{height}">{_STYLE}{_PATTERNS}'
    yield from _draw_axis(timeline.duration_s, height)
    bars = [bar for bar in _bars(timeline) if bar.lane < _MOST_LANES]
    # What is too narrow to be a bar is a tick; so is what there is no room for in the file.
    widest = sorted((bar.width for bar in bars if bar.kind != "hit"), reverse=True)[:_MOST_BARS]
    narrow = max(0.003, widest[-1] if len(widest) == _MOST_BARS else 0.0)
    ticks: defaultdict[int, list[Bar]] = defaultdict(list)
    for bar in bars:
        if bar.kind == "hit" or (bar.width < narrow and bar.kind != "own"):
            ticks[bar.lane].append(bar)
    for number, name in enumerate(_names(timeline)):
        top = _TOP + number * _LANE
        yield f'<text x="4" y="{top + 12}" class="n">{escape(name)}</text>'
        for bar in bars:
            if bar.lane == number and bar.kind != "hit" and bar.width >= narrow:
                yield (
                    f'<rect class="{bar.kind}" x="{_percent(bar.start)}" y="{top + _LABEL + 2}" '
                    f'width="{_percent(bar.width)}" height="{_BAR}"/>'
                )
        yield from _draw_ticks(ticks[number], top + _LABEL + 2, max(60, 400 // len(timeline.lanes)))
    if len(timeline.lanes) > _MOST_LANES:
        rest = count(len(timeline.lanes) - _MOST_LANES, "more lane")
        yield f'<text x="0" y="{height - 6}">{rest}</text>'
    yield "</svg>"


def _names(timeline: Timeline) -> list[str]:
    """Function, and its thread where it is not the main one; an inner function is set in."""
    return [
        "\u2514 " * (lane.depth > 0) + plain(lane.name, 60) + (f" [{plain(lane.thread, 30)}]" if lane.thread else "")
        for lane in timeline.lanes[:_MOST_LANES]
    ]


def _bars(timeline: Timeline) -> Iterator[Bar]:
    """From the back to the front."""
    whole = timeline.duration_s

    def bar(lane: int, kind: str, start_s: float, duration_s: float) -> Bar:
        end_s = whole if duration_s < 0 else start_s + duration_s
        start = min(1.0, max(0.0, start_s / whole))
        return Bar(lane, kind, start, max(0.0, min(1.0, end_s / whole) - start))

    for lane, kind, start_s, duration_s in stretches(timeline):
        yield bar(lane, kind, start_s, duration_s)


def _draw_axis(duration_s: float, height: int) -> Iterator[str]:
    step_s = next(
        base * 10.0**power for power in range(-7, 9) for base in (1, 2, 5) if duration_s / (base * 10.0**power) <= 6
    )
    for number in range(int(duration_s / step_s) + 1):
        place = number * step_s / duration_s
        told = seconds(number * step_s).replace(".0 ", " ")
        anchor = "start" if number == 0 else "end" if place > 0.95 else "middle"
        yield (
            f'<rect class="g" x="{_percent(place)}" y="16" width="1" height="{height - 16}"/>'
            f'<text x="{_percent(place)}" y="11" text-anchor="{anchor}">{told}</text>'
        )


def _draw_ticks(bars: list[Bar], top: int, columns: int) -> Iterator[str]:
    """One path per kind; neighbouring ticks grow together, so that the size does not depend on their number."""
    places: defaultdict[str, set[int]] = defaultdict(set)
    for bar in bars:
        places[bar.kind].add(min(columns - 1, int(bar.start * columns)))
    for kind, taken in places.items():
        pieces = []
        for first in sorted(place for place in taken if place - 1 not in taken):
            last = first
            while last + 1 in taken:
                last += 1
            pieces.append(f"M{first} 0v1" if last - first < 2 else f"M{first} 0h{last - first}v1h-{last - first}z")
            if last - first == 1:
                pieces.append(f"M{last} 0v1")
        yield (
            f'<svg y="{top}" height="{_BAR}" viewBox="0 0 {columns} 1" preserveAspectRatio="none">'
            f'<path d="{"".join(pieces)}" stroke="{_COLOURS[kind]}" fill="{_COLOURS[kind]}"/></svg>'
        )


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}".rstrip("0").rstrip(".") + "%"
