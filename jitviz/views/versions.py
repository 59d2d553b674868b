"""One compiled version, with everything there is to say about it.

In: a `Compile` row and its group.  Out: `Version`, with partition trees, bounded reasons and program texts.
Must never: unpack a program text that the limits leave no room for, unless its length is all that is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from ..model import Compile, ListingName, Reason, Signature
from .groups import Group, phase_times
from .limits import Limits
from .partition import Drawing, draw_tree, shape_partition
from .schema import Listing, Partition, Version
from .words import plain, plain_lines, plain_path, tell_cost, tell_memory


@dataclass
class Budget:
    """What is left for program texts, over all versions of a panel. `advice` is what to do, by change."""

    listings_chars: int
    advice: Mapping[tuple[int, str, str], str] = field(default_factory=dict)


def shape_version(
    row: Compile,
    mine: Group,
    limits: Limits,
    budget: Budget,
    *,
    rows: int,
    number_of: dict[int, int],
    previous: Compile | None = None,
) -> Version:
    """Say everything of one version.

    `rows` bounds its trees. `number_of` numbers the calls of the function. `previous` is the version drawn before it;
    if there is one, only what changed is drawn.
    """
    reasons = row.reasons
    call = row.call
    is_before = row.start_s < 0
    if not is_before:
        asked = ((reason, budget.advice.get((row.index, reason.kind, reason.path))) for reason in reasons)
        reasons = tuple(reason if told is None else replace(reason, advice=told) for reason, told in asked)
    is_diff = previous is not None and bool(reasons)
    other = None if is_before else row.compared_with
    return Version(
        index=row.index,
        version=row.version,
        status=row.status,
        stage=plain(row.stage, limits.name_chars),
        transform=plain(row.transform, limits.name_chars),
        source=plain_path(row.source, limits.value_chars),
        call=number_of.get(call.index) if call is not None else None,
        hits=sum(n for call, n in mine.calls if call.outcome == "hit" and call.version == row.version),
        duration_s=row.duration_s,
        phases=phase_times([row]),
        error=plain(row.error or "", limits.sentence_chars),
        is_before=is_before,
        origin=row.origin,
        saved_s=row.saved_s,
        reasons=tuple(bounded(reason, limits) for reason in reasons[: limits.reasons]),
        n_more_reasons=max(0, len(reasons) - limits.reasons),
        compared_with=other.index if other is not None and other.start_s >= 0 else -1,
        inputs=None if is_before else draw_inputs(row, limits, rows=rows, is_diff=is_diff, reasons=reasons).partition(),
        outputs=None if is_before or not row.outputs else _shape_outputs(row, previous, limits, rows),
        cost=tell_cost(row.cost) if row.cost is not None else "",
        memory=tell_memory(row.memory) if row.memory is not None else "",
        listings=() if is_before else _shape_listings(row, limits, budget, is_named_only=is_diff),
    )


def bounded(reason: Reason, limits: Limits) -> Reason:
    """The same reason, fit for a screen."""
    return replace(
        reason,
        path=plain_path(reason.path, limits.sentence_chars),
        before=plain(reason.before, limits.value_chars),
        after=plain(reason.after, limits.value_chars),
        summary=plain(reason.summary, limits.sentence_chars),
        advice=plain(reason.advice, limits.sentence_chars),
    )


def draw_inputs(
    row: Compile, limits: Limits, *, rows: int, is_diff: bool = False, reasons: Sequence[Reason] = ()
) -> Drawing:
    """The tree of the arguments."""
    more: dict[str, Any] = {"reasons": reasons, "dropped": row.dropped, "reused": row.reused, "is_diff": is_diff}
    return draw_signature(row.signature, limits, rows=rows, **more)


def draw_signature(signature: Signature, limits: Limits, *, rows: int, **more: Any) -> Drawing:
    """The tree of what a call was made with; `more` is as in `draw_tree`."""
    note = signature.note
    if signature.is_partial:
        note = f"Not all of it could be seen: {note}" if note else "Not all of it could be seen."
    return draw_tree(signature.leaves, signature.nodes, limits, rows=rows, note=note, **more)


def _shape_outputs(row: Compile, previous: Compile | None, limits: Limits, rows: int) -> Partition:
    """Outputs are drawn as inputs are; nothing but their sums if they are those of the version before."""
    is_diff = previous is not None and (previous.outputs, previous.output_nodes) == (row.outputs, row.output_nodes)
    return shape_partition(
        row.outputs,
        row.output_nodes,
        limits,
        rows=rows if previous is None else limits.children,
        is_diff=is_diff,
        transform=plain(row.output_transform, limits.name_chars),
    )


def _shape_listings(row: Compile, limits: Limits, budget: Budget, *, is_named_only: bool) -> tuple[Listing, ...]:
    """Program texts, of which there is room for a first glance; those of a later version look much the same."""
    listings = []
    for name in get_args(ListingName):
        n_lines = row.n_lines(name)
        if not n_lines:
            continue
        room = 0 if is_named_only else min(limits.listing_chars, budget.listings_chars)
        shown = _cut(getattr(row, name), room) if room > 0 else ""
        budget.listings_chars -= len(shown)
        listings.append(
            Listing(
                name=name,
                text=plain_lines(shown),
                n_lines=n_lines,
                n_shown=shown.count("\n") + 1 if shown else 0,
                expression=f"compiles[{row.index}].{name}",
            )
        )
    return tuple(listings)


def _cut(text: str, chars: int) -> str:
    """Whole lines from the top that fit into `chars` characters."""
    if len(text) <= chars:
        return text.rstrip("\n")
    return text[: max(0, text.rfind("\n", 0, chars + 1))]
