"""The filter transformations: arrays are traced, everything else is static.

In: functions and trees.  Out: `filter_jit`, `filter_grad`, `filter_value_and_grad`, `partition`, `combine`, `is_array`,
`is_inexact_array`. They behave like Equinox's filters, and do not need Equinox.
"""

from .grad import filter_grad, filter_value_and_grad
from .jit import filter_jit
from .leaves import combine, is_array, is_inexact_array, partition

__all__ = ["combine", "filter_grad", "filter_jit", "filter_value_and_grad", "is_array", "is_inexact_array", "partition"]
