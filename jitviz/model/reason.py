"""The reasons of a compile: what changed, and what to do about it.

In: nothing.  Out: the closed set of kinds, and a frozen dataclass, used by every other layer.
Must never: import jax, or compute anything.
"""

from typing import Literal, get_args

from .quick_dataclass import dataclass

# What changed, in the order in which a person should look at it. Changes that explain others come first: another
# function makes the rest moot, a setting changes dtypes, a changed structure moves leaves. Changes for which JAX does
# not trace again (sharding, committed) come last.
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
    "committed",
    "cache_cleared",
    "unexplained",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Reason:
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
