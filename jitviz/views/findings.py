"""What is worth doing, for the top of the screen.

In: the findings of a recording.  Out: `FindingView`s, and the spans of their sentences.
Must never: word anything: the words are those of `jitviz.findings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..findings import Finding
from ..findings.sentences import effect, place, sizes_of
from ..findings.words import seconds
from .limits import Limits
from .schema import ChoiceView, FindingView, Span
from .words import plain, plain_path, spans

_AVAL = re.compile(r"(?<![\w\]])\w+(?:<\w+>)?\[[\d,]*\]")
_PART = re.compile(r"[\w<>]+")


def shape_findings(findings: Sequence[Finding], limits: Limits) -> tuple[FindingView, ...]:
    """The most expensive, within `limits`."""
    return tuple(
        FindingView(
            kind=found.kind,
            function=plain(found.function, limits.name_chars),
            source=plain_path(found.source, limits.value_chars),
            seconds=found.seconds,
            count=found.count,
            summary=tell_summary(found, limits),
            cost="" if found.kind == "op_by_op" else plain(place(found), limits.sentence_chars),
            advice=plain(found.advice, limits.sentence_chars),
            effect=plain(effect(found), limits.sentence_chars),
            code=found.code,
            choices=_choices(found),
            compiles=found.compiles[: limits.finding_compiles],
        )
        for found in findings[: limits.findings]
    )


def advice_by_change(findings: Sequence[Finding]) -> dict[tuple[int, str, str], str]:
    """What to do about a change, by compile, kind and path: the advice of the cause, which is for all of its leaves."""
    return {
        (index, found.reason, path): "" if path in found.also else found.advice
        for found in findings
        if found.reason
        for index in found.compiles
        for path in (*found.also, found.path)
    }


def _choices(found: Finding) -> tuple[ChoiceView, ...]:
    if found.plan is None:
        return ()
    return tuple(
        ChoiceView(
            name=choice.name,
            sizes=sizes_of(choice),
            compiles=choice.compiles,
            padding=f"{choice.padding:.0%}",
            saved=seconds(choice.saved_s),
            code="" if choice.code == found.code else choice.code,
            is_best=place == found.plan.best,
        )
        for place, choice in enumerate(found.plan.choices)
    )


def tell_summary(found: Finding, limits: Limits) -> tuple[Span, ...]:
    """The sentence; the leaf that is to blame, in the first compile that it caused, can be gone to."""
    path = plain(found.path, limits.sentence_chars)
    leaf = Span(plain_path(path, limits.name_chars), is_code=True, path=path, compile=min(found.compiles, default=-1))
    said = spans(plain(found.summary, limits.sentence_chars))
    place = next((place for place, span in enumerate(said) if span.is_code and path and span.text == path), None)
    if place is None:
        return said
    return (*said[:place], leaf, *(piece for span in said[place + 1 :] for piece in _differing(span)))


def _differing(span: Span) -> Iterator[Span]:
    """Two types of an array in a row: what they differ by is strong."""
    found = list(_AVAL.finditer(span.text))
    if span.is_code or len(found) != 2:
        yield span
        return
    first, second = (list(_PART.finditer(span.text, *match.span())) for match in found)
    ends = [
        one.span()
        for mine, other in ((first, second), (second, first))
        for place, one in enumerate(mine)
        if len(mine) != len(other) or one[0] != other[place][0]
    ]
    end = 0
    for start, stop in ends:
        yield Span(span.text[end:start])
        yield Span(span.text[start:stop], is_strong=True)
        end = stop
    if end < len(span.text):
        yield Span(span.text[end:])
