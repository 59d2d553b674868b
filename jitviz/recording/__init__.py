"""Recordings: the log of what happened, folded into calls and compiles; saved, loaded and merged.

In: events, or a file of them.  Out: `Recording`.
Must never: watch anything, or need jax.
"""

from .recording import Recording, load, merge
from .refused_input import RefusedError

__all__ = ["Recording", "RefusedError", "load", "merge"]
