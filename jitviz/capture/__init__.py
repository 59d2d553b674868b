"""Capture: watch calls and compiles without causing any.

In: JAX at work, through hooks.  Out: `Recording`s.
Must never: trace, compile, transfer or wait; keep a frame, an array, a module or a closure of the user's alive; run
code of an object, or read the values of an array; let an error of its own reach the user's program; change a result, an
exception, a warning or the number of compiles.
"""

from .session import MAX_BYTES, begin, end, is_watching, leave, record, unwatch, watch

__all__ = ["MAX_BYTES", "begin", "end", "is_watching", "leave", "record", "unwatch", "watch"]
