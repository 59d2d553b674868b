"""Signatures: the parts of a call that enter one of JAX's cache keys (see the table in `jitviz.model.cachekey`).

In: an `Origin`, or the jaxpr of a backward pass.  Out: a `Signature` with every row of that table.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ...jaxcompat import contexts, jaxprs
from ...model import Signature, root_of
from ...recording.redaction import cleaned
from ..failures import error_text, note
from ..tokens import token, token_of_all
from . import array_facts, describe
from .flattened import LEAVES, LEVELS, Flat
from .nnx_objects import names_of_live
from .origin import Origin
from .walk import Rows, array_leaf, walk

_TOO_MANY = f"leaves below {LEVELS} levels, or beyond the first {LEAVES:,}, are left out"
_INSIDE_A_TRACE = "of a call inside a trace, the static leaves are not known"
_NOT_FLATTENED = "on a hit, jitviz does not look inside classes that have their own flatten function"


def signature_of(origin: Origin, *, is_transformed: bool = False, is_hit: bool = False) -> Signature:
    """The signature of a user's call; see `Rows` for `is_transformed` and `is_hit`."""
    rows = Rows(is_transformed=is_transformed, is_hit=is_hit)
    rows.names = names_of_live((argument.name, argument.value) for argument in origin.arguments)
    if origin.root is not None:
        _walk_root(origin.root, origin.flat_root, rows)
    for argument in origin.arguments:
        rows.is_donated = argument.is_donated
        walk(argument.value, argument.name, argument.rule, rows, flat=argument.flat)
    origin.statics = rows.descriptions.objects
    signature = Signature(
        leaves=tuple(rows.leaves),
        nodes=tuple(rows.nodes),
        form=origin.form,
        context=trace_context(),
        options=origin.options,
        defaults=origin.defaults,
        is_partial=rows.is_cut,
        note=(_NOT_FLATTENED if is_hit else _TOO_MANY) if rows.is_cut else "",
        program=token_of_all(origin.programs) if origin.programs else None,
    )
    return cleaned(signature, is_compared=True)


_Taken = TypeVar("_Taken", Signature, Signature | None)


def signature_or_error(take: Callable[[], _Taken]) -> _Taken:
    """The signature that `take` returns; if it fails, an empty one with the error, so that the miss is recorded."""
    try:
        return take()
    except Exception as error:
        note("signature", error)
        return Signature(is_partial=True, note=f"capture failed: {error_text(error)}")


def _walk_root(root: Any, flat: Flat | None, rows: Rows) -> None:
    """Walk a callable that is an argument tree itself; its leaves get paths under `self`, as in its own code."""
    walk(root, "self", "arrays", rows, flat=flat)
    walked: tuple[list[Any], ...] = rows.leaves, rows.nodes  # the root is walked first
    for found in walked:
        for place, row in enumerate(found):
            if "__self__" in row.path:  # the instance of a bound method, which is `self` in the user's code
                found[place] = replace(row, path=row.path.replace("self.__self__", "self", 1))


def input_paths(signature: Signature, order: Sequence[str]) -> tuple[str, ...]:
    """The paths of the traced leaves in the order of the program's inputs: the order of the arguments, or `order`."""
    paths = [leaf.path for leaf in signature.traced]
    if order:
        places = {name: index for index, name in enumerate(order)}
        paths.sort(key=lambda path: places.get(root_of(path), len(places)))
    return tuple(paths)


def signature_of_backward(jaxpr: Any) -> Signature:
    """The signature of the backward pass of an eager `grad`. JAX made its inputs, so they have no user-level paths."""
    facts = map(array_facts.facts_of_aval, jaxprs.input_avals(jaxpr))
    leaves = tuple(array_leaf(f"residuals[{index}]", each) for index, each in enumerate(facts))
    return Signature(
        leaves=leaves,
        context=trace_context(),
        is_partial=True,
        note="inputs of a backward pass: values saved by the forward pass, or incoming cotangents",
        program=token(jaxpr),
    )


def signature_in_trace(jaxpr: Any) -> Signature:
    """The signature of a call inside a trace, from the jaxpr that it became there: it has only the traced leaves."""
    named = jaxprs.named_inputs(jaxpr)
    leaves = tuple(array_leaf(path, array_facts.facts_of_aval(aval)) for path, aval in named)
    return Signature(leaves=leaves, context=trace_context(), is_partial=True, note=_INSIDE_A_TRACE)


def trace_context() -> tuple[tuple[str, str], ...]:
    """JAX's trace context as (setting, text) pairs; the texts are equal when the settings are."""
    context = contexts.trace_context()
    key = tuple(id(value) for _, value in context)  # a user may define `==` and the hash of one: `make_user_context`
    known = _contexts.get(key)
    if known is None:
        if len(_contexts) >= _MOST_CONTEXTS:
            _contexts.clear()
        known = _contexts[key] = context, tuple((name, _context_text(name, value)) for name, value in context)
    return known[1]


_MOST_CONTEXTS = 16
_contexts: dict[tuple[int, ...], tuple[object, tuple[tuple[str, str], ...]]] = {}  # holds the values, too


def _context_text(name: str, value: Any) -> str:
    axes = contexts.axis_env_text(name, value)
    if axes is not None:
        return axes
    return contexts.mesh_text(value) if "mesh" in name else describe.describe(value).text
