"""JAX's cache on disk: https://docs.jax.dev/en/latest/persistent_compilation_cache.html.

In: JAX's settings.  Out: plain values.
Must never: start a backend, or set up the cache.
"""

import contextlib
import hashlib
import os
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import jax

from . import private
from .devices import backend_name

_compilation_cache = private.module("jax._src.compilation_cache")
_cache_key = private.module("jax._src.cache_key")
_version = cache(version)


def kept_from_s() -> float | None:
    """The seconds that a compile must take for JAX to keep it on disk; None if there is no cache on disk."""
    if getattr(_compilation_cache, "_cache", None) is None:
        return None
    return float(getattr(jax.config, "jax_persistent_cache_min_compile_time_secs", 0.0))


def folder() -> Path | None:
    """The folder that JAX uses; None if it uses none."""
    path = getattr(getattr(_compilation_cache, "_cache", None), "_path", None)
    return None if path is None else Path(str(path))


def problem() -> str:
    """ "late" if a folder is set and nothing has been compiled since, "moved" if JAX uses another one than is set now:
    it chooses at the first compile. Else ""."""
    wanted, used = getattr(jax.config, "jax_compilation_cache_dir", None), folder()
    if wanted and getattr(_compilation_cache, "_cache", None) is None:
        return "late" if getattr(_compilation_cache, "_cache_checked", False) else ""
    return "moved" if wanted and used is not None and used != Path(wanted) else ""


def key_of_process() -> tuple[tuple[str, str], ...]:
    """The part of a program's key on disk that does not depend on its text and settings, as (name, value) pairs."""
    unused = getattr(_cache_key, "xla_flags_to_exclude_from_cache_key", ())
    given = sorted(os.environ.get("XLA_FLAGS", "").split())
    flags = " ".join(flag for flag in given if flag.split("=")[0] not in unused)
    parts = [("XLA_FLAGS", hashlib.blake2b(flags.encode(), digest_size=6).hexdigest() if flags else "none")]
    with contextlib.suppress(PackageNotFoundError):
        parts.append(("jaxlib", _version("jaxlib")))
    if backend_name():
        kinds = [device.device_kind for device in jax.devices()]
        parts.append(("devices", f"{len(kinds)} of {kinds[0]}"))
    return tuple(parts)
