"""Recordings shaped for a screen: one typed schema, and limits on what is shown.

In: a `Recording`.  Out: `Panel` and its parts, which text, page and widget draw.
"""

from .panel import shape_panel
from .schema import Panel
from .screen_limits import PANEL, SAVED, TERMINAL, Limits

__all__ = ["PANEL", "SAVED", "TERMINAL", "Limits", "Panel", "shape_panel"]
