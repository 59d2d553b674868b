from __future__ import annotations

import pytest

from jitviz.display import palette

COLOURS = {name: value for name, value in vars(palette).items() if name.isupper() and str(value).startswith("#")}
PAGES = {"white": "#ffffff", "dark": "#111111"}


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", sorted(COLOURS.keys() - {"GLOW", "INK"}))
def test_every_colour_has_contrast_on_light_and_dark_pages(name: str, page: str) -> None:
    assert contrast(COLOURS[name], PAGES[page]) >= 3


def test_a_mark_has_contrast() -> None:
    assert contrast(palette.INK, palette.GLOW) >= 4.5


def test_phases_hits_and_runs_have_different_colours() -> None:
    assert len({palette.TRACE, palette.LOWER, palette.COMPILE, palette.RUN, palette.HIT}) == 5
