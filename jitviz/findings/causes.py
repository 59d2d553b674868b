"""Avoidable recompiles by cause, and what fixing each cause alone would save: the calls are counted again without it.

In: a `Recording`.  Out: `Cause`s.
Must never: count a recompile for two causes, or do more work per recompile because there are more of them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from ..model import KINDS, Compile, Kind, Reason, holder_of, is_below, root_of, step_up
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
from ..reasons.structure import ABSENT
from ..recording import Recording
from .version_keys import Fix, key, key_without, leaves_left

# If a function has more causes, the savings are computed for these only, the most expensive ones.
_MOST_CAUSES = 12
_FEW = 2  # with so many versions, a cause behind another one saves nothing alone


@dataclass(eq=False)
class Cause:
    """The recompiles `rows` of one function that share the kind and the leaf of their first reason, or of another one
    if undoing that alone saves a compile, too.

    If the leaf changed in several ways, its shape here and its dtype there, `reason` is the one to look at first.
    `is_warmed` says that the versions that the rows were compared with were compiled ahead of time, and `n_warmed` how
    many versions were. If `is_maybe`, nothing shows whether the rows were avoidable. `shared` names other causes
    that some of the `saved` go with as well. `tree` is the argument if one property of several of its leaves is the
    cause, and `also` names them all.
    """

    reason: Reason
    is_warmed: bool
    rows: list[Compile] = field(default_factory=list)
    also: tuple[str, ...] = ()
    saved: tuple[Compile, ...] | None = None
    stays: int = 0
    beside: tuple[str, ...] = ()
    n_warmed: int = 0
    is_maybe: bool = False
    shared: tuple[str, ...] = ()
    tree: str = ""

    @cached_property
    def path(self) -> str:
        """The path of the leaf; if entries were added or removed one after the other, of their container."""
        if self.tree or is_form(self.reason):
            return self.reason.path
        one, *others = {self.reason_of(row).path for row in self.rows}
        return one if not others else home_of(self.reason)

    @property
    def paths(self) -> tuple[str, ...]:
        """The leaf, and those that changed with it."""
        return self.reason.path, *self.also

    @property
    def seconds(self) -> float:
        return sum(row.duration_s for row in self.rows)

    def forget(self) -> None:
        """Forget what was worked out of rows that it had."""
        for name in ("path", "reasons", "kinds", "has_obstacle", "fix"):
            vars(self).pop(name, None)

    def reason_of(self, row: Compile) -> Reason:
        """The reason of one of the rows, which is another cause's first if that one gave it away."""
        return next(filter(self.is_of, row.reasons), row.reasons[0])

    def is_of(self, reason: Reason) -> bool:
        """Whether it is about this cause."""
        if self.tree:
            return reason.kind == self.reason.kind and root_of(reason.path) == self.tree
        return reason.kind in one_cause(self.reason.kind) and home_of(reason) == home_of(self.reason)

    @cached_property
    def reasons(self) -> list[Reason]:
        """All reasons about the leaf, the ones to look at first in front."""
        of_leaf = (one for row in self.rows for one in row.reasons if self.is_of(one))
        return sorted(of_leaf, key=lambda one: KINDS.index(one.kind))

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of change of the leaf."""
        return tuple(dict.fromkeys(one.kind for one in self.reasons))

    @cached_property
    def has_obstacle(self) -> bool:
        """Whether padding changes the result."""
        found = (row.judgement.difference for row in self.rows)
        return any(difference is not None and difference.obstacle for difference in found)

    @cached_property
    def fix(self) -> Fix:
        found = [row.judgement.difference for row in self.rows]
        is_computed_with = any(one is not None and one.is_arithmetic for one in found)
        has_arguments = is_computed_with and all(one.often for one in self.reasons)  # something differs inside
        paths = frozenset((*(one.path for one in self.reasons), *self.also))
        ranks = {len(shape) for one in self.reasons if one.kind == "shape" for shape in (one.shape_before, one.shape)}
        return Fix(
            self.kinds, paths, has_arguments, keeps_sizes=len(ranks) > 1, is_form=all(map(is_form, self.reasons))
        )


@dataclass
class Lineage:
    """All compiled versions of one function, oldest first, with their `keys` and known `calls` by version number.

    `lines` are the lines of all calls, `are_hits_seen` says whether hits are among these, and `run_s` the seconds of
    the hits that ran a version; of `n_unknown` hits, which took `unknown_s`, nobody knows which version they ran.
    `uncounted` are the recompiles that no cause has: they were needed, or may have been.
    """

    rows: list[Compile] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    keys: dict[int, int] = field(default_factory=dict)
    lines: dict[str, None] = field(default_factory=dict)
    calls: Counter[int] = field(default_factory=Counter)
    are_hits_seen: bool = True
    run_s: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    n_unknown: int = 0
    unknown_s: float = 0.0
    uncounted: list[Compile] = field(default_factory=list)


def find_causes(recording: Recording, covered: Collection[int] = ()) -> dict[str, Lineage]:
    """The functions with avoidable recompiles, by lineage; without the compiles that another finding has `covered`."""
    lineages: dict[str, Lineage] = {}
    causes: dict[object, Cause] = {}
    rows = [row for row in recording.compiles if row.index not in covered]
    for row in (*filter(is_avoidable, rows), *filter(may_be_avoidable, rows), *filter(_is_left_out, rows)):
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
            cause.reason = min(cause.reason, reason, key=lambda one: KINDS.index(one.kind))
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
    for cause in [one for one in lineage.causes if {*one.kinds} == {one.reason.kind} and _tree_of(one.reason)]:
        cause.tree = _tree_of(cause.reason)
        tree = trees.setdefault((cause.reason.kind, cause.tree, cause.is_warmed, cause.is_maybe), cause)
        if tree is not cause:
            tree.rows = sorted((*tree.rows, *cause.rows), key=lambda row: row.index)
            lineage.causes.remove(cause)
    for cause in trees.values():
        cause.forget()


def _tree_of(reason: Reason) -> str:
    """The argument, if a property of a leaf in it changed; sizes are padded one by one."""
    is_property = KIND_OF[reason.kind].undoes == "properties" and reason.kind != "shape"
    root = root_of(reason.path)
    return root if is_property and root != reason.path else ""


def _is_left_out(row: Compile) -> bool:
    """Whether it was needed, but could have been compiled ahead of time like others."""
    return is_expected(row) and row.compared_with is not None and is_ahead(row.compared_with)


def _weigh(lineage: Lineage) -> None:
    lineage.keys = {row.version: key(row) for row in lineage.rows}
    for cause in lineage.causes:
        _find_also(cause, lineage)
    # Nobody knows what would fix what is unexplained, and nothing fixes sizes where padding changes the result.
    known = (one for one in lineage.causes if one.reason.kind != "unexplained" and not one.has_obstacle)
    weighed = sorted(known, key=lambda one: -one.seconds)[:_MOST_CAUSES]
    for cause in weighed:
        cause.saved = tuple(_saved(cause, lineage))
    _give_away(lineage, weighed)
    for cause in islice(_behind_others(lineage), max(0, _MOST_CAUSES - len(lineage.causes))):
        _find_also(cause, lineage)
        is_told = any(cause.reason.path in one.also and cause.reason.kind in one.kinds for one in lineage.causes)
        cause.saved = () if is_told else tuple(_saved(cause, lineage))
        cause.rows = []
        if cause.saved and _take_row(cause, lineage):
            lineage.causes.append(cause)
    n_warmed = sum(map(is_ahead, lineage.rows))
    for cause in lineage.causes:
        cause.n_warmed = n_warmed
        if cause.tree and cause.path not in {one.path for one in map(cause.reason_of, cause.rows)}:
            cause.reason = cause.reason_of(cause.rows[0])  # since it gave rows away
            cause.forget()
            _find_also(cause, lineage)
        if cause.saved is None:
            continue
        spared = {row.version for row in cause.saved}
        unspared = (row for row in cause.rows if row.version not in spared)
        staying = [row for row in unspared if cause.is_warmed or not is_expected(row)]
        cause.stays, cause.beside = len(staying), _beside(cause, staying)
    for cause in lineage.causes:
        spared = {row.version for row in cause.saved or ()}
        others = (one for one in lineage.causes if spared & {row.version for row in one.saved or ()})
        cause.shared = tuple(_name(one.path, one.reason) for one in others if one is not cause)


def _find_also(cause: Cause, lineage: Lineage) -> None:
    """Name the other leaves that changed in the same way every time, or at any time in a tree."""
    alike = [
        {
            one.path: None
            for one in row.reasons
            if one.kind in cause.kinds and _is_entry(one) == _is_entry(cause.reason)
            if cause.path not in (one.path, home_of(one)) and is_form(one) == is_form(cause.reason)
        }
        for row in cause.rows
    ]
    is_wide = cause.tree or is_form(cause.reason)
    of_rows = (one for row in lineage.rows if is_wide and row.compared_with is not None for one in row.reasons)
    in_tree = dict.fromkeys(one.path for one in of_rows if cause.is_of(one) and one.path != cause.path)
    every_time = (path for path in alike[0] if all(path in others for others in alike))
    cause.also = tuple({**in_tree, **dict.fromkeys(every_time)})


def _behind_others(lineage: Lineage) -> Iterator[Cause]:
    """Causes that are the first of no recompile, since another one is beside them each time, where the programs show
    that they decide nothing."""
    causes = lineage.causes
    found: dict[object, Cause] = {}
    for row in lineage.rows:
        for reason in row.reasons[1:] if len(lineage.rows) > _FEW and is_recompile(row) else ():
            kind, tree = KIND_OF[reason.kind], _tree_of(reason)
            place = (reason.kind, tree) if tree else (one_cause(reason.kind), home_of(reason))
            is_fixable = kind.undoes != "nothing" and (not kind.may_decide or _decides_nothing(row))
            if is_fixable and not any(one.is_of(reason) for one in causes):
                found.setdefault(place, Cause(reason, is_warmed=False, tree=tree)).rows.append(row)
    return iter(found.values())


def _decides_nothing(row: Compile) -> bool:
    """Whether the programs show that what may have decided about this one has not, or only about a number in it."""
    difference = row.judgement.difference
    n_that_may = sum(KIND_OF[one.kind].may_decide for one in row.reasons)
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
    for cause in [one for one in weighed if one.fix.keeps_sizes]:
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
        cause.reason = min((row.reasons[0] for row in cause.rows), key=lambda one: KINDS.index(one.kind))
        cause.saved = tuple(_saved(cause, lineage))


def is_form(reason: Reason) -> bool:
    """Whether an argument was passed by position and then by keyword, or the reverse."""
    return reason.kind == "kwargs_vs_args" and "default" not in (reason.before, reason.after)


def home_of(reason: Reason) -> str:
    """The container of an entry that was added or removed, since a list that grows is one cause; "()" for the form of a
    call, which is one however many arguments it moves; otherwise the leaf."""
    if is_form(reason):
        return "()"
    is_entry = reason.kind == "treedef" and any(_is_entry(reason))
    return (step_up(reason.path) if is_entry else "") or reason.path


def _is_entry(reason: Reason) -> tuple[bool, bool]:
    """Whether an entry was added, and whether one was removed."""
    return reason.before == ABSENT, reason.after == ABSENT


def _saved(cause: Cause, lineage: Lineage) -> Iterator[Compile]:
    """The recompiles that become hits once the cause is fixed, because nothing else about them is new.

    They include recompiles of other causes that lacked a version only because of this one. What was compiled before the
    caches were cleared serves no later call.
    """
    is_clearing = cause.reason.kind == "cache_cleared"
    versions_of_cause = {row.version for row in cause.rows}
    seen: set[int] = set()  # keys of versions
    # After the fix, several versions are one: its key, and what each leaf that still differs has been in them.
    fixed: dict[int, dict[tuple[str, bool], set[int]]] = {}
    for row in lineage.rows:
        if row.cleared and not is_clearing:
            seen.clear()
            fixed.clear()
        whole = lineage.keys[row.version]
        rest, leaves = key_without(row, whole, cause.fix), leaves_left(row, cause.fix)
        is_hit = rest in fixed and all(fixed[rest].get(place, leaf) & leaf for place, leaf in leaves.items())
        is_other = (is_avoidable(row) and not _is_inside(row, cause)) or _is_spared(row, cause)
        is_fixable = (row.version in versions_of_cause and not _is_left_out(row)) or is_other
        if is_hit and (is_clearing or whole not in seen) and is_fixable:
            yield row
        seen.add(whole)
        known = fixed.setdefault(rest, defaultdict(set))
        for place, leaf in leaves.items():
            known[place] |= leaf


def _is_spared(row: Compile, cause: Cause) -> bool:
    """Whether a recompile that was expected, next to the version it was compared with, would find another version. What
    a static value decides is not known, but arrays of one form, and objects of one content, run one program."""
    is_harmless = not any(KIND_OF[kind].may_decide for kind in cause.kinds)
    return is_harmless and is_recompile(row) and all(one.path not in cause.fix.paths for one in row.reasons)


def _is_inside(row: Compile, cause: Cause) -> bool:
    """Whether a version has another value inside the static one of the cause, which stays another one, if that is
    spelled in one way."""
    paths = cause.fix.paths if cause.reason.kind == "static_value" else ()
    return any(is_below(one.path, path) for one in row.reasons for path in paths)


def can_save_alone(cause: Cause) -> bool:
    """Whether fixing what is of the kind of this cause, here and at other leaves, may save a compile."""
    kinds = one_cause(cause.reason.kind)
    return cause.saved != () or any(
        all(one.kind in kinds for one in row.reasons) and not _is_passed_anew(row, cause) for row in cause.rows
    )


def _is_passed_anew(row: Compile, cause: Cause) -> bool:
    """Whether what a fix keeps as an argument was left at its default, or passed in another form, before."""
    before = row.compared_with
    if before is None or cause.reason.kind in ("kwargs_vs_args", "treedef"):
        return False
    forms = dict(row.signature.form), dict(before.signature.form)
    return any(forms[0].get(root_of(path)) != forms[1].get(root_of(path)) for path in cause.fix.paths)


def _beside(cause: Cause, rows: Sequence[Compile]) -> tuple[str, ...]:
    """What else changed in the recompiles that would still happen, in words, most frequent first."""
    paths = cause.fix.paths
    names = Counter(
        _name(path, reason) if path not in paths else f"its {reason.kind.replace('_', ' ')}"
        for row in rows
        for path, reason in _to_fix(row.reasons)
        if reason.path not in paths or reason.kind not in cause.kinds
    )
    names["how it is passed"] = sum(_is_passed_anew(row, cause) for row in rows)
    return tuple(name for name, n in names.most_common() if n)


def _name(path: str, reason: Reason) -> str:
    return f"`{path}`" if path else f"the {reason.kind.replace('_', ' ')}"


def _to_fix(reasons: Sequence[Reason]) -> Iterator[tuple[str, Reason]]:
    """The reasons, each with the path to fix: of several parts of one object that was created again, the object's."""
    n_parts = Counter(holder_of(one.path) for one in reasons if one.kind == "static_identity")
    done: set[str] = set()
    for one in reasons:
        holder = holder_of(one.path)
        if one.kind != "static_identity" or n_parts[holder] == 1:
            yield one.path, one
        elif holder not in done:
            done.add(holder)
            yield holder, one
