"""Which parts of a call are in which of JAX's cache keys: the only place that says so.

    property of the call                          trace      lowering   executable
    --------------------------------------------  ---------  ---------  ----------
    the function object (weakly held)             yes        through the jaxpr
    jit options: static_*, inline, keep_unused    yes        yes        yes
    donation, compiler options, in/out shardings  -          yes        yes
    treedef, with its auxiliary data              yes        through the jaxpr
    keyword names and calling form                yes (jax.jit; filter_jit normalises them by signature)
    shape, dtype, weak type of each traced leaf   yes        through the jaxpr
    axes of the mesh; sharding on explicit axes   yes (part of the aval)
    static leaves and arguments, by hash and ==   yes        through the jaxpr
    trace context (x64, matmul precision, mesh…)  yes        yes        yes
    the devices of the mesh of `jax.set_mesh`     -          yes        yes
    device, sharding, memory kind, layout (used)  -          yes        yes
    committed or not (of an input that is used)   -          yes        yes

Sources: https://docs.jax.dev/en/latest/201/jit.html, https://github.com/jax-ml/jax/blob/main/jax/_src/pjit.py, and
tests that change one property at a time. Capture and reasons both use this to decide whether two calls share a trace or
an executable. `filter_jit` has a key of its own in addition, see `jitviz.filters.kernel`.

In: a `Signature`.  Out: its parts that are in a key, each of them hashable.
Must never: leave out a row of the table.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from . import Leaf, Signature, root_of
from .equality import key_of

AvalProperty = Literal["shape", "dtype", "weak_type"]
CONCRETE_MESH = "concrete_mesh_context_manager"  # the setting that has the devices of the mesh
_MESH = re.compile(r" on mesh\(.*?\) of ")
SINGLE_DEVICE = re.compile(r"\w+:\d+")  # the sharding of an array on one device, as text: "cpu:0"


def of_trace(signature: Signature) -> Iterator[object]:
    """The parts that decide whether JAX has to trace, besides the function and the static values: one for all settings,
    and one per form of a parameter, per node and per traced leaf. Each includes the types of the nodes above."""
    yield "context", settings(signature.context)
    yield from (("form", *given) for given in signature.form)
    above = _types_above(signature)
    for node in signature.nodes:
        yield node.path, above.get(node.path, 0), node.type, node.type_token, node.keys
    for leaf in signature.traced:
        yield leaf.path, above.get(leaf.path, 0), leaf.shape, leaf.dtype, leaf.weak_type, leaf.variable


def in_detail(signature: Signature) -> Iterator[tuple[object, object]]:
    """The parts without settings and static values, one per property of a leaf, each with what it is a part of: the
    calling form, or one property of an argument, at all leaves of it. Below a node whose type changed, nothing counts
    as unchanged."""
    yield from ((("form", *given), "form") for given in signature.form)
    above = _types_above(signature)
    for node in signature.nodes:
        types = above.get(node.path, 0)
        yield (node.path, types, node.type, node.type_token, node.keys), ("node", root_of(node.path))
    for leaf in signature.traced:
        types, root = above.get(leaf.path, 0), root_of(leaf.path)
        variable = [("variable", leaf.variable)] if leaf.variable else []
        for name, value in (*aval_of(leaf), *variable):
            yield (leaf.path, types, name, value), (name, root)
    yield from ((("option", *option), ("option", option[0])) for option in signature.options)
    for leaf in signature.leaves:
        if (part := _placed(leaf)) is not None:
            yield part, ("at", root_of(leaf.path))


def _types_above(signature: Signature) -> dict[str, int]:
    """The types of the nodes above each path."""
    above: dict[str, int] = {}
    for node in signature.nodes:
        below = hash((above.get(node.path, 0), node.type, node.type_token))
        above.update((node.path + key, below) for key in node.keys)
    return above


@lru_cache(maxsize=16)  # nearly all calls have the same
def settings(context: tuple[tuple[str, str], ...]) -> frozenset[tuple[str, str]]:
    """The settings of JAX that decide whether it has to trace."""
    return frozenset(setting for setting in context if setting[0] != CONCRETE_MESH)


def of_executable(signature: Signature) -> Iterator[object]:
    """The parts that also decide whether JAX has to compile; only those that differ from the default."""
    yield from (("option", *option) for option in signature.options)
    yield from (("context", *setting) for setting in signature.context if setting[0] == CONCRETE_MESH)
    yield from (part for leaf in signature.leaves if (part := _placed(leaf)) is not None)


def _placed(leaf: Leaf) -> tuple[object, ...] | None:
    """Where a leaf is; None if that is the default."""
    place = place_of(leaf)
    return (leaf.path, "at", place, bool(leaf.committed)) if place is not None or leaf.committed else None


def aval_of(leaf: Leaf) -> tuple[tuple[AvalProperty, object], ...]:
    """What JAX traces with in place of a leaf, property by property."""
    return ("shape", leaf.shape), ("dtype", leaf.dtype), ("weak_type", leaf.weak_type)


def place_of(leaf: Leaf) -> str | None:
    """The sharding as the cache sees it: None where JAX may choose it."""
    if leaf.sharding is None or (not leaf.committed and SINGLE_DEVICE.fullmatch(leaf.sharding)):
        return None
    return leaf.sharding


def traced_place(leaf: Leaf) -> str | None:
    """The part of the sharding that JAX traces with: the axes of the mesh, and the partition if some are explicit."""
    match = _MESH.search(leaf.sharding or "")
    return None if match is None else match.string[: match.end()] if "explicit" in match.group() else match.group()


def summable(part: object) -> int:
    """A hash whose sum stands for parts in any order. Python's own will not do: for tuples that swap a value, it often
    has the same sum. That of a text has not."""
    return hash(str(hash(part)))


def trace_key(signature: Signature) -> int:
    """A hash that is equal for signatures of one function that share a trace, or may share one: a user's `__eq__` may
    find two values equal."""
    known = ((leaf, key_of(leaf.static, is_sure=False)) for leaf in signature.static if leaf.static is not None)
    static = ((leaf.path, leaf.is_metadata, value) for leaf, value in known)
    return hash((*of_trace(signature), *static))
