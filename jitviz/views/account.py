"""Where the time went, as an indented list.

In: a recording.  Out: lines of text.
Must never: show a part of less than a hundredth of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .words import plain_path, seconds

if TYPE_CHECKING:
    from ..recording import Recording

_NAMES = {
    "trace": "tracing",
    "lower": "lowering",
    "compile": "compiling",
    "load": "loading from disk",
    "op_by_op": "op by op, outside of any jit",
    "run": "running programs",
    "python": "Python",
    "jitviz": "jitviz",
}
_LEAST = 0.01
_LINES = 3


def tell_account(recording: Recording) -> tuple[str, ...]:
    """The parts with most seconds first, each with the lines that took most of it."""
    account = recording.account
    least_s = _LEAST * account.wall_s
    parts = sorted((part for part in account.parts if part.seconds > least_s), key=lambda part: -part.seconds)
    told = []
    for part in parts:
        told.append(f"{seconds(part.seconds)}, {part.seconds / account.wall_s:.0%}: {_NAMES[part.what]}")
        told += [
            f"  {seconds(line.seconds)} at {plain_path(line.source, 120)}"
            for line in part.lines[:_LINES]
            if line.seconds > least_s
        ]
    return (f"Where {seconds(account.wall_s)} went:", *(f"  {line}" for line in told)) if told else ()
