"""Reasons: each change in one sentence that a newcomer understands, with one thing to do about it.

In: the changes of one miss, the cause first.  Out: reasons. The words of a kind are in its file in `kinds/`.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ..model import Judgement, Miss, Reason, listed
from ..model.reason import told_when_read
from .change import Change
from .kinds import KIND_OF
from .subject import Subject, Subjects

_MOST_HIDDEN = 3


def tell(changes: Sequence[Change], miss: Miss, judged: Callable[[], Judgement]) -> tuple[Reason, ...]:
    """One reason per change, in the same order. Its words are made when they are read: few reasons of many are shown.
    `judged` says whether the miss was avoidable, for which programs may have to be compared."""
    moved = frozenset(change.path for change in changes if KIND_OF[change.kind].form == "place")
    subjects = Subjects(changes, miss, judged, moved)
    return tuple(
        told_when_read(
            partial(_word, subjects, number),
            kind=change.kind,
            path=change.path,
            before=change.before,
            after=KIND_OF[change.kind].after(change),
            shape_before=change.shape_before,
            shape=change.shape,
        )
        for number, change in enumerate(changes)
    )


def _word(subjects: Subjects, number: int, name: str) -> object:
    return _WORDS[name](subjects[number])


def _summary(change: Subject) -> str:
    said = KIND_OF[change.kind].say(change)
    hidden = listed([f"`{path}`" for path in change.outdated[:_MOST_HIDDEN]])
    return f"{said}; {hidden} changed as well, so the recompile was needed." if hidden else f"{said}."


def _advice(change: Subject) -> str:
    """None about what was compiled ahead of time, as intended."""
    if change.miss.stage != "call" or change.is_mended:
        return ""
    if change.outdated:
        return f"Nothing to fix: without this recompile, a program with the old `{change.outdated[0]}` would have run."
    kind, judgement = KIND_OF[change.kind], change.judgement
    says_why = kind.is_always_advised or change.flag == "yes" or change.event in ("options", "edited")
    if judgement.verdict == "expected" and judgement.words and not says_why:
        return f"Nothing to fix if you need both ({judgement.words})."
    return kind.advise(change)


def _is_expected(change: Subject) -> bool:
    return change.kind != "first" and change.judgement.verdict == "expected"


def _often(change: Subject) -> str:
    said = "" if change.outdated else KIND_OF[change.kind].say_often(change)
    return f"{said}." if said else ""


_WORDS: dict[str, Callable[[Subject], object]] = {
    "summary": _summary,
    "advice": _advice,
    "inherent": _is_expected,
    "often": _often,
}
