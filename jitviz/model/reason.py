"""The reasons of a compile: what changed, what to do about it, how the programs differ, and what follows from that.

In: nothing.  Out: the closed set of kinds, and frozen dataclasses, used by every other layer.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from .printable import Readable

# What changed, in the order in which a person should look at it. Changes that explain others come first: another
# function makes the rest moot, a setting changes dtypes, a changed structure moves leaves. Changes for which JAX does
# not trace again (those of a placement) come last.
Kind = Literal[
    "first",
    "transform",
    "new_function",
    "config_context",
    "treedef",
    "kwargs_vs_args",
    "leaf_kind",
    "static_identity",
    "static_eq",
    "static_value",
    "prng_key_type",
    "shape",
    "dtype",  # before weak_type: a leaf that changed in both would still recompile if it were made strong
    "weak_type",
    "sharding",
    "memory_kind",
    "committed",
    "cache_cleared",
    "unexplained",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, repr=False)
class Reason(Readable):
    """Why a function compiled."""

    kind: Kind  # what changed
    path: str  # the user's leaf, the name of a setting ("config_context"), or "" for other causes
    before: str  # what it was
    after: str  # what it is now
    summary: str  # one plain sentence
    advice: str = ""  # one thing to do, or ""
    inherent: bool = False  # anyone would expect the recompile (a train and an eval mode)
    often: str = ""  # the sentence for many such recompiles, if `summary` is more specific to this one
    shape_before: tuple[int, ...] = ()  # of an array whose shape, dtype or placement changed, as it was
    shape: tuple[int, ...] = ()  # of the array now

    def __str__(self) -> str:
        return "\n".join([f"{self.kind}: {self.summary}", *([f"  → {self.advice}"] if self.advice else [])])

    def __getstate__(self) -> dict[str, Any]:
        """The fields, all of them read: what words them cannot be copied to another process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class _WhenRead:
    """A field of a reason that is worked out when it is read: Python comes here only if the reason lacks it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, reason: Any, _: type) -> Any:
        found = vars(reason)[self._name] = vars(reason)["_words"](self._name)
        return found


for _name in ("summary", "advice", "inherent", "often"):
    setattr(Reason, _name, _WhenRead(_name))


def told_when_read(words: Callable[[str], object], **known: object) -> Reason:
    """A reason with the fields in `known`; the other ones are what `words` says of their names."""
    reason = object.__new__(Reason)
    vars(reason).update(known, _words=words)
    return reason


@dataclass(frozen=True)
class ProgramDifference:
    """What two StableHLO modules differ in, without names and locations.

    "same": in nothing. "numbers": in literal numbers alone. "sizes": in the sizes of arrays alone. "form": the
    operations and their order are equal, but arrays have another dtype or rank, or a constant is an input. "other": in
    more than that. "unseen": the program calls Python, and its text does not say which function.
    """

    kind: Literal["same", "numbers", "sizes", "form", "other", "unseen"]
    numbers: tuple[tuple[str, str], ...] = ()  # the literals that differ, each pair once: ("0.1", "0.2")
    is_arithmetic: bool = False  # of "numbers": each use of each of them could be that of an input
    sizes: tuple[tuple[int, int], ...] = ()  # of "sizes": (128, 104)
    obstacle: str = ""  # of "sizes": what makes padding change the result ("a sort"), "" if a mask can undo the padding
    words: str = ""  # of "form", "other" and "unseen": "60 operations instead of 40"; what else needs the numbers


Verdict = Literal["avoidable", "expected", "maybe"]


@dataclass(frozen=True)
class Judgement:
    """Whether a recompile was avoidable; "maybe" where that cannot be decided, and where a program was not kept."""

    verdict: Verdict = "maybe"
    words: str = ""  # how the programs differ: "the same program as version 1"; "" if that is not known
    difference: ProgramDifference | None = None  # None if a program is not known, or was compared with nothing
    since: str = ""  # what a later cell did, so that it is no longer expected: "`x` changed again at In [7]:2"
