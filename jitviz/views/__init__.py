"""Recordings shaped for a screen: one typed schema, and limits on what is shown.

In: a `Recording`.  Out: `Panel` and its parts, which text, page and widget draw.
"""

from .panel import shape_explanation as shape_explanation
from .panel import shape_panel as shape_panel
from .schema import *  # noqa: F403  # its names are this room's
from .screen_limits import *  # noqa: F403
from .words import *  # noqa: F403
