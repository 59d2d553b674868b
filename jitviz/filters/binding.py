"""The normal form of a call: keyword arguments become positional wherever possible.

In: a signature, then `args` and `kwargs`.  Out: the arguments by parameter name, and a function called with them.
"""

import inspect
from collections.abc import Callable, Mapping
from inspect import BoundArguments, Parameter
from typing import Any

from jax.tree_util import PyTreeDef

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)


class Binder:
    """The normal forms of calls to one signature."""

    def __init__(self, name: str, signature: inspect.Signature) -> None:
        self.name = name
        self.signature = signature

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by parameter name, in the order of the parameters; omitted parameters are missing.
        `*args` is a tuple and `**kwargs` a dict sorted by name, each under its name, and missing if it is empty.

        Raises:
            TypeError: the function does not take these arguments.
        """
        try:
            arguments = self.signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None
        if kwargs and (options := self._name_of(Parameter.VAR_KEYWORD)) in arguments:
            arguments[options] = dict(sorted(arguments[options].items()))
        return arguments

    def call(self, fun: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
        """Call `fun` with these arguments."""
        bound = BoundArguments(self.signature, dict(arguments))
        return fun(*bound.args, **bound.kwargs)

    def n_leaves_of_first(self, names: tuple[str, ...], treedef: PyTreeDef) -> int:
        """The number of leaves of the first positional argument, in a call with these parameters; 0 without one."""
        first = next(iter(self.signature.parameters.values()), None)
        if first is None or names[:1] != (first.name,) or first.kind not in _POSITIONAL:
            return 0
        tree = treedef.children()[0]
        n_leaves: int = (tree.children()[0] if first.kind is Parameter.VAR_POSITIONAL else tree).num_leaves
        return n_leaves

    def _name_of(self, kind: Any) -> str | None:
        return next((name for name, parameter in self.signature.parameters.items() if parameter.kind is kind), None)


def signature_of(fun: Callable[..., Any]) -> inspect.Signature:
    """The signature of `fun`; `(*args, **kwargs)` for built-in functions that have none."""
    try:
        return inspect.signature(fun)
    except ValueError:
        return inspect.Signature(
            [Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)]
        )
