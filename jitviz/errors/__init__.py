"""Exceptions under a trace, explained at the user's leaf: a file for each kind in `kinds/`.

In: an exception with its traceback, and what the recordings and the history know of the call.  Out: `Raised`.
"""

from .find import explained, note_error

__all__ = ["explained", "note_error"]
