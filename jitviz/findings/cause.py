"""One cause of recompiles: the reasons that share a change, and what is known of the function.

In: recompiles.  Out: `Cause`, `Lineage`.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from ..model import KINDS, Compile, Kind, Reason, root_of, step_up
from ..reasons.kinds import KIND_OF, one_cause
from ..reasons.structure import ABSENT
from .version_keys import Fix


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
        of_leaf = (reason for row in self.rows for reason in row.reasons if self.is_of(reason))
        return sorted(of_leaf, key=lambda reason: KINDS.index(reason.kind))

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of change of the leaf."""
        return tuple(dict.fromkeys(reason.kind for reason in self.reasons))

    @cached_property
    def has_obstacle(self) -> bool:
        """Whether padding changes the result."""
        found = (row.judgement.difference for row in self.rows)
        return any(difference is not None and difference.obstacle for difference in found)

    @cached_property
    def fix(self) -> Fix:
        found = [row.judgement.difference for row in self.rows]
        is_computed_with = any(one is not None and one.is_arithmetic for one in found)
        has_arguments = is_computed_with and all(reason.often for reason in self.reasons)  # something differs inside
        paths = frozenset((*(reason.path for reason in self.reasons), *self.also))
        ranks = {
            len(shape)
            for reason in self.reasons
            if reason.kind == "shape"
            for shape in (reason.shape_before, reason.shape)
        }
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


def is_form(reason: Reason) -> bool:
    """Whether an argument was passed by position and then by keyword, or the reverse."""
    return reason.kind == "kwargs_vs_args" and "default" not in (reason.before, reason.after)


def home_of(reason: Reason) -> str:
    """The container of an entry that was added or removed, since a list that grows is one cause; "()" for the form of a
    call, which is one however many arguments it moves; otherwise the leaf."""
    if is_form(reason):
        return "()"
    is_of_container = reason.kind == "treedef" and any(is_entry(reason))
    return (step_up(reason.path) if is_of_container else "") or reason.path


def is_entry(reason: Reason) -> tuple[bool, bool]:
    """Whether an entry was added, and whether one was removed."""
    return reason.before == ABSENT, reason.after == ABSENT


def tree_of(reason: Reason) -> str:
    """The argument, if a property of a leaf in it changed; sizes are padded one by one."""
    is_property = KIND_OF[reason.kind].undoes == "properties" and reason.kind != "shape"
    root = root_of(reason.path)
    return root if is_property and root != reason.path else ""
