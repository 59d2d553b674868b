"""Recordings: the log of what happened, folded into calls and compiles; saved, loaded and merged.

In: events, or a file of them.  Out: `Recording`.
"""

from .jsonlines import RefusedError
from .recording import Recording, load, merge

__all__ = ["Recording", "RefusedError", "load", "merge"]
