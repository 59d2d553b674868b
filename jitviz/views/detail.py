"""Trees in full, as columns: what a screen asks for when a version is looked at.

In: a `Recording` and the number of a compile or of a call.  Out: `Detail`.
Must never: be part of the panel itself, which stays small.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Compile
from ..recording import Recording
from .limits import Limits
from .partition import draw_tree
from .schema import Detail
from .timeline import drawn_calls
from .versions import draw_inputs, draw_signature
from .words import plain


def detail_of_compile(recording: Recording, index: int, limits: Limits) -> Detail:
    """The whole trees of compile number `index`.

    Raises:
        LookupError: there is no such compile.
    """
    return _shape(recording.compiles[_checked(index, recording.compiles)], limits)


def detail_of_call(recording: Recording, index: int, limits: Limits) -> Detail:
    """The whole trees of the version that a call ran, or else of its arguments; `index` counts as the timeline does.

    Raises:
        LookupError: there is no such call, or it is not known what it was called with.
    """
    calls = drawn_calls(recording, limits)
    call, _ = calls[_checked(index, calls)]
    if call.compile is not None:
        return _shape(call.compile, limits)
    if call.signature is None:
        raise LookupError("Which version this call ran is not known.")
    return Detail(-1, draw_signature(call.signature, limits, rows=_ALL).whole(), None)


_ALL = 1_000_000_000


def _checked(index: int, rows: Sequence[object]) -> int:
    if not 0 <= index < len(rows):
        raise LookupError(f"The recording has no number {index}; it has {len(rows)}.")
    return index


def _shape(row: Compile, limits: Limits) -> Detail:
    transform = plain(row.output_transform, limits.name_chars)
    outputs = draw_tree(row.outputs, row.output_nodes, limits, rows=_ALL, transform=transform)
    inputs = draw_inputs(row, limits, rows=_ALL, reasons=row.reasons)
    return Detail(row.index, inputs.whole(), outputs.whole() if row.outputs else None)
