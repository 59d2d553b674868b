"""Bound methods as callable trees.

In: a callable and an instance.  Out: a `Bound`, whose leaves are those of both.
Must never: hide the instance's arrays from a transformation, as Python's own bound methods do; or read an array to
compare: two arrays are equal here only if they are the same object.
"""

import types
from collections.abc import Callable
from typing import Any, Self, overload

import jax
from jax.tree_util import GetAttrKey, tree_flatten

from .leaves import is_traced_type


class ComparedAsTree:
    """A wrapper that equals any other wrapper with the same leaves and treedef, as bound methods do. It may be a static
    value, or part of a treedef. Creating an equal one for every call then causes no recompile."""

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
    # The result of looking up a wrapped method on an instance; calls pass the instance first. There is no docstring, so
    # that `help(model.step)` shows the user's. One is created at every lookup, so nothing is copied in advance.
    __slots__ = ("__func__", "__self__", "__weakref__")

    def __init__(self, fun: Callable[..., Any], instance: Any) -> None:
        self.__func__ = fun
        self.__self__ = instance

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return self.__func__(self.__self__, *args, **kwargs)

    def lower(self, /, *args: Any, **kwargs: Any) -> Any:
        """Lower the function, with the instance as the first argument."""
        return self.__func__.lower(self.__self__, *args, **kwargs).bind(self.__self__)  # type: ignore[attr-defined]

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The user's function as a bound method of Python."""
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
    """A function wrapper that becomes a method when it is looked up on an instance."""

    __slots__ = ()

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> Bound: ...
    def __get__(self, instance: Any, owner: Any = None) -> Self | Bound:
        return self if instance is None else Bound(self, instance)  # type: ignore[arg-type]  # subclasses are callable


def as_tree(fun: Callable[..., Any]) -> Callable[..., Any]:
    """`fun`, with a `Bound` in place of a bound method of Python, so that `self` is a tree like any argument."""
    if not isinstance(fun, types.MethodType):
        return fun
    if jax.tree_util.all_leaves([fun.__self__]):
        try:
            hash(fun.__self__)
        except Exception:  # noqa: BLE001 - a user's __hash__ may raise anything
            return fun  # a leaf, compared as Python compares bound methods: by the identity of `self`
    return Bound(fun.__func__, fun.__self__)


jax.tree_util.register_pytree_with_keys(
    Bound,
    lambda bound: (((GetAttrKey("__func__"), bound.__func__), (GetAttrKey("__self__"), bound.__self__)), None),
    lambda _, children: Bound(*children),
)
