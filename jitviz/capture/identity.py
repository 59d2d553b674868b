"""Names for living objects: the same number exactly while it is the same object, and no object kept alive.

In: any object.  Out: an int that is unique in the process.
Must never: hold a strong reference, or call anything of the object.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import Any

_numbers = itertools.count(1)
_lock = threading.RLock()  # re-entrant: a collection inside it may run `_forget`
_MOST = 50_000  # objects without weak references are forgotten beyond this many
_known: dict[int, tuple[weakref.ref[Any] | type, int]] = {}


def token(obj: Any) -> int:
    """A number for `obj`.

    An address alone would be taken for the same object once it is used again; a weak reference tells. For the few types
    that cannot be referenced weakly (tuples, objects with bare slots) the type stands in, and a rebuilt object at
    the same address passes for the old one.
    """
    address = id(obj)
    with _lock:
        known = _known.get(address)
        if known is not None:
            anchor, number = known
            if anchor is type(obj) or (isinstance(anchor, weakref.ref) and anchor() is obj):
                return number
        number = next(_numbers)
        try:
            anchor = weakref.ref(obj, lambda _: _forget(address, number))
        except TypeError:
            anchor = type(obj)
        if len(_known) >= _MOST:
            for old in [old for old, (held, _) in _known.items() if isinstance(held, type)]:
                del _known[old]
        _known[address] = (anchor, number)
        return number


def _forget(address: int, number: int) -> None:
    with _lock:
        known = _known.get(address)
        if known is not None and known[1] == number:
            del _known[address]
