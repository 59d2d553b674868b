"""The score of what compiled outside any jit: programs across, the lines of the user's source down.

In: the programs of a `Recording`.  Out: a `Score`, or None if there are none.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from ...model import MAIN_THREAD, OpByOp, count, seconds
from ...recording import Recording
from ..schema import Score, ScoreCell, ScoreColumn, ScoreRow
from ..screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from ..words import plain, plain_path

OUTSIDE = "outside any jit"
_NOWHERE = "line unknown"


def shape_outside(recording: Recording, limits: Limits) -> Score | None:
    """A column for each stretch of programs of one function and line; where these are too many, of one line."""
    ops = recording.op_by_op
    if not ops:
        return None
    spent = _by_line(ops)
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


def _by_line(ops: Sequence[OpByOp]) -> dict[str, float]:
    spent: dict[str, float] = {}
    for op in ops:
        spent[op.source] = spent.get(op.source, 0.0) + op.span_s
    return spent


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
