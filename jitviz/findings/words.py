"""Numbers, times and lists in the sentences of findings.

In: plain values.  Out: short strings.
Must never: know a finding.
"""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """ "1 compile", "2,000 compiles"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def seconds(duration_s: float) -> str:
    """ "12 s", "1.2 s", "120 ms"."""
    if duration_s < 0.9995:
        return f"{duration_s * 1e3:.0f} ms"
    return f"{duration_s:.1f} s" if duration_s < 9.95 else f"{duration_s:.0f} s"


def size(nbytes: float) -> str:
    """ "512 B", "4.2 MB"."""
    units = ("B", "kB", "MB", "GB")
    power = 0
    while nbytes >= 999.5 and power < len(units) - 1:
        nbytes, power = nbytes / 1000, power + 1
    return f"{nbytes:.0f} {units[power]}" if power == 0 or nbytes >= 9.95 else f"{nbytes:.1f} {units[power]}"


def listed(texts: Sequence[str]) -> str:
    """ "a, b and c"."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)
