"""The vocabulary of findings: what is worth doing, and where the time went.

In: nothing.  Out: frozen dataclasses.
Must never: compute more than what rows say about their function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .rows import Call, Compile

FindingKind = Literal[
    "recompile",
    "op_by_op",
    "slow_trace",
    "slow_compile",
    "unrolled",
    "constant",
    "donation",
    "not_warmed",
    "diverged",
    "kept_alive",
]


@dataclass(frozen=True)
class Choice:
    """One way to pad: the `sizes` to pad to, how many `compiles` remain, and the `code` to paste.

    `padding` is extra elements per element, over the recorded calls; `saved_s` is compile time saved.
    """

    name: str
    sizes: tuple[int, ...]
    compiles: int
    padding: float
    saved_s: float
    code: str


@dataclass(frozen=True)
class Plan:
    """What to do about an axis that had several sizes. `paths` are the leaves that have it, each with its axis.

    `seen` are the sizes, each with its number of calls, and `compiles` is how many versions there were without a plan;
    `choices[best]` is the recommended choice.
    """

    paths: tuple[tuple[str, int], ...]
    seen: tuple[tuple[int, int], ...]
    compiles: int
    choices: tuple[Choice, ...]
    best: int

    @property
    def choice(self) -> Choice:
        return self.choices[self.best]


@dataclass(frozen=True)
class Finding:
    """One cause: what it cost, where, and one thing to do about it.

    `summary` is one sentence about what changed, `advice` one thing to do, `code` what to paste ("" if there is none).
    `reason` is the kind of the reason of a recompile, else "". `seconds` is the time that the cause took, 0 if unknown;
    `count` says how often it occurred: recompiles, iterations of a loop, arrays. `compiles` are indices into the
    compiles of the recording. `also` are leaves that changed in the same way every time, and are fixed with it.

    Fixing this cause alone saves `saves` compiles and `saves_s` seconds, including recompiles of other causes that
    needed a new version only because of this one; `saves` is None if unknown. `stays` of the `count` would still
    happen, because `beside` (in words) changed as well. `home` is the module of the function, `name` its name there.
    """

    kind: FindingKind
    function: str
    path: str = ""
    reason: str = ""
    source: str = ""
    seconds: float = 0.0
    count: int = 1
    summary: str = ""
    advice: str = ""
    code: str = ""
    compiles: tuple[int, ...] = ()
    plan: Plan | None = None
    also: tuple[str, ...] = ()
    saves: int | None = None
    saves_s: float = 0.0
    stays: int = 0
    beside: tuple[str, ...] = ()
    home: str = ""
    name: str = ""

    @classmethod
    def about(
        cls,
        rows: Sequence[Compile],
        kind: FindingKind,
        summary: str,
        advice: str,
        *,
        source: str = "",
        caller: Call | None = None,
        **more: Any,
    ) -> Finding:
        """A finding about these compiles of one function, at `source` or else where the `caller` or the first is."""
        first = caller or rows[0]
        return cls(
            kind,
            first.function,
            summary=summary,
            advice=advice,
            source=source or first.source,
            compiles=tuple(row.index for row in rows),
            home=first.function_info.module,
            name=first.function_info.qualname,
            **more,
        )
