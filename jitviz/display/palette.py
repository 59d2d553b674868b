"""The colours: a fill with a pattern for each kind of work, and a few for signs.

In: nothing.  Out: hexadecimal colours, and CSS; `js/write_types.py` writes the style sheet of the panel from the fills.
Must never: carry a meaning alone; a pattern, a sign or a word always says the same.

Kinds that stand beside each other differ in their luminance by a factor of 1.5 or more, so that they differ without any
hue too; what may stand beside each other otherwise differs in its pattern. Work before a program runs is grey, running
is green; red is for errors alone. A rim keeps a fill visible on any page. Saved HTML cannot know whether the page is
light or dark: the colours of signs have a contrast of at least 3 : 1 (WCAG's limit for graphics) to both, and text
keeps that of the page.
"""

from ..model.finding import What

FILLS: dict[What, str] = {
    "trace": "#b7c0c9",
    "lower": "#68737f",
    "compile": "#3b4550",
    "load": "#e2e6ea",
    "op_by_op": "#98a3ae",
    "run": "#2f8f55",
    "python": "#d9dde3",
    "jitviz": "transparent",
}
PYTHON_ON_DARK = "#1d2226"  # where the page is known to be dark
LIGHT_INK, INK = "#ffffff", "#000000"
ON_LIGHT_INK: tuple[What, ...] = ("lower", "compile")  # with text in `LIGHT_INK`
TONE = "#ffffff6b"  # of a pattern
OWN = "#8b919a"  # of the pattern for jitviz itself, which has no fill
_STRIPES = "linear-gradient({0}deg,{1} 0 {2}%,transparent {2}% 50%,{1} 50% {3}%,transparent {3}%)"
PATTERNS: dict[What, str] = {
    "trace": _STRIPES.format(135, TONE, 17, 67),
    "lower": f"radial-gradient({TONE} 1px,transparent 1.4px)",
    "load": _STRIPES.format(90, TONE, 20, 70),
    "op_by_op": _STRIPES.format(45, TONE, 22, 72),
    "run": _STRIPES.format(0, TONE, 13, 63),
    "jitviz": _STRIPES.format(135, OWN, 10, 60),
}
# Of the tile that is repeated: JupyterLab's sanitizer drops gradients that repeat themselves.
SIZES: dict[What, int] = {"trace": 8, "lower": 5, "load": 10, "op_by_op": 13, "run": 8, "jitviz": 7}  # in pixels
GREY = "#7b7f86"
LINE = "rgba(128,128,128,.35)"
BAD, GOOD = "#cc4a43", "#2e9958"
GLOW = "#ffd27a"  # a mark sets both this and `INK`: sanitizers drop `color: inherit`


def background(what: What) -> str:
    """The style of a kind of work. A sanitizer that drops the pattern leaves the colour."""
    pattern = f";background-image:{PATTERNS[what]};background-size:{size(what)}" if what in PATTERNS else ""
    return f"background-color:{FILLS[what]}{pattern}"


def size(what: What) -> str:
    """Of the tile of a pattern."""
    return f"{SIZES[what]}px {SIZES[what]}px"
