"""The scores of a recording.

In: a `Recording` and its groups.  Out: a `Score` for each function, and one for what compiled outside any jit: programs
across, the lines of the user's source down.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from ...findings import find
from ...model import MAIN_THREAD, OpByOp, count, is_avoidable, seconds
from ...recording import Recording
from ..groups import Group, costliest, count_outcomes, count_seen, covered_s, group_rows
from ..schema import Score, ScoreCell, ScoreColumn, ScoreRow
from ..screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from ..timeline import drawn_calls
from ..words import plain, plain_path
from .column_words import shape_columns
from .columns import fit, list_columns
from .rows import shape_rows

_MOST_ASKED = 200  # columns of a part that someone opens
_ALL_ROWS = 2_000
OUTSIDE = "outside any jit"
_NOWHERE = "line unknown"


def shape_scores(recording: Recording, groups: Mapping[str, Group], limits: Limits) -> tuple[Score, ...]:
    """The scores of the `groups`: those that ran an old program, what raised last if the exception is explained, then
    the most expensive."""
    position_of = _positions(recording, limits)
    until_s = recording.facts.wall_s
    stale = {index for finding in find(recording) if finding.is_wrong for index in finding.compiles}
    last_failed = max(map(_last_failed, groups.values()), default=-1) if recording.raised else -1

    def rank(pair: tuple[int, Group]) -> tuple[bool, bool, float]:
        group = pair[1]
        is_raised = 0 <= _last_failed(group) == last_failed
        is_stale = any(row.index in stale for row in (*group.earlier, *group.compiles))
        return not is_stale, not is_raised, -covered_s(group.compiles, until_s)

    order = sorted(enumerate(groups.values()), key=rank)
    rows = max(limits.children, limits.rows // max(1, len(groups)))
    scores = [_shape(recording, group, place, limits, position_of, rows=rows) for place, group in order]
    outside = shape_outside(recording, limits)
    return (*scores, *([outside] if outside is not None else []))


def _last_failed(group: Group) -> int:
    """The index of the last call that raised; -1 if none did."""
    return max((call.index for call, _ in group.calls if call.error is not None), default=-1)


def _positions(recording: Recording, limits: Limits) -> dict[int, int]:
    """The position of each call in the timeline, by its index."""
    return {call.index: place for place, (call, _) in enumerate(drawn_calls(recording, limits))}


def _shape(
    recording: Recording,
    group: Group,
    place: int,
    limits: Limits,
    position_of: Mapping[int, int],
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
    for column in columns:
        column.raised = recording.facts.explanation(column.error) if column.kind == "error" else None
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
        columns=tuple(shape_columns(columns, recording, position_of)),
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
    position_of = _positions(recording, limits)
    return _shape(recording, groups[function], function, limits, position_of, rows=_ALL_ROWS, part=(first, last, under))


def shape_outside(recording: Recording, limits: Limits) -> Score | None:
    """A column for each stretch of programs of one function and line; where these are too many, of one line."""
    ops = recording.op_by_op
    if not ops:
        return None
    spent: defaultdict[str, float] = defaultdict(float)  # by line
    for op in ops:
        spent[op.source] += op.span_s
    lines = sorted(spent, key=lambda line: -spent[line])[: limits.op_by_op]
    shown = [op for op in ops if op.source in lines]
    stretches = [list(alike) for _, alike in groupby(shown, lambda op: (op.source, op.name))]
    if len(stretches) > limits.columns:
        stretches = [list(alike) for _, alike in groupby(shown, lambda op: op.source)]
    if len(stretches) > limits.columns:
        stretches = [[op for op in shown if op.source == line] for line in dict.fromkeys(op.source for op in shown)]
    n_more = len(spent) - len(lines)
    rest = [ScoreRow("more", 0, f"{n_more:,} more {'line' if n_more == 1 else 'lines'}", "")] if n_more else []
    total_s = sum(spent.values())
    return Score(
        function=OUTSIDE,
        place=-1,
        told=f"{count(len(ops), 'program')}, {seconds(total_s)}",
        calls=0,
        compiles=len(ops),
        seconds=total_s,
        columns=tuple(_column(stretch) for stretch in stretches),
        rows=(*(_row(line, stretches, spent[line]) for line in dict.fromkeys(op.source for op in shown)), *rest),
    )


def _column(ops: Sequence[OpByOp]) -> ScoreColumn:
    spent_s, name = sum(op.span_s for op in ops), _names(ops)
    where = f" at {plain_path(ops[0].source, VALUE_CHARS)}" if ops[0].source else ""
    is_loaded = all(op.origin == "loaded" for op in ops)
    return ScoreColumn(
        kind="programs",
        first=0,
        last=0,
        count=len(ops),
        name=f"×{len(ops):,}" if len(ops) > 1 else "·",
        label=plain(f"{count(len(ops), 'program')} of {name}{where}, {seconds(spent_s)}", SENTENCE_CHARS),
        seconds=spent_s,
        told=seconds(spent_s),
        trace_s=sum(op.trace_s for op in ops),
        lower_s=sum(op.lower_s for op in ops),
        compile_s=sum(op.compile_s for op in ops),
        marks=("loaded from disk",) if is_loaded else (),
        source=plain_path(ops[0].source, VALUE_CHARS),
        thread="" if ops[0].thread == MAIN_THREAD else plain(ops[0].thread, NAME_CHARS),
    )


def _names(ops: Sequence[OpByOp]) -> str:
    """ "jnp.zeros", "jnp.zeros and 2 more"."""
    names = list(dict.fromkeys(op.name for op in ops))
    return plain(names[0] + (f" and {len(names) - 1:,} more" if len(names) > 1 else ""), NAME_CHARS)


def _row(line: str, stretches: Sequence[Sequence[OpByOp]], spent_s: float) -> ScoreRow:
    """A line: filled where its programs stand."""
    cells: list[ScoreCell] = []
    was_here = False
    for place, stretch in enumerate(stretches):
        is_here = stretch[0].source == line
        if is_here:
            name = _names(stretch)
            cells.append(ScoreCell(place, "traced", re.sub(r"\w+\.", "", name), name))
        elif was_here or not cells:
            cells.append(ScoreCell(place, "absent"))
        was_here = is_here
    text = next((op.line for stretch in stretches for op in stretch if op.source == line and op.line), "")
    name = plain_path(line, NAME_CHARS) or _NOWHERE
    return ScoreRow(
        "line",
        0,
        name,
        plain_path(line, VALUE_CHARS),
        plain(text.strip(), NAME_CHARS),
        seconds(spent_s),
        cells=tuple(cells),
    )
