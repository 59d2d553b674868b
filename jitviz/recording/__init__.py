"""Recordings: the log of what happened, folded into calls and compiles; saved, loaded and merged.

In: events, or a file of them.  Out: `Recording`.
"""

from .codec import unpack
from .jsonlines import RefusedError
from .recording import Recording, load, merge
from .whole_file import whole_file

__all__ = ["Recording", "RefusedError", "load", "merge", "unpack", "whole_file"]
