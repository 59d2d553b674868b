"""Avoidable recompiles by cause, each with what fixing it alone would save.

In: a `Recording`.  Out: `Cause`s.
Must never: count a recompile for two causes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from ..model import KINDS, Compile
from ..model.counting import (
    has_compiled,
    hits_seen,
    is_ahead,
    is_avoidable,
    is_expected,
    is_recompile,
    may_be_avoidable,
)
from ..reasons.kinds import KIND_OF, one_cause
from ..recording import Recording
from .cause import Cause, Lineage, home_of, is_entry, is_form, tree_of
from .savings import beside, is_left_out, name_of, saved_by
from .version_keys import key

# If a function has more causes, the savings are computed for these only, the most expensive ones.
_MOST_CAUSES = 12
_FEW = 2  # with so many versions, a cause behind another one saves nothing alone


def find_causes(recording: Recording, covered: Collection[int] = ()) -> dict[str, Lineage]:
    """The functions with avoidable recompiles, by lineage; without the compiles that another finding has `covered`."""
    lineages: dict[str, Lineage] = {}
    causes: dict[object, Cause] = {}
    rows = [row for row in recording.compiles if row.index not in covered]
    for row in (*filter(is_avoidable, rows), *filter(may_be_avoidable, rows), *filter(is_left_out, rows)):
        reason, before, is_maybe = row.reasons[0], row.compared_with, may_be_avoidable(row)
        is_warmed = before is not None and is_ahead(before)
        place = row.lineage, one_cause(reason.kind), home_of(reason), is_warmed
        cause = causes.get(place)
        if cause is None:
            cause = causes[place] = Cause(reason, is_warmed, is_maybe=is_maybe)
            are_seen = hits_seen(row.function_info, recording.hits_seen) != "none"
            lineages.setdefault(row.lineage, Lineage(are_hits_seen=are_seen)).causes.append(cause)
        if is_maybe == cause.is_maybe:  # of a cause that is known to be avoidable, only what is known counts
            cause.rows.append(row)
            cause.reason = min(cause.reason, reason, key=lambda reason: KINDS.index(reason.kind))
    for row in (*recording.earlier, *recording.compiles):
        if (lineage := lineages.get(row.lineage)) is not None and has_compiled(row):
            lineage.rows.append(row)
    counted = {row.index for cause in causes.values() for row in cause.rows}
    for row in filter(is_recompile, rows):
        if (lineage := lineages.get(row.lineage)) is not None and row.index not in counted:
            lineage.uncounted.append(row)
    _add_calls(lineages, recording)
    for lineage in lineages.values():
        _join_trees(lineage)
        _weigh(lineage)
    return lineages


def _add_calls(lineages: Mapping[str, Lineage], recording: Recording) -> None:
    for call, n in recording.facts.calls.alike():
        if (lineage := lineages.get(call.lineage)) is None:
            continue
        lineage.lines[call.source] = None
        run_s = call.duration_s or 0.0 if call.outcome == "hit" else 0.0
        if call.version is None:
            lineage.n_unknown += n if call.outcome == "hit" else 0
            lineage.unknown_s += run_s
        else:
            lineage.calls[call.version] += n
            lineage.run_s[call.version] += run_s


def _join_trees(lineage: Lineage) -> None:
    """Make one cause of those where one property changed at leaves of one argument."""
    trees: dict[object, Cause] = {}
    for cause in [one for one in lineage.causes if {*one.kinds} == {one.reason.kind} and tree_of(one.reason)]:
        cause.tree = tree_of(cause.reason)
        tree = trees.setdefault((cause.reason.kind, cause.tree, cause.is_warmed, cause.is_maybe), cause)
        if tree is not cause:
            tree.rows = sorted((*tree.rows, *cause.rows), key=lambda row: row.index)
            lineage.causes.remove(cause)
    for cause in trees.values():
        cause.forget()


def _weigh(lineage: Lineage) -> None:
    lineage.keys = {row.version: key(row) for row in lineage.rows}
    for cause in lineage.causes:
        _find_also(cause, lineage)
    # Nobody knows what would fix what is unexplained, and nothing fixes sizes where padding changes the result.
    known = (cause for cause in lineage.causes if cause.reason.kind != "unexplained" and not cause.has_obstacle)
    weighed = sorted(known, key=lambda cause: -cause.seconds)[:_MOST_CAUSES]
    for cause in weighed:
        cause.saved = tuple(saved_by(cause, lineage))
    _give_away(lineage, weighed)
    _add_behind_others(lineage)
    n_warmed = sum(map(is_ahead, lineage.rows))
    for cause in lineage.causes:
        cause.n_warmed = n_warmed
        if cause.tree and cause.path not in {reason.path for reason in map(cause.reason_of, cause.rows)}:
            cause.reason = cause.reason_of(cause.rows[0])  # since it gave rows away
            cause.forget()
            _find_also(cause, lineage)
    for cause in lineage.causes:
        if cause.saved is not None:
            _tell_rest(cause, cause.saved, lineage)


def _tell_rest(cause: Cause, saved: Sequence[Compile], lineage: Lineage) -> None:
    """Say which recompiles stay, because of what else, and which other causes would save some as well."""
    spared = {row.version for row in saved}
    unspared = (row for row in cause.rows if row.version not in spared)
    staying = [row for row in unspared if cause.is_warmed or not is_expected(row)]
    cause.stays, cause.beside = len(staying), beside(cause, staying)
    others = (cause for cause in lineage.causes if spared & {row.version for row in cause.saved or ()})
    cause.shared = tuple(name_of(one.path, one.reason) for one in others if one is not cause)


def _find_also(cause: Cause, lineage: Lineage) -> None:
    """Name the other leaves that changed in the same way every time, or at any time in a tree."""
    alike = [
        {
            reason.path: None
            for reason in row.reasons
            if reason.kind in cause.kinds and is_entry(reason) == is_entry(cause.reason)
            if cause.path not in (reason.path, home_of(reason)) and is_form(reason) == is_form(cause.reason)
        }
        for row in cause.rows
    ]
    is_wide = cause.tree or is_form(cause.reason)
    of_rows = (reason for row in lineage.rows if is_wide and row.compared_with is not None for reason in row.reasons)
    in_tree = dict.fromkeys(reason.path for reason in of_rows if cause.is_of(reason) and reason.path != cause.path)
    every_time = (path for path in alike[0] if all(path in others for others in alike))
    cause.also = tuple({**in_tree, **dict.fromkeys(every_time)})


def _add_behind_others(lineage: Lineage) -> None:
    """Add the causes that have no recompile yet, and save one."""
    for cause in islice(_behind_others(lineage), max(0, _MOST_CAUSES - len(lineage.causes))):
        _find_also(cause, lineage)
        is_told = any(cause.reason.path in one.also and cause.reason.kind in one.kinds for one in lineage.causes)
        cause.saved = () if is_told or cause.has_obstacle else tuple(saved_by(cause, lineage))
        cause.is_maybe = not any(map(is_avoidable, cause.rows))
        cause.rows = []
        if cause.saved and _take_row(cause, lineage):
            lineage.causes.append(cause)


def _behind_others(lineage: Lineage) -> Iterator[Cause]:
    """Causes that are the first of no recompile, since another one is beside them each time, where the programs show
    that they decide nothing."""
    causes = lineage.causes
    found: dict[object, Cause] = {}
    for row in lineage.rows:
        for reason in row.reasons[1:] if len(lineage.rows) > _FEW and is_recompile(row) else ():
            kind, tree = KIND_OF[reason.kind], tree_of(reason)
            place = (reason.kind, tree) if tree else (one_cause(reason.kind), home_of(reason))
            is_fixable = kind.undoes != "nothing" and (not kind.may_decide or _decides_nothing(row))
            if is_fixable and not any(cause.is_of(reason) for cause in causes):
                found.setdefault(place, Cause(reason, is_warmed=False, tree=tree)).rows.append(row)
    return iter(found.values())


def _decides_nothing(row: Compile) -> bool:
    """Whether the programs show that what may have decided about this one has not, or only about a number in it."""
    difference = row.judgement.difference
    n_that_may = sum(KIND_OF[reason.kind].may_decide for reason in row.reasons)
    is_number = difference is not None and difference.is_arithmetic and n_that_may == 1
    return is_avoidable(row) and difference is not None and (difference.kind == "same" or is_number)


def _take_row(cause: Cause, lineage: Lineage, asked: tuple[Cause, ...] = ()) -> bool:
    """Count a recompile for a cause, and no longer for another one, which keeps one or takes another in return; or
    else those that are counted for none."""
    with_it = [row for row in lineage.rows if any(map(cause.is_of, row.reasons))]
    for row in with_it if cause not in asked else ():
        owner = next((one for one in lineage.causes if row in one.rows and one is not cause), None)
        if owner is not None and (len(owner.rows) > 1 or _take_row(owner, lineage, (*asked, cause))):
            owner.rows.remove(row)
            cause.rows.append(row)
            return True
    free = [row for row in lineage.uncounted if row in with_it]
    cause.rows += free
    lineage.uncounted = [row for row in lineage.uncounted if row not in free]
    return bool(free)


def _give_away(lineage: Lineage, weighed: Sequence[Cause]) -> None:
    """A recompile that its cause does not spare, and another one does alone, belongs to that one."""
    for cause in [cause for cause in weighed if cause.fix.keeps_sizes]:
        spared = {row.version for row in cause.saved or ()}
        for other in weighed:
            others = {row.version for row in other.saved or ()} - spared
            given = [row for row in cause.rows if row.version in others and other.is_maybe == cause.is_maybe]
            cause.rows = [row for row in cause.rows if row not in given]
            other.rows = sorted((*other.rows, *given), key=lambda row: row.index)
        if not cause.rows:
            lineage.causes.remove(cause)
            continue
        cause.forget()
        cause.reason = min((row.reasons[0] for row in cause.rows), key=lambda reason: KINDS.index(reason.kind))
        cause.saved = tuple(saved_by(cause, lineage))
