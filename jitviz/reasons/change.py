"""A change: one property in which two versions of a function differ, with the facts that judgements and words need.

In: nothing.  Out: frozen dataclasses, and what they say together.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from ..model import Equality, Kind, ProgramDifference

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
Same = Literal["value", "dtype", "name", "code", "content", "looks", "entry", "order"]


@dataclass(frozen=True)
class Inside:
    """The first place where two objects with the same code or class differ inside; `path` leads there."""

    path: str
    before: str
    after: str
    library: str = ""  # "optax" if it is a variable of that library's; "?" for a private attribute


@dataclass(frozen=True)
class Change:
    """One property in which two versions differ, as data; `Reason` has the words. Each kind of change has only some of
    the facts that follow its two sides."""

    kind: Kind
    path: str
    before: str
    after: str
    _: KW_ONLY
    event: Event | None = None  # what happened to a node, or to the jitted function: "came"
    same: Same | None = None  # what the two sides have in common: "code"
    type_before: str = ""  # of a value: "numpy.float64"
    type: str = ""  # "float"; of a node or an object, its class: "train.Config"
    dtype_before: str = ""  # of an array: "float32"
    dtype: str = ""
    shape_before: tuple[int, ...] = ()  # of an array: (128, 3)
    shape: tuple[int, ...] = ()
    is_weak: bool = False  # whether the array is weakly typed now
    is_traced: bool = False  # whether a leaf that was static is an array now
    is_metadata: bool = False  # whether the value is in the treedef
    is_anew: bool = False  # whether the value is in an object that was created again and compares by identity
    leaf: str = ""  # the static leaf that holds the value, if it is not the value itself: "config" of "config.rate"
    equality: Equality | None = None  # how objects of the class compare: "identity"
    inside: Inside | None = None  # where the two objects differ
    also_inside: tuple[str, ...] = ()  # paths of the other parts in which two functions differ
    flag: Flag = "no"  # whether the value is one of few; "many" if it is a path or a time
    is_number: bool = False  # whether a number became another number or None, or None a number
    where: str = ""  # where an object was defined, "train.py:12", or an array is placed, "cuda:0"
    is_of_library: bool = False  # whether a library defines the object
    maker: str = ""  # the function that created the object again: "Block.__init__"
    hides: tuple[str, ...] = ()  # what its code reads and has changed, so that a hit would run the old one: ("loss",)
    reads: tuple[str, ...] = ()  # what its code reads and could be an argument: ("rate", "cfg.scale")
    closes_over: tuple[str, ...] = ()  # names of that function that the object needs: ("rate",)
    functions: tuple[str, ...] = ()  # those of these names that stand for functions: ("act",)
    have_data: bool = False  # whether such a function itself closes over what could be an argument
    parent: str = ""  # the node that an entry came to or went from: "state"
    parent_type: str = ""  # its class: "dict"
    is_part: bool = False  # whether it is an entry of a list or tuple whose entries have different classes
    is_static: bool = False  # whether the entry is a static leaf
    attribute: str = ""  # one that came or went and is not a field: "cached"
    option: str = ""  # of the jit: "static_argnums"
    is_rerun: bool = False  # whether a cell that ran again has defined the function again
    is_unwatched: bool = False  # whether it was compiled before jitviz watched
    is_returned: bool = False  # whether an array that moved looks like an output of an earlier call
    is_doubtful: bool = False  # whether only a user's `__eq__` decides about it
    hidden: tuple[str, ...] = ()  # leaves that may have changed unseen: ("config",)
    # what `avoidable` adds
    is_mended: bool = False  # whether it follows the advice
    is_only_shape: bool = False  # whether the line that called uses no other shape
    since: str = ""  # what a later cell did, so that this is no longer expected: "`x` changed again at In [7]:2"

    @property
    def class_name(self) -> str:
        """ "Config" of `__main__.Config`."""
        name = self.type.rpartition(".")[2]
        return "jitted function" if name == "PjitFunction" else name


def resized(changes: Iterable[Change]) -> set[tuple[str, str]]:
    """The sizes of axes that changed, each before and after; a static value may be one of them: `f(x, len(x))`."""
    of_arrays = (
        change for change in changes if change.kind == "shape" and len(change.shape_before) == len(change.shape)
    )
    return {
        (str(old), str(new)) for change in of_arrays for old, new in zip(change.shape_before, change.shape, strict=True)
    }


def is_hidden(changes: Iterable[Change], difference: ProgramDifference | None) -> bool:
    """Whether the program depends on something that changed out of sight of the arguments."""
    return (difference is None or difference.kind in ("numbers", "other")) and any(change.hides for change in changes)
