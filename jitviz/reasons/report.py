"""The whole explanation as plain text.

In: a recording, one compile, or compiles.  Out: per function its versions, every reason with its advice, and totals.
Must never: leave out a change; a person at a terminal has nothing else to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from ..model import Call, Compile, HitsSeen, OpByOp, Reason
from .totals import (
    Total,
    Version,
    is_ahead,
    is_loaded,
    lineage_of,
    per_call_site,
    per_cause,
    per_function,
    versions_by_lineage,
)


@runtime_checkable
class HasCompiles(Protocol):
    """What is asked of a recording."""

    @property
    def compiles(self) -> Sequence[Compile]: ...

    @property
    def calls(self) -> Sequence[Call]: ...


def explain(subject: HasCompiles | Compile | Sequence[Compile]) -> str:
    """Why everything in `subject` compiled, in full.

    Raises:
        TypeError: `subject` is neither a recording, nor a compile, nor a sequence of compiles.
    """
    if isinstance(subject, Compile):
        return "\n".join(_compile_lines(subject, None))
    if isinstance(subject, HasCompiles):
        ops = getattr(subject, "op_by_op", ())
        return "\n".join(_report(subject.compiles, subject.calls, getattr(subject, "hits_seen", "all"), ops))
    if isinstance(subject, Sequence) and all(isinstance(row, Compile) for row in subject):
        return "\n".join(_report(subject, None))
    raise TypeError(f"explain takes a recording, a compile or compiles, not {type(subject).__name__}")


def _report(
    compiles: Sequence[Compile], calls: Sequence[Call] | None, seen: HitsSeen = "all", ops: Sequence[OpByOp] = ()
) -> Iterator[str]:
    if compiles:
        yield from _functions(compiles, calls, seen)
    if compiles and ops:
        yield ""
    if ops:
        spent_s = sum(op.duration_s for op in ops)
        yield f"Outside of any jit: {_count(len(ops), 'compile')}, {_seconds(spent_s)}"
        for (name, source), times in Counter((op.name, op.source) for op in ops).most_common():
            yield f"  {name}: {_count(times, 'compile')}" + (f", at {source}" if source else "")
    if not compiles and not ops:
        yield "Nothing was compiled."


def _functions(compiles: Sequence[Compile], calls: Sequence[Call] | None, seen: HitsSeen) -> Iterator[str]:
    known = {} if calls is None else versions_by_lineage(compiles, calls, seen)
    functions: dict[tuple[str, str], list[Compile]] = {}
    for compile in compiles:
        functions.setdefault((lineage_of(compile), compile.function), []).append(compile)
    for (lineage, _), rows in functions.items():
        (total,) = per_function(rows)
        yield _headline(total)
        for compile in rows:
            yield from _indented(_compile_lines(compile, known.get((lineage, compile.version))))
        yield ""
    yield from _table("Seconds by cause", per_cause(compiles))
    yield ""
    yield from _table("Seconds by call site", per_call_site(compiles))


def _headline(total: Total) -> str:
    text = f"{total.name}: {_count(total.compiles, 'compile')}, {_seconds(total.duration_s)}"
    if total.loaded:
        text += f"; {total.loaded:,} loaded from disk"
    if total.ahead:
        text += f"; {total.ahead:,} ahead of time"
    if total.recompiles:
        text += f"; {_count(total.recompiles, 'recompile')}, {total.avoidable} avoidable"
    return text


def _compile_lines(compile: Compile, version: Version | None) -> Iterator[str]:
    phases = ", ".join(f"{phase.name} {_seconds(phase.duration_s)}" for phase in compile.phases)
    ahead = f" (ahead of time: {compile.stage})" if is_ahead(compile) else ""
    line = f"version {compile.version}{ahead}: {_seconds(compile.duration_s)}"
    line += f" ({phases})" if phases else ""
    if version is not None:
        line += f", {_hits(version)}"
    line += f", {_loaded(compile)}" if is_loaded(compile) else ""
    line += f", at {compile.source}" if compile.source else ""
    yield line + (f", failed: {compile.error}" if compile.error else "")
    for reason in compile.reasons:
        yield from _indented(_reason_lines(reason))


def _loaded(compile: Compile) -> str:
    return "loaded from disk" + (f", {_seconds(compile.saved_s)} saved" if compile.saved_s else "")


def _hits(version: Version) -> str:
    if version.hits_seen == "none":
        return "hits not seen"
    if version.hits is None:
        return "hits not known per version"
    if version.hits_seen == "all":
        return _count(version.hits, "hit")
    return f"at least {_count(version.hits, 'hit')}" if version.hits else "no hit seen"


def _reason_lines(reason: Reason) -> Iterator[str]:
    expected = " (expected)" if reason.inherent else ""
    yield f"[{reason.kind}]{expected} {reason.summary}"
    if reason.advice:
        yield f"  -> {reason.advice}"


def _table(title: str, totals: Sequence[Total]) -> Iterator[str]:
    yield f"{title}:"
    for total in totals:
        yield (
            f"  {_seconds(total.duration_s):>8}  {total.name}: {_count(total.compiles, 'compile')}, "
            f"{_count(total.recompiles, 'recompile')}, {total.avoidable} avoidable"
            + ("" if total.is_time_complete else "; some times are not known")
        )


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _seconds(duration_s: float | None) -> str:
    if duration_s is None:
        return "time not known"
    return f"{duration_s:.2f} s" if duration_s >= 1 else f"{duration_s * 1e3:.0f} ms"
