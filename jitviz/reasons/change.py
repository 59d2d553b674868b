"""A change: one property in which two versions of a function differ, with the facts that judgements and words need.

In: nothing.  Out: frozen dataclasses.
Must never: make a sentence, or hold text that has to be parsed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from ..model import Equality, Kind

# What happened to a node of an argument tree, or to the jitted function.
Event = Literal[
    "came",
    "went",
    "class",
    "redefined",
    "order",
    "keys",
    "attribute",
    "swapped",
    "options",
    "edited",
    "rewrapped",
    "remade",
    "anew",
]
Flag = Literal["no", "yes", "many"]
# What two values, or two objects, have in common.
Same = Literal["value", "dtype", "name", "code", "content", "looks"]


@dataclass(frozen=True)
class Inside:
    """The first place where two objects with the same code or class differ inside; `path` leads there."""

    path: str
    before: str
    after: str


@dataclass(frozen=True)
class Facts:
    """The facts of a change besides its two sides; each kind of change has only some of them.

    `where` is where an object was defined or where an array is placed. `maker` is the function that created the object
    again, and `closes_over` the names of that function that the object needs. `parent` is the node that an entry was
    added to or removed from, `is_part` marks an entry of a list or tuple of different classes, `is_static` a static
    entry. `attribute` is one that came or went and is not a field. `leaf` is the static leaf that holds the value, if
    the value is not the leaf itself. `flag` says whether a value is one of few; it is "many" after too many `words` at
    that place, or one that identifies a single thing. `is_number` marks a number that became another number or None, or
    None that became a number. `is_mended` marks a change that follows the advice, `is_own` the only shape that a line
    uses, `is_unwatched` a compile from before jitviz watched. `is_doubtful` marks a change that only a user's `__eq__`
    decides about. `hidden` are leaves that may have changed unseen.
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
    is_part: bool = False
    is_static: bool = False
    attribute: str = ""
    option: str = ""
    is_rerun: bool = False
    is_mended: bool = False
    is_own: bool = False
    is_unwatched: bool = False
    is_doubtful: bool = False
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """One property in which two versions differ, as data; `Reason` has the words."""

    kind: Kind
    path: str
    before: str
    after: str
    facts: Facts = Facts()

    def judged(self, **facts: Any) -> Change:
        """The same change with more facts."""
        return replace(self, facts=replace(self.facts, **facts))
