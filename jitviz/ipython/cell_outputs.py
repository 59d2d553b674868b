"""The outputs of a compiled cell.

In: the values that the cell assigned while it was traced, and the variables that its functions refer to.  Out: a tree.
Must never: let a traced value outlive its trace in a variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import CellType, FunctionType
from typing import Any

import jax
from jax.core import Tracer
from jax.tree_util import GetAttrKey, tree_flatten

from ..filters import is_array
from ..jaxcompat import raw
from .leaks import reach

VALUE = "_"  # the value of the last expression, which IPython keeps under this name


@dataclass(eq=False)
class Closure:
    """The traced variables of a cell that its functions refer to. They are empty until `fill`.

    A function that the cell defines is an output of each version, and sees the values of the last run.
    """

    _variables: Mapping[str, CellType]

    @classmethod
    def empty(cls, getter: FunctionType, outputs: Any) -> Closure:
        """Empty the traced variables that `getter` refers to, and return those that static outputs refer to as well."""
        held = zip(getter.__code__.co_freevars, getter.__closure__ or (), strict=True)
        traced = {name: variable for name, variable in held if _is_traced(variable)}
        for variable in traced.values():
            variable.cell_contents = variable  # so that `reach` finds the variable itself
        kept = {
            id(part)
            for leaf in tree_flatten(outputs)[0]
            if not is_array(leaf)
            for part, _ in reach(leaf)
            if type(part) is CellType
        }
        for variable in traced.values():
            del variable.cell_contents
        return cls({name: variable for name, variable in traced.items() if id(variable) in kept})

    def fill(self, values: Mapping[str, Any]) -> None:
        """Set the variables to the values of their names after a run."""
        for name, variable in self._variables.items():
            variable.cell_contents = values[name]


@dataclass(eq=False)
class Outputs:
    """The outputs of a cell, as a tree: the values that it assigned, and the value of its last expression."""

    assigned: dict[str, Any]
    value: Any
    deleted: tuple[str, ...]
    closure: Closure

    def flatten(self) -> tuple[list[tuple[Any, Any]], tuple[tuple[str, ...], tuple[str, ...], Closure]]:
        """The children with their names, and the auxiliary data."""
        named = [(GetAttrKey(name), value) for name, value in self.assigned.items()]
        return [*named, (GetAttrKey(VALUE), self.value)], (tuple(self.assigned), self.deleted, self.closure)

    @classmethod
    def unflatten(cls, data: tuple[tuple[str, ...], tuple[str, ...], Closure], children: Iterable[Any]) -> Outputs:
        """Rebuild the outputs from their children."""
        names, deleted, closure = data
        *assigned, value = children
        return cls(dict(zip(names, assigned, strict=True)), value, deleted, closure)


jax.tree_util.register_pytree_with_keys(Outputs, Outputs.flatten, Outputs.unflatten)


def _is_traced(variable: CellType) -> bool:
    try:
        held = variable.cell_contents
    except ValueError:  # empty
        return False
    return any(raw.is_a(leaf, Tracer) for leaf in tree_flatten(held)[0])
