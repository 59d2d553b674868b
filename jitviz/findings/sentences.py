"""The sentences of findings, the same wherever they are shown.

In: a `Cause` and its plan, or a `Finding`.  Out: one sentence about what changed, one thing to do, what it cost.
Must never: give other advice than the reasons if there is no plan.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..model import (
    Choice,
    Compile,
    Finding,
    Kind,
    Plan,
    Reason,
    cell_of,
    count,
    last_name,
    listed,
    seconds,
    shortened,
    steps_to,
)
from ..reasons.kinds import KIND_OF
from ..reasons.structure import ABSENT
from .callers import tell_callers
from .cause import Cause

NOUNS = {  # what a finding counts, by its kind
    "recompile": "recompile",
    "not_warmed": "recompile",
    "op_by_op": "program",
    "unrolled": "iteration",
    "constant": "array",
    "donation": "array",
    "kept_alive": "version",
    "stale": "version",
    "traced_once": "version",
}
_MANY = 3  # so many values are shown as a range
_MOST_NAMED = 2
_MOST_SIZES = 6
_IN_A_PROGRAM = ("constant", "donation", "unrolled")  # and their sentences say how many, of what


def summarise(cause: Cause) -> str:
    """ "`x` came in 40 sizes: f32[40,8] … f32[79,8]", or "`x` changed its shape from f32[4] to f32[3]"."""
    if cause.is_warmed and cause.reason.path:
        return _not_warmed(cause)
    return _came(cause) + next(filter(None, map(_since, cause.rows)), "")


def _since(row: Compile) -> str:
    """What a later cell did, where the panel said "expected"; "" where it did not."""
    since = row.judgement.since
    return f"; the panel of {cell_of(row.source)} expected it, until {since}" if since else ""


def _came(cause: Cause) -> str:
    changed = _changed(cause)
    if KIND_OF[cause.reason.kind].has_values or not cause.also:
        return changed + (f", and {_named(cause.also)} with it" if cause.also else "")
    others = f"`{cause.also[0]}`" if len(cause.also) == 1 else f"{len(cause.also):,} more"
    return re.sub(rf"^`{re.escape(cause.path)}`", rf"\g<0> and {others}", changed)


def _changed(cause: Cause) -> str:
    """What changed, in one clause."""
    ways = _ways(cause)
    if len(ways) == 1:
        of_rows = [reason for reason in map(cause.reason_of, cause.rows) if reason.kind in ways]
        return tell([reason for reason in of_rows if not cause.tree or reason.path == cause.path], cause.path)
    values = _values(cause.reasons)
    came = f" from {values[0]} to {values[1]}" if len(values) < _MANY else f", and {_kinds(_by_size(cause.reasons))}"
    return f"`{cause.path}` changed its {listed([way.replace('_', ' ') for way in ways])}{came}"


def _ways(cause: Cause) -> list[Kind]:
    """The kinds of change without those that follow from another: fixing the dtype makes it strong, placing commits."""
    mended = {other for kind in cause.kinds for other in KIND_OF[kind].mends}
    return [kind for kind in cause.kinds if kind not in mended]


def tell(reasons: Sequence[Reason], path: str) -> str:
    """The sentence about one leaf, from the reasons of each recompile, which have one kind."""
    first, values = reasons[0], _values(reasons)
    if len(paths := dict.fromkeys(reason.path for reason in reasons)) > 1:
        return _forms(reasons, list(paths)) if first.kind == "kwargs_vs_args" else _entries(reasons, path)
    if KIND_OF[first.kind].has_values and len(values) >= _MANY:
        return f"`{path}` {_many_values(reasons)}"
    if len({reason.summary for reason in reasons}) > 1 and first.often:
        first = replace(first, summary=first.often)
    return told_once(first)


def told_once(reason: Reason) -> str:
    """The sentence about one recompile, without its full stop."""
    text = reason.summary.rstrip(".")
    for side in (reason.before, reason.after):
        text = text.replace(side, shortened(side)) if side else text
    return text


def _not_warmed(cause: Cause) -> str:
    """ "3 sizes were compiled ahead of time; `prefill` f32[200] was not"."""
    came = list(dict.fromkeys(cause.reason_of(row).after for row in cause.rows))
    noun = "size" if cause.reason.kind == "shape" else "version"
    what = shortened(came[0]) if len(came) == 1 else f"in {len(came):,} kinds, {_range(came)},"
    were = "was" if cause.n_warmed == 1 else "were"
    return f"{count(cause.n_warmed, noun)} {were} compiled ahead of time; `{cause.reason.path}` {what} was not"


def advise(cause: Cause, plan: Plan | None) -> str:
    """The advice of the plan, or else that of the newest recompile, which has seen the most values."""
    if cause.is_warmed:
        ahead = "Compile it ahead of time as well, which moves this compile to the start"
        is_shape = cause.reason.kind == "shape"
        other = "pad the arguments to one of those sizes" if is_shape else "pass what one of those versions takes"
        return f"{ahead}; or {other}, which saves it." if cause.saved else f"{ahead}."
    newest = {reason.kind: reason.advice for reason in cause.reasons}
    others = dict.fromkeys(newest[kind] for kind in _ways(cause)[1:])
    first = _of_leaf(cause, plan)
    beside = _of_others(cause, first) if plan is None else ()
    return " ".join(filter(None, (first, *others, *beside)))


def _of_others(cause: Cause, first: str) -> list[str]:
    """What to do about the leaves that change with this one, but for parts of an object that is named already."""
    alike, others = [], []
    for reason in cause.rows[-1].reasons:
        is_part = cause.reason.kind != "static_value" and any(f"`{up}`" in first for up in steps_to(reason.path))
        if reason.path not in cause.also or reason.kind not in cause.kinds or is_part:
            continue
        if reason.advice.replace(f"`{last_name(reason.path)}`", f"`{last_name(cause.path)}`") == first:
            alike.append(reason.path)
        elif reason.advice:
            others.append(f"For `{reason.path}`: {reason.advice[0].lower()}{reason.advice[1:]}")
    if first.startswith(("Nothing", "Padding")):
        return []
    return [*([f"Do the same for {_named(alike)}."] if alike else []), *others]


def _of_leaf(cause: Cause, plan: Plan | None) -> str:
    if plan is None:
        return [reason for reason in map(cause.reason_of, cause.rows) if reason.kind == cause.reason.kind][-1].advice
    sizes, left = plan.choice.sizes, plan.choice.compiles
    to = f"{sizes[0]}" if len(sizes) == 1 else f"one of {len(sizes)} sizes ({listed([str(size) for size in sizes])})"
    kept = f"{count(left, 'compile') if left else 'no compile'} instead of {plan.compiles:,}"
    if not plan.are_hits_seen:
        kept += " (hits are not seen here, so each size counts once)"
    elif plan.unsized:
        kept += f" ({plan.choice.padded} more elements, since the size of {count(plan.unsized, 'hit')} is unknown)"
    names = _named(cause.paths)
    return f"Pad {names} to {to} with `np.pad`, and mask out the padding: {kept}."


def effect(finding: Finding) -> str:
    """ "fixing this alone saves 3 compiles, 2.1 s", and what else to fix to save the rest; "" if unknown."""
    if finding.is_estimated:
        return f"saves {seconds(finding.saves_s)}, estimated" if finding.saves_s else ""
    if finding.saves is None:
        return ""
    beside = f"fix {_listed(finding.beside)} as well" if finding.beside else ""
    if not finding.saves:
        return beside and f"to save {'these' if finding.count > 1 else 'this one'}, {beside}"
    alone = "this alone would save" if finding.is_maybe else "this alone saves"
    saved = f"fixing {alone} {count(finding.saves, 'compile')}, {seconds(finding.saves_s)}"
    if finding.is_maybe:
        return f"maybe avoidable: {saved}"
    if finding.shared:
        saved += f", some of which fixing {_listed(finding.shared)} saves, too"
    return f"{saved}; to save all of these, {beside}" if finding.stays and beside else saved


def how_to_try(finding: Finding, number: int, label: str) -> str:
    """ "try it: `jitviz try train.py --finding 1`"; "" if there is no edit, or no script."""
    has_edit = finding.edit is not None and label.endswith(".py")
    return f"try it: `jitviz try {label} --finding {number}`" if has_edit else ""


def place(finding: Finding) -> str:
    """ "39 recompiles of `step`, called at train.py:7: version 1 from train.py:12, …", "in the program of `step`"."""
    if finding.kind in _IN_A_PROGRAM:
        return f"in the program of `{finding.function}`"
    often = f"{count(finding.count, NOUNS[finding.kind])} of " if finding.kind in NOUNS else ""
    how = "" if finding.kind == "traced_once" else "called "  # the line there is the one that drew
    called = f", {how}at {finding.source}" if finding.source else ""
    callers = tell_callers(finding.callers, _MOST_NAMED)
    return f"{often}`{finding.function}`{called}{callers and f': {callers}'}"


def sizes_of(choice: Choice) -> str:
    """ "59 and 79", "64 … 1024"."""
    sizes = [str(size) for size in choice.sizes]
    return listed(sizes) if len(sizes) <= _MOST_SIZES else f"{sizes[0]} … {sizes[-1]}"


def _entries(reasons: Sequence[Reason], holder: str) -> str:
    """ "`history` gained 3 entries, one at a time: `history[1]` … `history[3]`"."""
    n_gained = sum(reason.before == ABSENT for reason in reasons)
    did = {len(reasons): "gained", 0: "lost"}.get(n_gained, "gained or lost")
    paths = [f"`{path}`" for path in dict.fromkeys(reason.path for reason in reasons)]
    named = f"{paths[0]} … {paths[-1]}" if len(paths) >= _MANY else listed(paths)
    if any(ABSENT not in (reason.before, reason.after) for reason in reasons):
        return f"`{holder}` changed its structure {len(reasons):,} times: {named}"
    if len(paths) == len(reasons) and " " not in did:
        return f"`{holder}` {did} {count(len(paths), 'entry')}, one at a time: {named}"
    return f"`{holder}` {did} entries {len(reasons):,} times: {named}"


def _forms(reasons: Sequence[Reason], paths: Sequence[str]) -> str:
    """ "3 calls changed between positional and keyword arguments: `x` and `y`"."""
    return f"{count(len(reasons), 'call')} changed between positional and keyword arguments: {_named(paths)}"


def _many_values(reasons: Sequence[Reason]) -> str:
    """ "came in 40 sizes: f32[40,8] … f32[79,8]", from reasons of one kind."""
    kind, values = reasons[0].kind, _values(reasons)
    if kind != "shape":
        return f"{KIND_OF[kind].many.format(n=len(values))}: {_range(values)}"
    shapes = {shape for reason in reasons for shape in (reason.shape_before, reason.shape)}
    is_one_rank = len(set(map(len, shapes))) == 1
    is_one_axis = is_one_rank and sum(len(set(sizes)) > 1 for sizes in zip(*shapes, strict=True)) == 1
    return f"came in {len(values):,} {'sizes' if is_one_axis else 'shapes'}: {_range(_by_size(reasons))}"


def _kinds(values: Sequence[str]) -> str:
    return f"came in {len(values):,} kinds: {_range(values)}"


def _values(reasons: Sequence[Reason]) -> list[str]:
    """All values of the leaf, in order of arrival."""
    return list(dict.fromkeys(text for reason in reasons for text in (reason.before, reason.after)))


def _by_size(reasons: Sequence[Reason]) -> list[str]:
    """All values of an array, the smallest first."""
    sides = [
        side for reason in reasons for side in ((reason.shape_before, reason.before), (reason.shape, reason.after))
    ]
    return list(dict.fromkeys(text for _, text in sorted(sides, key=lambda side: side[0])))


def _range(values: Sequence[str]) -> str:
    return f"{shortened(values[0])} … {shortened(values[-1])}"


def _named(paths: Sequence[str]) -> str:
    return _listed([f"`{path}`" for path in paths])


def _listed(names: Sequence[str]) -> str:
    """ "`x`, `y` and 3 more"."""
    if len(names) > _MOST_NAMED + 1:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED:,} more"
    return listed(names)
