"""The program of a version, as text: what lowering did, and where the work comes from.

In: a `Recording` and the number of a compile, or a `Compile`.  Out: lines.
Must never: raise because of an unknown kind of program text; the rest of the recording is readable without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model import Compile
from ..recording import Recording
from ..views.program import shape_facts, shape_links
from ..views.program.texts import check_compile
from ..views.schema import Links, ProgramFacts, Version
from ..views.words import count, quantity, size
from .layout import align, wrap

# A shorter program is read faster than a table of its parts.
_LARGE_LINES = 300
_MOST_LINES = 8
_MOST_INPUTS = 8
_WIDEST = 60


def draw_program(recording: Recording, version: Version, width: int, *, has_work: bool) -> Iterator[str]:
    """What lowering did to inputs and outputs, the constants, and for a long program the lines with the most work.

    The work is told only with `has_work`, since the versions of a function are much alike in it.
    """
    if version.is_before or not version.listings:
        return
    lines: list[tuple[str, str]] = []
    try:
        lines += _tell_facts(shape_facts(recording, version.index))
        jaxpr = next((one for one in version.listings if one.name == "jaxpr"), None)
        if has_work and jaxpr is not None and jaxpr.n_lines >= _LARGE_LINES:
            lines += _tell_work(shape_links(recording, version.index))
    except Exception as error:  # noqa: BLE001 # XLA's texts have no stable grammar
        lines.append(("    ", f"program: it could not be read ({type(error).__name__})"))
    for indent, line in lines:
        yield from wrap(line, width, indent, indent + "  ")


def work(compile: Compile, width: int = 100) -> str:
    """Say where the work of a compiled version comes from: equations, operations and bytes by line of your source.

    >>> print(jitviz.work(rec.compiles[0]))

    A line includes everything that it calls. If a Python loop ran a line many times during tracing, the line is said to
    be unrolled, with advice; this is the most common cause of slow tracing and compiling.

    Raises:
        LookupError: nothing is known of the program: it was compiled before the recording, or its trace failed.
        TypeError: `compile` is not a compile.
    """
    links = shape_links(check_compile(compile, "work").recording, compile.index)
    return "\n".join(text for indent, line in _tell_work(links) for text in wrap(line, width, indent[4:], indent[2:]))


def _tell_facts(facts: ProgramFacts) -> Iterator[tuple[str, str]]:
    for heading, inputs, n_more in (
        ("dropped", facts.dropped, facts.n_more_dropped),
        ("donated but not reused", facts.not_reused, facts.n_more_not_reused),
    ):
        if inputs:
            told = [f"{_times(one.path, one.count)} {one.aval} ({one.why})" for one in inputs]
            yield "    ", f"{heading}: {_list(told, n_more)}"
    if facts.forwarded:
        yield "    ", f"returned unchanged: {_list([_times(one.text, one.count) for one in facts.forwarded])}"
    if facts.constants:
        named = [f"{one.name or 'unnamed'} {one.aval}, {size(one.nbytes)}" for one in facts.constants]
        total = f"{size(facts.constant_nbytes)} in {count(len(named) + facts.n_more_constants, 'array')}"
        yield "    ", f"constants: {total}: {_list(named, facts.n_more_constants)}"
    if facts.kept and facts.constants:
        yield "    ", f"kept alive: {facts.kept}"
    for warning in facts.warnings:
        yield "      ", f"→ {warning}"


def _times(text: str, count: int) -> str:
    return f"{text} ({count:,} leaves)" if count > 1 else text


def _list(told: Sequence[str], n_hidden: int = 0) -> str:
    n_more = n_hidden + max(0, len(told) - _MOST_INPUTS)
    more = [f"{n_more:,} more"] if n_more else []
    return "; ".join([*told[:_MOST_INPUTS], *more])


def _tell_work(links: Links) -> Iterator[tuple[str, str]]:
    totals = [count(links.equations, "equation")]
    totals += [count(links.stablehlo_ops, "StableHLO op")] if links.stablehlo_ops else []
    totals += [count(links.hlo_ops, "HLO op")] if links.hlo_ops else []
    yield "    ", f"work: {', '.join(totals)}, by line of the source:"
    work = links.lines
    shown = {block.file for block in links.sources}
    order = sorted(
        (row for row, file in enumerate(work.file) if file in shown or not shown),
        key=lambda row: -work.equations[row],
    )
    rows = [
        (
            f"{links.files[work.file[row]]}:{work.line[row]}",
            count(work.equations[row], "equation"),
            f"{quantity(work.flops[row])} operations" if work.flops[row] else "",
            f"{size(work.nbytes[row])} moved" if work.nbytes[row] else "",
            f"ran {work.repeats[row]:,} times" if work.repeats[row] > 1 else "",
        )
        for row in order[:_MOST_LINES]
    ]
    yield from (("      ", line) for line in align(rows, _WIDEST))
    if len(order) > _MOST_LINES:
        yield "      ", f"{count(len(order) - _MOST_LINES, 'more line')}"
    for one in links.advice:
        yield "      ", f"{links.files[one.file]}, {one.summary}"
        yield "        ", f"→ {one.advice}"
    if links.note:
        yield "      ", links.note
