"""Numbers, durations, sizes, array types and lists as readable text; which of several dtypes holds the others.

In: plain values.  Out: short strings.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
SHORT_DTYPES = {"bfloat": "bf", "float": "f", "uint": "u", "int": "i", "complex": "c"}
_PLURALS = {"entry": "entries", "leaf": "leaves", "is": "are", "child process": "child processes"}


def count(number: int, noun: str) -> str:
    """`count(1, "hit")` is "1 hit", `count(2000, "leaf")` is "2,000 leaves"."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    return _PLURALS.get(noun, noun + "s")


def seconds(value: float | None) -> str:
    """A duration with two significant digits below 10 and its unit, in minutes from ten on; None is "time unknown".
    Nothing else rounds seconds, so that one duration is one text on every screen."""
    if value is None:
        return "time unknown"
    if value >= 599.5:
        return f"{round(value) // 60} min {round(value) % 60} s"
    for unit, size in UNITS.items():
        if value >= 0.9995 * size:
            number = value / size
            return f"{number:.1f} {unit}" if number < 9.95 else f"{number:.0f} {unit}"
    return "0 s" if value <= 0 else "<1 µs"


def arrow(before_s: float, after_s: float) -> str:
    """ "0.2 → 17 s", "90 ms → 17 s"."""
    (was, unit), (now, now_unit) = (seconds(one).rsplit(" ", 1) for one in (before_s, after_s))
    return (
        f"{was} → {now} {unit}" if unit == now_unit and "min" not in was + now else f"{was} {unit} → {now} {now_unit}"
    )


def size(nbytes: float) -> str:
    """A number of bytes in decimal units: "512 B", "1.2 MB"."""
    return _scaled(nbytes, "B", "kB", "MB", "GB", "TB")


def quantity(number: float) -> str:
    """A large number in words: "1.2 million", "512"."""
    return _scaled(number, "", "thousand", "million", "billion", "trillion").strip()


def _scaled(number: float, *units: str) -> str:
    number, power = min(number, 10**300), 0  # the size of a shape that a file made up is no float
    while number >= 999.5 and power < len(units) - 1:
        number, power = number / 1000, power + 1
    unit = units[power]
    return f"{number:.0f} {unit}" if number >= 9.95 or number == int(number) else f"{number:.1f} {unit}"


@lru_cache(maxsize=1024)
def array_type(dtype: str, shape: tuple[int, ...]) -> str:
    """JAX's short form of an array type: "f32[3,4]" for "float32", "f8_e4m3fn[]", "key<fry>[]"."""
    for long, brief in SHORT_DTYPES.items():
        if dtype.startswith(long) and dtype[len(long) : len(long) + 1].isdigit():
            dtype = brief + dtype[len(long) :]
            break
    return f"{dtype}[{','.join(map(str, shape))}]"


def shortened(text: str, most: int = 60) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def median(numbers: Iterable[float]) -> float:
    """The middle of some numbers; `statistics` would take two milliseconds to import."""
    ordered = sorted(numbers)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def first_of(texts: Sequence[str], most: int, n_more: int = 0) -> list[str]:
    """The first `most` texts, then how many more there are; `n_more` are not even among these."""
    n_more += max(0, len(texts) - most)
    return [*texts[:most], *[f"{n_more:,} more"] * bool(n_more)]


def listed(texts: Sequence[str]) -> str:
    """ "a, b and c"."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


_DTYPE = re.compile(r"(uint|int|bfloat|float|complex)(\d+)")
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
