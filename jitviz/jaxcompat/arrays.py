"""Where arrays are: devices, layouts, the backend, the process.

In: shardings and arrays.  Out: plain answers.
Must never: start a backend, or read an array; or raise because a version lacks a name.
"""

from __future__ import annotations

from typing import Any

from . import private

_distributed, _xla_bridge = private.module("jax._src.distributed"), private.module("jax._src.xla_bridge")
_ArrayImpl: Any = getattr(private.module("jax._src.array"), "ArrayImpl", None)


def devices_of(sharding: Any) -> list[Any]:
    """Devices of a sharding in its own order; empty for an abstract mesh."""
    try:
        return list(sharding._device_assignment)
    except Exception:
        return []


def partition_text(spec: Any) -> str:
    """The parts of a `PartitionSpec`, and what is neither split nor the same on all devices: `('x', None)`.

    Such a one cannot be iterated, and does not say so on every version.
    """
    parts = [repr(part) for part in getattr(spec, "_partitions", ())]
    for name in ("unreduced", "reduced"):
        axes = getattr(spec, name, ())
        parts += [f"{name}={{{', '.join(sorted(map(repr, axes)))}}}"] if axes else []
    kind = getattr(spec, "unreduced_kind", None) if getattr(spec, "unreduced", ()) else None
    return f"({', '.join([*parts, f'unreduced_kind={kind}'] if kind is not None else parts)})"


def alike(value: Any) -> Any:
    """Equal for arrays that differ in their values alone; None for what is no array of JAX's own, or was deleted."""
    if type(value) is not _ArrayImpl or value.is_deleted():  # of which jaxlib must not be asked for the layout
        return None
    try:
        return value.aval, value.sharding, value.committed, value._pjrt_layout if value.ndim > 1 else None
    except Exception:  # not every backend has one
        return None


def layout_of(array: Any) -> str:
    """The layout of an array where it is not the default (row-major), else ""."""
    try:
        layout = array.format.layout
        order = tuple(layout.major_to_minor)
    except Exception:
        return ""
    return "" if order == tuple(range(len(order))) else f"major_to_minor={order}"


def backend_name() -> str:
    """The platform that is in use, without starting one that is not; "" where none is."""
    started = getattr(_xla_bridge, "_default_backend", None)
    return str(getattr(started, "platform", ""))


def process_index() -> int | None:
    """Which of the processes of `jax.distributed` this is, without starting a backend; None where it is alone."""
    state = getattr(_distributed, "global_state", None)
    if getattr(state, "client", None) is None:
        return None
    found = getattr(state, "process_id", None)
    return found if isinstance(found, int) else None
