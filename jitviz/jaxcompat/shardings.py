"""Shardings: where arrays are, and how they are split over a mesh.

In: shardings, specs, meshes.  Out: texts and plain values.
"""

import hashlib
import itertools
from functools import lru_cache
from typing import Any

from ..model import Placement

_LISTED = 16  # devices that are named one by one


@lru_cache(maxsize=1024)
def sharding_text(sharding: Any, layout: str = "", ndim: int = 0) -> str:
    """The sharding of an array as its device, or its mesh and partition. Two texts are equal exactly if JAX's caches
    treat the shardings as one."""
    kind = type(sharding).__name__
    suffix = "" if _is_default_memory(sharding) else f" in {sharding.memory_kind}"
    if kind == "SingleDeviceSharding" or (kind == "GSPMDSharding" and len(devices_of(sharding)) == 1):
        text = _device_text(next(iter(sharding.device_set)))
    elif kind == "NamedSharding":
        partition = partition_text(sharding.spec, sharding.mesh)
        text = f"P{partition} on mesh({axes_text(sharding.mesh)}) of {_devices_text(sharding)}"
    else:
        text = f"{kind}{_tiles_text(sharding, ndim)} on {_devices_text(sharding)}"
    return text + suffix + (f", layout {layout}" if layout else "")


@lru_cache(maxsize=1024)
def placement_of(sharding: Any) -> Placement | None:
    """The parts of a sharding on one device or over a mesh; None for any other, and for one with more to it: a kind of
    memory, axes that are reduced."""
    on = tuple(map(_device_text, devices_of(sharding)))
    if type(sharding).__name__ == "SingleDeviceSharding" and _is_default_memory(sharding):
        return Placement(on)
    spec, mesh = getattr(sharding, "spec", None), getattr(sharding, "mesh", None)
    parts, kinds = getattr(spec, "_partitions", None), getattr(mesh, "axis_types", None)
    has_reduced = any(getattr(spec, name, ()) for name in ("unreduced", "reduced"))
    if mesh is None or parts is None or not kinds or has_reduced or not _is_default_memory(sharding):
        return None
    names = tuple(part if type(part) is tuple else () if part is None else (part,) for part in parts)
    if not all(type(name) is str for part in names for name in part):
        return None
    axes = zip(mesh.shape.items(), kinds, strict=True)
    return Placement(on, tuple((str(name), size, str(kind.name)) for (name, size), kind in axes), names)


def _devices_text(sharding: Any) -> str:
    """The devices one by one, or as a range if their ids are consecutive. Their order is part of the cache key."""
    in_order = devices_of(sharding)
    if not in_order:
        return "abstract devices"
    texts = [_device_text(device) for device in in_order]
    is_range = all(after.id - before.id == 1 for before, after in itertools.pairwise(in_order))
    if len(texts) == 1 or (not is_range and len(texts) <= _LISTED):
        return ", ".join(texts)
    order = "" if is_range else f" in the order {hashlib.blake2b(repr(texts).encode(), digest_size=3).hexdigest()}"
    return f"{texts[0]}…{texts[-1]} ({len(texts)}){order}"


def _device_text(device: Any) -> str:
    return f"{device.platform}:{device.id}"


def devices_of(sharding: Any) -> list[Any]:
    """The devices of a sharding in its own order; empty for an abstract mesh."""
    try:
        return list(sharding._device_assignment)
    except Exception:
        return []


def axes_text(mesh: Any) -> str:
    """The axes of a mesh: "x=4 auto, y=2 explicit"."""
    kinds = getattr(mesh, "axis_types", None) or ()
    return ", ".join(
        f"{name}={size}" + (f" {str(kind).rsplit('.', 1)[-1].lower()}" if kind is not None else "")
        for (name, size), kind in itertools.zip_longest(mesh.shape.items(), kinds)
    )


def partition_text(spec: Any, mesh: Any = None) -> str:
    """The parts of a `PartitionSpec` and its reduced and unreduced axes: "('x', None, 'y', unreduced={'z'})".

    Texts are equal for specs that are one to JAX's caches: what splits nothing is left out, such as `None` at the end
    or an axis of size 1. (JAX traces with the names of explicit axes, whatever their size.) A spec with (un)reduced
    axes cannot be iterated over; not every version raises an error that says so.
    """
    sizes, kinds = getattr(mesh, "shape", {}), getattr(mesh, "axis_types", None) or ()
    explicit = {name for name, kind in zip(sizes, kinds, strict=False) if str(kind).endswith("Explicit")}
    idle = {name for name, size in sizes.items() if size == 1} - explicit
    parts = [_splitting(part, idle) for part in getattr(spec, "_partitions", ())]
    while parts and parts[-1] is None:
        parts.pop()
    texts = [repr(part) for part in parts]
    for name in ("unreduced", "reduced"):
        axes = getattr(spec, name, ())
        texts += [f"{name}={{{', '.join(sorted(map(repr, axes)))}}}"] if axes else []
    kind = getattr(spec, "unreduced_kind", None) if getattr(spec, "unreduced", ()) else None
    return f"({', '.join([*texts, f'unreduced_kind={kind}'] if kind is not None else texts)})"


def _splitting(part: Any, idle: set[Any]) -> Any:
    """What splits an axis of the array: one axis of the mesh, several, or None. `idle` axes split nothing."""
    names = tuple(name for name in (part if type(part) is tuple else (part,)) if name not in idle)
    return (names[0] if len(names) == 1 else names) or None


def _tiles_text(sharding: Any, ndim: int) -> str:
    """How XLA splits an array of a sharding without a mesh: "{replicated}", "{devices=[4,1]<=[4]}"; "" if unknown."""
    try:
        return str(sharding._to_xla_hlo_sharding(ndim))
    except Exception:
        return ""


def _is_default_memory(sharding: Any) -> bool:
    """Whether a sharding is in the memory that its devices use by default."""
    kind = getattr(sharding, "memory_kind", None)
    if kind in (None, "device"):
        return True
    on = devices_of(sharding)
    return bool(on) and on[0].default_memory().kind == kind
