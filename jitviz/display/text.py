"""A recording as text, for terminals, logs and screen readers.

In: a `Recording`.  Out: lines within a given width, with everything that any other display shows.
Must never: use colour or any other control character.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ..recording import Recording
from ..views import TERMINAL, shape_panel
from ..views.passes import tell_passes
from ..views.schema import AccountView, FindingView, FunctionView, Panel, Partition, Verdict, Version
from ..views.words import as_text, count, seconds
from . import phrases
from .layout import wrap
from .quiz import quiz_as_text
from .text_program import draw_program
from .text_reasons import draw_findings, draw_head, draw_overview, draw_sites, draw_version
from .text_timeline import draw_timeline
from .text_tree import draw_rows

_MOST_LINES = 60  # of the beginning


def render(recording: Recording, width: int = 100, *, has_quiz: bool = False) -> str:
    """The panel as text, `width` terminal columns wide (at least 24). With `has_quiz`, a quiz comes first.

    No line ends in a space, and the text does not end in a newline.
    """
    return "\n".join(_lines(recording, max(24, width), has_quiz))


def _lines(recording: Recording, width: int, has_quiz: bool) -> Iterator[str]:
    panel = shape_panel(recording, TERMINAL, has_quiz=has_quiz)
    if panel.quiz is not None:
        yield from (*quiz_as_text(panel.quiz, width), "")
    yield from _draw(panel, recording, width)


def render_beginning(
    recording: Recording, width: int = 100, *, has_quiz: bool = False, more: str = "print(recording) shows everything"
) -> str:
    """The first lines: the verdict and the findings. `more` says how to see the rest."""
    lines = list(islice(_lines(recording, max(24, width), has_quiz), _MOST_LINES + 1))
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES - 1 :] = [f"… and more: {more}"]
    return "\n".join(lines)


def summarize(recording: Recording, width: int = 100) -> str:
    """The panel in about ten lines: the verdict, the first finding, the timeline."""
    panel = shape_panel(recording, TERMINAL)
    lines = list(_draw_verdict(panel.verdict, width, panel.findings))
    for found in panel.findings[:1]:
        lines += wrap(f"{as_text(found.summary)}: {phrases.tell_cost(found)}", width)
        lines += wrap(f"→ {found.advice}", width, hanging="  ") if found.advice else []
    return "\n".join([*lines, "", *draw_timeline(panel.timeline, width)])


def _draw_verdict(verdict: Verdict, width: int, findings: Sequence[FindingView] = ()) -> Iterator[str]:
    """The verdict; findings, if there are any, replace its sentence."""
    if verdict.headline:
        yield from wrap(phrases.tell_headline(verdict), width)
    if not (verdict.headline and findings):
        yield from wrap(as_text(verdict.sentence), width)
        yield from wrap(f"→ {verdict.advice}", width, hanging="  ") if verdict.advice else ()
    for note in verdict.notes:
        yield from wrap(note, width)


def _draw(panel: Panel, recording: Recording, width: int) -> Iterator[str]:
    yield from _draw_verdict(panel.verdict, width, panel.findings)
    if panel.findings:
        yield ""
        yield from draw_overview(panel, width)
        yield from draw_findings(panel, width)
    if panel.functions or panel.op_by_op:
        yield ""
        yield from wrap(" · ".join(f"{chip.value} {chip.label}" for chip in panel.chips), width)
        yield ""
        yield from draw_timeline(panel.timeline, width)
        yield from _draw_account(panel.account, width)
    for function in panel.functions:
        yield ""
        yield from _draw_function(function, recording, width)
    if panel.n_more_functions:
        yield ""
        yield f"{count(panel.n_more_functions, 'more function')}"
    rest = list(phrases.tell_rest(panel))
    if rest:
        yield ""
    for heading, text in rest:
        yield from wrap(f"{heading}: {text}", width, hanging="  ")


def _draw_account(account: AccountView | None, width: int) -> Iterator[str]:
    if account is None:
        return
    yield ""
    yield f"Where {seconds(account.wall_s)} went:"
    for row in account.rows:
        indent = "  " * (row.depth + 1)
        yield from wrap(phrases.tell_spent(row, account), width, indent, indent + "  ")
    for text in phrases.tell_account_rest(account):
        yield from wrap(text, width, "  ", "    ")


def _draw_function(function: FunctionView, recording: Recording, width: int) -> Iterator[str]:
    yield from draw_head(function, width)
    for line in phrases.tell_calls(function):
        yield from wrap(line, width, "  ", "    ")
    yield from draw_sites(function, width)
    if function.called_with is not None:
        yield from _draw_partition(phrases.tell_called_with(function), function.called_with, width, "  ")
    first = next((version.index for version in function.versions if version.listings), None)
    for version in function.versions:
        yield ""
        yield from _draw_version(version, width)
        yield from draw_program(recording, version, width, has_work=version.index == first)
        for place, line in enumerate(tell_passes(recording.passes(version.index)) if version.listings else ()):
            yield from wrap(line, width, "        " if place else "    ", "          ")
    if function.n_more_versions:
        yield f"  {count(function.n_more_versions, 'more version')}"


def _draw_version(version: Version, width: int) -> Iterator[str]:
    yield from draw_version(version, width)
    if version.inputs is not None:
        yield from _draw_partition("inputs", version.inputs, width, "    ")
    if version.outputs is not None:
        by = f", shaped by {version.outputs.transform}" if version.outputs.transform else ""
        yield from _draw_partition(f"outputs{by}", version.outputs, width, "    ")
    if version.cost:
        yield from wrap(f"cost: {version.cost}", width, "    ", "      ")
    if version.memory:
        yield from wrap(f"memory: {version.memory}", width, "    ", "      ")
    for listing in version.listings:
        yield from wrap(f"{listing.name}: {phrases.tell_listing(listing)}", width, "    ", "      ")


def _draw_partition(heading: str, partition: Partition, width: int, indent: str) -> Iterator[str]:
    yield from wrap(f"{heading}: {phrases.tell_partition(partition)}", width, indent, indent + "  ")
    if partition.note:
        yield from wrap(partition.note, width, indent + "  ")
    yield from draw_rows(partition.rows, width, indent + "  ")
    if left_out := phrases.tell_left_out(partition):
        yield from wrap(left_out, width, indent + "  ")
