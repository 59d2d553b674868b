"""Why something compiled, for whoever asks: a recording, a compile, or a jitted function.

In: any of these.  Out: the whole explanation as plain text.
Must never: need jax for what was recorded; only a function is asked of the running process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .model import Compile
from .reasons.report import HasCompiles
from .reasons.report import explain as report


def explain(subject: HasCompiles | Compile | Sequence[Compile] | Callable[..., Any]) -> str:
    """Say why each version was compiled, what changed, what to do, and what it cost.

    >>> print(jitviz.explain(rec))
    >>> print(jitviz.explain(rec.compiles[1]))
    >>> print(jitviz.explain(step))

    Args:
        subject: a recording, one of its compiles, several compiles, or a jitted function (jitted by anything). Of a
            function, everything is told that was compiled since jitviz watched: since `%load_ext jitviz`, or the
            first `jitviz.record()`.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(subject, Compile | HasCompiles) or not callable(subject):
        return report(subject)
    from .capture import history_of

    return report(history_of(subject))
