"""The columns of a score: the calls of a function in order, those that were alike as one.

In: a `Group`.  Out: `Column`s, at most about as many as fit a screen: where there are more, those with one cause become
one, then what cost least.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ...model import Call, Compile, Raised, Reason, Signature, is_ahead
from ..groups import Group
from ..schema import ColumnKind

_LEAST_ALIKE = 3  # compiles with one cause that become one column where there are too many


@dataclass
class Column:
    """Consecutive calls that were alike. Calls are numbered from 1, or all have the number 0 if hits are not seen."""

    kind: ColumnKind
    first: int = 0
    last: int = 0
    count: int = 0
    calls: list[Call] = field(default_factory=list)  # of similar hits, the first of each line, with their total time
    compiles: list[Compile] = field(default_factory=list)
    raised: Raised | None = None  # what they raised, if it is explained

    @property
    def error(self) -> str:
        """What they raised, in one line, or ""."""
        errors = [*(call.error for call in self.calls), *(row.error for row in self.compiles)]
        return next(filter(None, errors), "")

    @property
    def reasons(self) -> list[Reason]:
        """What made these calls compile; what had not been compiled before has no cause."""
        return [reason for row in self.compiles for reason in row.reasons if reason.kind != "first"]

    @property
    def signatures(self) -> list[Signature]:
        """The arguments, as far as they are known."""
        if self.compiles:
            return [row.signature for row in self.compiles]
        ran = [call.compile for call in self.calls]
        known = [row.signature if row else call.signature for call, row in zip(self.calls, ran, strict=True)]
        return [signature for signature in known if signature is not None][:1]

    @property
    def versions(self) -> list[int]:
        """The versions that are known to have run, or were compiled."""
        known = [call.version for call in self.calls if call.version] + [row.version for row in self.compiles]
        return sorted(set(known))

    @property
    def compile_s(self) -> float:
        return sum(row.duration_s for row in self.compiles)


def list_columns(group: Group, *, has_numbers: bool = True) -> list[Column]:
    """All columns in order."""
    return list(_merge(_read(group, has_numbers)))


def fit(columns: list[Column], most: int) -> list[Column]:
    """At most about `most` columns that stand for these."""
    if len(columns) > most:
        columns = list(_merge_hits(columns))
    if len(columns) > most:
        columns = list(_merge_causes(columns))
    return columns if len(columns) <= most else list(_merge_cheap(columns, most))


def _read(group: Group, has_numbers: bool) -> Iterator[Column]:
    """A column for each call, or sum of similar hits, and for each compile without a call, in the order of time."""
    made: defaultdict[int, list[Compile]] = defaultdict(list)
    apart = sorted((row for row in group.compiles if row.call is None), key=lambda row: -row.start_s)
    for row in group.compiles:
        if row.call is not None:
            made[row.call.index].append(row)
    number = 0
    for call, n in group.calls:
        while apart and apart[-1].start_s <= call.start_s:
            yield _without_call(apart.pop())
        first, number = number + 1, number + n
        rows = made.get(call.index, [])
        numbers = (first, number) if has_numbers else (0, 0)
        yield Column(_kind_of(call, rows), *numbers, n, [call], rows)
    yield from map(_without_call, reversed(apart))


def _without_call(row: Compile) -> Column:
    return Column("ahead" if is_ahead(row) else "running" if row.status == "running" else "compile", compiles=[row])


def _kind_of(call: Call, rows: Sequence[Compile]) -> ColumnKind:
    if call.error is not None:
        return "error"
    if any(row.status == "running" for row in rows):
        return "running"
    return "hits" if call.outcome == "hit" else call.outcome


def _merge(columns: Iterable[Column]) -> Iterator[Column]:
    """Neighbours without a compile and with the same outcome, version and error as one."""

    def kind(column: Column) -> tuple[object, ...]:
        call = column.calls[0] if column.calls else None
        is_alone = column.compiles or call is None
        return (column.kind, id(column)) if is_alone else (column.kind, call and call.version, call and call.error)

    for _, alike in groupby(columns, kind):
        yield _join(list(alike))


def _join(columns: Sequence[Column], kind: ColumnKind | None = None) -> Column:
    """Several columns as one."""
    if len(columns) == 1:
        return columns[0]
    return Column(
        kind or columns[0].kind,
        next((column.first for column in columns if column.first), 0),
        max(column.last for column in columns),
        sum(column.count for column in columns),
        [call for column in columns for call in column.calls],
        [row for column in columns for row in column.compiles],
    )


def _merge_hits(columns: Iterable[Column]) -> Iterator[Column]:
    """Neighbouring hits as one, whatever version they ran."""
    for kind, alike in groupby(columns, lambda column: column.kind):
        found = list(alike)
        yield from [_join(found)] if kind == "hits" else found


def _cause_of(column: Column) -> frozenset[tuple[str, str]]:
    return frozenset((reason.kind, reason.path) for reason in column.reasons)


def _merge_causes(columns: Sequence[Column]) -> Iterator[Column]:
    """Compiles with one cause as one column, with the hits between them."""
    stretch: list[Column] = []
    for column in columns:
        is_quiet = column.kind == "hits"
        if stretch and not is_quiet and (column.kind != "compile" or _cause_of(column) != _cause_of(stretch[0])):
            yield from _as_one(stretch)
            stretch = []
        if stretch or (column.kind == "compile" and column.reasons):
            stretch.append(column)
        else:
            yield column
    yield from _as_one(stretch)


def _as_one(stretch: list[Column]) -> Iterator[Column]:
    """A stretch as one column, if it has many compiles; the hits at its end stay apart."""
    end = next((place for place in range(len(stretch), 0, -1) if stretch[place - 1].compiles), 0)
    if sum(column.kind == "compile" for column in stretch) < _LEAST_ALIKE:
        end = 0
    yield from [_join(stretch[:end], "many")] if end else []
    yield from stretch[end:]


def _merge_cheap(columns: Sequence[Column], most: int) -> Iterator[Column]:
    """The first columns and the most expensive ones stay; what is between them becomes one column each."""
    costs = [column.compile_s + 1e6 * (column.kind in ("error", "running")) for column in columns]
    by_cost = sorted(range(len(columns)), key=lambda number: (-costs[number], number))
    kept = {0, *by_cost[: most // 2]}
    for is_kept, stretch in groupby(enumerate(columns), lambda pair: pair[0] in kept):
        found = [column for _, column in stretch]
        kind: ColumnKind = "many" if any(column.compiles for column in found) else found[0].kind
        yield from found if is_kept else [_join(found, kind)]
