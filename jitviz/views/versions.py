"""One compiled version, with everything there is to say about it.

In: a `Compile` row and its group.  Out: `Version`, with partition trees and bounded reasons.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar, get_args

from ..model import Compile, Cost, ListingName, Reason, Signature, is_loaded, is_recompile, seconds
from ..recording import Recording
from .groups import Group, phase_times
from .partition import lay_out, shape_partition
from .schema import Detail, Listing, Partition, Version
from .screen_limits import NAME_CHARS, PANEL, SENTENCE_CHARS, VALUE_CHARS, Limits
from .timeline import drawn_calls
from .words import plain, plain_path, tell_cost, tell_memory

Advice: TypeAlias = Mapping[tuple[int, str, str], str]  # on a change, by compile, kind and path
_Row = TypeVar("_Row")
_ALL = 1_000_000_000  # rows


def shape_version(
    row: Compile,
    group: Group,
    limits: Limits,
    advice: Advice,
    *,
    rows: int,
    number_of: dict[int, int],
    previous: Compile | None = None,
) -> Version:
    """Shape one version. `rows` bounds its trees; with 0, it has neither trees nor programs. `number_of` numbers the
    calls of the function. If there is a `previous` version, only the differences from it are drawn."""
    reasons = row.reasons
    number = number_of.get(row.call.index) if row.call is not None else None
    source = plain_path(row.source, VALUE_CHARS)
    is_before = row.start_s < 0
    has_trees = not is_before and rows > 0
    is_diff = previous is not None and bool(reasons)
    other = None if is_before else row.compared_with
    cost = row.cost or Cost()
    return Version(
        index=row.index,
        version=row.version,
        name=_name(row),
        made=_tell_made(row, number, source),
        status=row.status,
        source=source,
        call=number,
        hits=group.hits[row.version],
        duration_s=row.duration_s,
        phases=phase_times([row]),
        error=plain(row.error or "", SENTENCE_CHARS),
        is_before=is_before,
        reasons=tuple(
            _bounded(reason, None if is_before else advice.get((row.index, reason.kind, reason.path)))
            for reason in reasons[: limits.reasons]
        ),
        n_more_reasons=max(0, len(reasons) - limits.reasons),
        judged="" if is_before else _tell_judgement(row),
        compared_with=other.index if other is not None and other.start_s >= 0 else -1,
        inputs=shape_inputs(row, limits, rows=rows, is_diff=is_diff, reasons=reasons) if has_trees else None,
        outputs=shape_outputs(row, limits, rows=rows, previous=previous) if has_trees else None,
        cost=tell_cost(cost),
        memory=tell_memory(row.memory) if row.memory is not None else "",
        flops=cost.flops,
        moved=cost.bytes_accessed,
        sizes=row.memory,
        listings=tuple(
            Listing(name, n_lines) for name in get_args(ListingName) if has_trees and (n_lines := row.n_lines(name))
        ),
    )


def _tell_judgement(row: Compile) -> str:
    """ "avoidable: the same program but for the number: 0.1 → 0.2"; "" for what is no recompile."""
    if not is_recompile(row):
        return ""
    verdict, words = row.judgement.verdict, row.judgement.words
    named = "maybe avoidable" if verdict == "maybe" else verdict
    return f"{named}: {plain(words or 'one of the programs is not known', SENTENCE_CHARS)}"


def _name(row: Compile) -> str:
    kinds = []
    if row.transform:
        kinds.append(f"{plain(row.transform, NAME_CHARS)} of the function, from outside")
    if row.stage != "call":
        kinds.append(f"ahead of time: {plain(row.stage, NAME_CHARS)}")
    return f"version {row.version}" + (f" ({'; '.join(kinds)})" if kinds else "")


def _tell_made(row: Compile, call: int | None, source: str) -> str:
    how = "loaded from disk" if is_loaded(row) else "compiled"
    made = f"{how} before this recording" if row.start_s < 0 else how if how != "compiled" else ""
    if call is not None:
        made = f"{how} by call {call:,}"
    if source:
        made = f"{made} at {source}".lstrip()
    if row.saved_s:
        made += f", {seconds(row.saved_s)} saved"
    state = {"running": "still compiling", "failed": "failed", "done": ""}[row.status]
    return ", ".join(filter(None, (made, state)))


def _bounded(reason: Reason, advice: str | None) -> Reason:
    """The same reason with texts that fit a screen, and with the `advice` of a finding in place of its own."""
    return replace(
        reason,
        path=plain_path(reason.path, SENTENCE_CHARS),
        before=plain_path(reason.before, 2 * VALUE_CHARS),  # what differs may be anywhere in a sharding
        after=plain_path(reason.after, 2 * VALUE_CHARS),
        summary=plain(reason.summary, SENTENCE_CHARS),
        advice=plain(reason.advice if advice is None else advice, SENTENCE_CHARS),
    )


def shape_inputs(row: Compile, limits: Limits, *, rows: int, **more: Any) -> Partition:
    """The tree of the arguments; `more` is as in `shape_partition`."""
    return shape_signature(row.signature, limits, rows=rows, dropped=row.dropped, reused=row.reused or (), **more)


def shape_signature(signature: Signature, limits: Limits, *, rows: int, **more: Any) -> Partition:
    """The tree of a call's arguments; `more` is as in `shape_partition`."""
    note = signature.note
    if signature.is_partial:
        note = f"Part of it could not be seen: {note}" if note else "Part of it could not be seen."
    return shape_partition(signature.leaves, signature.nodes, limits, rows=rows, note=note, **more)


def shape_outputs(row: Compile, limits: Limits, *, rows: int, previous: Compile | None = None) -> Partition | None:
    """The tree of the outputs, if there are any; only its sums if the `previous` version has the same outputs."""
    if not row.outputs:
        return None
    is_same = previous is not None and (previous.outputs, previous.output_nodes) == (row.outputs, row.output_nodes)
    rows = rows if previous is None else limits.children
    transform = plain(row.output_transform, NAME_CHARS)
    return shape_partition(row.outputs, row.output_nodes, limits, rows=rows, is_diff=is_same, transform=transform)


def shape_detail(recording: Recording, *, compile: int | None = None, call: int = -1) -> Detail:
    """The whole trees of a compile, or of the version that a call ran, or else of the call's arguments.

    Both are numbers; calls are numbered as in the timeline.

    Raises:
        LookupError: there is no such compile or call, or nothing is known of the call's arguments.
    """
    if compile is not None:
        row = _find(recording.compiles, compile)
    else:
        made, _ = _find(drawn_calls(recording, PANEL), call)
        if made.compile is None:
            if made.signature is None:
                raise LookupError("It is not known which version this call ran.")
            return Detail(lay_out(shape_signature(made.signature, PANEL, rows=_ALL)), None)
        row = made.compile
    outputs = shape_outputs(row, PANEL, rows=_ALL)
    inputs = shape_inputs(row, PANEL, rows=_ALL, reasons=row.reasons)
    return Detail(lay_out(inputs), lay_out(outputs) if outputs is not None else None)


def _find(rows: Sequence[_Row], index: int) -> _Row:
    if not 0 <= index < len(rows):
        raise LookupError(f"The recording has no number {index}; it has {len(rows)}.")
    return rows[index]
