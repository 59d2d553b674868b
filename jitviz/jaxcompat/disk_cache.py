"""JAX's cache on disk: https://docs.jax.dev/en/latest/persistent_compilation_cache.html.

In: JAX's settings; a folder.  Out: plain values; the programs in a folder, by the names of their files:
"jit_step-<64 hexadecimal digits>-cache".
Must never: start a backend, or set up the cache.
"""

import contextlib
import hashlib
import os
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import jax

from . import private
from .devices import backend_name

_compilation_cache = private.module("jax._src.compilation_cache")
_cache_key = private.module("jax._src.cache_key")
_version = cache(version)
_FILE = re.compile(r"(?P<key>.+-[0-9a-f]{64})(-cache)?")


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


class CachedFile(NamedTuple):
    """A program on disk, and when it was written, in seconds since the epoch."""

    key: str
    name: str
    written_s: float


def name_of(key: str) -> str:
    """The function in a key ("step"), as far as JAX knows it."""
    return key.rpartition("-")[0].removeprefix("jit_")


def cached_files(folder: Path, most: int = 1_000_000) -> list[CachedFile] | None:
    """The programs in a folder; None if it has more than `most` files."""
    with os.scandir(folder) as entries:
        found = list(islice(entries, most + 1))
    if len(found) > most:
        return None
    programs = []
    for entry in found:
        parts = _FILE.fullmatch(entry.name)
        if parts is not None and entry.is_file():
            programs.append(CachedFile(parts["key"], name_of(parts["key"]), entry.stat().st_mtime))
    return programs
