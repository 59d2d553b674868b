"""What compiled outside any jit, in the verdict and as rows.

In: lines of `jitviz.findings.op_by_op`, and what the verdict says of jitted functions.  Out: the verdict with both.
Must never: let a verdict say that nothing compiled where XLA did.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..findings.op_by_op import OpLine, advise
from .limits import Limits
from .schema import Level, OpRow, Span, Totals
from .words import count, plain, plain_path, seconds, share, spans

_MINOR = 0.1  # of the wall time: less is told by its sum


def shape_ops(lines: Sequence[OpLine], limits: Limits) -> tuple[OpRow, ...]:
    """The rows that fit."""
    return tuple(
        OpRow(
            name=plain(line.name, limits.name_chars),
            source=plain_path(line.source, 120),
            compiles=line.count,
            disk=line.disk,
            duration_s=line.seconds,
            told=plain(line.summary, limits.sentence_chars),
            inputs=tuple(plain(inputs, limits.value_chars) for inputs in line.inputs[: limits.op_inputs]),
        )
        for line in lines[: limits.op_by_op]
    )


def add_ops(
    level: Level, sentence: tuple[Span, ...], advice: str, lines: Sequence[OpLine], totals: Totals, place: str
) -> tuple[Level, tuple[Span, ...], str]:
    """A verdict on jitted functions, with what compiled outside any jit: the line that took most of it by name."""
    costliest = lines[0]
    where = f" in {place}" if level in ("hits", "empty") else ""
    many = f"{count(totals.op_by_op, 'program')} compiled outside any jit{where}"
    if level in ("hits", "empty") or totals.op_by_op_s > _MINOR * totals.wall_s:
        told = [Span(f"{many}, {share(totals.op_by_op_s, totals.wall_s)}"), *_costliest(lines)]
    else:
        told = [Span(f"{many}, {seconds(totals.op_by_op_s)}")]
    # what sets a run up, once, does not hide what happens again and again
    stands_out = totals.op_by_op_s > totals.compile_s and (costliest.is_repeated or level != "recompile")
    if level == "hits":
        rest = sentence[0].text.replace(f"Nothing compiled in {place}", "no jitted function compiled")
        told += [Span(f"; {rest}"), *sentence[1:]]
    elif level != "empty":
        told = [*told, Span("; "), *sentence] if stands_out else [*sentence, Span("; "), *told]
    mend = advise(costliest, totals.op_by_op)
    if level == "recompile" and not stands_out:
        mend = advice or mend
    is_alarming = level == "recompile" or (stands_out and costliest.is_repeated)
    return "recompile" if is_alarming else "first", tuple(told), mend


def _costliest(lines: Sequence[OpLine]) -> tuple[Span, ...]:
    """What the line that took most of it did, or where it is."""
    costliest = lines[0]
    part = f", {seconds(costliest.seconds)} of it" if len(lines) > 1 else ""
    if costliest.is_repeated:
        return (Span(": "), *spans(plain(costliest.summary, 400)), Span(part))
    at = f" at {costliest.source}" if costliest.source else ""
    return spans(plain(f"{part} by `{costliest.name}`{at}", 400))
