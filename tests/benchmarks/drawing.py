"""The picture of the growth curves."""

import numpy as np

COLOURS = ("#4269d0", "#ff725c", "#3ca951", "#a463f2", "#9c6b4e", "#97bbf5")
GREY = "#808890"  # legible on white and on black
LINE = 16  # the distance between two labels


def draw(curves: dict[str, list[tuple[int, float]]]) -> str:
    """An SVG with a curve of seconds over size for each name, both axes logarithmic."""
    parts = [f'<text x="{_x(10**power)}" y="335" fill="{GREY}">{10**power:,}</text>' for power in range(7)]
    for power in range(-4, 3):
        y = _y(10.0**power)
        parts.append(f'<text x="4" y="{y}" fill="{GREY}">{10.0**power:g} s</text>')
        parts.append(f'<path d="M60 {y}H620" stroke="{GREY}" stroke-opacity=".3"/>')
    last_y = 0
    for name, points in sorted(curves.items(), key=lambda curve: _y(curve[1][-1][1])):
        colour = COLOURS[list(curves).index(name) % len(COLOURS)]
        line = " ".join(f"{_x(size)},{_y(seconds)}" for size, seconds in points)
        last_y = max(_y(points[-1][1]), last_y + LINE)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="640" y="{last_y}" fill="{colour}">{name}</text>')
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 70 960 272" font-family="sans-serif" font-size="12">'
    return "\n".join([head, *parts, "</svg>", ""])


def _x(size: float) -> int:
    return round(60 + 90 * np.log10(size))


def _y(seconds: float) -> int:
    return round(160 - 40 * np.log10(max(seconds, 1e-4)))
