"""What is worth doing, for the top of the screen.

In: the findings of a recording.  Out: `FindingView`s, and the spans of their sentences.
Must never: word anything: the words are those of `jitviz.findings`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..findings import Finding
from ..findings.sentences import cost, notes
from .limits import Limits
from .schema import FindingView, Span
from .words import plain, plain_path, spans


def shape_findings(findings: Sequence[Finding], limits: Limits) -> tuple[FindingView, ...]:
    """The dearest, within `limits`."""
    return tuple(
        FindingView(
            kind=found.kind,
            function=plain(found.function, limits.name_chars),
            source=plain_path(found.source, limits.value_chars),
            seconds=found.seconds,
            count=found.count,
            summary=tell_summary(found, limits),
            cost=plain(cost(found), limits.sentence_chars),
            advice=plain(found.advice, limits.sentence_chars),
            notes=tuple(plain(note, limits.sentence_chars) for note in notes(found)),
            code=found.code,
        )
        for found in findings[: limits.findings]
    )


def tell_summary(found: Finding, limits: Limits) -> tuple[Span, ...]:
    """The sentence; the leaf that is to blame, in the first compile that it caused, can be gone to."""
    path = plain(found.path, limits.sentence_chars)
    leaf = Span(plain_path(path, limits.name_chars), is_code=True, path=path, compile=min(found.compiles, default=-1))
    said = spans(plain(found.summary, limits.sentence_chars))
    place = next((place for place, span in enumerate(said) if span.is_code and path and span.text == path), None)
    return said if place is None else (*said[:place], leaf, *said[place + 1 :])
