"""Errors about arguments that cannot be jitted.

In: leaves and their user-level paths.  Out: an exception that names the leaf at fault and what to do.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from jax.tree_util import tree_flatten_with_path

from .key_paths import user_path
from .leaves import is_traced_type


class UnhashableLeafError(TypeError, ValueError):
    """A static leaf cannot be hashed. Python raises a TypeError for that; JAX and Equinox raise a ValueError."""


def named_leaves(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every leaf of the arguments, in order, as (user-level path, leaf)."""
    for argument, tree in arguments.items():
        for keys, leaf in tree_flatten_with_path(tree)[0]:
            yield user_path(argument, keys), leaf


def unhashable(name: str, leaves: Iterable[tuple[str, Any]], error: TypeError) -> TypeError:
    """The error for a call of `name` with a static leaf that cannot be hashed; `error` itself if there is none."""
    for path, leaf in leaves:
        if is_traced_type(type(leaf)):
            continue
        try:
            hash(leaf)
        except TypeError as reason:
            return UnhashableLeafError(
                f"filter_jit({name}): the static leaf `{path}` of type {type(leaf).__name__} cannot be hashed "
                f"({reason}). Leaves that are not arrays are static: they are part of the cache key, so they need a "
                f"hash and ==. {_advice(leaf)}"
            )
    return error


def check_traceable(name: str, arguments: Mapping[str, Any]) -> None:
    """Return if JAX supports the dtypes of all NumPy leaves.

    Raises:
        TypeError: the elements of a leaf are strings, dates, objects or records.
    """
    for path, leaf in named_leaves(arguments):
        if not isinstance(leaf, np.ndarray | np.generic):
            continue
        if leaf.dtype.names is not None:
            instead = "its fields (x['name']), which are arrays"
        elif leaf.dtype.kind in "OSUMm":
            instead = "a tuple of its values (tuple(x.tolist())), which is static"
        else:
            continue
        raise TypeError(
            f"filter_jit({name}): `{path}` is a NumPy array of dtype {leaf.dtype}. Arrays are traced, and JAX does "
            f"not support this dtype. Leave it out of the arguments, or pass {instead}."
        ) from None


def _advice(leaf: Any) -> str:
    if isinstance(leaf, set):
        return "Pass a frozenset instead of the set."
    if isinstance(leaf, bytearray):
        return "Pass bytes instead of the bytearray."
    if dataclasses.is_dataclass(leaf) and type(leaf).__hash__ is None:
        return (
            "Declare the class with @dataclass(frozen=True). If it holds arrays, register it as a pytree instead "
            "(jax.tree_util.register_dataclass), so that they are traced."
        )
    return (
        "Define __hash__ and __eq__ by value on its class, pass its numbers as arrays (jax.numpy.asarray) so that they "
        "are traced, or register its class as a pytree."
    )
