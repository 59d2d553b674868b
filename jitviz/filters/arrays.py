"""Which leaves are arrays.

In: a leaf or its type.  Out: a bool.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_ARRAYS = (jax.Array, np.ndarray, np.generic)
# A tracer counts as an array by its type alone: `isinstance(tracer, jax.Array)` looks at the tracer's aval, and is
# False for a mutable reference. References are inputs of a program just as arrays are, so they are traced too.
_TRACED = (*_ARRAYS, jax.core.Tracer, jax.Ref)


def is_array(element: Any) -> bool:
    """Whether `element` is a JAX array (tracers included), a NumPy array or a NumPy scalar."""
    return isinstance(element, _ARRAYS)


def is_inexact_array(element: Any) -> bool:
    """Whether `element` is an array of floating-point or complex numbers, which can be differentiated."""
    return is_array(element) and bool(jnp.issubdtype(element.dtype, jnp.inexact))


def is_traced_type(kind: type) -> bool:
    """Whether `filter_jit` traces leaves of this type. The answer is cached by type, so it cannot depend on a value."""
    return issubclass(kind, _TRACED)
