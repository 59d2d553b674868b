"""The reasons of each miss: the one place that knows the whole procedure.

In: the misses of a log, oldest first, including those from before the recording.  Out: the reasons of each.
Must never: guess. If a signature was seen before and nothing was cleared, the reason is `unexplained`.

The changes of a miss depend only on the misses before it. Whether a user would expect them is judged with everything
that is known by now: the second file name looks like a flag until there are many file names, and then the first
recompile was as avoidable as the last; a mend counts as one only while the change does not come back. So reasons are
derived from the changes on demand, and judged again after each further miss of the lineage.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ..model import Judgement, Leaf, Miss, Reason
from ..model.equality import has_hidden
from .avoidable import Expectations, Programs, judge
from .change import Change
from .compare import compare_doubtful, compare_misses, with_reads, without_places, without_trace
from .kinds import KIND_OF
from .nearest import MarkedMiss, Versions, mark
from .placements import may_be_returned
from .statics import may_differ_unseen
from .values import described
from .words import tell

# Ahead-of-time work leaves no version that a later call can hit, unless it is compiled.
_LEAVES_A_VERSION = ("call", "compile")
_another = itertools.count().__next__
_LOST = Change("cache_cleared", "", "kept in the cache", "cleared from the cache")


@dataclass
class _Known:
    """The reasons of a miss, from changes that were judged when `newest` was the newest miss of the lineage and
    `n_known` how much of the rest was known; `before` is the miss that they compare with. `is_open` says that the next
    call, or a program that is read, may change the judgement, which is None until somebody asks for it."""

    newest: int
    n_known: int
    before: int | None
    judged: tuple[Change, ...]
    reasons: tuple[Reason, ...]
    is_open: bool
    judgement: Judgement | None = None


class Explainer:
    """Explains misses, added in order; the reasons depend on nothing but these misses and what it is told at first."""

    def __init__(
        self,
        is_repeated: Callable[[str], bool] = lambda _: False,
        dropped: Callable[[int], Collection[str]] = lambda _: (),
        outputs: Callable[[int], Sequence[Leaf]] = lambda _: (),
        programs: Programs | None = None,
        n_known: Callable[[], int] = _another,
        ask: Callable[[int], Judgement] | None = None,
    ) -> None:
        """`is_repeated` says whether a line of source is known to have called more than once, `dropped` which inputs
        the program of a miss does not use, `outputs` what it returns, and `programs` what else is known of these.
        `n_known` is another number once any of these may answer differently. `ask` is how the words of reasons, which
        are made when somebody reads them, ask for the judgement of a miss; without it, each is made at once."""
        self._dropped, self._outputs, self._programs, self._n_known = dropped, outputs, programs, n_known
        self._ask = ask
        self._versions_of: dict[str, Versions] = {}
        self._newest: dict[str, int] = {}  # lineage -> its newest miss
        self._n_of: Counter[str] = Counter()  # lineage -> its misses
        self._n_before: list[int] = []  # of the lineage of each miss
        self._compared: list[int | None] = []
        self._changes: list[tuple[Miss, tuple[Change, ...]]] = []
        self._known: dict[int, _Known] = {}
        self._expectations = Expectations(is_repeated)

    def explain(self, miss: Miss) -> tuple[Reason, ...]:
        """Add the next miss and return its reasons, the cause first; there is always at least one."""
        return self.reasons(self.add(miss))

    def add(self, miss: Miss) -> int:
        """Add the next miss and return its number."""
        number, lineage = len(self._changes), miss.function_info.lineage
        versions = self._versions_of.setdefault(lineage, Versions())
        if miss.is_retry:
            versions.forget_newest()
        if miss.cleared:
            versions.clear()
        marked = mark(miss, number)
        before, changes = self._compare_backward(versions, marked) or self._compare(versions, marked)
        self._compared.append(before.number if before else None)
        self._changes.append((miss, changes))
        self._newest[lineage] = number
        self._n_before.append(self._n_of[lineage])
        self._n_of[lineage] += 1
        self._expectations.add(number, before.miss if before else None, miss, changes)
        if miss.stage in _LEAVES_A_VERSION:
            versions.add(marked)
        return number

    def expect(self, miss: Miss) -> tuple[Literal["hit", "miss", "unknown"], int | None]:
        """Whether a call that would cause this miss is a hit instead, and the miss whose version the hit would run.
        "unknown" if only a user-defined `__eq__` decides, or if the function was compiled before jitviz watched."""
        versions = self._versions_of.get(miss.function_info.lineage, Versions())
        marked = mark(miss, len(self._changes))
        if versions.is_empty:
            return "unknown" if miss.is_warm else "miss", None
        if versions.has_seen(marked):
            before = versions.same(marked)
            if miss.cleared or versions.has_lost(marked) or (before and compare_misses(before.miss, miss)):
                return "miss", None
            is_known = before is not None and not may_differ_unseen(before.miss.signature, miss.signature)
            return ("hit", before.number) if before is not None and is_known else ("unknown", None)
        for before in reversed(versions.kept()) if not miss.cleared else ():
            changes = compare_misses(before.miss, miss)
            rest = without_places(changes, before.miss, miss, self._dropped(before.number))
            if changes and not rest and not versions.has_lost(before):
                return "hit", before.number
            if all(change.is_doubtful for change in rest):
                return "unknown", None
        return "miss", None

    def reasons(self, number: int) -> tuple[Reason, ...]:
        """The reasons of miss `number`, counted from 0, as judged now."""
        return self._judged(number).reasons

    def judgement(self, number: int) -> Judgement:
        """Whether miss `number` was avoidable, as judged now."""
        return self._judgement(number, self._judged(number))

    def _judged(self, number: int) -> _Known:
        miss, changes = self._changes[number]
        known, newest, n_known = self._known.get(number), self._newest[miss.function_info.lineage], self._n_known()
        is_closed = known is not None and known.judgement is not None and not known.is_open
        if known is not None and known.newest == newest and (is_closed or known.n_known == n_known):
            return known
        is_open = self._expectations.is_open(number, miss, changes)
        judged = tuple(self._expectations.judge(number, miss, change) for change in changes)
        before, judged = self._by_program(number, judged)
        is_open |= any(change.kind == "shape" for change in judged)
        now = _Known(newest, n_known, before, judged, (), is_open)
        if known and known.judged == judged and known.judgement in (None, self._judgement(number, now)):
            now.reasons = known.reasons
        elif self._ask is not None:
            now.reasons = tell(judged, miss, partial(self._ask, number))
        else:  # at once: reasons that ask this explainer later, which keeps them, would be a cycle
            judgement = self._judgement(number, now)
            now.reasons = tell(judged, miss, lambda: judgement)
        self._known[number] = now
        return now

    def _judgement(self, number: int, known: _Known) -> Judgement:
        if known.judgement is None:
            before = known.before
            is_warmed = before is not None and self._changes[before][0].stage != "call"
            known.judgement = judge(
                number, before, self._changes[number][0], known.judged, self._programs, is_warmed=is_warmed
            )
            known.is_open |= known.judgement.verdict == "maybe"
        return known.judgement

    def _by_program(self, number: int, changes: tuple[Change, ...]) -> tuple[int | None, tuple[Change, ...]]:
        """What to compare miss `number` with, and its changes. What was avoidable is seen beside the same program, and
        the arguments of another one may be nearer."""
        nearest, programs = self._compared[number], self._programs
        are_several = nearest is not None and self._n_before[number] > 1
        alike = programs.alike(number) if programs and are_several else None
        if programs is None or nearest is None or alike is None or alike == nearest:
            return nearest, changes
        old, before, miss = (self._changes[one][0] for one in (nearest, alike, number))
        difference = programs.difference(nearest, number)
        is_shown = difference is None or difference.kind == "same" or difference.is_arithmetic
        is_other_object = before.function_info.token != old.function_info.token == miss.function_info.token
        if is_shown or is_other_object or old.stage != "call" or not KIND_OF[changes[0].kind].is_judged_by_program:
            return nearest, changes
        since = _decided(compare_misses(before, miss))
        if not since:
            return nearest, changes
        since = without_places(since, before, miss, self._dropped(alike)) or since
        return alike, with_reads(since, before, miss)

    def _compare_backward(self, versions: Versions, marked: MarkedMiss) -> tuple[MarkedMiss, tuple[Change, ...]] | None:
        """For the backward program of a gradient, the one before, and the changes of its forward program."""
        pair = versions.backward_before(marked)
        if pair is None:
            return None
        forward, before = pair
        changes = self._changes[self._newest[marked.miss.function_info.lineage]][1]
        if changes[0].kind == "transform":  # the forward program has another transform, and so has this one
            changes = (Change("transform", "", forward.miss.transform, marked.miss.transform),)
        return before, changes

    def _compare(self, versions: Versions, marked: MarkedMiss) -> tuple[MarkedMiss | None, tuple[Change, ...]]:
        """The earlier miss to compare with, and what changed since that its program depends on."""
        before, changes = _compare_nearest(versions, marked)
        if before is not None:
            changes = without_places(changes, before.miss, marked.miss, self._dropped(before.number)) or changes
            moved = {change.path for change in changes if change.kind == "sharding"}
            outputs = self._outputs(before.number) if moved else ()
            back = {
                leaf.path
                for leaf in marked.miss.signature.traced
                if leaf.path in moved and may_be_returned(outputs, leaf)
            }
            changes = tuple(replace(change, is_returned=True) if change.path in back else change for change in changes)
            changes = with_reads(changes, before.miss, marked.miss)
        return before, changes

    def compared_with(self, number: int) -> int | None:
        """The number of the earlier miss that miss `number` was compared with."""
        return self._judged(number).before


def _compare_nearest(versions: Versions, marked: MarkedMiss) -> tuple[MarkedMiss | None, tuple[Change, ...]]:
    """The earlier miss to compare with, and what changed since."""
    miss = marked.miss
    if versions.is_empty:
        if miss.is_warm:
            sides = "compiled before jitviz started to watch", "compiled"
            return None, (Change("unexplained", "", *sides, is_unwatched=True),)
        return None, (Change("first", "", "", ""),)
    if versions.has_seen(marked):
        before = versions.same(marked)
        old = before.miss if before else miss
        never_equal = compare_misses(old, miss)  # NaN
        return before, never_equal or ((_LOST,) if versions.has_lost(marked) else _of_equal(old, miss))
    before = versions.nearest(marked)
    changes = _decided(compare_misses(before.miss, miss))
    if before.miss.transform != miss.transform:
        # JAX needs another program of the function, whatever else differs
        changes = tuple(change for change in changes if change.kind == "transform")
    elif not miss.is_traced:
        changes = without_trace(changes)
    if not changes and miss.cleared:
        return before, (_LOST,)
    return before, changes or _of_equal(before.miss, miss)


def _decided(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """If nothing but a user's `__eq__` can have told two versions apart, then it did."""
    if all(change.is_doubtful for change in changes):
        return tuple(replace(change, is_doubtful=False) for change in changes)
    return changes


def _of_equal(before: Miss, miss: Miss) -> tuple[Change, ...]:
    """Nothing certainly differs: the differences that a user's `__eq__` may see; otherwise `unexplained`."""
    doubtful = _decided(compare_doubtful(before.signature, miss.signature))
    if doubtful:
        return doubtful
    if before.signature.program != miss.signature.program:
        # JAX knows this program by an object that it derives from the user's functions, and has created it again.
        if miss.transform:
            return (Change("transform", "", miss.transform, miss.transform, event="anew"),)
        return (Change("new_function", "", "", "", event="remade"),)
    static = ((leaf.path, described(leaf)) for leaf in miss.signature.static)
    # objects that compare by identity hide nothing: another object has another token
    hidden = (path for path, value in static if value.equality in ("value", "custom") and has_hidden(value))
    observed = "JAX traced it again" if miss.is_traced else "JAX compiled it again, without a trace"
    return (Change("unexplained", "", "a hit was expected", observed, hidden=tuple(hidden)),)
