"""A bounded, thread-safe dictionary that computes missing values.

In: a function from key to value.  Out: a dict.
"""

import weakref
from collections.abc import Callable
from threading import RLock
from types import MethodType
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

# Far more versions than a healthy program has. A key that never equals itself (NaN) would fill an unbounded one.
LIMIT = 1024


class Memo(dict[K, V]):
    """`memo[key]` is `make(key)`, computed once. At `limit` keys the oldest is dropped, and recomputed when needed. A
    hit is a plain dict lookup and takes no lock. A method is held weakly, because its object holds the memo."""

    def __init__(self, make: Callable[[K], V], limit: int = LIMIT) -> None:
        self._make: Callable[[], Callable[[K], V] | None]
        self._make = weakref.WeakMethod(make) if isinstance(make, MethodType) else lambda: make
        self._limit = limit
        self._lock = RLock()

    def __missing__(self, key: K) -> V:
        with self._lock:
            if key in self:  # another thread got here first
                return self[key]
            make = self._make()
            assert make is not None, "only the object of the method looks up"
            value = make(key)
            while len(self) >= self._limit:
                del self[next(iter(self))]
            self[key] = value
            return value
