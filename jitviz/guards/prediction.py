"""Predicting whether a call would hit or compile.

In: a jitted function and arguments.  Out: `Prediction`.
Must never: call, trace, compile, read or move an array; or guess: what cannot be known is "unknown".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..capture.hypothetical import hypothetical_miss
from ..model import Reason
from ..model.counting import has_compiled
from ..reasons import Explainer


@dataclass(frozen=True)
class Prediction:
    """`outcome` is what the call would be. `version` is the one that it would run, counted from 1 as in a recording.

    `reasons` say why it would compile, the cause first, or why nothing is known; a hit has none. `seconds` estimates
    tracing, lowering and compiling by the version that the call is compared with: 0 for a hit, None without one.
    """

    outcome: Literal["hit", "trace", "compile", "unknown"]
    version: int | None = None
    reasons: tuple[Reason, ...] = ()
    seconds: float | None = None

    def __str__(self) -> str:
        if self.outcome == "hit":
            return f"hit: version {self.version} runs"
        head = f"compile: it would be version {self.version}" if self.outcome == "compile" else self.outcome
        spent = f", about {self.seconds:.2g} s" if self.seconds is not None else ""
        lines = [f"{head}{spent}", *(f"  {reason.summary}" for reason in self.reasons)]
        return "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002  # IPython's signature
        printer.text(str(self))


def predict(fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Prediction:
    """Predict whether `fun(*args, **kwargs)` would hit, or compile and why.

    >>> print(jitviz.predict(step, model, batch))

    The prediction rests on the versions that jitviz has seen and on the contents of JAX's cache keys. Nothing is
    traced, compiled, read or moved.

    Raises:
        TypeError: `fun` is not jitted, or does not take these arguments.
    """
    call = hypothetical_miss(fun, args, kwargs)
    if call.doubt:
        return _unknown(call.doubt)
    rows = list(map(call.past.newest, call.past.misses))
    explainer = Explainer(dropped=lambda number: rows[number].dropped)
    for miss in call.past.misses:
        explainer.add(miss)
    outcome, number = explainer.expect(call.miss)
    if number is not None and not has_compiled(rows[number]):
        return _unknown("it was traced, and the result of that is not known")
    if number is not None:
        return Prediction("hit", rows[number].version, seconds=0.0)
    if outcome == "unknown":
        is_warm = call.miss.is_warm and not rows
        return _unknown(
            "it was compiled before jitviz started to watch"
            if is_warm
            else "only the `__eq__` of a static value can tell, and jitviz does not call it"
        )
    reasons = explainer.explain(call.miss)
    nearest = explainer.compared_with(len(rows))
    version = 1 + max((row.version for row in rows), default=0)
    if reasons[0].kind == "first":
        reasons = (replace(reasons[0], summary="It has no compiled version yet."),)
    return Prediction("compile", version, reasons, rows[nearest].duration_s if nearest is not None else None)


def _unknown(why: str) -> Prediction:
    return Prediction("unknown", reasons=(Reason("unexplained", "", "", "", f"This cannot be known: {why}."),))
