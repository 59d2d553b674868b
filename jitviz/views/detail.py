"""Trees in full, as columns: what a screen asks for when a version is looked at.

In: a `Recording` and the number of a compile or of a call.  Out: `Detail`.
Must never: be part of the panel itself, which stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..model import Compile
from ..recording import Recording
from .limits import Limits
from .partition import shape_partition
from .schema import FLAGS, ROLES, ROW_KINDS, Detail, Partition, Row, RowColumns, WholePartition
from .timeline import drawn_calls
from .versions import shape_inputs, shape_signature
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
    return Detail(-1, _whole(shape_signature(call.signature, limits, rows=_ALL)), None)


_ALL = 1_000_000_000
_TEXTS = ("name", "path", "type", "aval", "value", "sharding")


def _checked(index: int, rows: Sequence[object]) -> int:
    if not 0 <= index < len(rows):
        raise LookupError(f"The recording has no number {index}; it has {len(rows)}.")
    return index


def _shape(row: Compile, limits: Limits) -> Detail:
    outputs = shape_partition(
        row.outputs, row.output_nodes, limits, rows=_ALL, transform=plain(row.output_transform, limits.name_chars)
    )
    inputs = shape_inputs(row, limits, rows=_ALL, reasons=row.reasons)
    return Detail(row.index, _whole(inputs), _whole(outputs) if row.outputs else None)


def _whole(partition: Partition) -> WholePartition:
    return WholePartition(replace(partition, rows=()), _columns(partition.rows))


def _columns(rows: Sequence[Row]) -> RowColumns:
    texts: dict[str, int] = {}

    def number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    return RowColumns(
        kind=tuple(ROW_KINDS.index(row.kind) for row in rows),
        **{name: tuple(number(getattr(row, name)) for row in rows) for name in _TEXTS},
        **{name: tuple(getattr(row, name) for row in rows) for name in ("depth", "traced", "static")},
        role=tuple(-1 if row.role is None else ROLES.index(row.role) for row in rows),
        nbytes=tuple(float(row.nbytes) for row in rows),
        flags=tuple(sum(getattr(row, flag) << bit for bit, flag in enumerate(FLAGS)) for row in rows),
        marked=tuple(number for number, row in enumerate(rows) if row.marks),
        marks=tuple(row.marks for row in rows if row.marks),
        texts=tuple(texts),
    )
