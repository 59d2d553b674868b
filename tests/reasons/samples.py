"""Signatures and misses as the capture layer makes them, written down briefly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitviz.model import Description, Equality, Function, Leaf, Miss, Node, Signature
from jitviz.reasons import Explainer
from jitviz.reasons.change import Change
from jitviz.reasons.compare import compare_misses

SHORT = {"float32": "f32", "float64": "f64", "int32": "i32", "uint32": "u32", "bool": "bool"}


def array(path: str, shape: tuple[int, ...] = (3,), dtype: str = "float32", **facts: Any) -> Leaf:
    """A JAX array that is not committed, on the first device, unless told otherwise."""
    text = f"{SHORT.get(dtype, dtype)}[{','.join(map(str, shape))}]"
    known = {"type": "jax.Array", "sharding": "cpu:0", "committed": False, "repr": text, "itemsize": 4}
    return Leaf(path, "traced", shape=shape, dtype=dtype, **{**known, **facts})


def scalar(path: str, dtype: str = "float32", kind: str = "float") -> Leaf:
    """A Python number that is traced."""
    return array(path, (), dtype, type=kind, weak_type=True, sharding=None, committed=None)


def host(path: str, shape: tuple[int, ...] = (3,), dtype: str = "float32") -> Leaf:
    """A NumPy array."""
    return array(path, shape, dtype, type="numpy.ndarray", sharding=None, committed=None)


def static(path: str, value: Any, *, is_metadata: bool = False) -> Leaf:
    """A static leaf: a plain value, or what `made` and `function` describe."""
    description = value if isinstance(value, Description) else plain(value)
    return Leaf(path, "static", description.type, repr=description.text, static=description, is_metadata=is_metadata)


def plain(value: Any) -> Description:
    """A number, string, None, or a tuple of such."""
    if isinstance(value, tuple):
        items = tuple((f"[{place}]", plain(item)) for place, item in enumerate(value))
        return Description("tuple", repr(value), fields=items)
    return Description(type(value).__name__, repr(value), "never" if value != value else "value")


def made(kind: str, token: int, equality: Equality = "identity", **attributes: Any) -> Description:
    """An object of a user's class."""
    parts = {name: part if isinstance(part, Description) else plain(part) for name, part in attributes.items()}
    inside = ", ".join(f"{name}={part.text}" for name, part in parts.items())
    name = kind.rpartition(".")[2]
    fields = tuple((f".{name}", part) for name, part in parts.items())
    return Description(kind, f"{name}({inside})", equality, token, fields=fields)


def function(
    token: int, code: str = "c0de", name: str = "act", origin: str = "train.py:7", **cells: Any
) -> Description:
    """A function with what it closes over."""
    parts = tuple(
        (f"<closure {name}>", part if isinstance(part, Description) else plain(part)) for name, part in cells.items()
    )
    return Description("function", f"<function {name} at {origin}>", "identity", token, code, origin, parts)


def none(path: str) -> Node:
    return Node(path, "NoneType")


def signature(leaves: Iterable[Leaf] = (), nodes: Iterable[Node] = (), **rest: Any) -> Signature:
    return Signature(tuple(leaves), tuple(nodes), **rest)


def jitted(token: int = 1, body: Description | None = None, **facts: Any) -> Function:
    """The function `step`, or another object of its lineage."""
    body = body or function(token, "57e9", "step", "train.py:12")
    known = {"name": "step", "qualname": "step", "module": "train", "api": "jax.jit", "lineage": "train.step"}
    return Function(**{**known, **facts}, token=token, body=body)


def miss(*leaves: Leaf, nodes: Iterable[Node] = (), function: Function | None = None, **rest: Any) -> Miss:
    """A miss of `step` with these arguments. Fields of `Signature` and of `Miss` are told apart by name."""
    fields = ("form", "context", "options", "is_partial", "note", "program", "reads")
    asked = {name: rest.pop(name) for name in fields if name in rest}
    return Miss(function or jitted(), signature(leaves, nodes, **asked), **rest)


def compare(before: Signature, after: Signature, *, is_typed: bool = False) -> tuple[Change, ...]:
    """Every change between two signatures of `step`; with `is_typed`, its cache tells `1` from `True`."""
    owner = jitted(api="jax.jit" if is_typed else "equinox.filter_jit")
    return compare_misses(Miss(owner, before), Miss(owner, after))


def explained(*misses: Miss, **options: Any) -> Explainer:
    """What explains these misses."""
    explainer = Explainer(**options)
    for one in misses:
        explainer.add(one)
    return explainer


def told(changes: Iterable[Change]) -> list[tuple[str, str, str, str]]:
    """Changes without their details."""
    return [(change.kind, change.path, change.before, change.after) for change in changes]
