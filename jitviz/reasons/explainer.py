"""Why each miss happened, as reasons: the one place that knows the whole procedure.

In: the misses of a log, oldest first, those from before the recording included.  Out: the reasons of each.
Must never: guess. Where a signature was seen before and nothing was cleared, the reason is `unexplained`.

What changed is told from what came before. Whether anyone would expect it is judged with all that is known now: the
second file name looks like a flag until there are many of them, and then the first recompile was no better than the
last; a mend is one for as long as the change does not come back. So reasons are worked out from the changes when they
are asked for, and again when a judgement turned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ..model import Miss, Reason
from .change import Change, Facts
from .compare import STATIC, compare_doubtful, compare_misses, without_trace
from .history import History, MarkedMiss, mark
from .inherent import Words
from .mends import Mends
from .sites import Sites
from .statics import may_differ_unseen
from .values import described, has_hidden, has_own_equals
from .words import tell

# Ahead-of-time work leaves no version that a later call could be expected to hit, until it is compiled.
_LEAVES_A_VERSION = ("call", "compile")
_LOST = Change("cache_cleared", "", "kept in the cache", "cleared from the cache")


class Explainer:
    """Explains the misses it is fed, in order; a pure function of what it was fed."""

    def __init__(self, is_repeated: Callable[[str], bool] = lambda _: False) -> None:
        """`is_repeated` tells whether a line is known to have called more than once."""
        self._histories: dict[str, History] = {}
        self._newest: dict[str, int] = {}  # lineage -> its newest miss
        self._compared: list[int | None] = []
        self._changes: list[tuple[Miss, tuple[Change, ...]]] = []
        self._told: list[tuple[Reason, ...] | None] = []
        self._sites = Sites(is_repeated)
        self._judges = (Words(), Mends(), self._sites)

    def explain(self, miss: Miss) -> tuple[Reason, ...]:
        """The reasons of the next miss, the cause first; never empty."""
        return self.reasons(self.add(miss))

    def add(self, miss: Miss) -> int:
        """Take the next miss; its number, to ask for its reasons."""
        number, lineage = len(self._changes), miss.function.lineage
        history = self._histories.setdefault(lineage, History())
        if miss.is_retry:
            history.forget_newest()
        if miss.cleared:
            history.clear()
        marked = mark(miss, number)
        pair = history.backward_before(marked)
        before: MarkedMiss | None
        if pair is None:
            before, changes = _changes(history, marked)
        else:
            (forward, before), changes = pair, self._changes[self._newest[lineage]][1]
            if changes[0].kind == "transform":  # the forward program was another one, and so is this
                changes = (Change("transform", "", forward.miss.transform, miss.transform),)
        self._compared.append(before.number if before else None)
        self._changes.append((miss, changes))
        self._told.append(None)
        self._newest[lineage] = number
        for judge in self._judges:
            for told_otherwise in judge.add(number, before.miss if before else None, miss, changes):
                self._told[told_otherwise] = None
        if miss.stage in _LEAVES_A_VERSION:
            history.add(marked)
        return number

    def expect(self, miss: Miss) -> tuple[Literal["hit", "miss", "unknown"], int | None]:
        """What JAX's cache has for a call that would be this miss if it is one; the miss whose version a hit would run.

        "unknown" where only an `__eq__` of the user's can tell, or where nobody watched.
        """
        history = self._histories.get(miss.function.lineage, History())
        marked = mark(miss, len(self._changes))
        if history.is_empty:
            return "unknown" if miss.is_warm else "miss", None
        if history.has_seen(marked):
            before = history.same(marked)
            if miss.cleared or history.has_lost(marked) or (before and compare_misses(before.miss, miss)):
                return "miss", None
            is_known = before is not None and not may_differ_unseen(before.miss.signature, miss.signature)
            return ("hit", before.number) if before is not None and is_known else ("unknown", None)
        told_by_users = tuple(leaf.path for leaf in miss.signature.static if has_own_equals(described(leaf)))
        for before in history.kept() if not miss.cleared else ():
            changes = compare_misses(before.miss, miss)
            if all(change.kind in STATIC and change.path.startswith(told_by_users) for change in changes):
                return "unknown", None
        return "miss", None

    def reasons(self, number: int) -> tuple[Reason, ...]:
        """The reasons of miss `number`, counted from 0, as they are judged now."""
        told = self._told[number]
        if told is None:
            miss, changes = self._changes[number]
            judged = changes
            for judge in self._judges:
                judged = tuple(judge.judge(number, miss, change) for change in judged)
            told = tell(judged, miss)
            if not self._sites.is_open(miss, changes):
                self._told[number] = told
        return told

    def compared_with(self, number: int) -> int | None:
        """The number of the earlier miss that the reasons of miss `number` tell the changes from."""
        return self._compared[number]


def _changes(history: History, marked: MarkedMiss) -> tuple[MarkedMiss | None, tuple[Change, ...]]:
    """What changed, and since which earlier miss."""
    miss = marked.miss
    if history.is_empty:
        if miss.is_warm:
            facts = Facts(is_unwatched=True)
            return None, (Change("unexplained", "", "compiled before jitviz watched", "compiled", facts),)
        return None, (Change("first", "", "", ""),)
    if history.has_seen(marked):
        before = history.same(marked)
        return before, _of_seen(history, marked, before.miss if before else miss)
    before = history.nearest(marked)
    changes = compare_misses(before.miss, miss)
    if before.miss.transform != miss.transform:
        # another program of the function has to be made, whatever else differs
        changes = tuple(change for change in changes if change.kind == "transform")
    elif not miss.is_traced:
        changes = without_trace(changes)
    if not changes and miss.cleared:
        return before, (_LOST,)
    return before, changes or _of_equal(before.miss, miss)


def _of_seen(history: History, marked: MarkedMiss, before: Miss) -> tuple[Change, ...]:
    """A signature that was compiled before, as far as its structure tells."""
    never_equal = compare_misses(before, marked.miss)  # NaN
    if never_equal:
        return never_equal
    return (_LOST,) if history.has_lost(marked) else _of_equal(before, marked.miss)


def _of_equal(before: Miss, miss: Miss) -> tuple[Change, ...]:
    """Nothing differs for sure: look at what only a user's `__eq__` could tell, else say that it is not known."""
    doubtful = compare_doubtful(before.signature, miss.signature)
    if doubtful:
        return doubtful
    if before.signature.program != miss.signature.program:
        return (_of_program(miss),)
    static = ((leaf.path, described(leaf)) for leaf in miss.signature.static)
    # another object is always seen to be one
    hidden = (path for path, value in static if value.equality in ("value", "custom") and has_hidden(value))
    observed = "JAX traced it again" if miss.is_traced else "JAX compiled it again, without a trace"
    return (Change("unexplained", "", "a hit was expected", observed, Facts(hidden=tuple(hidden))),)


def _of_program(miss: Miss) -> Change:
    """JAX knows a program by what it made of the user's functions, and has made it anew."""
    if miss.transform:
        return Change("transform", "", miss.transform, miss.transform, Facts(event="anew"))
    return Change("new_function", "", "", "", Facts(event="remade"))
