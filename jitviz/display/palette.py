"""The colours, one for each kind of thing.

In: nothing.  Out: hexadecimal colours.
Must never: carry a meaning alone; a pattern, a sign or a word always says the same.

Saved HTML cannot know whether the page is light or dark, so each colour has a contrast of at least 3 : 1 (WCAG's limit
for graphics) to both, and text keeps the colour of the page. `FAINT` is for jitviz's own time.
"""

from ..views.schema import Level

TRACE = "#2f80c8"
LOWER = "#b5761a"
COMPILE = "#cc4a43"
RUN = "#868c95"
HIT = "#2e9958"
OPS = "#8a63c4"
LOAD = "#1d8f8f"
TRACED = TRACE
STATIC = LOWER
FAINT = "#7b7f86"
LINE = "rgba(128,128,128,.35)"
SHADE = "rgba(128,128,128,.09)"
GLOW, INK = "#ffd27a", "#1b1b1b"  # a mark sets both background and text: sanitizers drop `color: inherit`

LEVELS: dict[Level, str] = {
    "empty": RUN,
    "hits": HIT,
    "first": TRACE,
    "running": TRACE,
    "recompile": LOWER,
    "error": COMPILE,
}
