"""One jitted function: its calls, the lines that called it, and its versions.

In: a `Group` of rows.  Out: `FunctionView`.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from ..model import Call, Compile, Function, first_of, has_compiled, listed
from ..model.counting import is_expected
from ..recording import Recording
from .groups import Group, count_outcomes, covered_s, phase_times, tell_calls, tell_site
from .schema import CallSite, FunctionView, Partition, Version
from .screen_limits import NAME_CHARS, VALUE_CHARS, Limits
from .timeline import is_signed
from .versions import Advice, shape_inputs, shape_signature, shape_version
from .words import name_versions, plain, plain_path

_MOST_NAMED = 2  # leaves that caused recompiles that were expected


def shape_function(recording: Recording, group: Group, limits: Limits, advice: Advice, *, rows: int) -> FunctionView:
    """Shape one function; `rows` bounds each of its trees."""
    hits_seen = group.hits_seen(recording)
    called_with, only_call = _called_with(group, limits, rows)
    sites = call_sites(recording, group)
    versions = _versions(group, limits, advice, rows, has_numbers=hits_seen != "none")
    # A jitted gradient has the same name as its function; the wrapper tells them apart.
    shaped_by = next((row.output_transform for row in group.compiles if not row.transform), "")
    return FunctionView(
        name=plain(group.info.name, NAME_CHARS),
        api=plain(f"{group.info.api} of {shaped_by}" if shaped_by else group.info.api, NAME_CHARS),
        defined_at=plain_path(group.info.defined_at, VALUE_CHARS),
        hits_seen=hits_seen,
        hits_of_unknown_version=group.hits[None],
        compile_s=covered_s(group.compiles, recording.facts.wall_s),
        told=tell_calls(count_outcomes(group.calls, group.compiles), hits_seen) + _expected(group.compiles),
        phases=phase_times(group.compiles),
        call_sites=sites[: limits.call_sites],
        n_more_call_sites=max(0, len(sites) - limits.call_sites),
        versions=versions,
        n_more_versions=len(group.compiles) + len(group.used_before) - len(versions),
        unknown_version=_may_have_run(recording, group),
        called_with=called_with,
        called_with_call=-1 if only_call and hits_seen == "none" else only_call,
    )


def _expected(compiles: Sequence[Compile]) -> str:
    """ "; expected where `steps` changes": no finding says what caused the recompiles that were expected."""
    causes = (row.reasons[0].path for row in filter(is_expected, compiles))
    paths = dict.fromkeys(f"`{plain_path(path, NAME_CHARS)}`" for path in causes if path)
    named = listed(first_of([*paths], _MOST_NAMED))
    return f"; expected where {named} change{'s' * (len(paths) == 1)}" if named else ""


def call_sites(recording: Recording, group: Group) -> tuple[CallSite, ...]:
    """Where the function was called, the most expensive line first."""
    calls: defaultdict[str, list[tuple[Call, int]]] = defaultdict(list)
    rows: defaultdict[str, list[Compile]] = defaultdict(list)
    for call, n in group.calls:
        calls[call.source].append((call, n))
    for row in group.compiles:
        rows[row.source].append(row)
    sites = [
        CallSite(
            plain_path(source, VALUE_CHARS),
            covered_s(rows[source], recording.facts.wall_s),
            tell_site(count_outcomes(calls[source], rows[source]), group.hits_seen(recording)),
        )
        for source in dict.fromkeys([*calls, *rows])
        if source
    ]
    return tuple(sorted(sites, key=lambda site: -site.compile_s))


def _versions(group: Group, limits: Limits, advice: Advice, rows: int, *, has_numbers: bool) -> tuple[Version, ...]:
    """Earlier versions that ran here, then those compiled here. Only the first of each program is drawn whole."""
    before = accumulate((n for _, n in group.calls), initial=1)
    number_of = {call.index: number for (call, _), number in zip(group.calls, before, strict=False) if has_numbers}
    drawn: list[Version] = []
    whole: dict[tuple[str, str], Compile] = {}  # by program: one made by a transform takes other arguments
    used = group.used_before
    for row in [*used, *group.compiles][: limits.versions]:
        program = (row.transform, row.stage)
        previous = whole.get(program)
        shown = shape_version(row, group, limits, advice, rows=rows, number_of=number_of, previous=previous)
        if row.start_s < 0 and (group.compiles or len(used) > 1):  # else the function is "called with" its arguments
            shown = replace(shown, inputs=shape_inputs(row, limits, rows=rows))
        drawn.append(shown)
        if row.start_s >= 0:
            whole[program] = row
    return tuple(drawn)


def _called_with(group: Group, limits: Limits, rows: int) -> tuple[Partition | None, int]:
    """The arguments of a function that did not compile here, if they are known; and the number of the only call that
    they are known of, 0 if all calls had them. If several versions ran, each shows its own."""
    used, number = group.used_before, 1
    signed = next((call for call, _ in group.calls if is_signed(call)), None)
    if group.compiles or (signed is None and len(used) != 1):
        return None, 0
    for call, n in group.calls:
        if call is signed or (signed is None and call.version is not None):
            break
        number += n
    if signed is None or signed.signature is None:
        is_of_all = all(call.version is not None for call, _ in group.calls)
        return shape_inputs(used[0], limits, rows=rows), 0 if is_of_all else number
    is_only = len(group.calls) == group.calls[0][1] == 1
    return shape_signature(signed.signature, limits, rows=rows), 0 if is_only else number


def _may_have_run(recording: Recording, group: Group) -> str:
    """What the hits of unknown versions may have run: "one of versions 1–2"."""
    hits = [call for call, _ in group.calls if call.outcome == "hit" and call.version is None]
    functions = {(call.function_info.process, call.function_info.token) for call in hits}
    until_s = max((call.start_s if call.index >= 0 else math.inf for call in hits), default=0.0)

    def is_one(function: Function) -> bool:
        return (function.process, function.token) in functions

    versions = [
        row.version
        for row in (*group.earlier, *group.compiles)
        if is_one(row.function_info) and has_compiled(row) and row.start_s <= until_s
    ]
    is_warm = any(miss.is_warm and is_one(miss.function_info) for miss in recording.facts.misses)
    names = name_versions(versions)
    return f"{names}, or one from before jitviz started to watch" if names and is_warm else names
