"""The program of a version as text: what lowering did, where the work comes from, how it differs from another one.

In: a `Recording` and the number of a compile, or `Compile`s.  Out: lines.
Must never: raise because of an unknown kind of program text; the rest of the recording is readable without it.
"""

from collections.abc import Iterator, Sequence
from typing import get_args

from ..model import Compile, ListingName, count, first_of, size
from ..model.printable import Words
from ..recording import Recording
from ..views import Difference, plain
from ..views.program import compare, shape_facts, shape_links, shape_listing
from ..views.program.texts import check_compile
from ..views.schema import Links, ProgramFacts, Version
from .wrapped_lines import OutlineLine, align, say, write

_MOST_LINES = 8
_MOST_INPUTS = 8
_WIDEST = 60  # characters of a line of source, or of a function's name


def outline_program(recording: Recording, version: Version) -> Iterator[OutlineLine]:
    """What lowering did to inputs and outputs, and the constants."""
    lines: list[OutlineLine] = []
    try:
        lines += _outline_facts(shape_facts(recording, version.index))
    except Exception as error:  # noqa: BLE001 # XLA's texts have no stable grammar
        lines.append(say(4, f"program: it could not be read ({type(error).__name__})"))
    yield from lines


def work(compile: Compile, width: int = 100) -> str:
    """Say where the work of a compiled version comes from: equations and operations by line of your source.

    >>> print(jitviz.work(rec.compiles[0]))

    A line includes everything that it calls. If a Python loop ran a line many times during tracing, the loop is
    unrolled, and advice follows. This is the most common cause of slow tracing and compiling.

    Raises:
        LookupError: nothing is known of the program: it was compiled before the recording, or its trace failed.
        TypeError: `compile` is not a compile.
    """
    links = shape_links(check_compile(compile, "work").recording, compile.index)
    return Words("\n".join(write(_outline_work(links, 0), width)))


def _outline_facts(facts: ProgramFacts) -> Iterator[OutlineLine]:
    for heading, inputs, n_more in (
        ("dropped", facts.dropped, facts.n_more_dropped),
        ("donated but not reused", facts.not_reused, facts.n_more_not_reused),
    ):
        if inputs:
            texts = [f"{_times(lost.path, lost.count)} {lost.aval} ({lost.why})" for lost in inputs]
            yield say(4, f"{heading}: {_list(texts, n_more)}")
    if facts.forwarded:
        yield say(4, f"returned unchanged: {_list([_times(alike.text, alike.count) for alike in facts.forwarded])}")
    if facts.constants:
        named = [
            f"{constant.name or 'unnamed'} {constant.aval}, {size(constant.nbytes)}" for constant in facts.constants
        ]
        total = f"{size(facts.constant_nbytes)} in {count(len(named) + facts.n_more_constants, 'array')}"
        yield say(4, f"constants: {total}: {_list(named, facts.n_more_constants)}")
    if facts.kept and facts.constants:
        yield say(4, f"kept alive: {facts.kept}")
    for warning in facts.warnings:
        yield say(6, f"→ {warning}")


def _times(text: str, count: int) -> str:
    return f"{text} ({count:,} leaves)" if count > 1 else text


def _list(texts: Sequence[str], n_hidden: int = 0) -> str:
    return "; ".join(first_of(texts, _MOST_INPUTS, n_hidden))


def _outline_work(links: Links, indent: int) -> Iterator[OutlineLine]:
    kinds = ((links.equations, "equation"), (links.stablehlo_ops, "StableHLO op"), (links.hlo_ops, "HLO op"))
    totals = ", ".join(count(n, noun) for n, noun in kinds if n or noun == "equation")
    yield say(indent, f"work: {totals}, by line of the source:")
    work = links.lines
    shown = {block.file for block in links.sources}
    order = sorted(
        (row for row, file in enumerate(work.file) if file in shown or not shown), key=lambda row: -work.equations[row]
    )
    rows = [
        (
            f"{links.files[work.file[row]]}:{work.line[row]}",
            count(work.equations[row], "equation"),
            f"ran {work.repeats[row]:,} times" if work.repeats[row] > 1 else "",
        )
        for row in order[:_MOST_LINES]
    ]
    below = indent + 2
    yield from (say(below, line) for line in align(rows, _WIDEST))
    if len(order) > _MOST_LINES:
        yield say(below, count(len(order) - _MOST_LINES, "more line"))
    for advice in links.advice:
        yield say(below, f"{links.files[advice.file]}, {advice.summary}")
        yield say(below + 2, f"→ {advice.advice}")
    if links.note:
        yield say(below, links.note)


def diff(before: Compile, after: Compile, text: ListingName = "jaxpr", context: int = 3) -> str:
    """Say how the programs of two versions differ: of one function, of two functions, or of two recordings.

    >>> print(jitviz.diff(rec.compiles[0], rec.compiles[1]))

    First comes a summary in words ("+ 3 convert_element_type", "shapes 32 → 17"), then a unified diff. It ignores the
    names of variables, since they change with every added or removed line.

    Args:
        before: the first program.
        after: the second program.
        text: "jaxpr", "stablehlo" or "hlo".
        context: the number of unchanged lines around each change.

    Raises:
        LookupError: one of them has no such text; the message is a sentence for people.
        ValueError: `text` is none of the three.
        TypeError: one of them is not a compile.
    """
    compiles = [check_compile(compile, "diff") for compile in (before, after)]
    if text not in get_args(ListingName):
        raise ValueError(f'text must be "jaxpr", "stablehlo" or "hlo", not {text!r}.')
    texts = [shape_listing(compile.recording, compile.index, text) for compile in compiles]
    difference = compare(texts[0], texts[1], text)
    titles = [f"{plain(compile.function, _WIDEST)}, version {compile.version}, {text}" for compile in (before, after)]
    head = [f"--- {titles[0]}", f"+++ {titles[1]}", ", ".join(difference.summary)]
    return Words("\n".join([*head, *_unify(difference, texts[0].split("\n"), texts[1].split("\n"), context)]))


def _unify(difference: Difference, before: Sequence[str], after: Sequence[str], context: int) -> Iterator[str]:
    """The hunks of a unified diff; hunks whose contexts touch are merged."""
    hunks = difference.hunks
    changes = list(zip(hunks.before, hunks.before_end, hunks.after, hunks.after_end, strict=True))
    while changes:
        n = next((n for n in range(1, len(changes)) if changes[n][0] - changes[n - 1][1] > 2 * context), len(changes))
        group, changes = changes[:n], changes[n:]
        start, end = max(0, group[0][0] - context), min(len(before), group[-1][1] + context)
        other_start = group[0][2] - (group[0][0] - start)
        other_end = group[-1][3] + end - group[-1][1]
        yield f"@@ -{_span(start, end)} +{_span(other_start, other_end)} @@"
        for removed, removed_end, added, added_end in group:
            yield from (f" {line}" for line in before[start:removed])
            yield from (f"-{line}" for line in before[removed:removed_end])
            yield from (f"+{line}" for line in after[added:added_end])
            start = removed_end
        yield from (f" {line}" for line in before[start:end])


def _span(start: int, end: int) -> str:
    return f"{start + (end > start)},{end - start}"
