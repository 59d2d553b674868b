"""What JAX's caches keep alive for each function: versions, their code and constants, the static objects in their keys.

In: a `Recording`.  Out: `Kept`, by lineage.
Must never: count a version that was cleared or whose function no longer exists, or call a version unused if hits are
not seen.
"""

import json
from collections import defaultdict
from functools import lru_cache

from ..model import Compile
from ..model.counting import has_compiled, hits_seen
from ..model.quantities import count, size
from ..model.quick_dataclass import dataclass
from ..recording import Recording
from ..recording.packing import unpack
from .cache import once_for_each_log
from .program.jaxpr import constants_of

_MOST_PACKED_NBYTES = 2_000_000  # of the equations that are read for their constants


@dataclass(frozen=True)
class Kept:
    """What the cache keeps of one function."""

    rows: tuple[Compile, ...]  # its versions
    code_nbytes: int  # as far as known
    constants_nbytes: int
    objects: int  # held by static leaves
    unused: int | None  # versions that were not hit again; None if hits are not seen

    @property
    def nbytes(self) -> int:
        return self.code_nbytes + self.constants_nbytes

    def __str__(self) -> str:
        """ "3 versions, 7.2 MB of constants, 3 static objects; 2 were not hit again"."""
        kinds = (("code", self.code_nbytes), ("constants", self.constants_nbytes))
        parts = [count(len(self.rows), "version")]
        parts += [f"{size(nbytes)} of {name}" for name, nbytes in kinds if nbytes]
        parts += [count(self.objects, "static object")] if self.objects else []
        were = "was" if self.unused == 1 else "were"
        unused = f"; {self.unused:,} {were} not hit again" if self.unused and len(self.rows) > 1 else ""
        return ", ".join(parts) + unused


def kept_alive(recording: Recording) -> dict[str, Kept]:
    """What is kept alive at the end of the recording, or now."""
    facts = recording.facts
    held: dict[str, list[Compile]] = defaultdict(list)
    for row in recording.compiles[facts.held_from :]:
        if has_compiled(row) and row.function_info.token not in facts.gone:
            held[row.lineage].append(row)
    hit, seen = _versions_hit(recording), recording.hits_seen
    left = _MOST_PACKED_NBYTES
    kept = {}
    for lineage, rows in held.items():
        its_hits = hit.get(lineage, set())
        constants_nbytes = 0
        for row in rows:
            packed = facts.texts.get((row.index, "equations"), b"")
            if len(packed) <= left:
                left -= len(packed)
                constants_nbytes += _constants_nbytes(packed)
        tokens = {leaf.static.token for row in rows for leaf in row.signature.static if leaf.static}
        are_hits_known = None not in its_hits and hits_seen(rows[0].function_info, seen) != "none"
        kept[lineage] = Kept(
            rows=tuple(rows),
            code_nbytes=sum(row.memory.generated_code for row in rows if row.memory is not None),
            constants_nbytes=constants_nbytes,
            objects=len(tokens - {None}),
            unused=sum(row.version not in its_hits for row in rows) if are_hits_known else None,
        )
    return kept


@once_for_each_log
def _versions_hit(recording: Recording) -> dict[str, set[int | None]]:
    """The versions of each function that were hit; None where it is not known which one was."""
    hit: dict[str, set[int | None]] = defaultdict(set)
    for call, _ in recording.facts.calls.alike():
        if call.outcome == "hit":
            hit[call.lineage].add(call.version)
    return hit


@lru_cache(maxsize=1024)  # a live panel asks repeatedly
def _constants_nbytes(packed: bytes) -> int:
    return sum(one.nbytes for one in constants_of(json.loads(unpack(packed)))) if packed else 0
