"""The scores of a recording.

In: a `Recording` and its groups.  Out: a `Score` for each function, and one for what compiled outside any jit.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from ...findings import find
from ...model import MAIN_THREAD, count, is_avoidable, seconds
from ...recording import Recording
from ..groups import Group, costliest, count_outcomes, count_seen, covered_s, group_rows
from ..schema import Score
from ..screen_limits import NAME_CHARS, SENTENCE_CHARS, Limits
from ..timeline import drawn_calls
from ..words import plain
from .column_words import shape_columns
from .columns import fit, list_columns
from .outside import shape_outside
from .rows import shape_rows

_MOST_ASKED = 200  # columns of a part that someone opens
_ALL_ROWS = 2_000


def shape_scores(recording: Recording, groups: Mapping[str, Group], limits: Limits) -> tuple[Score, ...]:
    """The scores of the `groups`: those that ran an old program, what raised last if the exception is explained, then
    the most expensive."""
    place_of = _places(recording, limits)
    until_s = recording.facts.wall_s
    stale = {index for finding in find(recording) if finding.is_wrong for index in finding.compiles}
    last_failed = max(map(_last_failed, groups.values()), default=-1) if recording.raised else -1

    def rank(pair: tuple[int, Group]) -> tuple[bool, bool, float]:
        is_raised = 0 <= _last_failed(pair[1]) == last_failed
        return not _indices(pair[1]) & stale, not is_raised, -covered_s(pair[1].compiles, until_s)

    order = sorted(enumerate(groups.values()), key=rank)
    rows = max(limits.children, limits.rows // max(1, len(groups)))
    scores = [_shape(recording, group, place, limits, place_of, rows=rows) for place, group in order]
    outside = shape_outside(recording, limits)
    return (*scores, *([outside] if outside is not None else []))


def _indices(group: Group) -> set[int]:
    return {row.index for row in (*group.earlier, *group.compiles)}


def _last_failed(group: Group) -> int:
    """The index of the last call that raised; -1 if none did."""
    return max((call.index for call, _ in group.calls if call.error is not None), default=-1)


def _places(recording: Recording, limits: Limits) -> dict[int, int]:
    """The position of each call in the timeline, by its index."""
    return {call.index: place for place, (call, _) in enumerate(drawn_calls(recording, limits))}


def _shape(
    recording: Recording,
    group: Group,
    place: int,
    limits: Limits,
    place_of: Mapping[int, int],
    *,
    rows: int,
    part: tuple[int | None, int | None, str | None] = (None, None, None),
) -> Score:
    has_numbers = group.hits_seen(recording) != "none"
    first, last, under = part
    columns = list_columns(group, has_numbers=has_numbers)
    if first is not None or last is not None:
        columns = [column for column in columns if column.last >= (first or 0) and column.first <= (last or math.inf)]
    columns = fit(columns, limits.columns)
    notes = [row.signature.note for row in group.compiles if row.signature.is_partial]
    return Score(
        function=plain(group.info.name, NAME_CHARS),
        place=place,
        told=_tell(recording, group),
        calls=sum(n for _, n in group.calls) if has_numbers else -1,
        compiles=count_outcomes((), group.compiles)["compile"],
        seconds=covered_s(group.compiles, recording.facts.wall_s),
        api=plain(group.info.api, NAME_CHARS),
        avoidable_s=covered_s(list(filter(is_avoidable, group.compiles)), recording.facts.wall_s),
        columns=tuple(shape_columns(columns, recording, place_of)),
        rows=shape_rows(columns, limits, most=rows, under=under or ""),
        note=plain(f"Part of it could not be seen: {notes[0]}" if notes else "", SENTENCE_CHARS),
    )


def _tell(recording: Recording, group: Group) -> str:
    """ "300 calls, 5 compiles, 12 s; 2 threads"."""
    seen = group.hits_seen(recording)
    outcomes = count_outcomes(group.calls, group.compiles)
    told = [count_seen(outcomes["call"], "call", seen)] if seen != "none" and outcomes["call"] else []
    told.append(count(outcomes["compile"], "compile"))
    if spent_s := covered_s(group.compiles, recording.facts.wall_s):
        told.append(seconds(spent_s))
    lanes = [(call.function_info.process, call.thread) for call, _ in group.calls]
    n_processes, n_threads = len({process for process, _ in lanes}), len(set(lanes))
    where = count(n_processes, "process") if n_processes > 1 else count(n_threads, "thread") if n_threads > 1 else ""
    only = lanes[0][1] if len(set(lanes)) == 1 and lanes[0][1] != MAIN_THREAD else ""
    return "; ".join(filter(None, (", ".join(told), where or (only and f"thread {plain(only, NAME_CHARS)}"))))


def shape_score(
    recording: Recording,
    limits: Limits,
    *,
    function: int,
    first: int | None = None,
    last: int | None = None,
    under: str | None = None,
) -> Score:
    """A part of a score: of the calls from `first` to `last`, or of what is below the path `under`.

    Raises:
        LookupError: there is no such function.
    """
    groups = list(costliest(group_rows(recording), limits).values())
    if not 0 <= function < len(groups):
        raise LookupError(f"The panel has no function {function}; it has {len(groups)}.")
    limits = replace(limits, columns=_MOST_ASKED, open_rows=_MOST_ASKED)
    place_of = _places(recording, limits)
    return _shape(recording, groups[function], function, limits, place_of, rows=_ALL_ROWS, part=(first, last, under))
