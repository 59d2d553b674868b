"""One property in which two versions of a function differ, with the facts that decide and that the words need.

In: nothing.  Out: frozen dataclasses.
Must never: make a sentence, or hold a text that somebody has to read back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from ..model import Equality, Kind

# What happened to a node of an argument tree, or to the jitted function.
Event = Literal[
    "came", "went", "class", "redefined", "order", "swapped", "options", "edited", "rewrapped", "remade", "anew"
]
Flag = Literal["no", "yes", "many"]
# What two values, or an object and the one made anew, have in common.
Same = Literal["value", "dtype", "name", "code", "content", "looks"]


@dataclass(frozen=True)
class Inside:
    """The first place inside two things made alike where they differ; `path` leads there from the thing."""

    path: str
    before: str
    after: str


@dataclass(frozen=True)
class Facts:
    """What is known of a change beside its two sides; each kind of change fills in what it has.

    `where` is the place of a definition or of an array, `maker` the function that made it anew, and
    `closes_over` the names of that function which it needs.
    `parent` is the node that an entry came to or went from. `leaf` is the static leaf that holds the value, where the
    value is not the leaf itself. `flag` says whether a value is one out of few, "many" once there were too many
    `words` at that place. `is_number` marks a number that became another number, or None. `is_mended` marks what a
    person did as advised, `is_own` the one shape of a line, `is_unwatched` what happened before jitviz watched.
    `hidden` are leaves that may have changed unseen.
    """

    event: Event | None = None
    same: Same | None = None
    type_before: str = ""
    type: str = ""
    dtype_before: str = ""
    dtype: str = ""
    shape_before: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()
    is_weak: bool = False
    is_traced: bool = False
    is_metadata: bool = False
    leaf: str = ""
    equality: Equality | None = None
    inside: Inside | None = None
    flag: Flag = "no"
    words: frozenset[str] = frozenset()
    is_number: bool = False
    where: str = ""
    maker: str = ""
    closes_over: tuple[str, ...] = ()
    parent: str = ""
    parent_type: str = ""
    option: str = ""
    is_rerun: bool = False
    is_mended: bool = False
    is_own: bool = False
    is_unwatched: bool = False
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """One property in which two versions differ; data only, the words come in `Reason`."""

    kind: Kind
    path: str
    before: str
    after: str
    facts: Facts = Facts()

    def judged(self, **facts: Any) -> Change:
        """The same change with something that was learned of it."""
        return replace(self, facts=replace(self.facts, **facts))
