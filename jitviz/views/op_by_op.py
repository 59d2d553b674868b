"""What compiled outside any jit, as rows.

In: lines of `jitviz.findings.op_by_op`.  Out: `OpRow`s.
Must never: word anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..findings.op_by_op import OpLine
from .limits import Limits
from .schema import OpRow
from .words import plain, plain_path


def shape_ops(lines: Sequence[OpLine], limits: Limits) -> tuple[OpRow, ...]:
    """The rows that fit."""
    return tuple(
        OpRow(
            name=plain(line.name, limits.name_chars),
            source=plain_path(line.source, limits.value_chars),
            compiles=line.count,
            disk=line.disk,
            duration_s=line.seconds,
            told=plain(line.summary, limits.sentence_chars),
            inputs=tuple(plain(inputs, limits.value_chars) for inputs in line.inputs[: limits.op_inputs]),
        )
        for line in lines[: limits.op_by_op]
    )
