"""Which of several dtypes holds the values of the others.

In: names of dtypes.  Out: one of them.
"""

from collections.abc import Iterable

from .patterns import pattern

_DTYPE = pattern(r"(uint|int|bfloat|float|complex)(\d+)")
_RANKS = {"bool": 0, "uint": 1, "int": 1, "bfloat": 2, "float": 2, "complex": 3}


def widest(dtypes: Iterable[str]) -> str | None:
    """The dtype among these that holds every value of the others; None if there is none."""
    names = list(dict.fromkeys(dtypes))
    return next((name for name in names if all(_holds(name, other) for other in names)), None)


def wider(one: str, other: str) -> str:
    """Of two dtypes the one to cast to, which keeps fractions and signs; "" if neither does."""
    found = widest((one, other))
    if found is not None or one.startswith("key<") or other.startswith("key<"):
        return found or ""
    ranks = [_RANKS.get(name.rstrip("0123456789_"), 0) for name in (one, other)]
    sizes = [int(read[2]) if (read := _DTYPE.fullmatch(name)) else 0 for name in (one, other)]
    best = max((0, 1), key=lambda place: ranks[place])
    return (one, other)[best] if ranks[0] != ranks[1] and sizes[best] >= min(sizes[1 - best], 32) else ""


def _holds(dtype: str, other: str) -> bool:
    read, read_other = _DTYPE.fullmatch(dtype), _DTYPE.fullmatch(other)
    if read is None or read_other is None:
        return False
    (kind, bits), (other_kind, other_bits) = read.groups(), read_other.groups()
    is_wider_kind = kind == other_kind or (kind, other_kind) in (("int", "uint"), ("float", "bfloat"))
    return dtype == other or (is_wider_kind and int(bits) > int(other_bits))
