"""The colours, one per thing, and the rule that they follow.

In: nothing.  Out: hexadecimal colours.
Must never: carry a meaning alone; whatever a colour says, a pattern, a sign or a word says as well.

Saved HTML cannot know whether it is read on white or on black, so each colour keeps a contrast of at least 3 : 1
(WCAG's limit for graphics) to both, and text keeps the colour of the page round it. `FAINT` is for jitviz itself.
"""

from __future__ import annotations

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
GLOW, INK = "#ffd27a", "#1b1b1b"  # a mark brings its own ground and text: sanitizers drop `color: inherit`

LEVELS: dict[Level, str] = {
    "empty": RUN,
    "hits": HIT,
    "first": TRACE,
    "running": TRACE,
    "recompile": LOWER,
    "error": COMPILE,
}
