"""Two recordings compared, for a screen: a title, where the time of both went, and a row for each change.

In: a `Comparison`.  Out: a `ComparisonView`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..findings.comparison import Comparison, Cost, Shift
from ..model.quantities import count, seconds
from .account_rows import shape_account
from .schema import AccountView
from .screen_limits import SAVED, SENTENCE_CHARS
from .words import plain

_SIGNS = {"gone": "✓", "new": "+", "more expensive": "↑", "cheaper": "↓", "slower": "↑", "quicker": "↓"}


@dataclass(frozen=True)
class ChangeRow:
    """One change; backticks mark code. `more_s` are seconds that it added, negative ones that it saved."""

    name: str  # "✓ gone"
    text: str
    more_s: float
    advice: str = ""
    code: str = ""


@dataclass(frozen=True)
class ComparisonView:
    """`accounts` are those of the recording before and after; one without a length has None."""

    title: str
    accounts: tuple[AccountView | None, ...]
    rows: tuple[ChangeRow, ...]
    notes: tuple[str, ...]


def shape_comparison(one: Comparison) -> ComparisonView:
    """What a screen needs."""
    more_s = one.now[1] - one.was[1]
    told = {"cause gone": len(one.gone), "new cause": len(one.new), "other change": len(one.dearer + one.cheaper)}
    told["other change"] += len(one.changes)
    numbers = ", ".join(count(n, noun) if noun != "cause gone" else f"{count(n, 'cause')} gone"
                        for noun, n in told.items() if n)  # fmt: skip
    amount = f"{seconds(abs(more_s))} {'more' if more_s > 0 else 'less'}"
    title = f"This run compiled {amount}: {numbers}." if one else f"{one}".partition("\n")[0]
    notes = one.headline if one else "", *one.changed, *one.missed, *one.incomplete
    accounts = tuple(shape_account(recording, SAVED) for recording in one.recordings)
    return ComparisonView(title, accounts, tuple(_rows(one)), tuple(plain(note, SENTENCE_CHARS) for note in notes))


def _rows(one: Comparison) -> Iterator[ChangeRow]:
    for name, cause in one.causes:
        cost, before_s = (cause.after, cause.before.seconds) if isinstance(cause, Shift) else (cause, 0.0)
        more_s = -cost.seconds if name == "gone" else cost.seconds - before_s
        fix = (cost.advice, cost.code) if name in ("new", "more expensive") else ()
        yield _row(name, f"{_said(cause)}{f', at {cost.source}' if cost.source else ''}", more_s, *fix)
    for change in one.changes:
        more_s = change.after_s - change.before_s
        name = "slower" if more_s > 0 else "quicker"
        yield _row(name if change.kind == "phase" else change.kind, change.text, more_s, change.advice, change.code)


def _said(cause: Cost | Shift) -> str:
    return str(cause)


def _row(name: str, text: str, more_s: float, advice: str = "", code: str = "") -> ChangeRow:
    sign = _SIGNS.get(name, "≠")
    return ChangeRow(f"{sign} {name}", plain(text, SENTENCE_CHARS), more_s, plain(advice, SENTENCE_CHARS), code)
