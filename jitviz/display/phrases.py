"""The parts of a view in words, shared by text and static HTML.

In: pieces of `jitviz.views.schema`.  Out: short plain phrases.
Must never: hold markup, or decide what is shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import HitsSeen
from ..views.schema import (
    AccountView,
    CallSite,
    ChoiceView,
    FindingView,
    FunctionView,
    Listing,
    Panel,
    Partition,
    PhaseTime,
    Run,
    Spent,
    Verdict,
    Version,
)
from ..views.words import as_text, count, plural, seconds, size
from .rows import STATIC, TRACED


def tell_version(version: Version) -> str:
    """How a version came about, and how often it ran."""
    hits = f"then {count(version.hits, 'hit')}" if version.hits else ""
    return ", ".join(filter(None, (version.made, hits)))


def tell_phases(phases: tuple[PhaseTime, ...], status: str = "done") -> str:
    """ "trace 310 ms, lower 120 ms, compile 620 ms"."""
    unknown = "in progress" if status == "running" else "time unknown"
    return ", ".join(
        f"{phase.name} {unknown if phase.duration_s is None else seconds(phase.duration_s)}" for phase in phases
    )


def tell_total(function: FunctionView) -> str:
    """ "1.9 s compiling: trace 530 ms, lower 220 ms, compile 1.1 s", for several versions; else ""."""
    if not function.phases or len(function.versions) < 2:
        return ""
    return f"{seconds(function.compile_s)} compiling: {tell_phases(function.phases)}"


def tell_run(run: Run, seen: HitsSeen) -> str:
    """ "calls 3 to 12: hits of version 2, 60 ms"; "10 calls: …" if no hits are seen."""
    many = run.last - run.first + 1
    which = f"call {run.first:,}" if many == 1 else f"calls {run.first:,} to {run.last:,}"
    if seen == "none":
        which = "1 call" if many == 1 else f"{many:,} calls"
    version = f" of version {run.version}" if run.version is not None else ""
    if run.error:
        return f"{which}: {run.error}"
    noun = {"trace": "retrace", "inlined": "inlined call"}.get(run.outcome, run.outcome)
    spent = "in progress" if run.duration_s is None else seconds(run.duration_s)
    return f"{which}: {noun if many == 1 else plural(noun)}{version}, {spent}"


def tell_calls(function: FunctionView) -> Iterator[str]:
    """The runs of calls of a function, a line each."""
    for run in function.runs:
        yield tell_run(run, function.hits_seen)
    if function.n_more_runs:
        yield f"{count(function.n_more_runs, 'more run')} of calls"
    if function.hits_of_unknown_version and function.unknown_version:
        yield f"{count(function.hits_of_unknown_version, 'hit')} of {function.unknown_version}"


def tell_called_with(function: FunctionView) -> str:
    """The heading of the arguments of a function: whether all of its calls had them."""
    number = function.called_with_call
    return "called with" if number == 0 else f"called with, in {'one call' if number < 0 else f'call {number:,}'}"


def tell_sites(function: FunctionView) -> Iterator[str]:
    """The lines that called a function, with their cost, a line each."""
    for site in function.call_sites:
        yield f"called from {tell_site(site)}"
    if function.n_more_call_sites:
        yield f"called from {count(function.n_more_call_sites, 'more line')}"


def tell_definition(function: FunctionView) -> str:
    """ "jax.jit · defined at train.py:4"."""
    return " · ".join(filter(None, (function.api, function.defined_at and f"defined at {function.defined_at}")))


def tell_site(site: CallSite) -> str:
    spent = f", {seconds(site.compile_s)} compiling" if site.compile_s else ""
    return f"{site.source}: {site.told}{spent}"


def tell_partition(partition: Partition) -> str:
    """The sums of a tree with the signs of its leaves, and their common sharding."""
    nbytes = f", {size(partition.nbytes)}" if partition.nbytes else ""
    said = f"{TRACED} {partition.traced:,} traced{nbytes} · {STATIC} {partition.static:,} static"
    return f"{said} · on {partition.sharding}" if partition.sharding else said


def tell_left_out(partition: Partition) -> str:
    if not partition.n_more_leaves:
        return ""
    rest = count(partition.n_more_leaves, "leaf")
    if partition.n_more_marks:
        return f"{rest} hidden, including {count(partition.n_more_marks, 'change')}"
    return f"{rest} unchanged, hidden" if partition.is_diff else f"{rest} hidden"


def tell_listing(listing: Listing) -> str:
    """How much of a program text is shown, and how to get the whole."""
    lines = count(listing.n_lines, "line")
    if listing.n_shown == listing.n_lines:
        return lines
    shown = f"the first {listing.n_shown:,} of {lines}" if listing.n_shown else lines
    return f"{shown}; all in .{listing.expression}"


def tell_headline(verdict: Verdict) -> str:
    """ "66 of the 80 s were spent compiling. 32 s of that was avoidable."."""
    parts = ", ".join(filter(None, (verdict.aside, verdict.rest)))
    return f"{verdict.headline}. {parts}{'.' if parts else ''}".rstrip()


def tell_spent(row: Spent, account: AccountView) -> str:
    """ "34 s, 42%: compiling", "30 s: train_step"."""
    part = f", {row.seconds / account.wall_s:.0%}" if row.depth == 0 else ""
    return f"{seconds(row.seconds)}{part}: {row.name}"


def tell_account_rest(account: AccountView) -> Iterator[str]:
    """The lines below the list."""
    if account.n_more:
        yield count(account.n_more, "more row")
    if account.beside:
        yield account.beside


def tell_briefly(found: FindingView) -> str:
    """The sentence of a finding with its function: "`step`: `x` changed its shape from f32[4] to f32[3]"."""
    text, name = as_text(found.summary), f"`{found.function}`"
    text = text if name in text else f"{name}: {text}"
    is_nameless = found.function.endswith("<lambda>") and found.source
    return text.replace(name, f"{name} at {found.source}", 1) if is_nameless else text


def tell_cost(found: FindingView) -> str:
    """ "39 s, 39 recompiles of `step` at train.py:7"."""
    return ", ".join(filter(None, (seconds(found.seconds) if found.seconds else "", found.cost)))


def tell_choice(choice: ChoiceView) -> str:
    """ "best 2 sizes (59 and 79): 2 compiles, 16% more elements, 38 s saved"."""
    return (
        f"{choice.name} ({choice.sizes}): {count(choice.compiles, 'compile')}, {choice.padding} more elements, "
        f"{choice.saved} saved"
    )


def tell_rest(panel: Panel) -> Iterator[tuple[str, str]]:
    """Everything below the functions: (heading, text)."""
    for told in panel.op_by_op:
        yield "outside any jit", told
    if panel.n_more_op_by_op:
        yield "outside any jit", count(panel.n_more_op_by_op, "more line")
    for stage in panel.stages:
        yield "ahead of time", stage
    for limit in panel.limits:
        yield "limits", limit
    for failure in panel.failures:
        yield "capture failed", failure
    if panel.n_more_failures:
        yield "capture failed", f"{panel.n_more_failures:,} more"
    if panel.not_kept:
        yield "left out", panel.not_kept
    if panel.made_with:
        yield "environment", panel.made_with
