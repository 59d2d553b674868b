"""Whose is what would have to change: the one check that stands before every "avoidable", and before all advice.

In: a miss, or one of its changes; a version.  Out: the line of a library whose author alone can change it, "" if the
user can.

What a user can do about a library is said by the user's own line, where there is one; nobody knows whether it can be
done there, for instance whether a call of the library can be jitted. So it counts as "maybe", never as avoidable.
"""

from ..model import Compile, Miss
from .change import Change


def made_by_library(miss: Miss, change: Change) -> str:
    """Where a library makes anew what a call runs: its own function, or the jit around the user's; or what its jitted
    function is given."""
    if change.kind == "new_function" and change.event not in ("options", "edited"):
        if change.is_of_library and change.event == "anew":
            return change.where
        return "" if change.is_rerun else miss.through
    is_given = change.kind in ("static_identity", "static_eq") and change.is_of_library
    return change.where if is_given and miss.function_info.is_of_library else ""


def only_its_author_can(row: Compile) -> str:
    """Where a library defines the function of a version, "" if it is the user's: nobody else can write another body."""
    info = row.function_info
    return (info.defined_at or info.module) if info.is_of_library else ""
