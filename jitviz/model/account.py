"""The vocabulary of the account: each second of a recording belongs to one kind of work.

In: nothing.  Out: frozen dataclasses.
"""

from dataclasses import field
from typing import Literal, NamedTuple, TypeAlias, get_args

from .quick_dataclass import dataclass

Stack: TypeAlias = tuple[str, ...]  # of lines, the outermost first
What = Literal["trace", "lower", "compile", "load", "op_by_op", "run", "python", "jitviz"]
WHATS: tuple[What, ...] = get_args(What)


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


@dataclass(frozen=True)
class Account:
    """`parts` are all kinds of work, in a fixed order, and sum to `wall_s`: the time of the cells if the recording has
    cells, otherwise the whole time. `beside` is the work of other threads. `shares` are the parts by function and
    stack, if either is known, most seconds first."""

    wall_s: float
    parts: tuple[Part, ...]
    beside: tuple[Part, ...] = ()
    shares: tuple[Share, ...] = field(default=(), compare=False, repr=False)

    def part(self, what: What) -> Part:
        """The part of this name."""
        return self.parts[WHATS.index(what)]
