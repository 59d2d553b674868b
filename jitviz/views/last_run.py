"""What an edit did: a cell beside its last run.

In: a recording of a cell, which knows the recording of its last run as long as the kernel keeps that.
Out: spans for a line, and the recording of the last run.
"""

from collections.abc import Iterator

from ..findings.comparison import total
from ..model import arrow, first_of, is_recompile, listed
from ..recording import Recording
from .schema import Span
from .screen_limits import NAME_CHARS
from .words import plain, plain_path

_MOST_CAUSES = 3


def tell_last_run(recording: Recording) -> tuple[Span, ...]:
    """ "Since the last run: 9 → 5 compiles, 19 → 12 s; gone: `opt_state.count`; new: none", or nothing."""
    cells = recording.facts.cells
    if len(cells) != 1 or not cells[0].last_run or recording.is_live:
        return ()
    was, now = (cells[0].last_compiles, cells[0].last_s), total(recording)
    if not (was[0] or now[0]):
        return ()
    compiles = f"{was[0]:,} → {now[0]:,} compile{'s' * (now[0] != 1)}"
    spans = [Span(f"Since the last run: {compiles}, {arrow(was[1], now[1])}")]
    before = recording.last_run
    if before is not None:
        old, new = _causes(before), _causes(recording)
        for word, causes in (("gone", old.keys() - new.keys()), ("new", new.keys() - old.keys())):
            spans += [Span(f"; {word}: "), *_tell([(old | new)[cause] for cause in old | new if cause in causes])]
    return tuple(spans)


def _causes(recording: Recording) -> dict[tuple[str, str, str], str]:
    """What made functions compile again: the leaf, or the kind of what is none."""
    causes: dict[tuple[str, str, str], str] = {}
    for row in filter(is_recompile, recording.compiles):
        reason = row.reasons[0]
        named = f"`{plain_path(reason.path, NAME_CHARS)}`" if reason.path else plain(reason.kind.replace("_", " "), 40)
        causes.setdefault((row.function, reason.kind, reason.path), named)
    return causes


def _tell(causes: list[str]) -> Iterator[Span]:
    text = listed(first_of(list(dict.fromkeys(causes)), _MOST_CAUSES)) or "none"
    for place, piece in enumerate(text.split("`")):
        if piece:
            yield Span(piece, is_code=bool(place % 2))
