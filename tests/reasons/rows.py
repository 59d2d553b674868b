"""Compiles and calls as a recording folds them, with reasons that are given instead of worked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jitviz.model import Call, Compile, Kind, Phase, PhaseName, Reason, Signature

PHASES: tuple[PhaseName, ...] = ("trace", "lower", "compile")


@dataclass(frozen=True)
class Links:
    known: tuple[Reason, ...]

    def reasons(self, index: int) -> tuple[Reason, ...]:
        return self.known


def reason(kind: Kind, path: str = "", *, inherent: bool = False, advice: str = "") -> Reason:
    return Reason(kind, path, "old", "new", f"the {kind} of it.", advice, inherent)


def compiled(
    *reasons: Reason,
    version: int = 1,
    seconds: tuple[float | None, ...] = (0.25, 0.25, 1.5),
    function: str = "step",
    source: str = "train.py:30",
    **rest: Any,
) -> Compile:
    """A version that took `seconds` to trace, lower and compile."""
    phases = tuple(Phase(name, None, spent) for name, spent in zip(PHASES, seconds, strict=False))
    return Compile(
        function=function,
        index=version - 1,
        version=version,
        signature=Signature(),
        start_s=0.0,
        phases=phases,
        source=source,
        _links=Links(reasons),
        **rest,
    )


def called(outcome: Any = "hit", version: int | None = None, function: str = "step") -> Call:
    return Call(function, 0, outcome, 0.0, 0.001, version=version)
