"""JAX's cache of executables on disk: whether there is one, and the part of its key that all programs share.

In: JAX's settings and devices.  Out: plain values.
Must never: start a backend, or reveal a path.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import jax

from . import private
from .arrays import backend_name

_compilation_cache = private.module("jax._src.compilation_cache")


def kept_from_s() -> float | None:
    """The seconds that a compile must take for JAX to keep it on disk; None if there is no cache on disk.

    https://docs.jax.dev/en/latest/persistent_compilation_cache.html
    """
    if getattr(_compilation_cache, "_cache", None) is None:
        return None
    return float(getattr(jax.config, "jax_persistent_cache_min_compile_time_secs", 0.0))


_version = cache(version)


def key_of_process() -> tuple[tuple[str, str], ...]:
    """The part of the key that does not depend on a program's text and settings, as (name, value) pairs."""
    flags = " ".join(sorted(os.environ.get("XLA_FLAGS", "").split()))
    found = [("XLA_FLAGS", hashlib.blake2b(flags.encode(), digest_size=6).hexdigest() if flags else "none")]
    with contextlib.suppress(PackageNotFoundError):
        found.append(("jaxlib", _version("jaxlib")))
    if backend_name():
        kinds = [device.device_kind for device in jax.devices()]
        found.append(("devices", f"{len(kinds)} of {kinds[0]}"))
    return tuple(found)
