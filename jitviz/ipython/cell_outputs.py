"""The outputs of a compiled cell, and traced values that would outlive the trace in them.

In: the values that the cell assigned while it was traced, and the variables that its functions refer to.  Out: a tree;
the path to a traced value in an object, as text.
Must never: let a traced value outlive its trace in a variable, run the user's code, or search a whole library.
"""

import functools
import re
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
from jax.core import Tracer
from jax.tree_util import GetAttrKey, tree_flatten

from ..filters import is_array
from ..jaxcompat import raw

_LIMIT = 2000  # number of objects searched; a leaked value is usually close
VALUE = "_"  # the value of the last expression, which IPython keeps under this name
_TEXT = re.compile(r"\b\w*Tracer[(<]|\bTraced<")


@dataclass(eq=False)
class Closure:
    """The traced variables of a cell that its functions refer to. They are empty until `fill`. A function that the cell
    defines is an output of each version, and sees the values of the last run."""

    _variables: Mapping[str, types.CellType]

    @classmethod
    def empty(cls, getter: types.FunctionType, outputs: Any) -> "Closure":
        """Empty the traced variables that `getter` refers to, and return those that static outputs refer to as well."""
        variables = zip(getter.__code__.co_freevars, getter.__closure__ or (), strict=True)
        traced = {name: variable for name, variable in variables if _is_traced(variable)}
        for variable in traced.values():
            variable.cell_contents = variable  # so that `reach` finds the variable itself
        kept = {
            id(part)
            for leaf in tree_flatten(outputs)[0]
            if not is_array(leaf)
            for part, _ in reach(leaf)
            if type(part) is types.CellType
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
    def unflatten(cls, data: tuple[tuple[str, ...], tuple[str, ...], Closure], children: Iterable[Any]) -> "Outputs":
        """Rebuild the outputs from their children."""
        names, deleted, closure = data
        *assigned, value = children
        return cls(dict(zip(names, assigned, strict=True)), value, deleted, closure)


jax.tree_util.register_pytree_with_keys(Outputs, Outputs.flatten, Outputs.unflatten)


def _is_traced(variable: types.CellType) -> bool:
    try:
        value = variable.cell_contents
    except ValueError:  # empty
        return False
    return any(raw.is_a(leaf, Tracer) for leaf in tree_flatten(value)[0])


def find_tracer(value: object) -> str | None:
    """The path from `value` to a traced value, as " (by `scale`)", or "" if it has no names; None if there is none."""
    for reached, path in reach(value):
        if raw.is_a(reached, Tracer):
            return f" (by `{path}`)" if path else ""
    return None


def reach(value: object) -> Iterator[tuple[object, str]]:
    """The objects that `value` refers to, breadth first from itself, each with the names on the path to it."""
    seen = {id(value)}
    queue = deque([(value, "")])
    for _ in range(_LIMIT):
        if not queue:
            return
        reached, path = queue.popleft()
        yield reached, path
        for name, part in _parts(reached):
            if id(part) not in seen:
                seen.add(id(part))
                queue.append((part, f"{path}.{name}".strip(".") if name else path))


def _parts(value: object) -> Iterator[tuple[str, Any]]:
    if raw.is_a(value, types.ModuleType):
        return
    if type(value) is types.FunctionType:
        yield from (*raw.closure_of(value).items(), *raw.default_values(value).items(), *value.__dict__.items())
    elif type(value) is types.MethodType:
        yield from (("", value.__self__), ("", value.__func__))
    elif type(value) is types.GeneratorType:
        yield from (value.gi_frame.f_locals if value.gi_frame else {}).items()
    elif raw.is_a(value, functools.partial):
        yield from (("", part) for part in raw.bound(value))
    elif raw.is_a(value, dict):
        yield from (("", part) for _, part in raw.items_of(value))
    elif raw.is_a(value, type):
        yield from type.__dict__["__dict__"].__get__(value).items()
    else:
        yield from (("", part) for part in raw.items_of(value))
        yield from raw.attributes(value).items()


def is_text_of_traced(value: Any) -> bool:
    """Whether a value is a string with the text of a traced value in it, as a function of the user's may return."""
    return type(value) is str and _TEXT.search(value) is not None
