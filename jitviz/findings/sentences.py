"""Findings in plain words, the same wherever they are shown.

In: a `Cause` and its plan, or a `Finding`.  Out: one sentence with only what changed, one thing to do, what it cost.
Must never: decide anything, or advise otherwise than the reasons do where there is no plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..model import Reason
from .causes import Cause
from .finding import Choice, Finding, Plan
from .words import count, listed, seconds

_MANY = 3  # values from which on they are told as a range
_MOST_NAMED = 2
_MOST_SIZES = 6
_NOUNS = {
    "recompile": "recompile",
    "not_warmed": "recompile",
    "op_by_op": "program",
    "unrolled": "turn",
    "constant": "array",
    "donation": "array",
    "kept_alive": "version",
}
_MOST_CHARS = 60
# What the code does that takes the cause away.
_BY_CODE: dict[str, str] = {
    "dtype": "Pass {} with one dtype in every call, the widest that came; the outputs keep theirs.",
    "weak_type": "Pass {} as an array that has a dtype of its own; the outputs keep theirs.",
    "leaf_kind": "Pass {} as an array in every call, as some calls do.",
    "shape": "Pass {} with one rank in every call.",
    "prng_key_type": "Pass {} as a typed key in every call, as some calls do.",
    "committed": "Place all of the argument on the device before every call, not {} alone.",
    "treedef": "Pass {} in one kind of container in every call.",
    "kwargs_vs_args": "Give {} by keyword in every call.",
    "static_value": "Give {} one type in every call: JAX tells equal values of two types apart.",
    "static_identity": "Let objects of its class that hold the same values be equal.",
    "static_eq": "Let objects of its class that hold the same values be equal.",
}
_LITERAL = re.compile(r"[\w.+-]+:(?=\w+\[\])|(?<=integer_pow\[y=)-?\d+")  # "2.0:f32[]" in a jaxpr
_MOST_LINES = 4_000  # of the programs that are compared
_ABSENT = "absent"
# What the words of a single recompile add of the other leaves: here, `also` tells it.
_MORE = re.compile(r"; [\d,]+ more [\w ]+ changed the same way$")


def summarise(cause: Cause) -> str:
    """ "`x` came in 40 sizes: f32[40,8] … f32[79,8]", or "`x` arrived as f32[3] after f32[4]"."""
    if cause.is_warmed and cause.reason.path:
        return _not_warmed(cause)
    told = tell([row.reasons[0] for row in cause.rows])
    return told + _with_it(cause.also) if cause.reason.kind in _TOLD else told


def tell(reasons: Sequence[Reason]) -> str:
    """What one leaf did, told by the reasons of each time, which are of one kind."""
    first = reasons[0]
    tell_kind = _TOLD.get(first.kind)
    if tell_kind is not None and first.path:
        return tell_kind(reasons)
    text = _MORE.sub("", first.summary.rstrip("."))
    return text if len(reasons) == 1 else f"{text}, {len(reasons):,} times"


def _not_warmed(cause: Cause) -> str:
    """ "3 sizes were compiled ahead of time; `prefill` f32[200] was not"."""
    came = list(dict.fromkeys(row.reasons[0].after for row in cause.rows))
    noun = "size" if cause.reason.kind == "shape" else "version"
    what = _short(came[0]) if len(came) == 1 else f"in {len(came):,} kinds, {_range(came)},"
    were = "was" if cause.n_warmed == 1 else "were"
    return f"{count(cause.n_warmed, noun)} {were} compiled ahead of time; `{cause.reason.path}` {what} was not"


def advise(cause: Cause, plan: Plan | None, *, has_code: bool) -> str:
    """What the plan or the code does, else what the newest of the recompiles is told, which saw the most values."""
    if cause.is_warmed:
        return "Compile it ahead of time as well, or give the call what one of those takes, padded to its size."
    if plan is None:
        by_code = _BY_CODE.get(cause.reason.kind, "") if has_code else ""
        if by_code:
            return by_code.format(_named((cause.reason.path, *cause.also)))
        return _of_number(cause) or cause.rows[-1].reasons[0].advice
    sizes, left = plan.choice.sizes, plan.choice.compiles
    to = f"{sizes[0]}" if len(sizes) == 1 else f"one of {len(sizes)} sizes ({listed([str(size) for size in sizes])})"
    kept = f"{count(left, 'compile')} instead of {plan.compiles:,}"
    names = _named((cause.reason.path, *cause.also))
    return f"Pad {names} to {to} on the host, with `np.pad`, and mask what was added: {kept}."


def _of_number(cause: Cause) -> str:
    """What to do about a static number, by whether its programs differ in anything but numbers."""
    row, reason = cause.rows[-1], cause.reason
    before = row.compared_with
    if reason.kind != "static_value" or before is None or len(row.reasons) > 1 + len(cause.also):
        return ""
    if re.search(r"\d", reason.before + reason.after) is None or max(row.n_lines("jaxpr"), 1) > _MOST_LINES:
        return ""
    texts = [_LITERAL.sub("#:", one.jaxpr or "") for one in (row, before)]
    if not all(texts) or texts[0] == texts[1]:
        return ""
    return (
        f"`{reason.path}` decides more of the program than a number in it: a loop, a branch or a shape. Keep the "
        "number of its values small."
    )


def effect(found: Finding) -> str:
    """ "mending this alone saves 3 compiles, 2.1 s", and what stays of this very cause; "" where nothing is known."""
    if found.saves is None:
        return ""
    said = f"mending this alone saves {count(found.saves, 'compile')}, {seconds(found.saves_s)}"
    if not found.stays:
        return said
    of = f"{found.stays:,} of these {found.count:,}" if found.count > 1 else "this one"
    why = f", since {listed(found.beside[:_MOST_NAMED])} changed as well" if found.beside else ""
    return f"{said if found.saves else 'mending this alone saves nothing'}; {of} would stay{why}"


def place(found: Finding) -> str:
    """ "39 recompiles of `step` at train.py:7"."""
    often = f"{count(found.count, _NOUNS[found.kind])} of " if found.kind in _NOUNS else ""
    at = f" at {found.source}" if found.source else ""
    return f"{often}`{found.function}`{at}"


def sizes_of(choice: Choice) -> str:
    """ "59 and 79", "64 … 1024"."""
    sizes = [str(size) for size in choice.sizes]
    return listed(sizes) if len(sizes) <= _MOST_SIZES else f"{sizes[0]} … {sizes[-1]}"


def _arrived(reasons: Sequence[Reason]) -> str:
    values, path = _values(reasons), f"`{reasons[0].path}`"
    if len(values) >= _MANY:
        return f"{path} came in {len(values):,} kinds: {_range(values)}"
    often = f", {len(reasons):,} times" if len(reasons) > 1 else ""
    arrived = "arrived" if reasons[0].kind == "committed" else "arrived as"
    return f"{path} {arrived} {_short(reasons[0].after)} after {_short(reasons[0].before)}{often}"


def _shape(reasons: Sequence[Reason]) -> str:
    values = sorted(_values(reasons), key=_sizes)
    if len(values) < _MANY:
        return _arrived(reasons)
    axes = [set(sizes) for sizes in zip(*map(_sizes, values), strict=False)]
    is_one_axis = len({len(_sizes(text)) for text in values}) == 1 and sum(len(sizes) > 1 for sizes in axes) == 1
    what = "sizes" if is_one_axis else "shapes"
    return f"`{reasons[0].path}` came in {len(values):,} {what}: {_range(values)}"


def _static(reasons: Sequence[Reason]) -> str:
    values, path = _values(reasons), f"`{reasons[0].path}`"
    if len(values) >= _MANY:
        return f"{path} is static and had {len(values):,} values: {_range(values)}"
    often = f", {len(reasons):,} times" if len(reasons) > 1 else ""
    return f"{path} is static and was {_short(reasons[0].after)} after {_short(reasons[0].before)}{often}"


def _structure(reasons: Sequence[Reason]) -> str:
    values, path = _values(reasons), f"`{reasons[0].path}`"
    if len(values) >= _MANY:
        return f"{path} came in {len(values):,} structures: {_range(values)}"
    often = f", {len(reasons):,} times" if len(reasons) > 1 else ""
    was, now = _short(reasons[0].before), _short(reasons[0].after)
    if _ABSENT in (was, now):
        turned = f"came where nothing was before: {now}" if was == _ABSENT else f"is no longer there: it was {was}"
    else:
        turned = f"turned from {was} into {now}"
    return f"{path} {turned}{often}"


_TOLD: dict[str, Callable[[Sequence[Reason]], str]] = {
    "shape": _shape,
    "dtype": _arrived,
    "weak_type": _arrived,
    "prng_key_type": _arrived,
    "sharding": _arrived,
    "committed": _arrived,
    "leaf_kind": _arrived,
    "static_value": _static,
    "treedef": _structure,
}


def _values(reasons: Sequence[Reason]) -> list[str]:
    """Everything that the leaf was, in order of arrival."""
    return list(dict.fromkeys(text for one in reasons for text in (one.before, one.after)))


def _sizes(text: str) -> list[int]:
    """The sizes in "f32[3,4]", by which such texts are put in order."""
    return [int(number) for number in re.findall(r"\d+", text.partition("[")[2])]


def _range(values: Sequence[str]) -> str:
    return f"{_short(values[0])} … {_short(values[-1])}"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARS else text[: _MOST_CHARS - 1] + "…"


def _with_it(also: Sequence[str]) -> str:
    return f", and {_named(also)} with it" if also else ""


def _named(paths: Sequence[str]) -> str:
    """ "`x`, `y` and 3 more"."""
    named = [f"`{path}`" for path in paths]
    if len(named) > _MOST_NAMED + 1:
        return f"{', '.join(named[:_MOST_NAMED])} and {len(named) - _MOST_NAMED:,} more"
    return listed(named)
