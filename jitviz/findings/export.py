"""A recording as one JSON object for other programs: the account, the findings, compiles and calls by function.

In: a `Recording`.  Out: JSON as `schema.json` beside this file describes it.
Must never: grow with the number of calls or compiles, or change what a field means without another version.
"""

import json
from collections import Counter, defaultdict
from dataclasses import asdict
from typing import Any

from ..model import Account, Compile, Finding, Function, shortened
from ..model.counting import has_compiled, is_avoidable, is_recompile, may_be_avoidable
from ..recording import Recording
from .accounting import find_account, find_accounts
from .find import find

VERSION = 2
_MOST = 100  # findings, functions
_MOST_LINES = 3  # of one part of the account
_FIRST = 12  # of the compiles of a finding
_FEW = 4  # of the names of other leaves
_CHARS = 400


def write_json(recording: Recording) -> str:
    """One line of ASCII."""
    with recording.held_still():
        compiles, calls, errors = _compiles(recording), _calls(recording), _errors(recording)
        findings = find(recording)
        whole = {
            "version": VERSION,
            "label": _text(recording.facts.label),
            "made_with": {_text(name): _text(version) for name, version in recording.facts.versions},
            "wall_s": _seconds(recording.facts.wall_s),
            "account": _account(find_account(recording)),
            "processes": {_text(label): _account(account) for label, account in find_accounts(recording).items()},
            "findings": [_finding(finding) for finding in findings[:_MOST]],
            "n_more_findings": max(0, len(findings) - _MOST),
            "errors": errors[:_FIRST],
            "n_more_errors": max(0, len(errors) - _FIRST),
            "compiles": compiles[:_MOST],
            "calls": calls[:_MOST],
            "n_more_functions": max(0, len(compiles) - _MOST, len(calls) - _MOST),
        }
    return json.dumps(whole, separators=(",", ":"), allow_nan=False)


def _account(account: Account) -> dict[str, Any]:
    parts = [
        {
            **_fields(part, "what seconds"),
            "lines": [_fields(share, "source seconds") for share in part.lines[:_MOST_LINES]],
        }
        for part in account.parts
    ]
    return {"wall_s": _seconds(account.wall_s), "parts": parts}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        **_fields(finding, "kind function home path reason source seconds count summary advice"),
        "code": finding.code,
        "edit": finding.edit and asdict(finding.edit),
        "compiles": list(finding.compiles[:_FIRST]),
        "n_more_compiles": max(0, len(finding.compiles) - _FIRST),
        "also": [_text(path) for path in finding.also[:_FEW]],
        **_fields(finding, "saves saves_s is_estimated is_maybe stays"),
        "shared": [_text(path) for path in finding.shared[:_FEW]],
        "beside": [_text(name) for name in finding.beside[:_FEW]],
        "callers": [
            {"source": _text(caller.source), "versions": list(caller.versions[:_FIRST])}
            for caller in finding.callers[:_FEW]
        ],
        "plan": finding.plan
        and {
            "n_sizes": len(finding.plan.seen),
            "smallest": finding.plan.seen[0][0],
            "largest": finding.plan.seen[-1][0],
            "compiles": finding.plan.compiles,
            "choices": [_fields(choice, "name sizes compiles padding saved_s") for choice in finding.plan.choices],
            "best": finding.plan.best,
        },
    }


def _fields(row: object, names: str) -> dict[str, Any]:
    """These fields, with texts shortened and seconds rounded."""
    return {name: _cut(getattr(row, name)) for name in names.split()}


def _cut(value: Any) -> Any:
    return _text(value) if isinstance(value, str) else _seconds(value) if isinstance(value, float) else value


def _errors(recording: Recording) -> list[dict[str, Any]]:
    """What calls raised, one row for each function, line and text, with what to write instead where that is known."""
    raised: Counter[tuple[str, str, str]] = Counter()
    for call, n in recording.facts.calls.alike():
        if call.error:
            raised[call.function_info.name, call.source, call.error] += n
    return [
        {
            "function": _text(name),
            "source": _text(source),
            "error": _text(error),
            "advice": found.advice if (found := recording.facts.explanation(error)) is not None else "",
            "calls": n,
        }
        for (name, source, error), n in raised.items()
    ]


def _compiles(recording: Recording) -> list[dict[str, Any]]:
    """One row per function, most seconds first."""
    functions: dict[str, list[Compile]] = {}
    for row in recording.compiles:
        functions.setdefault(row.lineage, []).append(row)
    rows = []
    for compiles in functions.values():
        spent_s: dict[str, float] = dict.fromkeys(("trace", "lower", "compile"), 0.0)
        for phase in (phase for row in compiles for phase in row.phases):
            spent_s[phase.name] += phase.duration_s or 0.0
        rows.append(
            {
                "function": _text(compiles[0].function),
                "home": _text(compiles[0].function_info.module),
                "compiles": sum(map(has_compiled, compiles)),
                "recompiles": sum(map(is_recompile, compiles)),
                "avoidable": sum(map(is_avoidable, compiles)),
                "maybe_avoidable": sum(map(may_be_avoidable, compiles)),
                "failed": sum(row.status == "failed" for row in compiles),
                **{f"{name}_s": _seconds(phase_s) for name, phase_s in spent_s.items()},
            }
        )
    return sorted(rows, key=lambda row: -sum(row[f"{name}_s"] for name in ("trace", "lower", "compile")))


def _calls(recording: Recording) -> list[dict[str, Any]]:
    """One row per function, most calls first."""
    functions: dict[str, Function] = {}
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for call, n in recording.facts.calls.alike():
        functions.setdefault(call.lineage, call.function_info)
        outcomes[call.lineage][call.outcome] += n
    return [
        {
            "function": _text(functions[lineage].name),
            "home": _text(functions[lineage].module),
            "calls": of_function.total(),
            "outcomes": dict(of_function),
        }
        for lineage, of_function in sorted(outcomes.items(), key=lambda item: -item[1].total())
    ]


def _seconds(duration_s: float) -> float:
    return round(duration_s, 4)


def _text(text: str) -> str:
    return shortened(text, _CHARS)
