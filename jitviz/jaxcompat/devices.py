"""Arrays and their layouts; the backend, the process.

In: arrays.  Out: plain values.
Must never: start a backend, or read an array.
"""

from typing import Any

from . import private

_distributed, _xla_bridge = private.module("jax._src.distributed"), private.module("jax._src.xla_bridge")
ArrayImpl: Any = getattr(private.module("jax._src.array"), "ArrayImpl", None)


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
