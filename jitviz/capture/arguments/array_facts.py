"""Arrays by shape and dtype.

In: JAX arrays, NumPy arrays, Python scalars, tracers.  Out: the properties that enter a cache key, and short texts.
Must never: read a value, move data, or wait for a device.
"""

from __future__ import annotations

import hashlib
import itertools
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np

from ...jaxcompat import devices, tracing
from ...jaxcompat.raw import is_a, type_name
from ...model import Placement
from ...model.quantities import array_type

LISTED = 16  # devices that are named one by one


class ArrayFacts(NamedTuple):
    """`sharding` and `committed` are None for values not on a device yet: NumPy arrays, Python scalars, tracers."""

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


def text_of(value: Any) -> str | None:
    """An array in JAX's short form: "f32[3,4]", "traced f32[3,4]" for a tracer; None for any other value."""
    if is_a(value, np.ndarray):  # read so that a subclass cannot override it
        return array_type(str(np.ndarray.dtype.__get__(value)), np.ndarray.shape.__get__(value))
    if not tracing.is_tracer(value):  # up to jax 0.8 a tracer is an instance of `jax.Array`
        return array_type(str(value.dtype), value.shape) if is_a(value, jax.Array) else None
    aval = jax.typeof(value)
    return f"traced {array_type(str(aval.dtype), aval.shape) if hasattr(aval, 'dtype') else type_name(type(aval))}"


@lru_cache(maxsize=1024)
def sharding_text(sharding: Any, layout: str = "", ndim: int = 0) -> str:
    """The sharding of an array as its device, or its mesh and partition. Two texts are equal exactly if JAX's caches
    treat the shardings as one."""
    kind = type(sharding).__name__
    suffix = "" if devices.is_default_memory(sharding) else f" in {sharding.memory_kind}"
    if kind == "SingleDeviceSharding" or (kind == "GSPMDSharding" and len(devices.devices_of(sharding)) == 1):
        text = _device_text(next(iter(sharding.device_set)))
    elif kind == "NamedSharding":
        mesh = sharding.mesh
        types = getattr(mesh, "axis_types", None) or ()
        axes = ", ".join(
            f"{name}={size}" + (f" {str(axis).rsplit('.', 1)[-1].lower()}" if axis is not None else "")
            for (name, size), axis in itertools.zip_longest(mesh.shape.items(), types)
        )
        text = f"P{devices.partition_text(sharding.spec, mesh)} on mesh({axes}) of {_devices_text(sharding)}"
    else:
        tiles = devices.tiles_text(sharding, ndim)
        text = f"{kind}{tiles} on {_devices_text(sharding)}"
    return text + suffix + (f", layout {layout}" if layout else "")


@lru_cache(maxsize=1024)
def placement_of(sharding: Any) -> Placement | None:
    """The parts of a sharding on one device or over a mesh; None for any other, and for one with more to it: a kind of
    memory, axes that are reduced."""
    if type(sharding).__name__ == "SingleDeviceSharding" and devices.is_default_memory(sharding):
        return Placement((_device_text(next(iter(sharding.device_set))),))
    spec = devices.partition_of(sharding.spec) if type(sharding).__name__ == "NamedSharding" else None
    types = getattr(sharding.mesh, "axis_types", None) if spec is not None else None
    if spec is None or not types or not devices.is_default_memory(sharding):
        return None
    sizes = sharding.mesh.shape.items()
    axes = tuple((str(name), size, str(kind.name)) for (name, size), kind in zip(sizes, types, strict=True))
    return Placement(tuple(map(_device_text, devices.devices_of(sharding))), axes, spec)


def _devices_text(sharding: Any) -> str:
    """The devices one by one, or as a range if their ids are consecutive. Their order is part of the cache key."""
    in_order = devices.devices_of(sharding)
    if not in_order:
        return "abstract devices"
    texts = [_device_text(device) for device in in_order]
    is_range = all(after.id - before.id == 1 for before, after in itertools.pairwise(in_order))
    if len(texts) == 1 or (not is_range and len(texts) <= LISTED):
        return ", ".join(texts)
    order = "" if is_range else f" in the order {hashlib.blake2b(repr(texts).encode(), digest_size=3).hexdigest()}"
    return f"{texts[0]}…{texts[-1]} ({len(texts)}){order}"


def _device_text(device: Any) -> str:
    return f"{device.platform}:{device.id}"
