"""Python's garbage collector, at rest while jitviz makes much: imports, copies of programs, panels, pages.

In: a block.  Out: nothing.
Must never: rest while the user's code runs, or wake a collector that the user had switched off.
"""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def resting_collector() -> Iterator[None]:
    """In the block, nothing is searched for cycles. What jitviz makes is much, and almost nothing of it is in one."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
