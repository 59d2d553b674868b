"""Where the time went: by kind of work, function and call stack, and by XLA's passes if they were profiled.

In: a recording.  Out: an `AccountView`.
Must never: leave out a kind of work, or charge time to a line that was never observed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..findings import find_account
from ..model.account import WHATS, Account, What
from ..model.counting import is_avoidable, is_loaded
from ..model.quantities import seconds
from ..recording import Recording
from .passes import add_passes, tell_fusion
from .schema import AccountView, Spent
from .screen_limits import NAME_CHARS, Limits
from .time_tree import Node
from .verdict import avoidable_s, list_accounted
from .words import plain

NAMES: dict[What, str] = {
    "trace": "tracing",
    "lower": "lowering",
    "compile": "compiling",
    "load": "loading from disk",
    "op_by_op": "outside any jit",
    "run": "running programs",
    "python": "Python",
    "jitviz": "jitviz",
}
_NAMED = 0.04  # of the wall time: a smaller part of the bar has no room for a name


def shape_account(recording: Recording, limits: Limits) -> AccountView | None:
    """The account of a recording, or None if it covers no time."""
    account = find_account(recording)
    if account.wall_s <= 0:
        return None
    rows: list[Spent] = []
    for part in sorted(account.parts, key=lambda part: -part.seconds):
        if part.seconds > 0:
            rows.append(Spent(part.what, 0, NAMES[part.what], part.seconds))
            rows += _below(recording, part.what, limits)
    below = sorted((place for place, row in enumerate(rows) if row.depth), key=lambda place: -rows[place].seconds)
    left_out = set(below[limits.account :])
    beside = ", ".join(f"{seconds(part.seconds)} {NAMES[part.what]}" for part in account.beside)
    are_several = len(recording.facts.processes) > 1
    whose = f"This is {plain(recording.facts.thread, NAME_CHARS)} alone. " if are_several else ""
    others = "processes and threads" if are_several else "threads"
    return AccountView(
        wall_s=account.wall_s,
        bar=tuple(_bar(recording)),
        rows=tuple(row for place, row in enumerate(rows) if place not in left_out),
        n_more=len(left_out),
        beside=whose + (f"Meanwhile, in other {others}: {beside}." if beside else ""),
    )


def _bar(recording: Recording) -> Iterator[Spent]:
    """The kinds of work without avoidable recompiles, which are a part of their own after tracing and compiling."""
    account, lost = find_account(recording), _avoidable(recording)
    spent: dict[What, dict[str, float]] = {what: defaultdict(float) for what in WHATS}
    avoidable: dict[str, float] = defaultdict(float)
    for share in account.shares:
        if share.function:
            spent[share.what][share.function] += share.seconds
    whole_s = 0.0
    for what in WHATS:
        part_s, functions = account.part(what).seconds, spent[what]
        lost_s = min(part_s, sum(lost[what].values()))
        whole_s += lost_s
        for function, one_s in lost[what].items():
            avoidable[function] += one_s
            functions[function] -= one_s
        if part_s > lost_s:
            yield from _named(Spent(what, 0, NAMES[what], part_s - lost_s), functions, account)
        if what == "load" and whole_s:
            kind = Spent("compile", 0, "avoidable recompiles", whole_s, is_avoidable=True)
            yield from _named(kind, avoidable, account)


def _named(kind: Spent, functions: Mapping[str, float], account: Account) -> Iterator[Spent]:
    """A kind of work, and below it the functions whose share has room for a name."""
    yield kind
    left_s = kind.seconds
    for function, spent_s in sorted(functions.items(), key=lambda item: (-item[1], item[0])):
        mine_s = min(spent_s, left_s)
        if mine_s < _NAMED * account.wall_s:
            return
        yield replace(kind, depth=1, name=plain(function, NAME_CHARS), seconds=mine_s)
        left_s -= mine_s


def _avoidable(recording: Recording) -> dict[What, dict[str, float]]:
    """Seconds of avoidable recompiles by kind of work and function; time in which several ran counts once."""
    spent: dict[What, dict[str, float]] = {what: defaultdict(float) for what in WHATS}
    for row in list_accounted(recording):
        for phase in row.phases if is_avoidable(row) else ():
            what: What = "load" if phase.name == "compile" and is_loaded(row) else phase.name
            spent[what][row.function] += phase.duration_s or 0.0
    whole_s = sum(sum(functions.values()) for functions in spent.values())
    share = min(1.0, avoidable_s(recording) / max(whole_s, 1e-9))
    return {what: {name: share * one_s for name, one_s in functions.items()} for what, functions in spent.items()}


def _below(recording: Recording, what: What, limits: Limits) -> Iterator[Spent]:
    """The functions of a kind of work with their call stacks and XLA's passes; time without a function, by line."""
    whole, account = Node(), find_account(recording)
    for share in account.shares:
        if share.what == what:
            node = whole
            for node in _path(whole, share.function, share.stack):
                node.seconds += share.seconds
    if what == "compile":
        for row in recording.compiles:
            if row.passes:
                *_, node = _path(whole, row.function, (row.source,) if row.source else ())
                add_passes(node, row.passes, partial(tell_fusion, recording, row.index))
    yield from whole.rows(what, 1, limits.account_least * account.wall_s)


def _path(whole: Node, function: str, stack: Sequence[str]) -> Iterator[Node]:
    """The nodes of a function and of each line of a stack, the outermost first."""
    node = whole
    if function:
        node = node.child("function", function)
        yield node
    for line in stack:
        node = node.child("line", line)
        yield node
