"""Arrays by shape and dtype.

In: arrays, NumPy arrays, Python scalars, tracers.  Out: the properties that enter a cache key, and short texts.
Must never: read a value, move data, or wait for a device.
"""

from __future__ import annotations

import hashlib
import itertools
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np

from ...jaxcompat import arrays, tracing
from ...jaxcompat.raw import is_a, type_name

LISTED = 16  # devices that are told one by one


class ArrayFacts(NamedTuple):
    """`sharding` and `committed` are None where nothing is placed yet (NumPy arrays, Python scalars, tracers)."""

    type: str
    shape: tuple[int, ...]
    dtype: str
    weak_type: bool
    sharding: str | None
    committed: bool | None
    itemsize: int


def alike(value: Any) -> Any:
    """Equal for arrays of which `facts_of` says the same under the same settings; None for what is no plain array."""
    return (value.dtype, value.shape) if type(value) is np.ndarray else arrays.alike(value)


def facts_of(value: Any) -> ArrayFacts | None:
    """What JAX sees of `value` as an input; None if JAX would not take it."""
    if is_a(value, jax.Array) and not tracing.is_tracer(value):
        aval = value.aval
        return ArrayFacts(
            "jax.Array",
            tuple(value.shape),
            _dtype_text(value.dtype),
            bool(getattr(aval, "weak_type", False)),
            sharding_text(value.sharding, arrays.layout_of(value) if value.ndim > 1 else ""),
            bool(getattr(value, "committed", False)),
            _itemsize(value.dtype),
        )
    if not tracing.is_input_type(type(value)):
        return None
    try:
        aval = jax.typeof(value)
    except Exception:  # an array that JAX has no dtype for: of objects, of strings
        return None
    if not hasattr(aval, "dtype"):
        return None
    kind = "Tracer" if tracing.is_tracer(value) else _type_text(value)
    shape = tuple(aval.shape)
    weak = bool(getattr(aval, "weak_type", False))
    return ArrayFacts(kind, shape, _dtype_text(aval.dtype), weak, None, None, _itemsize(aval.dtype))


def facts_of_aval(aval: Any) -> ArrayFacts:
    """The same of an abstract value: an output before it exists."""
    dtype = getattr(aval, "dtype", None)
    return ArrayFacts(
        "jax.Array",
        tuple(getattr(aval, "shape", ())),
        _dtype_text(dtype) if dtype is not None else type(aval).__name__,
        bool(getattr(aval, "weak_type", False)),
        None,
        None,
        _itemsize(dtype),
    )


def text_of(value: Any) -> str | None:
    """ "f32[3,4]" in JAX's own short form; "traced f32[3,4]" of a tracer; None for what is no array."""
    if is_a(value, np.ndarray):
        return _short(np.ndarray.dtype.__get__(value), np.ndarray.shape.__get__(value))  # whatever a subclass says
    if is_a(value, jax.Array):
        return _short(value.dtype, value.shape)
    if not tracing.is_tracer(value):
        return None
    aval = jax.typeof(value)
    return f"traced {_short(aval.dtype, aval.shape) if hasattr(aval, 'dtype') else type_name(type(aval))}"


def _short(dtype: Any, shape: tuple[int, ...]) -> str:
    return f"{short_dtype(_dtype_text(dtype))}[{','.join(map(str, shape))}]"


@lru_cache(maxsize=256)
def _dtype_text(dtype: Any) -> str:
    return str(dtype)


@lru_cache(maxsize=256)
def short_dtype(dtype: str) -> str:
    """ "float32" -> "f32"; names that JAX does not shorten stay."""
    for long, short in (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c")):
        if dtype.startswith(long) and dtype[len(long) :].isdigit():
            return short + dtype[len(long) :]
    return dtype


@lru_cache(maxsize=1024)
def sharding_text(sharding: Any, layout: str = "") -> str:
    """Device, or mesh and partition, in one line: the same text only for what JAX's cache key takes as one sharding."""
    kind = type(sharding).__name__
    memory = getattr(sharding, "memory_kind", None)
    suffix = f" in {memory}" if memory not in (None, "device", "unpinned_host") else ""
    if kind == "SingleDeviceSharding":
        text = _device_text(next(iter(sharding.device_set)))
    elif kind == "NamedSharding":
        mesh = sharding.mesh
        types = getattr(mesh, "axis_types", None) or ()
        axes = ", ".join(
            f"{name}={size}" + (f" {str(axis).rsplit('.', 1)[-1].lower()}" if axis is not None else "")
            for (name, size), axis in itertools.zip_longest(mesh.shape.items(), types)
        )
        text = f"P{arrays.partition_text(sharding.spec)} on mesh({axes}) of {_devices_text(sharding)}"
    else:
        text = f"{kind} on {_devices_text(sharding)}"
    return text + suffix + (f", layout {layout}" if layout else "")


def _devices_text(sharding: Any) -> str:
    """Each of them; a range where they are neighbours in order. The order is part of the cache key."""
    found = arrays.devices_of(sharding)
    if not found:
        return "abstract devices"
    devices = [_device_text(device) for device in found]
    is_range = all(after.id - before.id == 1 for before, after in itertools.pairwise(found))
    if len(devices) == 1 or (not is_range and len(devices) <= LISTED):
        return ", ".join(devices)
    order = "" if is_range else f" in the order {hashlib.blake2b(repr(devices).encode(), digest_size=3).hexdigest()}"
    return f"{devices[0]}…{devices[-1]} ({len(devices)}){order}"


def _device_text(device: Any) -> str:
    return f"{device.platform}:{device.id}"


def _itemsize(dtype: Any) -> int:
    return int(getattr(dtype, "itemsize", 0) or 0)


def _type_text(value: Any) -> str:
    return type_name(type(value))
