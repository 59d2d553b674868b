"""Key paths in Python's spelling: `model.layers[0].weight`, `d['k']`, `args[0]`.

In: the name of a parameter, and key entries of `jax.tree_util`.  Out: text.
Must never: call a user's `__repr__` or `__str__`; a dict key may be any object.
"""

import enum
from collections.abc import Iterable
from typing import Any

from jax.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey

# Attributes through which wrappers hold the user's function. They are not part of the user's program.
_WRAPPER_STEPS = ("__wrapped__", "__func__")


def user_path(root: str, keys: Iterable[Any]) -> str:
    """The path of a leaf of the argument named `root`; with an empty root it starts at the first key."""
    path = root + "".join(step(key) for key in keys)
    return path if root else path.removeprefix(".")


def function_path(root: str, keys: Iterable[Any]) -> str:
    """The path of a leaf of the jitted function itself. In a bound method it starts at `self`."""
    kept: list[Any] = []
    for key in keys:
        name = key.name if isinstance(key, GetAttrKey) else None
        if name == "__self__":
            root, kept = "self", []
        elif name not in _WRAPPER_STEPS:
            kept.append(key)
    return user_path(root, kept)


def step(key: Any) -> str:
    """Spell one step of a path."""
    if isinstance(key, GetAttrKey):
        return f".{key.name}"
    if isinstance(key, SequenceKey):
        return f"[{key.idx}]"
    if isinstance(key, DictKey):
        return f"[{spelled(key.key)}]"
    if isinstance(key, FlattenedIndexKey):
        return f"[<flat index {spelled(key.key)}>]"
    return f"[{spelled(key)}]"


def spelled(key: Any) -> str:
    """Spell the key of a dict: a plain one as a literal, any other by its type."""
    if type(key) in (str, bytes, int, float, complex, bool, type(None)):
        return repr(key)
    if type(key) is tuple:
        items = ", ".join(map(spelled, key))
        return f"({items},)" if len(key) == 1 else f"({items})"
    if isinstance(key, enum.Enum):
        return f"{type(key).__name__}.{key._name_}"
    return f"<{type(key).__name__}>"
