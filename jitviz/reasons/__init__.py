"""Why a function compiled: every change since the nearest earlier version, the cause first, in plain words.

In: the misses of a log, in order.  Out: reasons, and what each row counts as.
"""

from .compare import compare
from .explainer import Explainer

__all__ = ["Explainer", "compare"]
