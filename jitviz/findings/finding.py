"""The vocabulary of findings.

In: rows of a recording.  Out: frozen dataclasses.
Must never: compute anything beyond what rows say of their function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..model import Call, Compile

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
    """One way to pad: to which `sizes`, how many `compiles` are left then, and `code` that does it.

    `padding` is extra elements per element, over the calls that were recorded; `saved_s` are seconds of compiling.
    """

    name: str
    sizes: tuple[int, ...]
    compiles: int
    padding: float
    saved_s: float
    code: str


@dataclass(frozen=True)
class Plan:
    """What to do about an axis that came in several sizes. `paths` are the leaves that have it, each with its axis.

    `seen` are the sizes that came, each with its calls, and `compiles` how many versions there were without a plan; of
    several `choices`, number `best` is the one to take.
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

    `summary` is one sentence with only what changed, `advice` one thing to do, `code` what to paste ("" if there is
    none). `reason` is the kind of the reason of a recompile, else "". `seconds` are those that the cause stands
    behind, 0 where they are not known; `count` says how often: recompiles, turns of a loop, arrays. `compiles` are
    indices into the compiles of the recording. `also` are leaves that changed alike every time, and are mended with it.

    `saves` compiles and `saves_s` seconds are what mending it alone would spare, those of other causes among them that
    needed a new version because of this one; None where that was not worked out. `stays` of the `count` would happen
    all the same, since `beside` (in words) changed as well. `home` and `name` are the module of the function and its
    name there.
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
        seconds: float = 0.0,
        count: int = 1,
        path: str = "",
        caller: Call | None = None,
        **more: Any,
    ) -> Finding:
        """One about these compiles of one function; its line is that of the `caller`, else of the first of them."""
        first = caller or rows[0]
        return cls(
            kind,
            first.function,
            path,
            source=source or first.source,
            seconds=seconds,
            count=count,
            summary=summary,
            advice=advice,
            compiles=tuple(row.index for row in rows),
            home=first.function_info.module,
            name=first.function_info.qualname,
            **more,
        )
