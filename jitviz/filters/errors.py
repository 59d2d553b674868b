"""What is said to people whose call cannot be jitted.

In: the leaf at fault and its user-level path.  Out: an exception to raise.
Must never: print a leaf; its `__repr__` is the user's and may be anything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from jax.tree_util import tree_flatten_with_path

from .arrays import is_traced_type
from .paths import function_path, user_path


class UnhashableLeafError(TypeError, ValueError):
    """A static leaf has no hash: a TypeError for Python, a ValueError for JAX and Equinox."""


def named_leaves(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every leaf of some arguments, in order, with its user-level path."""
    for argument, tree in arguments.items():
        for keys, leaf in tree_flatten_with_path(tree)[0]:
            yield user_path(argument, keys), leaf


def named_leaves_of_function(name: str, tree: Any) -> Iterator[tuple[str, Any]]:
    """The same of the function that is jitted."""
    return ((function_path(name, keys), leaf) for keys, leaf in tree_flatten_with_path(tree)[0])


def unhashable(name: str, leaves: Iterable[tuple[str, Any]], error: TypeError) -> TypeError:
    """The error for a call of `name` with a static leaf that has no hash; `error` itself if there is no such leaf."""
    for path, leaf in leaves:
        reason = _hash_error(leaf)
        if reason is not None:
            return _unhashable(name, path, leaf, reason)
    return error


def check_traceable(name: str, arguments: Mapping[str, Any]) -> None:
    """Say which argument of a failed call JAX has no type for; return if it was none of them.

    Raises:
        TypeError: a NumPy leaf has strings, dates, objects or records for elements.
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


def _hash_error(leaf: Any) -> TypeError | None:
    if is_traced_type(type(leaf)):
        return None
    try:
        hash(leaf)
    except TypeError as error:
        return error
    return None


def _unhashable(name: str, path: str, leaf: Any, reason: TypeError) -> TypeError:
    return UnhashableLeafError(
        f"filter_jit({name}): the static leaf `{path}` of type {type(leaf).__name__} cannot be hashed ({reason}). "
        "Leaves that are not arrays are static: they are part of the cache key, which needs their hash and ==. "
        f"{_advice(leaf)}"
    )


def _advice(leaf: Any) -> str:
    if isinstance(leaf, set):
        return "Pass a frozenset instead of the set."
    if isinstance(leaf, bytearray):
        return "Pass bytes instead of the bytearray."
    if dataclasses.is_dataclass(leaf) and type(leaf).__hash__ is None:
        return (
            "Declare the class with @dataclass(frozen=True); or, if it holds arrays, register it as a pytree "
            "(jax.tree_util.register_dataclass), and they are traced."
        )
    return (
        "Give its class __hash__ and __eq__ by value, pass its numbers as arrays (jax.numpy.asarray) to have them "
        "traced, or register its class as a pytree."
    )
