"""Resources that a repeated action leaves behind in the process."""

import gc
import threading
from collections.abc import Callable
from pathlib import Path

_DESCRIPTORS = Path("/proc/self/fd")


def left_by(turn: Callable[[], None], times: int) -> tuple[int, int, int]:
    """The threads, open files and objects that `times` turns leave behind, after ten turns that fill the caches."""
    for _ in range(10):
        turn()
    before = _held()
    for _ in range(times):
        turn()
    n_threads, n_files, n_objects = (now - then for now, then in zip(_held(), before, strict=True))
    return n_threads, n_files, n_objects


def _held() -> tuple[int, int, int]:
    gc.collect()
    n_files = len(list(_DESCRIPTORS.iterdir())) if _DESCRIPTORS.is_dir() else 0
    return threading.active_count(), n_files, len(gc.get_objects())
