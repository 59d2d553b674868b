"""Where the time went: a bar of kinds of work and their functions, and rows by kind of work, function and call stack.

In: a recording.  Out: an `AccountView`.
Must never: count a second twice.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Literal, TypeAlias

from ..findings import find_account, find_accounts
from ..findings.program_findings import traced_again
from ..findings.slow_calls import leaves_passed
from ..model import WHATS, Compile, Part, What, count, is_avoidable, is_loaded, seconds
from ..model.finding import WHAT_NAMES
from ..recording import Recording
from .groups import covered_s
from .schema import AccountView, Spent
from .screen_limits import NAME_CHARS, VALUE_CHARS, Limits
from .words import plain, plain_path

NodeKind: TypeAlias = Literal["function", "line"]
_WHOLE = 0.99  # of a node's seconds: a child that took this much shares its row
_MOST_ABOVE = 3  # callers named beside the innermost line of a chain

_NAMED = 0.04  # of the wall time: a smaller part of the bar has no room for a name


def shape_account(recording: Recording, limits: Limits) -> AccountView | None:
    """The account of a recording, or None if it covers no time."""
    account = find_account(recording)
    if account.wall_s <= 0:
        return None
    bar, rows = shape_bar(recording), list[Spent]()
    for part in sorted(account.parts, key=lambda part: -part.seconds):
        if part.seconds > 0:
            rows.append(Spent(part.what, 0, WHAT_NAMES[part.what], part.seconds))
            rows += _below(recording, part.what, limits)
    below = sorted((number for number, row in enumerate(rows) if row.depth), key=lambda number: -rows[number].seconds)
    left_out = set(below[limits.account :])
    beside = ", ".join(f"{seconds(part.seconds)} {WHAT_NAMES[part.what]}" for part in account.beside)
    are_several = len(recording.facts.processes) > 1
    whose = f"This is {plain(recording.facts.thread, NAME_CHARS)} alone. " if are_several else ""
    others = "processes and threads" if are_several else "threads"
    return AccountView(
        wall_s=account.wall_s,
        bar=bar,
        avoidable=tell_avoidable(bar),
        rows=tuple(row for number, row in enumerate(rows) if number not in left_out),
        n_more=len(left_out),
        beside=whose + (f"Meanwhile, in other {others}: {beside}." if beside else ""),
        processes=tuple(_processes(recording, limits)),
    )


def _processes(recording: Recording, limits: Limits) -> Iterator[str]:
    """ "pid 12, child of pid 11: 4.0 s: 2.5 s Python, 1.5 s compiling", after the sum of all of them."""
    accounts, processes = find_accounts(recording), recording.facts.processes
    pids = {(process.host, process.pid): label for label, process in processes.items()}
    if len(accounts) > 1:
        parts = [part for account in accounts.values() for part in account.parts]
        sums = [Part(what, sum(part.seconds for part in parts if part.what == what)) for what in WHATS]
        yield f"all {len(accounts)} processes, added up: {_tell_parts(sums)}"
    # Where there are too many, those that compiled least are left out.
    by_work = sorted(accounts, key=lambda label: accounts[label].part("python").seconds - accounts[label].wall_s)
    shown = set(by_work[: limits.account])
    for label in (label for label in accounts if label in shown):
        parent = pids.get((processes[label].host, processes[label].parent))
        name = label + (f", child of {parent}" if parent else "")
        yield f"{plain(name, VALUE_CHARS)}: {_tell_parts(accounts[label].parts)}"
    if len(accounts) > len(shown):
        yield f"and {count(len(accounts) - len(shown), 'more process')}"


def _tell_parts(parts: Iterable[Part]) -> str:
    spent = sorted((part for part in parts if part.seconds > 0), key=lambda part: -part.seconds)
    told = ", ".join(f"{seconds(part.seconds)} {WHAT_NAMES[part.what]}" for part in spent)
    return f"{seconds(sum(part.seconds for part in spent))}: {told}"


def _below(recording: Recording, what: What, limits: Limits) -> Iterator[Spent]:
    """The functions of a kind of work with their call stacks; time without a function, by line."""
    whole, account = _TimeNode(), find_account(recording)
    again: dict[tuple[str, str], str] = {}  # by function and line: "layer, traced 12 times with equal inputs"
    for row in recording.compiles if what == "trace" else ():
        for source, (name, n) in traced_again(recording).get(row.lineage, {}).items():
            told = f"{plain(name, NAME_CHARS).replace('`', '')}, traced {n:,} times with equal inputs"
            again[row.function, source] = told
    named = _named_by_leaves(recording) if what == "run" else {}
    for share in account.shares:
        if share.what == what:
            for node in _path(whole, named.get(share.function, share.function), share.stack, again):
                node.seconds += share.seconds
    yield from whole.rows(what, 1, limits.account_least * account.wall_s)


def _named_by_leaves(recording: Recording) -> dict[str, str]:
    """The functions whose calls do not only run a program: they flatten many arguments first."""
    leaves = leaves_passed(recording)
    names = {row.function: leaves[row.lineage] for row in recording.compiles if row.lineage in leaves}
    return {name: f"{name}, whose calls flatten {n:,} leaves first," for name, n in names.items()}


def _path(
    whole: "_TimeNode", function: str, stack: Sequence[str], again: Mapping[tuple[str, str], str] = MappingProxyType({})
) -> "Iterator[_TimeNode]":
    """The nodes of a function and of each line of a stack, the outermost first, with what a line traced `again`."""
    node = whole
    if function:
        node = node.child("function", function)
        yield node
    for line in stack:
        node = node.child("line", line)
        yield node
        if told := again.get((function, line)):
            node = node.child("function", told, partial(str, told))
            yield node


@dataclass
class _TimeNode:
    """Something that took time. `describe` gives its text; it is called only if the node gets a row."""

    kind: NodeKind = "function"
    describe: Callable[[], str] = str
    seconds: float = 0.0
    below: "dict[tuple[NodeKind, str], _TimeNode]" = field(default_factory=dict)

    def child(self, kind: NodeKind, name: str, describe: Callable[[], str] | None = None) -> "_TimeNode":
        """The node of this kind and name below it, made if it is new; its text is its name by default."""
        return self.below.setdefault((kind, name), _TimeNode(kind, describe or partial(plain_path, name, VALUE_CHARS)))

    def rows(self, what: What, depth: int, least_s: float) -> Iterator[Spent]:
        """The nodes below it in preorder, most seconds first."""
        for _, node in sorted(self.below.items(), key=lambda item: (-item[1].seconds, item[0])):
            if node.seconds >= least_s:
                chain = list(_chain(node))
                yield Spent(what, depth, _name(chain), node.seconds)
                yield from chain[-1].rows(what, depth + 1, least_s)


def _chain(node: _TimeNode) -> Iterator[_TimeNode]:
    """A node, and the lines below it that took all of its time. A function with one caller starts there."""
    yield node
    most = max(node.below.values(), key=lambda child: child.seconds, default=None)
    if most is None or most.kind != "line":
        return
    is_only_caller = node.kind == "function" and len(node.below) == 1
    if is_only_caller or most.seconds >= _WHOLE * node.seconds:
        yield from _chain(most)


def _name(chain: list[_TimeNode]) -> str:
    """The innermost line of a chain, with those above it."""
    lines = [node.describe() for node in reversed(chain) if node.kind == "line"]
    above = [*lines[1 : _MOST_ABOVE + 1], *["…"][: len(lines) > _MOST_ABOVE + 1]]
    where = f"at {', from '.join([lines[0], *above])}" if lines else ""
    return " ".join(filter(None, ("" if chain[0].kind == "line" else chain[0].describe(), where)))


def list_accounted(recording: Recording) -> list[Compile]:
    """The compiles whose seconds are in the account: those of the thread that started the recording."""
    return [row for row in recording.compiles if row.thread == recording.facts.thread]


def shape_bar(recording: Recording) -> tuple[Spent, ...]:
    """Kinds of work in their order, each with its functions by seconds."""
    account = find_account(recording)
    lost = _lost(list(filter(is_avoidable, list_accounted(recording))), recording.facts.wall_s)
    spent: dict[What, dict[str, float]] = {what: defaultdict(float) for what in WHATS}
    for share in account.shares:
        if share.function:
            spent[share.what][share.function] += share.seconds
    bar: list[Spent] = []
    for what in WHATS:
        part_s = account.part(what).seconds
        if part_s <= 0:
            continue
        bar.append(Spent(what, 0, WHAT_NAMES[what], part_s, min(part_s, sum(lost[what].values()))))
        for function, spent_s in sorted(spent[what].items(), key=lambda item: (-item[1], item[0])):
            if spent_s >= _NAMED * account.wall_s:
                lost_s = min(spent_s, lost[what].get(function, 0.0))
                bar.append(Spent(what, 1, plain(function, NAME_CHARS), spent_s, lost_s))
    return tuple(bar)


def tell_avoidable(bar: Sequence[Spent]) -> str:
    """ "3.5 s: 3.0 s XLA, 500 ms tracing", or ""."""
    lost = sorted((row for row in bar if not row.depth and row.avoidable_s), key=lambda row: -row.avoidable_s)
    parts = ", ".join(f"{seconds(row.avoidable_s)} {row.name}" for row in lost)
    return f"{seconds(sum(row.avoidable_s for row in lost))}: {parts}" if len(lost) > 1 else parts


def _lost(avoidable: Sequence[Compile], wall_s: float) -> dict[What, dict[str, float]]:
    """Seconds of avoidable recompiles by kind of work and function; time in which several ran counts once."""
    spent: dict[What, dict[str, float]] = {what: defaultdict(float) for what in WHATS}
    for row in avoidable:
        for phase in row.phases:
            what: What = "load" if phase.name == "compile" and is_loaded(row) else phase.name
            spent[what][row.function] += phase.duration_s or 0.0
    whole_s = sum(sum(functions.values()) for functions in spent.values())
    share = min(1.0, covered_s(avoidable, wall_s) / max(whole_s, 1e-9))
    return {what: {name: share * spent_s for name, spent_s in functions.items()} for what, functions in spent.items()}
