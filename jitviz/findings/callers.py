"""Which callers lead to which versions, where one line calls for all of them: a helper's line says little.

In: the versions of a function.  Out: `Caller`s, in the order of their first version.
"""

from collections.abc import Sequence
from itertools import zip_longest

from ..model import Compile
from ..model.finding import Caller


def callers_of(rows: Sequence[Compile], source: str) -> tuple[Caller, ...]:
    """The lines above `source` at which the stacks of these versions part; none if they have one way in common."""
    at_line = [row for row in rows if row.stack[:1] == (source,)]
    levels = zip_longest(*(row.stack for row in at_line), fillvalue="")
    parted = next((lines for lines in levels if len({*lines}) > 1), ())
    versions: dict[str, list[int]] = {}
    for line, row in zip(parted, at_line, strict=False):
        versions.setdefault(line, []).append(row.version)
    return tuple(Caller(line, tuple(numbers)) for line, numbers in versions.items() if line)


def tell_callers(callers: Sequence[Caller], most: int) -> str:
    """ "version 1 from train.py:7, versions 2 and 3 from train.py:9"; "" if there are none."""
    told = [f"{_versions(caller)} from {caller.source}" for caller in callers[:most]]
    more = [f"{len(callers) - most:,} more callers"] if len(callers) > most else []
    return ", ".join((*told, *more))


def _versions(caller: Caller) -> str:
    first, *others = caller.versions
    if not others:
        return f"version {first}"
    return f"versions {first} {'…' if len(others) > 1 else 'and'} {others[-1]}"
