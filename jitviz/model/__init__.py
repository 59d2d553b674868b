"""The vocabulary: leaves, signatures, calls, compiles and reasons.

In: nothing.  Out: frozen dataclasses, used by every other layer.

The events that calls and compiles are derived from are in `jitviz.recording.events`.
"""

from .arguments import *  # noqa: F403  # its names are this room's
from .outside_jit import *  # noqa: F403
from .reason import *  # noqa: F403
from .rows import *  # noqa: F403
