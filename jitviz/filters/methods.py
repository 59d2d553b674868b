"""A function and the object it was looked up on, as one callable tree.

In: a callable and an instance.  Out: `Bound`, whose leaves are those of both.
Must never: hide the instance's arrays from a transformation, as Python's own bound method does; or read an array to
compare: two arrays are the same if they are one object.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Self, overload

import jax
from jax.tree_util import GetAttrKey, tree_flatten

from .arrays import is_traced_type


class ComparedAsTree:
    """A wrapper that equals another one made of the same parts, as a bound method does.

    It may be a static value or sit in a treedef, made anew for every call: that is no reason to compile again.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self is other or _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(_parts(self))


def _parts(tree: Any) -> tuple[Any, ...]:
    leaves, treedef = tree_flatten(tree)
    return treedef, *((type(leaf), id(leaf) if is_traced_type(type(leaf)) else leaf) for leaf in leaves)


class Bound(ComparedAsTree):
    # What looking up a wrapped method on an instance gives: a call passes the instance first. It has no docstring,
    # because `help(model.step)` is to show the user's. It is made at every lookup, so nothing is copied ahead of need.
    __slots__ = ("__func__", "__self__", "__weakref__")

    def __init__(self, fun: Callable[..., Any], instance: Any) -> None:
        self.__func__ = fun
        self.__self__ = instance

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return self.__func__(self.__self__, *args, **kwargs)

    def lower(self, /, *args: Any, **kwargs: Any) -> Any:
        """As `lower` of the function, with the instance first."""
        return self.__func__.lower(self.__self__, *args, **kwargs).bind(self.__self__)  # type: ignore[attr-defined]

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The user's function, bound by Python."""
        return types.MethodType(getattr(self.__func__, "__wrapped__", self.__func__), self.__self__)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.__func__.__doc__

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return getattr(self.__func__, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<bound {self.__func__!r}>"


class Wrapping(ComparedAsTree):
    """A wrapper of a function: looked up on an object, it is a method of that."""

    __slots__ = ()

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> Bound: ...
    def __get__(self, instance: Any, owner: Any = None) -> Self | Bound:
        return self if instance is None else Bound(self, instance)  # type: ignore[arg-type]  # who inherits has a call


def as_tree(fun: Callable[..., Any]) -> Callable[..., Any]:
    """`fun`, or a `Bound` in place of a Python bound method, so that `self` is a tree of leaves like any argument."""
    if not isinstance(fun, types.MethodType):
        return fun
    if jax.tree_util.all_leaves([fun.__self__]):
        try:
            hash(fun.__self__)
        except Exception:  # noqa: BLE001 - a user's __hash__ may raise anything
            return fun  # a leaf that is compared by identity, as Python compares bound methods
    return Bound(fun.__func__, fun.__self__)


jax.tree_util.register_pytree_with_keys(
    Bound,
    lambda bound: (((GetAttrKey("__func__"), bound.__func__), (GetAttrKey("__self__"), bound.__self__)), None),
    lambda _, children: Bound(*children),
)
