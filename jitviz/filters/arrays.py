"""Which leaves are arrays.

In: a leaf, or the type of one.  Out: a bool.
Must never: look at an array's values, or turn anything into an array.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_ARRAYS = (jax.Array, np.ndarray, np.generic)
# A tracer is an array by its type alone: `isinstance(tracer, jax.Array)` asks each tracer for its aval, and the tracer
# of a mutable reference says no. References are inputs of a program as arrays are, so they are traced too.
_TRACED = (*_ARRAYS, jax.core.Tracer, jax.Ref)


def is_array(element: Any) -> bool:
    """Whether `element` is a JAX array (a tracer among them), a NumPy array or a NumPy scalar."""
    return isinstance(element, _ARRAYS)


def is_inexact_array(element: Any) -> bool:
    """Whether `element` is an array of floating-point or complex numbers: what can be differentiated."""
    return is_array(element) and bool(jnp.issubdtype(element.dtype, jnp.inexact))


def is_traced_type(kind: type) -> bool:
    """Whether `filter_jit` traces leaves of this type. Decided once per type, so it must not depend on the value."""
    return issubclass(kind, _TRACED)
