"""The floating-point operations of an equation.

In: the name of a primitive, its avals and parameters.  Out: the floating-point operations of one run, by shape alone.
Must never: count the work of inner programs (their own equations do), or count moving and comparing as arithmetic.

Each mathematical function counts as one operation per element, as is usual. Integer arithmetic does not count. A dot
product counts one multiplication and one addition per pair, and so does a convolution.
"""

import math
from typing import Any

_ELEMENTWISE = frozenset(
    """abs acos acosh add add_any asin asinh atan atan2 atanh cbrt ceil cos cosh digamma div erf erf_inv erfc exp exp2
    expm1 floor igamma igammac integer_pow lgamma log log1p logistic max min mul neg nextafter one_minus_square
    polygamma pow rem round rsqrt sign sin sinh sqrt square sub tan tanh zeta""".split()  # noqa: SIM905  # easier to read
)
_REDUCTIONS = frozenset(
    """argmax argmin cumlogsumexp cummax cummin cumprod cumsum reduce_max reduce_min reduce_prod reduce_sum
    reduce_window_max reduce_window_min reduce_window_sum""".split()  # noqa: SIM905
)
_SCATTERS = frozenset(["scatter-add", "scatter-sub", "scatter-mul"])


def flops_of(primitive: str, inputs: list[Any], outputs: list[Any], params: dict[str, Any]) -> int:
    """The floating-point operations of one run of an equation; 0 if it does none or they are unknown."""
    if not outputs:
        return 0
    if primitive in _ELEMENTWISE:
        return _size(outputs[0].aval)
    if primitive in _REDUCTIONS:
        return _size(inputs[0].aval)
    if primitive == "dot_general":
        (contracted, _), _ = params["dimension_numbers"]
        shape = inputs[0].aval.shape
        return 2 * _size(outputs[0].aval) * _product(shape[axis] for axis in contracted)
    if primitive == "conv_general_dilated":
        kernel = inputs[1].aval.shape
        features = kernel[params["dimension_numbers"].rhs_spec[0]]
        return 2 * _size(outputs[0].aval) * _product(kernel) // features if features else 0
    if primitive in _SCATTERS:
        return _size(inputs[2].aval)
    return 0


def _size(aval: Any) -> int:
    """The number of elements of a floating-point or complex array; 0 for any other."""
    return _product(aval.shape) if getattr(getattr(aval, "dtype", None), "kind", "") in ("f", "c", "V") else 0


def _product(sizes: Any) -> int:
    product = math.prod(sizes)
    return product if type(product) is int else 0  # a size may be symbolic
