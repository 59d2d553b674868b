"""A dictionary that makes what it lacks, bounded, shared by threads.

In: a function from key to value.  Out: a dict.
Must never: make the same key twice at once, or grow beyond its limit.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from types import MethodType
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

# Far more versions than a program that works has; a key that never equals itself (NaN) would fill any dictionary.
LIMIT = 1024


class Memo(dict[K, V]):
    """`memo[key]` is `make(key)`, made once. At `limit` keys the oldest goes; it is made again when asked for.

    A lookup that hits is that of a plain dict and takes no lock. A method is held weakly: whose it is holds the memo.
    """

    def __init__(self, make: Callable[[K], V], limit: int = LIMIT) -> None:
        super().__init__()
        self._make: Callable[[], Callable[[K], V] | None]
        self._make = weakref.WeakMethod(make) if isinstance(make, MethodType) else lambda: make
        self._limit = limit
        self._lock = threading.RLock()

    def __missing__(self, key: K) -> V:
        with self._lock:
            if key in self:  # another thread was faster
                return self[key]
            make = self._make()
            assert make is not None, "whose method it is looks up"
            value = make(key)
            while len(self) >= self._limit:
                del self[next(iter(self))]
            self[key] = value
            return value
