"""What is worth doing, for the top of the screen.

In: the findings of a recording.  Out: `FindingView`s, and the spans of their sentences.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..findings import find
from ..findings.sentences import effect, how_to_try, place, sizes_of
from ..model import Finding, seconds
from ..recording import Recording
from .headline import tell_rest
from .schema import ChoiceView, FindingView, PlanView, Span
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from .words import plain, plain_path, read_spans

# An array type in a sentence ("f32[128,2]"). Sentences are whole text, so the types are found in them again.
_AVAL = re.compile(r"(?<![\w\]])\w+(?:<\w+>)?\[[\d,]*\]")
_TELL_PLACE = ("op_by_op", "eager_loop", "unused_jit", "slow_trace")  # in their own sentences
_LEAST_S = 1e-3
_ALSO = ("slow_compile", "constant", "donation", "kept_alive", "memory")
_MOST_ALSO = 8
_PART = re.compile(r"[\w<>]+")
CAUSE_WORDS, ADVICE_WORDS = 12, 15
_ASIDE = re.compile(r" \((?:[^()`]|`[^`]*`)*\)|, such as (?:[^,;:.`]|`[^`]*`)*,?")
_CLAUSE = re.compile(r"[;:,.](?= |$)")
_JOINT = re.compile(r" (?=(?:and|but|so|when|while|where|which|that|if|because|since|unless|instead|for|with) )")
# Such a clause waits for another.
_HANGING = re.compile(r"(?:^Since|(?:^|[;:,.] )(?:If|if|When|when|Unless|unless))\b[^;:,.]*$")
_COUNT = re.compile(r" of [\d,]+ items")
_FEW = 3  # words that say enough


def shape_findings(
    findings: Sequence[Finding], edits: Sequence[Sequence[str]], limits: Limits, label: str
) -> tuple[FindingView, ...]:
    """The most expensive, within `limits`; `edits` are the lines that each asks to change."""
    return tuple(
        FindingView(
            kind=finding.kind,
            function=plain(finding.function, NAME_CHARS),
            source=plain_path(finding.source, VALUE_CHARS),
            seconds=finding.seconds,
            saves_s=0.0 if finding.is_maybe else finding.saves_s,
            count=finding.count,
            summary=tell_summary(finding),
            cost="" if finding.kind in _TELL_PLACE else plain(place(finding), SENTENCE_CHARS),
            advice=plain(finding.advice, SENTENCE_CHARS),
            effect=plain(
                "; ".join(filter(None, (effect(finding), how_to_try(finding, number, label)))), SENTENCE_CHARS
            ),
            code=finding.code,
            choices=_choices(finding),
            compiles=finding.compiles[: limits.finding_compiles],
            edits=tuple(plain_path(place, VALUE_CHARS) for place in places),
            number=number,
            is_also=is_also(finding),
            cause=tell_summary(replace(finding, summary=briefly(finding.summary, CAUSE_WORDS))),
            brief=plain(briefly(finding.advice, ADVICE_WORDS), SENTENCE_CHARS),
            paths=tuple(plain_path(path, SENTENCE_CHARS) for path in (finding.path, *finding.also) if path),
            plan=_plan(finding),
        )
        for number, (finding, places) in enumerate(zip(findings[: limits.findings], edits, strict=True), 1)
    )


def is_also(finding: Finding) -> bool:
    """Whether it is no counted cause of what happened here: an estimate, memory, or what the disk would spare."""
    return finding.is_estimated or finding.kind in _ALSO


def tell_also(recording: Recording, findings: Sequence[Finding]) -> str:
    """ "2.1 s for first compiles · 1.2 s outside any jit · …": where else time went, in one line; or ""."""
    told = tell_rest(recording)
    for finding in filter(is_also, findings[:_MOST_ALSO]):
        spent_s = finding.saves_s or finding.seconds
        told.append(f"{seconds(spent_s)}: " * bool(spent_s) + briefly(finding.summary, CAUSE_WORDS))
    return plain(" · ".join(told), SENTENCE_CHARS)


def advice_by_change(recording: Recording) -> dict[tuple[int, str, str], str]:
    """The advice on a change, by compile, kind and path. Leaves that changed together get it once."""
    return {
        (index, finding.reason, path): "" if path in finding.also else finding.advice
        for finding in find(recording)
        if finding.reason
        for index in finding.compiles
        for path in (*finding.also, finding.path)
    }


def _plan(finding: Finding) -> PlanView | None:
    if finding.plan is None:
        return None
    size, calls, group, spent = zip(*finding.plan.versions, strict=True)
    return PlanView(size, calls, group, spent, finding.plan.compiles)


def _choices(finding: Finding) -> tuple[ChoiceView, ...]:
    if finding.plan is None:
        return ()
    return tuple(
        ChoiceView(
            name=choice.name,
            sizes=sizes_of(choice),
            compiles=choice.compiles,
            padding=choice.padded,
            run=f"{seconds(choice.run_s)} more to run" if choice.run_s > _LEAST_S else "",
            saved=seconds(choice.saved_s),
            code="" if choice.code == finding.code else choice.code,
            is_best=place == finding.plan.best,
            lines=choice.sizes,
        )
        for place, choice in enumerate(finding.plan.choices)
    )


def tell_summary(finding: Finding) -> tuple[Span, ...]:
    """The sentence of a finding. The leaf that caused it is linked to the first compile that it caused."""
    path, short = plain_path(finding.path, SENTENCE_CHARS), plain_path(finding.path, NAME_CHARS)
    leaf = Span(short, is_code=True, path=path, compile=min(finding.compiles, default=-1))
    summary = finding.summary.replace(f"`{finding.path}`", f"`{short}`") if finding.path else finding.summary
    spans = read_spans(plain(summary[:1].upper() + summary[1:], SENTENCE_CHARS))
    place = next((place for place, span in enumerate(spans) if span.is_code and path and span.text == short), None)
    if place is None:
        return spans
    return (*spans[:place], leaf, *(piece for span in spans[place + 1 :] for piece in _emphasise_changes(span)))


def _emphasise_changes(span: Span) -> Iterator[Span]:
    """Split a span that compares two array types, so that the parts that differ are strong."""
    types = [list(_PART.finditer(span.text, *match.span())) for match in _AVAL.finditer(span.text)]
    if span.is_code or len(types) != 2:
        yield span
        return
    parts = [part for parts_of_type in types for part in parts_of_type]
    if len(types[0]) == len(types[1]):
        parts = [part for place, part in enumerate(parts) if part[0] != parts[place - len(types[0])][0]]
    end = 0
    for part in parts:
        yield Span(span.text[end : part.start()])
        yield Span(part[0], is_strong=True)
        end = part.end()
    if end < len(span.text):
        yield Span(span.text[end:])


def briefly(sentence: str, most: int) -> str:
    """The sentence without what is in parentheses and without its full stop; of a longer one, the longest clauses that
    fit, or else what stands before a conjunction, or its first words."""
    text = _ASIDE.sub("", sentence).strip().rstrip(".")
    # What differs says more than what does not; but what comes first in several clauses says most.
    after = text if re.search("[;:]", text) else text.rpartition(", but ")[2]
    for shorter in (text, _COUNT.sub("", text), f"{after[:1].upper()}{after[1:]}"):
        if _n_words(shorter) <= most:
            return shorter
    for joint in (_CLAUSE, _JOINT):
        ends = (match.start() for match in joint.finditer(text) if text.count("`", 0, match.start()) % 2 == 0)
        told = [text[:end] for end in ends if not _HANGING.search(text[:end])]
        fitting = [clauses for clauses in told if _FEW <= _n_words(clauses) <= most]
        if fitting:
            return fitting[-1]
    cut = " ".join(text.split(" ")[: most - 1])
    return cut.rpartition("`")[0].rstrip() + "…" if cut.count("`") % 2 else f"{cut} …"


def _n_words(text: str) -> int:
    """Words; an arrow is none, and code is one."""
    return len([word for word in re.sub(r"`[^`]*`", "code", text).split() if word != "→"])
