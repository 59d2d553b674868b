"""The vocabulary: what a leaf, a signature, a call, a compile and a reason are.

In: nothing.  Out: frozen dataclasses, used by every other layer.
Must never: import jax, hold a user's object, or depend on another layer.

The events that calls and compiles are folded from are in `jitviz.recording.events`, spoken in these words.
"""

from .arguments import *  # noqa: F403  # its names are this room's
from .outside import *  # noqa: F403
from .reason import *  # noqa: F403
from .rows import *  # noqa: F403
