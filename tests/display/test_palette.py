from __future__ import annotations

from itertools import pairwise

import pytest

from jitviz.display import palette
from jitviz.model.finding import WHATS

SIGNS = {name: getattr(palette, name) for name in ("GREY", "BAD", "GOOD")}
PAGES = {"white": "#ffffff", "dark": "#111111"}
KINDS = [what for what in WHATS if what != "jitviz"]
LEAST = 1.5

# Machado, Oliveira and Fernandes (2009), for linear light.
BLIND = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}


def linear(colour: str) -> list[float]:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(colour: str, eyes: str = "") -> float:
    """Relative luminance as WCAG 2 defines it, as it is or for one kind of eyes."""
    light = linear(colour)
    if eyes:
        light = [sum(part * row for part, row in zip(light, rows, strict=True)) for rows in BLIND[eyes]]
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def contrast(one: str, other: str, eyes: str = "") -> float:
    bright, dark = sorted((luminance(one, eyes), luminance(other, eyes)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", SIGNS)
def test_every_sign_has_contrast_on_light_and_dark_pages(name: str, page: str) -> None:
    assert contrast(SIGNS[name], PAGES[page]) >= 3


def test_a_mark_has_contrast() -> None:
    assert contrast(palette.INK, palette.GLOW) >= 4.5


@pytest.mark.parametrize("what", KINDS)
def test_text_on_a_fill_has_contrast(what: str) -> None:
    ink = palette.LIGHT_INK if what in palette.ON_LIGHT_INK else palette.INK
    assert contrast(ink, palette.FILLS[what]) >= 4.5  # type: ignore[index]


@pytest.mark.parametrize("on_dark", [False, True])
def test_neighbours_differ_in_luminance_also_if_a_kind_between_them_took_no_time(on_dark: bool) -> None:
    fills = palette.FILLS | ({"python": palette.PYTHON_ON_DARK} if on_dark else {})
    beside = [*pairwise(KINDS), *zip(KINDS, KINDS[2:], strict=False), ("compile", "run"), ("compile", "python")]
    assert {pair: contrast(*(fills[what] for what in pair)) for pair in beside if "load" not in pair} == {
        pair: pytest.approx(max(LEAST, contrast(*(fills[what] for what in pair))))
        for pair in beside
        if "load" not in pair
    }
    assert contrast(fills["compile"], fills["load"]) >= LEAST <= contrast(fills["load"], fills["op_by_op"])


@pytest.mark.parametrize("eyes", BLIND)
def test_neighbours_differ_for_those_who_see_fewer_colours(eyes: str) -> None:
    for one, other in pairwise(KINDS):
        is_told = contrast(palette.FILLS[one], palette.FILLS[other], eyes) >= 1.25
        assert is_told, (one, other)
        assert palette.PATTERNS.get(one) != palette.PATTERNS.get(other)


def test_only_what_is_solid_shares_its_pattern() -> None:
    patterns = [palette.PATTERNS.get(what, "") for what in WHATS]
    assert len(set(patterns)) == len(patterns) - 1
    assert palette.background("compile") != palette.background("python")


def test_every_pattern_passes_the_sanitizer_of_a_notebook_that_is_not_trusted() -> None:
    assert [what for what, pattern in palette.PATTERNS.items() if "repeating" in pattern] == []
