"""The difference between two compiled programs, as text.

In: two compiles.  Out: a summary in words, and a unified diff.
"""

from collections.abc import Iterator, Sequence

from ..model import Compile, ListingName
from ..model.printable import Words
from ..views import Difference, plain
from ..views.program import compare, shape_listing
from ..views.program.texts import check_compile

_WIDEST = 60  # characters of a function's name


def diff(before: Compile, after: Compile, text: ListingName = "jaxpr", context: int = 3) -> str:
    """Say how two compiled versions differ. They may be of one function, of two functions, or of two recordings.

    >>> print(jitviz.diff(rec.compiles[0], rec.compiles[1]))

    A summary in words ("+ 3 convert_element_type", "shapes 32 → 17") is followed by a unified diff. Names of variables
    do not count, since they change with every added or removed line.

    Args:
        before: the first program.
        after: the second program.
        text: "jaxpr", "stablehlo" or "hlo".
        context: the number of unchanged lines around each change.

    Raises:
        LookupError: one of them has no such text; the message is a sentence for people.
        TypeError: one of them is not a compile.
    """
    compiles = [check_compile(compile, "diff") for compile in (before, after)]
    texts = [shape_listing(compile.recording, compile.index, text) for compile in compiles]
    difference = compare(texts[0], texts[1], text)
    titles = [f"{plain(compile.function, _WIDEST)}, version {compile.version}, {text}" for compile in (before, after)]
    head = [f"--- {titles[0]}", f"+++ {titles[1]}", ", ".join(difference.summary)]
    return Words("\n".join([*head, *_unify(difference, texts[0].split("\n"), texts[1].split("\n"), context)]))


def _unify(difference: Difference, before: Sequence[str], after: Sequence[str], context: int) -> Iterator[str]:
    """The hunks of a unified diff; hunks whose contexts touch are merged."""
    hunks = difference.hunks
    changes = list(zip(hunks.before, hunks.before_end, hunks.after, hunks.after_end, strict=True))
    while changes:
        n = next((n for n in range(1, len(changes)) if changes[n][0] - changes[n - 1][1] > 2 * context), len(changes))
        group, changes = changes[:n], changes[n:]
        start, end = max(0, group[0][0] - context), min(len(before), group[-1][1] + context)
        other_start = group[0][2] - (group[0][0] - start)
        other_end = group[-1][3] + end - group[-1][1]
        yield f"@@ -{_span(start, end)} +{_span(other_start, other_end)} @@"
        for removed, removed_end, added, added_end in group:
            yield from (f" {line}" for line in before[start:removed])
            yield from (f"-{line}" for line in before[removed:removed_end])
            yield from (f"+{line}" for line in after[added:added_end])
            start = removed_end
        yield from (f" {line}" for line in before[start:end])


def _span(start: int, end: int) -> str:
    return f"{start + (end > start)},{end - start}"
