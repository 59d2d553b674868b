"""The vocabulary: leaves, signatures, calls, compiles, reasons and findings; paths, counts and quantities.

In: nothing.  Out: frozen dataclasses, and short functions about them and their texts, used by every other layer.

The events that calls and compiles are derived from are in `jitviz.recording.events`.
"""

from .arguments import *  # noqa: F403  # its names are this room's
from .counting import *  # noqa: F403
from .finding import *  # noqa: F403
from .outside_jit import *  # noqa: F403
from .paths import *  # noqa: F403
from .patterns import *  # noqa: F403
from .quantities import *  # noqa: F403
from .reason import *  # noqa: F403
from .rows import *  # noqa: F403
