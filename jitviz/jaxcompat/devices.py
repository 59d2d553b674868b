"""Where arrays are, and where programs are kept: devices, layouts, the backend, the process, the cache on disk.

In: shardings, arrays, JAX's settings.  Out: plain values.
Must never: start a backend, read an array, or reveal a path.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import jax

from . import private

_distributed, _xla_bridge = private.module("jax._src.distributed"), private.module("jax._src.xla_bridge")
_compilation_cache = private.module("jax._src.compilation_cache")
_version = cache(version)
ArrayImpl: Any = getattr(private.module("jax._src.array"), "ArrayImpl", None)


def devices_of(sharding: Any) -> list[Any]:
    """The devices of a sharding in its own order; empty for an abstract mesh."""
    try:
        return list(sharding._device_assignment)
    except Exception:
        return []


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


def tiles_text(sharding: Any, ndim: int) -> str:
    """How XLA splits an array of a sharding without a mesh: "{replicated}", "{devices=[4,1]<=[4]}"; "" if unknown."""
    try:
        return str(sharding._to_xla_hlo_sharding(ndim))
    except Exception:
        return ""


def is_default_memory(sharding: Any) -> bool:
    """Whether a sharding is in the memory that its devices use by default."""
    kind = getattr(sharding, "memory_kind", None)
    if kind in (None, "device"):
        return True
    devices = devices_of(sharding)
    return bool(devices) and devices[0].default_memory().kind == kind


def partition_of(spec: Any) -> tuple[tuple[str, ...], ...] | None:
    """The names of the axes that each dimension is split over; None for a `PartitionSpec` with more to it."""
    parts_of_spec = getattr(spec, "_partitions", None)
    if parts_of_spec is None or any(getattr(spec, name, ()) for name in ("unreduced", "reduced")):
        return None
    parts = [part if type(part) is tuple else () if part is None else (part,) for part in parts_of_spec]
    return tuple(parts) if all(type(name) is str for part in parts for name in part) else None


def facts_key(value: Any) -> Any:
    """A key that is equal for arrays that differ only in their values; None for deleted arrays and other objects."""
    if type(value) is not ArrayImpl or value.is_deleted():  # jaxlib fails on the layout of a deleted array
        return None
    try:
        return value.aval, value.sharding, value.committed, value._pjrt_layout if value.ndim > 1 else None
    except Exception:  # not every backend has layouts
        return None


def layout_of(array: Any) -> str:
    """The layout of an array if it is not the default (row-major), else ""."""
    try:
        layout = array.format.layout
        order = tuple(layout.major_to_minor)
    except Exception:
        return ""
    return "" if order == tuple(range(len(order))) else f"major_to_minor={order}"


def backend_name() -> str:
    """The platform of the backend that has been started; "" if none has."""
    started = getattr(_xla_bridge, "_default_backend", None)
    return str(getattr(started, "platform", ""))


def process_index() -> int | None:
    """The index of this process in `jax.distributed`, without starting a backend; None if it runs alone."""
    state = getattr(_distributed, "global_state", None)
    if getattr(state, "client", None) is None:
        return None
    index = getattr(state, "process_id", None)
    return index if isinstance(index, int) else None


def kept_on_disk_from_s() -> float | None:
    """The seconds that a compile must take for JAX to keep it on disk; None if there is no cache on disk.

    https://docs.jax.dev/en/latest/persistent_compilation_cache.html
    """
    if getattr(_compilation_cache, "_cache", None) is None:
        return None
    return float(getattr(jax.config, "jax_persistent_cache_min_compile_time_secs", 0.0))


def disk_key_of_process() -> tuple[tuple[str, str], ...]:
    """The part of a program's key on disk that does not depend on its text and settings, as (name, value) pairs."""
    flags = " ".join(sorted(os.environ.get("XLA_FLAGS", "").split()))
    parts = [("XLA_FLAGS", hashlib.blake2b(flags.encode(), digest_size=6).hexdigest() if flags else "none")]
    with contextlib.suppress(PackageNotFoundError):
        parts.append(("jaxlib", _version("jaxlib")))
    if backend_name():
        kinds = [device.device_kind for device in jax.devices()]
        parts.append(("devices", f"{len(kinds)} of {kinds[0]}"))
    return tuple(parts)
