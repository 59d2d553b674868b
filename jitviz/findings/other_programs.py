"""Processes that compiled other programs for a function though they called it with equal arguments.

In: the versions of one function in several processes.  Out: which processes differ, and a sentence on what in.
Must never: take programs for others that differ in names or in where the source lies.

The first operation that differs names the line; where the numbers of an operation differ, an unrolled loop is likely.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ..jaxcompat.texts.locations import Locations, plain_stablehlo
from ..jaxcompat.texts.program_lines import brief, operation_of
from ..jaxcompat.texts.stablehlo import read_operations
from ..model import Compile
from ..model.quantities import count, shortened
from ..recording import Recording
from ..recording.packing import unpack
from .program.places import Places

_MOST_PACKED_NBYTES = 1_000_000  # of one program


class OtherPrograms(NamedTuple):
    """The `odd` versions have one program, the `usual` ones another; both by process, in order."""

    odd: Mapping[str, Compile]
    usual: Mapping[str, Compile]


class _Operation(NamedTuple):
    """An operation without the names of its values, and the line of the user's source that it comes from."""

    name: str
    text: str
    source: str


def other_programs(recording: Recording, versions: Mapping[str, Compile]) -> Iterator[OtherPrograms]:
    """Those of a version's processes that compiled another program than most, or than the first, did."""
    by_program: dict[str, dict[str, Compile]] = defaultdict(dict)
    for label, row in versions.items():
        if row.fingerprint and 0 < len(packed_of(recording, row)) <= _MOST_PACKED_NBYTES:
            by_program[row.fingerprint][label] = row
    usual, *others = sorted(by_program.values(), key=len, reverse=True) or [{}]
    for odd in others:
        yield OtherPrograms(odd, usual)


def tell_difference(new: bytes, old: bytes, who: str, whose: str) -> str:
    """ "8 slices at w.py:7 where process 0 has 4; the first operation that differs is …"; "" if that is not known.

    `who` compiled the new program; `whose` is the old one: "process 0".
    """
    mine, others = map(_operations, (new, old))
    pairs = zip_longest(mine, others)
    one, other = next((pair for pair in pairs if None in pair or pair[0][:2] != pair[1][:2]), (None, None))
    if (shown := one or other) is None:
        return ""
    what, place = _cut(shown), f" at {shown.source}" if shown.source else ""
    if one is None or other is None:
        what, place = f"{what}{place}", f", which only {who if one else whose} has"
    else:
        what += ", with other values" if what == _cut(other) else f", in {whose} {_cut(other)}"
    number = _tell_number(mine, others, whose)
    return f"{number}{number and '; '}the first operation that differs is {what}{place}"


def _tell_number(mine: Sequence[_Operation], others: Sequence[_Operation], whose: str) -> str:
    """The first operation, by its line, of which there are more or fewer."""
    numbers, before = (Counter((one.name, one.source) for one in some) for some in (mine, others))
    for name, source in dict.fromkeys([*numbers, *before]):
        n, n_before = numbers[name, source], before[name, source]
        if n != n_before and source and name != "constant":
            return f"{count(n, name)} at {source} where {whose} has {n_before:,}"
    return ""


def _cut(one: _Operation) -> str:
    return f"`{shortened(one.text)}`"


def packed_of(recording: Recording, row: Compile) -> bytes:
    """Its StableHLO as it is kept, empty if it is not; of a compile before the recording, none is."""
    return recording.facts.texts.get((row.index, "stablehlo"), b"")


def _operations(packed: bytes) -> list[_Operation]:
    text, places = unpack(packed), Places()
    plain = plain_stablehlo(text).split("\n")
    operations, files = read_operations(text, Locations(text, places)), list(places.files)
    lines = [f"{files[frame.file]}:{frame.line}" for frame in places.frames]
    found = []
    for one in operations:
        if name := operation_of(plain[one.line], "stablehlo"):
            chain = next((origin.chain for origin in one.origins if origin.chain), ())
            found.append(_Operation(name, brief(plain[one.line]), lines[chain[-1]] if chain else ""))
    return found
