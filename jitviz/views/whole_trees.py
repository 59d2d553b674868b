"""Whole trees as columns, which a panel requests when someone opens a version.

In: a `Recording` and the number of a compile or of a call.  Out: `Detail`.
Must never: be part of the panel itself, which stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ..recording import Recording
from .partition import lay_out
from .schema import Detail
from .screen_limits import PANEL
from .timeline import drawn_calls
from .versions import shape_inputs, shape_outputs, shape_signature

_Row = TypeVar("_Row")
_ALL = 1_000_000_000  # rows


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
