"""The colours: a fill with a pattern for each kind of work, and a few for signs.

In: nothing.  Out: hexadecimal colours, and CSS; `js/write_types.py` writes the style sheet of the panel from the fills.
Must never: carry a meaning alone; a pattern, a sign or a word always says the same.

Kinds that stand beside each other differ in their luminance by a factor of 1.5 or more, so that they differ without any
hue too; what may stand beside each other otherwise differs in its pattern. Purple is what compiles outside any jit, and
nothing else. A rim keeps a fill visible on any page. Saved HTML cannot know whether the page is light or dark: the
colours of signs have a contrast of at least 3 : 1 (WCAG's limit for graphics) to both, and text keeps that of the page.
"""

from ..model.account import What
from ..views.schema import Level

FILLS: dict[What, str] = {
    "trace": "#4186cf",
    "lower": "#1f3a66",
    "compile": "#b0302c",
    "load": "#97dbd3",
    "op_by_op": "#b394df",
    "run": "#368f54",
    "python": "#d9dde3",
    "jitviz": "transparent",
}
PYTHON_ON_DARK = "#3a4047"  # where the page is known to be dark
LIGHT_INK, INK = "#ffffff", "#000000"
ON_LIGHT_INK: tuple[What, ...] = ("lower", "compile")  # with text in `LIGHT_INK`
TONE = "#ffffff6b"  # of a pattern
OWN = "#8b919a"  # of the pattern for jitviz itself, which has no fill
_STRIPES = "repeating-linear-gradient({}deg,{} 0 {}px,transparent {}px {}px)"
PATTERNS: dict[What, str] = {
    "trace": _STRIPES.format(135, TONE, 2, 2, 6),
    "lower": f"radial-gradient({TONE} 1px,transparent 1.4px)",
    "load": _STRIPES.format(90, TONE, 2, 2, 5),
    "op_by_op": _STRIPES.format(45, TONE, 4, 4, 9),
    "run": _STRIPES.format(0, TONE, 1, 1, 4),
    "jitviz": _STRIPES.format(135, OWN, 1, 1, 5),
}
DOTS = "5px 5px"  # the size of the pattern of lowering
GREY = "#7b7f86"
LINE = "rgba(128,128,128,.35)"
SHADE = "rgba(128,128,128,.09)"
ALARM, BAD, GOOD = "#b5761a", "#cc4a43", "#2e9958"
GLOW = "#ffd27a"  # a mark sets both this and `INK`: sanitizers drop `color: inherit`

LEVELS: dict[Level, str] = {
    "empty": GREY,
    "hits": GOOD,
    "first": "#2f80c8",
    "running": "#2f80c8",
    "recompile": ALARM,
    "error": BAD,
}


def background(what: What) -> str:
    """The style of a kind of work. A sanitizer that drops the pattern leaves the colour."""
    pattern = f";background-image:{PATTERNS[what]}" if what in PATTERNS else ""
    return f"background-color:{FILLS[what]}{pattern}{f';background-size:{DOTS}' if what == 'lower' else ''}"
