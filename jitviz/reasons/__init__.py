"""Why a function compiled: every change since the nearest earlier version, the cause first, in plain words.

In: the misses of a log, in order.  Out: reasons, and what each row counts as.
"""

from .explainer import Explainer

__all__ = ["Explainer"]
