"""Where the time went, by kind of work, function and line.

In: a recording.  Out: an `AccountView`.
Must never: leave a kind of work out, or give a second to a line that nobody saw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..findings.account import Account, Share, What
from .limits import Limits
from .schema import AccountView, Spent
from .verdict import avoidable_s
from .words import plain, plain_path, seconds

if TYPE_CHECKING:
    from ..recording import Recording

NAMES: dict[What, str] = {
    "trace": "tracing",
    "lower": "lowering",
    "compile": "compiling",
    "load": "loading from disk",
    "op_by_op": "op by op, outside of any jit",
    "run": "running programs",
    "python": "Python",
    "jitviz": "jitviz",
}
_LEAST = 0.01  # of the wall time: less has no row of its own below its kind of work


def shape_account(recording: Recording, limits: Limits) -> AccountView | None:
    """The account of a recording, None where no time went by."""
    account = recording.account
    if account.wall_s <= 0:
        return None
    rows, n_more = [], 0
    for part in sorted(account.parts, key=lambda part: -part.seconds):
        if part.seconds > 0:
            rows.append(Spent(part.what, 0, NAMES[part.what], part.seconds))
            below = list(_below(account, part.what, limits))
            room = max(0, limits.account - sum(row.depth > 0 for row in rows))
            rows += below[:room]
            n_more += max(0, len(below) - room)
    return AccountView(
        account.wall_s, min(avoidable_s(recording), account.wall_s), tuple(rows), n_more, _tell_beside(account)
    )


def _below(account: Account, what: What, limits: Limits) -> Iterator[Spent]:
    """The functions of a kind of work, each with its lines; what has no function is told by line."""
    shares = [one for one in account.shares if one.what == what]
    groups: dict[tuple[str, str], list[Share]] = {}
    for one in shares:
        groups.setdefault((one.function, "" if one.function else one.source), []).append(one)
    for (function, source), mine in sorted(groups.items(), key=lambda item: (-_sum(item[1]), item[0])):
        if _sum(mine) < _LEAST * account.wall_s:
            return
        name = plain(function, limits.name_chars) if function else f"at {plain_path(source, 120)}"
        lines = [one for one in mine if one.source and one.seconds >= _LEAST * account.wall_s] if function else []
        if len(mine) == 1 and lines:
            yield Spent(what, 1, f"{name} at {plain_path(lines[0].source, 120)}", lines[0].seconds)
            continue
        yield Spent(what, 1, name, _sum(mine))
        for one in lines:
            yield Spent(what, 2, f"at {plain_path(one.source, 120)}", one.seconds)


def _sum(shares: Sequence[Share]) -> float:
    return sum(one.seconds for one in shares)


def _tell_beside(account: Account) -> str:
    told = ", ".join(f"{seconds(part.seconds)} {NAMES[part.what]}" for part in account.beside)
    return f"Meanwhile, in other threads: {told}." if told else ""
