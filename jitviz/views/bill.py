"""The bill: the wall time as a bar of kinds of work and their functions.

In: a recording.  Out: `Spent` rows, and what of them was avoidable, in words.
Must never: count a second twice.
"""

from collections import defaultdict
from collections.abc import Sequence

from ..findings import find_account
from ..model import WHATS, Compile, What, is_avoidable, is_loaded, seconds
from ..model.finding import WHAT_NAMES
from ..recording import Recording
from .groups import covered_s
from .schema import Spent
from .screen_limits import NAME_CHARS
from .words import plain

NAMES = WHAT_NAMES
_NAMED = 0.04  # of the wall time: a smaller part of the bar has no room for a name


def list_accounted(recording: Recording) -> list[Compile]:
    """The compiles whose seconds are in the account: those of the thread that started the recording."""
    return [row for row in recording.compiles if row.thread == recording.facts.thread]


def shape_bar(recording: Recording) -> tuple[Spent, ...]:
    """Kinds of work in their order, each with its functions by seconds."""
    account = find_account(recording)
    lost = _lost(list(filter(is_avoidable, list_accounted(recording))), recording.facts.wall_s)
    spent: dict[What, dict[str, float]] = {what: defaultdict(float) for what in WHATS}
    for share in account.shares:
        if share.function:
            spent[share.what][share.function] += share.seconds
    bar: list[Spent] = []
    for what in WHATS:
        part_s = account.part(what).seconds
        if part_s <= 0:
            continue
        bar.append(Spent(what, 0, NAMES[what], part_s, min(part_s, sum(lost[what].values()))))
        for function, spent_s in sorted(spent[what].items(), key=lambda item: (-item[1], item[0])):
            if spent_s >= _NAMED * account.wall_s:
                lost_s = min(spent_s, lost[what].get(function, 0.0))
                bar.append(Spent(what, 1, plain(function, NAME_CHARS), spent_s, lost_s))
    return tuple(bar)


def tell_avoidable(bar: Sequence[Spent]) -> str:
    """ "3.5 s: 3.0 s XLA, 500 ms tracing", or ""."""
    lost = sorted((row for row in bar if not row.depth and row.avoidable_s), key=lambda row: -row.avoidable_s)
    parts = ", ".join(f"{seconds(row.avoidable_s)} {row.name}" for row in lost)
    return f"{seconds(sum(row.avoidable_s for row in lost))}: {parts}" if len(lost) > 1 else parts


def _lost(avoidable: Sequence[Compile], wall_s: float) -> dict[What, dict[str, float]]:
    """Seconds of avoidable recompiles by kind of work and function; time in which several ran counts once."""
    spent: dict[What, dict[str, float]] = {what: defaultdict(float) for what in WHATS}
    for row in avoidable:
        for phase in row.phases:
            what: What = "load" if phase.name == "compile" and is_loaded(row) else phase.name
            spent[what][row.function] += phase.duration_s or 0.0
    whole_s = sum(sum(functions.values()) for functions in spent.values())
    share = min(1.0, covered_s(avoidable, wall_s) / max(whole_s, 1e-9))
    return {what: {name: share * spent_s for name, spent_s in functions.items()} for what, functions in spent.items()}
