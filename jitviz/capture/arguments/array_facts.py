"""Arrays by shape and dtype.

In: JAX arrays, NumPy arrays, Python scalars, tracers.  Out: the properties that enter a cache key, and short texts.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from ...jaxcompat import devices, tracing
from ...jaxcompat.raw import is_a, mro_of, type_name
from ...jaxcompat.shardings import placement_of, sharding_text
from ...model import Placement, array_type


class ArrayFacts(NamedTuple):
    """What a `Leaf` says of an array, under the same names. `sharding` and `committed` are None for values not on a
    device yet: NumPy arrays, Python scalars, tracers."""

    type: str
    shape: tuple[int, ...]
    dtype: str
    weak_type: bool
    sharding: str | None
    committed: bool | None
    itemsize: int
    placement: Placement | None = None


def facts_key(value: Any) -> Any:
    """A key that is equal for plain arrays with equal facts under the same settings; None for any other value."""
    return (value.dtype, value.shape) if type(value) is np.ndarray else devices.facts_key(value)


def facts_of(value: Any) -> ArrayFacts | None:
    """The properties of `value` as an input of a program; None if JAX does not accept it."""
    is_tracer = tracing.is_tracer(value)
    if is_a(value, jax.Array) and not is_tracer:
        layout = devices.layout_of(value) if value.ndim > 1 else ""
        committed = bool(getattr(value, "committed", False))
        return facts_of_aval(value.aval)._replace(
            sharding=sharding_text(value.sharding, layout, value.ndim),
            committed=committed,
            placement=placement_of(value.sharding) if committed and not layout else None,
        )
    if not tracing.is_input_type(type(value)):
        return None
    try:
        aval = jax.typeof(value)
    except Exception:  # JAX has no dtype for an array of objects or strings
        return None
    if not hasattr(aval, "dtype"):
        return None
    return facts_of_aval(aval)._replace(type="Tracer" if is_tracer else type_name(type(value)))


def facts_of_aval(aval: Any) -> ArrayFacts:
    """The properties of the array that an aval describes, such as an output before it exists."""
    dtype = getattr(aval, "dtype", None)
    return ArrayFacts(
        "jax.Array",
        tuple(getattr(aval, "shape", ())),
        str(dtype) if dtype is not None else type(aval).__name__,
        bool(getattr(aval, "weak_type", False)),
        None,
        None,
        int(getattr(dtype, "itemsize", 0) or 0),
    )


def dtype_name(value: Any) -> str:
    """The name of a dtype or of a scalar type of NumPy or JAX; "" for anything else."""
    if is_a(value, np.dtype):
        return str(np.dtype.name.__get__(value))
    kind = type_name(type(value))
    if kind.startswith("jax.") and kind.endswith("._ScalarMeta"):  # that of `jnp.float32`
        return str(value.dtype.name)
    is_scalar = type(value) is type and np.generic in mro_of(value)
    return str(np.dtype(value).name) if is_scalar and type_name(value).startswith(("numpy.", "ml_dtypes.")) else ""


def text_of(value: Any) -> str | None:
    """An array in JAX's short form: "f32[3,4]", "traced f32[3,4]" for a tracer; None for any other value."""
    if is_a(value, np.ndarray):  # read so that a subclass cannot override it
        return array_type(str(np.ndarray.dtype.__get__(value)), np.ndarray.shape.__get__(value))
    if not tracing.is_tracer(value):  # up to jax 0.8 a tracer is an instance of `jax.Array`
        return array_type(str(value.dtype), value.shape) if is_a(value, jax.Array) else None
    aval = jax.typeof(value)
    return f"traced {array_type(str(aval.dtype), aval.shape) if hasattr(aval, 'dtype') else type_name(type(aval))}"
