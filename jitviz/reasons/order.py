"""Which kind of change a person should look at first.

In: changes.  Out: the same changes in order.
Must never: look at signatures, or make sentences.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..model import KINDS, Kind
from .change import Change

_RANK = {kind: rank for rank, kind in enumerate(KINDS)}

STATIC: tuple[Kind, ...] = ("static_value", "static_identity", "static_eq")


def in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes by what to look at first; those of one kind stay in argument order.

    Of things made anew, those come first of which it is known what differs inside: an optimiser's `update` closes over
    the rate that changed, its `init` over nothing. What JAX makes anew round the same function, it makes of the
    arguments.
    """

    def rank(change: Change) -> tuple[float, bool]:
        inside = change.facts.inside
        kind = _RANK["weak_type"] + 0.5 if change.facts.event == "remade" else _RANK[change.kind]
        return kind, inside is None or not inside.path

    return tuple(sorted(changes, key=rank))


def without_trace(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes that can be to blame where JAX did not trace again.

    JAX has found the static values equal then, whatever they look like, unless nothing else differs: the trace may
    come from elsewhere, from inside another function.
    """
    return tuple(change for change in changes if change.kind not in STATIC) or changes
