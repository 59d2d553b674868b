"""The vocabulary of findings: what is worth doing, and where the time went.

In: nothing.  Out: frozen dataclasses.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from .printable import Readable
from .quantities import count, seconds
from .rows import Call, Compile

Stack: TypeAlias = tuple[str, ...]  # of lines, the outermost first
What = Literal["trace", "lower", "compile", "load", "op_by_op", "run", "python", "jitviz"]
WHATS: tuple[What, ...] = get_args(What)
WHAT_NAMES: dict[What, str] = {
    "trace": "tracing",
    "lower": "lowering",
    "compile": "XLA",  # "compiling" is tracing, lowering and XLA together
    "load": "loading from disk",
    "op_by_op": "outside any jit",
    "run": "running programs",
    "python": "Python",
    "jitviz": "jitviz",
}
_MOST_LINES = 3  # of a part, in words


@dataclass(frozen=True)
class LineShare:
    """Seconds of one line of user code: the line that called, or the line that ran ("python", "trace")."""

    source: str
    seconds: float


@dataclass(frozen=True)
class Part:
    """One kind of work. `lines` are the known lines, most seconds first; they may sum to less than `seconds`."""

    what: What
    seconds: float
    lines: tuple[LineShare, ...] = ()


class Share(NamedTuple):
    """Seconds of one kind of work for one function, in one stack of user lines; either is empty if unknown."""

    what: What
    function: str
    stack: Stack
    seconds: float

    @property
    def source(self) -> str:
        """The innermost line."""
        return self.stack[-1] if self.stack else ""


@dataclass(frozen=True, repr=False)
class Account(Readable):
    """`parts` are all kinds of work, in a fixed order, and sum to `wall_s`: the time of the cells if the recording has
    cells, otherwise the whole time; of a merged recording, the life of its first process. `beside` is the work of other
    threads. `shares` are the parts by function and stack, if either is known, most seconds first."""

    wall_s: float
    parts: tuple[Part, ...]
    beside: tuple[Part, ...] = ()
    shares: tuple[Share, ...] = field(default=(), compare=False, repr=False)

    def part(self, what: What) -> Part:
        """The part of this name."""
        return self.parts[WHATS.index(what)]

    def __str__(self) -> str:
        spent = sorted((part for part in self.parts if part.seconds > 0), key=lambda part: -part.seconds)
        lines = [f"{seconds(self.wall_s)} in all"]
        for part in spent:
            lines.append(f"{seconds(part.seconds):>8} {part.seconds / self.wall_s:>4.0%}  {WHAT_NAMES[part.what]}")
            lines += [f"{seconds(line.seconds):>22}  {line.source}" for line in part.lines[:_MOST_LINES]]
        beside = ", ".join(f"{seconds(part.seconds)} {WHAT_NAMES[part.what]}" for part in self.beside)
        return "\n".join([*lines, *([f"meanwhile, in other threads: {beside}"] if beside else [])])


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
    "eager_loop",
    "unused_jit",
    "stale",
    "traced_once",
]


@dataclass(frozen=True)
class Choice:
    """One way to pad."""

    name: str  # "powers of two"
    sizes: tuple[int, ...]  # to pad to: (32, 64)
    compiles: int  # that remain: 2
    padding: float  # extra elements per element, over the recorded calls: 0.25; at least, if some sizes are unknown
    saved_s: float  # compile time
    code: str  # to paste
    run_s: float = 0.0  # what running the padding would have cost: seconds of the hits that were seen, in proportion
    padding_most: float = 0.0  # `padding`, if the hits of unknown size are those that get most

    @property
    def padded(self) -> str:
        """The extra elements in words: "14%", "10% to 23%"."""
        least, most = f"{self.padding:.0%}", f"{self.padding_most:.0%}"
        return f"{least} to {most}" if self.padding_most > self.padding and least != most else least


@dataclass(frozen=True)
class Plan:
    """What to do about an axis that had several sizes."""

    paths: tuple[tuple[str, int], ...]  # the leaves that have it, each with its axis: (("x", 0), ("mask", 0))
    seen: tuple[tuple[int, int], ...]  # the sizes, each with its number of calls: ((31, 5), (40, 2))
    compiles: int  # of the function, without a plan
    choices: tuple[Choice, ...]
    best: int  # `choices[best]` is the recommended one
    are_hits_seen: bool = True  # else each size counts once, and what running the padding costs is unknown
    unsized: int = 0  # hits whose version, and so whose size, is unknown
    # Of each version its size, its calls, a number that it shares with what is one program once the sizes are one, and
    # its seconds, -1 for an earlier cell's.
    versions: tuple[tuple[int, int, int, float], ...] = ()

    @property
    def choice(self) -> Choice:
        return self.choices[self.best]


@dataclass(frozen=True)
class Edit:
    """Lines of the user's source to replace: `old` stands in `file` from `line` on. Neither text ends in a newline."""

    file: str  # "train.py", "In [4]"
    line: int  # the first, from 1
    old: str  # whole lines
    new: str


class Caller(NamedTuple):
    """A line above the one that calls, and the versions that it led to."""

    source: str  # "train.py:12"
    versions: tuple[int, ...]  # counted from 1


@dataclass(frozen=True, repr=False)
class Finding(Readable):
    """One cause: what it cost, where, and one thing to do about it."""

    kind: FindingKind
    function: str  # "step"
    path: str = ""  # of the leaf that changed: "batch['x']"
    reason: str = ""  # the kind of the reason of a recompile: "shape"
    source: str = ""  # the line that called, or the line itself: "train.py:7"
    seconds: float = 0.0  # that the cause took, 0 if unknown
    count: int = 1  # how often it occurred: recompiles, iterations of a loop, arrays
    summary: str = ""  # what changed: "`x` came in 3 sizes: f32[31] … f32[40]"
    advice: str = ""  # one thing to do: "Pad `x` to 40 with `np.pad`, and mask out the padding."
    code: str = ""  # to paste
    compiles: tuple[int, ...] = ()  # indices into the compiles of the recording: (1, 4)
    edit: Edit | None = None  # that does what `advice` says, where that is certain; `jitviz try` applies it
    plan: Plan | None = None
    also: tuple[str, ...] = ()  # leaves that changed in the same way every time, and are fixed with it: ("mask",)
    # Fixing this cause alone also spares recompiles of other causes that lacked a version only because of this one.
    saves: int | None = None  # compiles that fixing this cause alone saves; None if unknown
    saves_s: float = 0.0  # their seconds
    is_estimated: bool = False  # whether `saves_s` is estimated: nothing that ran tells it
    is_maybe: bool = False  # nothing shows whether its recompiles were avoidable
    shared: tuple[str, ...] = ()  # other causes that some of these compiles go with as well: ("`rate`",)
    stays: int = 0  # how many of the `count` would still happen,
    beside: tuple[str, ...] = ()  # because these changed as well, in words: ("`rate`", "its dtype")
    callers: tuple[Caller, ...] = ()  # the lines above `source` at which the ways to the versions part
    home: str = ""  # the module of the function: "__main__"
    name: str = ""  # its name there: "Trainer.step"

    def __str__(self) -> str:
        place = " at ".join(filter(None, (self.function, self.source)))
        lines = [f"{self.kind}{place and f' of {place}'}: {self.summary}", f"→ {self.advice}" * bool(self.advice)]
        lines += [f"saves {self.saving}" * bool(self.saving), f"code to paste:\n{self.code}" * bool(self.code)]
        return "\n".join(filter(None, lines)).rstrip()

    @property
    def is_wrong(self) -> bool:
        """Whether results are wrong, and not only slow."""
        return self.kind == "stale" and not self.is_maybe

    @property
    def saving(self) -> str:
        """What fixing it saves, in words: "3 compiles, 2.1 s", "maybe 1 compile, 300 ms", "1.2 s, estimated"; or ""."""
        spared = [count(self.saves, "compile")] if self.saves else []
        spared += [seconds(self.saves_s)] if self.saves_s else []
        return f"{'maybe ' * self.is_maybe}{', '.join(spared)}{', estimated' * self.is_estimated}" if spared else ""

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
    ) -> "Finding":
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


@dataclass(frozen=True)
class RunChange:
    """What differs between two runs: a cause, a phase, the programs of a line outside any jit, another program; and
    what is the same."""

    kind: Literal["gone", "new", "more expensive", "cheaper", "phase", "line", "program", "same"]
    text: str
    before_s: float
    after_s: float
    source: str = ""
    functions: tuple[str, ...] = ()  # those that a change of a phase is about
    is_whole: bool = False  # whether a line had no program before, or has none now
    advice: str = ""
    code: str = ""
