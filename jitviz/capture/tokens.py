"""Numbers for living objects: one object, one number, and no object is kept alive.

In: any object.  Out: an int that is unique in the process.
"""

import itertools
import weakref
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

from ..model import Token, system

_numbers = itertools.count(1)
_lock = system.RLock()  # re-entrant: a garbage collection inside it may run code that asks for a number
_MOST = 50_000  # objects without weak references that are remembered


class _Anchor(NamedTuple):
    """Shows whether an address still belongs to the numbered object, by a reference to it or to its type."""

    reference: weakref.ref[Any]
    is_of_type: bool
    number: Token


_known: dict[int, _Anchor] = {}
_by_type: dict[int, int] = {}  # address -> number, of objects that cannot be referenced weakly; oldest first
_MOST_NANS = 64
_MOST_WHOLE = 2**53  # a file holds no larger numbers, and none below 0
_nans: dict[int, tuple[Token, Any]] = {}


def token(obj: Any) -> Token:
    """The number of `obj`.

    Python reuses addresses, so a weak reference shows whether the object is still the same. A few types do not support
    weak references (tuples, objects with bare slots). There only the type is compared, and a rebuilt object of the same
    type at the same address has the number of the old one.
    """
    address = id(obj)
    with _lock:
        known = _known.get(address)
        if known is not None and known.reference() is (type(obj) if known.is_of_type else obj):
            return known.number
        number = Token(next(_numbers))
        try:
            # a call that is C alone: Python raises the Ctrl-C that comes during a callback in it, and drops it there
            anchor = _Anchor(weakref.ref(obj, partial(_known.pop, address)), False, number)
        except TypeError:
            anchor = _Anchor(weakref.ref(type(obj)), True, number)
            _by_type.pop(address, None)
            _by_type[address] = number
            if len(_by_type) > _MOST:
                oldest = next(iter(_by_type))
                its_number = _by_type.pop(oldest)
                if oldest in _known and _known[oldest].number == its_number:
                    del _known[oldest]
        _known[address] = anchor
        return number


def token_of_nan(value: Any) -> Token | None:
    """The number of a NaN, which equals nothing but is found again in a cache if it is the same object. A few are kept
    alive, since a new number would soon be at the address of an old one. None for all others."""
    with _lock:
        known = _nans.get(id(value))
        if known is None and len(_nans) < _MOST_NANS and type(value).__module__ in ("builtins", "numpy"):
            known = _nans[id(value)] = Token(next(_numbers)), value
        return None if known is None else known[0]


def living_tokens() -> set[Token]:
    """The numbers of the objects that still exist, as far as that is known."""
    with _lock:
        return {anchor.number for anchor in list(_known.values())}


def token_of_all(objects: Iterable[Any]) -> Token:
    """A number for several objects in this order; for a single object, its own token."""
    tokens = tuple(map(token, objects))
    return tokens[0] if len(tokens) == 1 else Token(hash(tokens) % _MOST_WHOLE)


def renew_lock() -> None:
    """Replace the lock by one that nobody holds."""
    global _lock
    _lock = system.RLock()
