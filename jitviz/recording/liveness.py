"""Whether the process that writes a recording still runs.

In: where it ran, and the time of its last event.  Out: True, False, or None if this machine cannot know.
Must never: signal the process, or take another process with its number for it.
"""

import contextlib
import os
import sys
from pathlib import Path

from .events import ProcessJoined
from .redaction import this_host


def is_running(place: ProcessJoined | None, last_s: float) -> bool | None:
    """Whether the process at `place`, which was last heard of at `last_s`, still runs."""
    if place is None or place.host != this_host() or sys.platform == "win32":
        return None  # on Windows, `os.kill` would end it
    with contextlib.suppress(OSError, IndexError):  # not on Linux, or it has just ended
        folder = Path(f"/proc/{place.pid}")
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        if state in "ZX" or folder.stat().st_ctime > last_s + 1.0:
            return False
    try:
        os.kill(place.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        pass
    return True
