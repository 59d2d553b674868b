"""What the code of a function reads besides its arguments, and whether that changed between two versions.

In: two signatures.  Out: the reads that changed.
"""

from collections.abc import Iterator

from ..model import Description, Read, Signature
from ..model.equality import are_alike


def compare_reads(before: Signature, after: Signature) -> Iterator[tuple[Read, bool]]:
    """What the code reads besides the arguments and has changed since, and whether that is other code."""
    old = {(read.kind, read.of, read.name): read.value for read in before.reads}
    for read in after.reads:
        was = old.get((read.kind, read.of, read.name), read.value)
        if not are_alike(was, read.value):
            yield read, _is_other_code(was, read.value)


def _is_other_code(before: Description, after: Description) -> bool:
    """Whether two values hold different code, at whatever depth."""
    now = dict(after.fields)
    return before.code != after.code or any(
        _is_other_code(part, now[label]) for label, part in before.fields if label in now
    )
