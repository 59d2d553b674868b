"""A column of a score in words and seconds.

In: a `Column`.  Out: `ScoreColumn`.
Must never: say that hits ran a version that is not known.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...model import MAIN_THREAD, count, has_compiled, is_avoidable, is_loaded, seconds
from ...model.counting import may_be_avoidable
from ...recording import Recording
from ..schema import ScoreColumn
from ..screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS
from ..words import name_versions, plain, plain_path
from .columns import Column

_MUCH = 0.1  # of the longest column: shorter hits have no seconds above them
_KNOWN_S = 1e-4


def shape_columns(
    columns: Sequence[Column], recording: Recording, position_of: Mapping[int, int]
) -> Iterator[ScoreColumn]:
    """`position_of` gives the position of a call in the timeline by its index."""
    longest_s = max((column.compile_s or _run_s(column) for column in columns), default=0.0)
    stale = _stale_versions(recording)
    starts = [min(row.start_s for row in column.calls or column.compiles) for column in columns]
    known = 0  # the version of the column before
    for column, end_s in zip(columns, [*starts[1:], math.inf], strict=False):
        ran = {stale.get((call.lineage, call.version or 0), math.inf) for call in column.calls}
        is_stale = column.kind == "hits" and min(ran, default=math.inf) < end_s
        shaped = _shape(column, longest_s, known, position_of, is_stale=is_stale)
        known = (column.versions or [known])[-1]
        yield shaped


def _shape(
    column: Column, longest_s: float, known: int, position_of: Mapping[int, int], *, is_stale: bool
) -> ScoreColumn:
    versions = column.versions
    version = versions[0] if len(versions) == 1 and column.kind != "error" else 0
    run_s, compile_s = _run_s(column), column.compile_s
    spent_s = compile_s or run_s
    is_known = column.kind != "hits" or bool(versions)
    call = column.calls[0] if column.calls else None
    spent_on: defaultdict[str, float] = defaultdict(float)
    for phase in (phase for row in column.compiles for phase in row.phases):
        spent_on[phase.name] += phase.duration_s or 0.0
    is_told = spent_s >= _KNOWN_S and (bool(compile_s) or spent_s >= _MUCH * longest_s)
    marks = (*_marks(column), *["stale"] * is_stale)
    shown = column.calls or column.compiles
    return ScoreColumn(
        kind=column.kind,
        first=column.first,
        last=column.last,
        count=column.count,
        name=_name(column, version, known, is_known=is_known),
        label=plain(_label(column, spent_s, marks), SENTENCE_CHARS),
        version=version,
        is_known=is_known,
        compiles=tuple(row.index for row in column.compiles),
        call=-1 if call is None else position_of.get(call.index, -1),
        seconds=spent_s,
        told=seconds(spent_s) if is_told else "",
        trace_s=spent_on["trace"],
        lower_s=spent_on["lower"],
        compile_s=spent_on["compile"],
        run_s=run_s,
        avoidable_s=sum(row.duration_s for row in column.compiles if is_avoidable(row)),
        marks=marks,
        error=plain(_error(column), SENTENCE_CHARS),
        source=plain_path(shown[0].source, VALUE_CHARS),
        thread="" if shown[0].thread == MAIN_THREAD else plain(shown[0].thread, NAME_CHARS),
    )


def _run_s(column: Column) -> float:
    """Seconds of running programs, as far as they are known."""
    spent = 0.0
    for call in column.calls:
        if call.duration_s is not None and call.ready_s is not None:
            spent += max(0.0, call.start_s + call.duration_s - call.ready_s)
    return spent


def _error(column: Column) -> str:
    """What was raised: its explanation in place of its text, if there is one."""
    raised = column.raised
    if raised is None:
        return column.error
    return f"{raised.error}: {raised.summary} {raised.advice} At {raised.source}, `{raised.line}`."


def _name(column: Column, version: int, known: int, *, is_known: bool) -> str:
    """ "2", "×57", "v3 ×2", "4 of 60"; hits of the version of the column before do not repeat it."""
    many = f"×{column.count:,}" if column.count > 1 else ""
    if column.kind == "many":
        n = sum(map(has_compiled, column.compiles))
        return f"{n:,} of {column.count:,}" if column.count else f"{n:,}"
    if column.kind == "hits":
        which = "" if version == known else f"v{version}" if version else "" if is_known else "?"
        return " ".join(filter(None, (which, many))) or "·"
    if column.kind in ("inlined", "error"):
        return f"{'↳' if column.kind == 'inlined' else '✕'}{many}"
    return f"{version or '?'}" + ("…" if column.kind == "running" else "")


def _label(column: Column, spent_s: float, marks: Sequence[str]) -> str:
    """ "call 4: compile, version 2, 3.2 s, avoidable", "calls 5 to 61: 57 hits of version 2, 12 ms"."""
    first, last = column.first, column.last
    numbers = "" if not last else f"call {first:,}: " if first == last else f"calls {first:,} to {last:,}: "
    lasted = [seconds(spent_s)] if spent_s >= _KNOWN_S else []
    return numbers + ", ".join([_what(column), *lasted, *marks])


def _what(column: Column) -> str:
    name = name_versions(column.versions).removeprefix("one of ")
    n_compiles = sum(map(has_compiled, column.compiles))
    if column.kind == "many":
        n_hits = column.count - len({row.call.index for row in column.compiles if row.call is not None})
        return count(n_compiles, "compile") + (f" and {count(n_hits, 'hit')}" if n_hits else "")
    if column.kind == "hits":
        hits = "a hit" if column.count == 1 else f"{column.count:,} hits"
        return f"{hits} of {name or 'an unknown version'}"
    if column.kind == "inlined":
        return "inlined" if column.count == 1 else f"{column.count:,} inlined calls"
    if column.kind == "error":
        return f"raised {column.error.partition(':')[0]}"
    verb = {"trace": "traced again", "running": "still compiling"}.get(
        column.kind, "compile" if n_compiles else "traced"
    )
    return f"{verb}, {name}" if name else verb


def _marks(column: Column) -> Iterator[str]:
    rows = [row for row in column.compiles if has_compiled(row)]
    if rows and all(map(is_avoidable, rows)):
        yield "avoidable"
    elif any(map(may_be_avoidable, rows)):
        yield "maybe avoidable"
    if rows and all(map(is_loaded, rows)):
        yield "loaded from disk"
    if column.kind == "ahead":
        yield "ahead of time"
    yield from dict.fromkeys(f"{plain(row.transform, NAME_CHARS)} of the function" for row in rows[:1] if row.transform)


def _stale_versions(recording: Recording) -> dict[tuple[str, int], float]:
    """From when on hits of a version ran an old program, in seconds of the recording."""
    since: dict[tuple[str, int], float] = {}
    for row, event in (found for found in recording.facts.stale.values() if not found[1].is_maybe):
        at_s = event.at_s - (recording.facts.started_s or 0.0)
        key = row.lineage, row.version
        since[key] = min(at_s, since.get(key, at_s))
    return since
