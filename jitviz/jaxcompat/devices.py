"""Arrays and their layouts; the backend, the process and its devices; the cache on disk.

In: arrays, JAX's settings.  Out: plain values.
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
