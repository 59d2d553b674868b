"""The containers in the output of a function, from its treedef.

In: a treedef that JAX inferred, and the paths of its leaves.  Out: `Node` rows under `out`.
Must never: build the tree, since that calls user code.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ...jaxcompat import output_trees
from ...jaxcompat.raw import class_attribute, mro_of, type_name
from ...model import Leaf, Node
from ...recording.redaction import redacted_path
from ..tokens import token


class _UnknownError(Exception):
    """The names of the children of a container are unknown."""


def nodes_of(treedef: Any, leaves: tuple[Leaf, ...]) -> tuple[Node, ...]:
    """The containers of these leaves and the Nones between them, parents first. Empty if the names of the children of a
    class are unknown, or differ from JAX's."""
    known = {leaf.path for leaf in leaves}
    try:
        return () if treedef is None else tuple(_below("out", treedef, known))
    except _UnknownError:
        return ()


def _below(path: str, treedef: Any, known: set[str]) -> Iterator[Node]:
    data = output_trees.node_data(treedef)
    if data is None:
        if path not in known:
            raise _UnknownError
        return
    kind, aux = data
    if kind is type(None):
        if path not in known:  # otherwise Equinox has replaced a static leaf by None
            yield Node(path, "NoneType")
        return
    children = treedef.children()
    steps = _steps(kind, aux, len(children))
    is_builtin = kind.__module__ in ("builtins", "collections")
    yield Node(path, kind.__name__ if is_builtin else type_name(kind), steps, None if is_builtin else token(kind))
    for step, child in zip(steps, children, strict=True):
        yield from _below(path + step, child, known)


def _steps(kind: type, aux: Any, count: int) -> tuple[str, ...]:
    """The path step to each child of a container, as JAX writes it.

    Raises:
        _UnknownError: the names of the children are unknown.
    """
    names = class_attribute(kind, "_fields")  # of a named tuple
    if kind is tuple or kind is list:
        steps = tuple(f"[{place}]" for place in range(count))
    elif tuple in mro_of(kind) and names is not None:
        steps = tuple(f".{name}" for name in names)
    elif dict in mro_of(kind) or Mapping in mro_of(kind):
        keys = aux[1] if kind is defaultdict else aux  # aux[0] is the default factory
        if type(keys) not in (tuple, list):  # the class was registered with other auxiliary data
            raise _UnknownError
        steps = tuple(redacted_path(f"[{key!r}]") for key in keys if type(key) in (str, int))
    elif (registered := output_trees.data_fields(kind)) is not None:
        steps = tuple(f".{name}" for name in registered)
    else:
        fields = class_attribute(kind, "__dataclass_fields__") or {}
        steps = tuple(f".{name}" for name, field in fields.items() if _is_data(field.metadata))
    if len(steps) != count:
        raise _UnknownError
    return steps


def _is_data(metadata: Mapping[str, Any]) -> bool:
    """Whether a field of a dataclass is a child: Equinox, JAX and Flax mark the fields that are not."""
    return not metadata.get("static", False) and metadata.get("pytree_node", True)
