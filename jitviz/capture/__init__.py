"""Capture: watch calls and compiles without causing any.

In: JAX at work, through hooks.  Out: `Recording`s.
Must never: trace, compile, transfer or wait; keep an array, a module or a closure of the user's alive; let an error of
its own reach the user's program; change a result, an exception, a warning or the number of compiles.
"""

from .session import MAX_BYTES, begin, end, is_watching, leave, record, unwatch, watch

__all__ = ["MAX_BYTES", "begin", "end", "is_watching", "leave", "record", "unwatch", "watch"]
