"""Calls of `nnx.jit` and `nnx.jit_partial` functions.

In: a `MissFrame`, or a jitted object.  Out: an `Origin`, whose arguments are live objects, before NNX splits them;
outputs.
Must never: import flax, or build an object of a class that is not NNX's or Python's.

`nnx.jit_partial` flattens the bound arguments once, to one list of Variables and arrays. That list is the first
argument of each call of `jax.jit`; in the `Origin`, the bound arguments have the names of their parameters.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from ...jaxcompat import flax_internals, jits, output_trees
from ...jaxcompat.frame_locals import FlatArguments, Inferred
from ...model import Signature, wrappers
from ..arguments.flattened import Flat
from ..arguments.origin import Argument, Origin
from . import functions
from .adapter import Adapter, UserOutputs, leaves_at
from .jax_jit import origin_of, with_flat
from .jax_sites import MissFrame

_UPDATED = re.compile(r"\[1\]\[(\d+)\]")  # the new value of a bound Variable, among the outputs


class NnxJit(Adapter):
    """`nnx.jit`."""

    wrapper = wrappers.NNX
    files = (flax_internals.NNX_FILE,)

    def find(self, site: MissFrame) -> Origin | None:
        call = flax_internals.read_nnx_call(site.caller)
        return None if call is None else with_flat(_of_call(site.held.fun, site.held.info, *call), site.held.flat)

    def build(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
        (jitted,) = self.jits(fun)
        return None if jitted is None else _of_call(self.inside(fun), jits.jit_info(jitted), args, kwargs)

    def inside(self, fun: Any) -> Any:
        return jits.jitted_function(*self.jits(fun))

    def jits(self, fun: Any) -> Sequence[Any]:
        return (flax_internals.jitted_attribute(fun),)

    def outputs(self, inferred: Inferred, signature: Signature) -> UserOutputs:
        """Leaves without a treedef. State that NNX updates in place has the path of its argument."""
        avals, paths = output_trees.output_avals(inferred.jaxpr), output_trees.output_paths(inferred.jaxpr)
        places = [name for name, form in signature.form if form == "positional"]
        named = flax_internals.named_outputs(paths, places, [leaf.path for leaf in signature.traced])
        return UserOutputs(leaves_at(zip(named, avals, strict=True)), None)


class NnxPartial(NnxJit):
    """`nnx.jit_partial`."""

    wrapper = wrappers.NNX_PARTIAL

    def find(self, site: MissFrame) -> Origin | None:
        call = flax_internals.read_nnx_call(site.caller)
        if site.caller is None or call is None:
            return None  # never look at the locals of a user's frame: Python 3.11 keeps what was looked at alive
        bound = flax_internals.bound_arguments(site.caller.f_locals.get("self"))
        held = site.held
        return None if bound is None else _of_partial_call(held.fun, held.info, Flat(*bound), *call, held.flat)

    def build(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
        bound = flax_internals.bound_arguments(fun)
        if bound is None:
            return None
        return _of_partial_call(super().inside(fun), jits.jit_info(*self.jits(fun)), Flat(*bound), args, kwargs)

    def inside(self, fun: Any) -> Any:
        return None if flax_internals.bound_arguments(fun) is None else super().inside(fun)

    def calls_from(self, filename: str, fun: Any) -> bool:
        return super().calls_from(filename, fun) and flax_internals.is_partial(fun)

    def outputs(self, inferred: Inferred, signature: Signature) -> UserOutputs:
        """NNX returns (the user's value, the bound Variables); these have the paths of their arguments."""
        avals, paths = output_trees.output_avals(inferred.jaxpr), output_trees.output_paths(inferred.jaxpr)
        inputs = [leaf.path for leaf in signature.traced]  # the bound ones come first

        def name(path: str) -> str:
            updated = _UPDATED.match(path)
            return inputs[int(updated[1])] if updated is not None else f"out{path.removeprefix('[0]')}"

        return UserOutputs(leaves_at(zip(map(name, paths), avals, strict=True)), None)


def _of_call(fun: Any, info: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin:
    return origin_of(fun, wrappers.NNX, _parameters(fun, args, kwargs), info)


def _of_partial_call(
    fun: Any, info: Any, bound: Flat, args: tuple[Any, ...], kwargs: dict[str, Any], flat: FlatArguments | None = None
) -> Origin:
    values = [_rebuilt(part) for part in bound.children()]
    rows = _parameters(fun, (*values, *args), kwargs)
    mine, others = rows[: len(values)], rows[len(values) :]
    origin = origin_of(fun, wrappers.NNX_PARTIAL, [("", bound.leaves, "positional"), *others], info)
    with_flat(origin, flat)
    origin.arguments[:1] = [Argument(name, value, "traced") for name, value, _ in mine]
    origin.form = (*((name, "positional") for name, _, _ in mine), *origin.form[1:])
    origin.input_order = (*(name for name, _, _ in mine), *origin.input_order[1:])
    return origin


def _parameters(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any, str]]:
    signature = functions.signature_of(functions.innermost(flax_internals.inside_nnx(fun)))
    return functions.parameters(signature, args, kwargs)


def _rebuilt(flat: Flat) -> Any:
    """A bound argument as the user passed it; the list of its leaves if rebuilding it might run code of the user's."""
    if all(map(_is_rebuilt_by_flax, _kinds_in(flat.treedef))):
        return jax.tree_util.tree_unflatten(flat.treedef, flat.leaves)
    return list(flat.leaves)


def _is_rebuilt_by_flax(kind: type) -> bool:
    is_its = issubclass(kind, flax_internals.nnx_types()) or kind.__module__.startswith("flax.")
    return is_its or kind in (tuple, list, dict, type(None))


def _kinds_in(treedef: Any) -> Iterator[type]:
    data = output_trees.node_data(treedef)
    if data is not None:
        yield data[0]
        for child in treedef.children():
            yield from _kinds_in(child)
