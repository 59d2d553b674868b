"""The picture of the growth curves."""

import numpy as np


def draw(curves: dict[str, list[tuple[int, float]]]) -> str:
    """Seconds over size, both on logarithmic scales, a curve for each."""
    colours = ("#4269d0", "#ff725c", "#6cc5b0", "#a463f2", "#9c6b4e", "#97bbf5")

    def at(size: float, seconds: float) -> str:
        return f"{60 + 90 * np.log10(size):.0f},{200 - 40 * (np.log10(max(seconds, 1e-4)) + 1):.0f}"

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="340" font-family="sans-serif" font-size="12">'
    ]
    for power in range(-4, 3):
        y = 200 - 40 * (power + 1)
        parts.append(f'<text x="4" y="{y}">{10.0**power:g} s</text><path d="M60 {y}H620" stroke="#ccc"/>')
    parts += [f'<text x="{60 + 90 * power}" y="335">{10**power:,}</text>' for power in range(1, 7)]
    for colour, (name, points) in zip(colours, curves.items(), strict=False):
        line = " ".join(at(*point) for point in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="640" y="{at(*points[-1]).split(",")[1]}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])
