"""Checks that a program makes while it runs: limits that raise or warn with a reason, and predictions of a call.

In: functions, or a block of code.  Out: the same behaviour; a `RecompileError` or a warning; a `Prediction`.
Must never: count a call as a trace, or change what the guarded code computes.
"""

from .trace_limits import RecompileError, RecompileWarning, assert_max_traces, limit_traces, no_recompiles, num_traces

__all__ = ["RecompileError", "RecompileWarning", "assert_max_traces", "limit_traces", "no_recompiles", "num_traces"]
