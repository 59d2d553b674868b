"""Versions of a function that compiled to the same program, and the inputs in which they differ.

In: a compile of a `Recording`.  Out: a sentence.
Must never: treat programs as the same that differ in more than names, or compare those of different functions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache

from ..jaxcompat.texts.locations import unnamed_stablehlo
from ..model import Compile
from ..model.counting import has_compiled
from ..model.quantities import listed
from ..reasons.compare import compare
from ..recording import Recording
from ..recording.packing import unpack

_MOST_VERSIONS = 16  # earlier versions that a version is compared with
_MOST_PACKED_NBYTES = 1_000_000  # of one program
_MOST_NAMED = 3


def same_as_before(recording: Recording, row: Compile) -> str:
    """ "versions 1 and 3 are the same program: `rate` is not used"; "" if no other version has this program."""
    program = digest(recording, row)
    before = [one for one in recording.compiles[: row.index] if one.lineage == row.lineage and has_compiled(one)]
    for other in before[-_MOST_VERSIONS:] if program else ():
        if other.transform == row.transform and digest(recording, other) == program:
            differs = list(dict.fromkeys(_tell(other, row)))
            if differs:
                more = [f"{len(differs) - _MOST_NAMED:,} more"] if len(differs) > _MOST_NAMED else []
                why = listed([*differs[:_MOST_NAMED], *more])
                return f"versions {other.version} and {row.version} are the same program: {why}"
    return ""


def _tell(before: Compile, after: Compile) -> Iterator[str]:
    dropped = {*before.dropped, *after.dropped}
    static = {leaf.path for leaf in (*before.signature.static, *after.signature.static)}
    for change in compare(before.signature, after.signature, is_typed=after.function_info.wrapper.compares_types):
        if change.path in dropped:
            yield f"`{change.path}` is not used"
        elif change.path in static:
            yield f"`{change.path}` is static and changes nothing in the program"
        else:
            what = change.kind.replace("_", " ")
            yield (
                f"they differ only in the {what} of `{change.path}`"
                if change.path
                else f"they differ only in the {what}"
            )


def digest(recording: Recording, row: Compile) -> bytes:
    """Equal for programs that differ only in names; empty if the program is unknown or too big."""
    packed = recording.facts.texts.get((row.index, "stablehlo"), b"")
    return _digest_of(packed) if 0 < len(packed) <= _MOST_PACKED_NBYTES else b""


@lru_cache(maxsize=256)
def _digest_of(packed: bytes) -> bytes:
    return hashlib.blake2b(unnamed_stablehlo(unpack(packed)).encode(), digest_size=16).digest()
