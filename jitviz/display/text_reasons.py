"""The reasons of compiles, as text: the lines above the arguments of each version, and `jitviz.explain`.

In: rows of a view; for `explain` a recording, compiles, or a jitted function.  Out: lines.
Must never: leave out a reason, or need jax to explain a recording; only a function needs the running process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..model import Compile, Reason
from ..recording import Recording
from ..views import TERMINAL, shape_panel
from ..views.findings import advice_by_change
from ..views.groups import Group
from ..views.schema import FunctionView, Panel, Version
from ..views.versions import Budget, shape_version
from ..views.words import as_text, count, seconds
from . import phrases
from .layout import wrap
from .rows import name_kind

_WIDTH = 100
_COUNTS = 0.05  # of the wall time: smaller findings are not in the overview
_MOST_IN_OVERVIEW = 9


def explain(subject: Recording | Compile | Sequence[Compile] | Callable[..., Any]) -> str:
    """Say why each version was compiled, what changed, what to do, and what it cost.

    >>> print(jitviz.explain(rec))
    >>> print(jitviz.explain(rec.compiles[1]))
    >>> print(jitviz.explain(step))

    Args:
        subject: a recording, one of its compiles, several compiles, or a function jitted by any wrapper. A function is
            explained from everything that compiled since jitviz started to watch: since `%load_ext jitviz`, or the
            first `jitviz.record()`.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(subject, Compile):
        return "\n".join(_of_compile(subject))
    if isinstance(subject, Recording):
        return "\n".join(_of_recording(subject))
    if isinstance(subject, Sequence) and all(isinstance(row, Compile) for row in subject):
        return "\n\n".join(f"{row.function}\n" + "\n".join(_of_compile(row, "  ")) for row in subject)
    if callable(subject):
        from ..capture import history_of

        return explain(history_of(subject))
    raise TypeError(f"explain takes a recording, compiles or a jitted function, not {type(subject).__name__}")


def draw_overview(panel: Panel, width: int) -> Iterator[str]:
    """A line for each finding that counts, if there are several, so that all of them are on the first screen."""
    wall_s = panel.account.wall_s if panel.account is not None else 0.0
    lines = [
        f"{number:>2}. {seconds(found.seconds):>7}  {phrases.tell_briefly(found)}"
        for number, found in enumerate(panel.findings[:_MOST_IN_OVERVIEW], 1)
        if found.seconds >= _COUNTS * wall_s
    ]
    if len(lines) > 1:
        yield from (line if len(line) <= width else line[: width - 1] + "…" for line in lines)
        yield ""


def draw_findings(panel: Panel, width: int) -> Iterator[str]:
    """What is worth doing, most seconds first."""
    for number, found in enumerate(panel.findings, 1):
        yield from wrap(f"{number}. {as_text(found.summary)}", width, hanging="   ")
        yield from wrap(phrases.tell_cost(found), width, "   ")
        if found.advice:
            yield from wrap(f"→ {found.advice}", width, "   ", "     ")
        yield from wrap(found.effect, width, "   ", "     ") if found.effect else ()
        for choice in found.choices:
            yield from wrap(phrases.tell_choice(choice), width, "   ", "     ")
        if found.code:
            yield from wrap(f"code to paste: rec.findings[{number - 1}].code", width, "   ", "     ")
    if panel.n_more_findings:
        yield count(panel.n_more_findings, "more finding")


def draw_head(function: FunctionView, width: int) -> Iterator[str]:
    """The name of a function and the outcomes of its calls."""
    yield from wrap(" · ".join(filter(None, (function.name, phrases.tell_definition(function)))), width, hanging="  ")
    yield from wrap(function.told, width, "  ", "    ")
    if total := phrases.tell_total(function):
        yield from wrap(total, width, "  ", "    ")


def draw_sites(function: FunctionView, width: int) -> Iterator[str]:
    """The lines that called a function, with their cost."""
    for line in phrases.tell_sites(function):
        yield from wrap(line, width, "  ", "    ")


def draw_version(version: Version, width: int, indent: str = "  ") -> Iterator[str]:
    """One version: its origin, its cost, and the reasons why it was compiled."""
    inner, hanging = indent + "  ", indent + "    "
    told = phrases.tell_version(version)
    yield from wrap(version.name + (f", {told}" if told else ""), width, indent, inner)
    if version.phases:
        cost = f"{seconds(version.duration_s)}: {phrases.tell_phases(version.phases, version.status)}"
        yield from wrap(cost, width, inner, hanging)
    if version.error:
        yield from wrap(f"failed: {version.error}", width, inner, hanging)
    for reason in version.reasons:
        yield from _draw_reason(reason, width, inner)
    if version.n_more_reasons:
        yield f"{inner}{count(version.n_more_reasons, 'more reason')}"


def _draw_reason(reason: Reason, width: int, indent: str) -> Iterator[str]:
    expected = " (expected)" if reason.inherent and reason.kind != "first" else ""
    yield from wrap(f"{name_kind(reason.kind)}{expected}: {reason.summary}", width, indent, indent + "  ")
    if reason.advice:
        yield from wrap(f"→ {reason.advice}", width, indent + "  ", indent + "    ")


def _of_compile(row: Compile, indent: str = "") -> Iterator[str]:
    alone = Group(row.function_info, compiles=[row])
    budget = Budget(0, advice_by_change(row.recording))
    yield from draw_version(shape_version(row, alone, TERMINAL, budget, rows=0, number_of={}), _WIDTH, indent)


def _of_recording(recording: Recording) -> Iterator[str]:
    panel = shape_panel(recording, TERMINAL)
    functions = [function for function in panel.functions if function.versions]
    if not functions and not panel.op_by_op:
        yield "Nothing was compiled."
    if panel.findings:
        yield from draw_findings(panel, _WIDTH)
        yield ""
    for place, function in enumerate(functions):
        if place:
            yield ""
        yield from draw_head(function, _WIDTH)
        yield from draw_sites(function, _WIDTH)
        for version in function.versions:
            yield from draw_version(version, _WIDTH)
        if function.n_more_versions:
            yield f"  {count(function.n_more_versions, 'more version')}"
    if functions and panel.op_by_op:
        yield ""
    for told in panel.op_by_op:
        yield from wrap(f"outside any jit: {told}", _WIDTH, hanging="  ")
