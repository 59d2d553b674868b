"""Why a function compiled: every change since the nearest earlier version, the cause first, in plain words.

In: the misses of a log, in order.  Out: reasons, and totals over calls and compiles.
Must never: import jax or need the user's objects; a loaded recording is explained like a live one.
"""

from .compare import compare
from .explainer import Explainer
from .report import explain
from .totals import Total, Version, per_call_site, per_cause, per_function, versions

__all__ = [
    "Explainer",
    "Total",
    "Version",
    "compare",
    "explain",
    "per_call_site",
    "per_cause",
    "per_function",
    "versions",
]
