"""Calls of `equinox.filter_jit` functions: arrays are traced, the rest is static, names are normalised.

In: a `Site`, or the parts of a call.  Out: an `Origin`; outputs.
Must never: bind or flatten differently from Equinox itself.
"""

from __future__ import annotations

from typing import Any

from ...jaxcompat import equinox_internals, output_trees
from ...jaxcompat.frame_locals import Inferred
from ...model import Signature, wrappers
from ..arguments.flattened import Flat
from ..arguments.origin import Argument, Origin
from ..arguments.walk import Rows, walk
from . import functions
from .adapter import Adapter, Outputs, leaves_at
from .jax_sites import Site


def of_equinox(site: Site) -> Origin | None:
    """The call of an `equinox.filter_jit` function at this site."""
    call = equinox_internals.read_equinox_call(site.caller)
    return None if call is None else of_equinox_call(call)


def of_equinox_call(call: equinox_internals.EquinoxCall) -> Origin:
    """The call of an `equinox.filter_jit` function, from its parts."""
    args, kwargs = call.args, call.kwargs
    try:
        bound = call.signature.bind(*args, **kwargs)
        args, kwargs = bound.args, bound.kwargs
    except TypeError:
        pass  # the call will fail by itself; show the arguments as given
    rows = functions.parameters(call.signature, args, kwargs)
    donated = "all" if call.donate_first and call.donate_rest else "all-except-first" if call.donate_rest else ""
    origin = Origin(
        call.function,
        wrappers.EQUINOX,
        [
            Argument(name, value, "arrays", call.donate_first if place == 0 else call.donate_rest)
            for place, (name, value, _) in enumerate(rows)
        ],
        options=(("donate", donated),) if donated else (),
        defaults=functions.defaults_of(call.signature, (name for name, _, _ in rows)),
        root=functions.root_of(call.function),
        input_order=_order_of_equinox(rows, call),
    )
    flat = {name: Flat.of(*part) for name, part in call.flat.items()}
    first, rest = flat.get("first"), flat.get("rest")
    if first is not None and rest is not None:
        others, keywords = rest.children()
        # Equinox appends a None to the positional arguments
        flats = [*[first, *others.children()][:-1], *keywords.children()]
        origin.give_flat(flats, ((name, given) for name, _, given in rows))
    if origin.root is not None:
        origin.flat_root = flat.get("fun")
    return origin


def _order_of_equinox(rows: list[tuple[str, Any, str]], call: equinox_internals.EquinoxCall) -> tuple[str, ...]:
    """The names in the order of JAX's inputs: donated ones first, each time the first argument, `self`, the others."""
    places = [name.partition("[")[0] for name, _, given in rows if given == "positional"]
    keywords = sorted(name for name, _, given in rows if given == "keyword")
    first, others = places[:1], [*places[1:], *keywords]
    parts = [(call.donate_first, first), (call.donate_rest, ["self", *others])]
    return tuple(name for _, names in sorted(parts, key=lambda part: not part[0]) for name in names)


def _build(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
    return (
        of_equinox_call(equinox_internals.equinox_call(fun, args, kwargs))
        if equinox_internals.is_equinox_jit(fun)
        else None
    )


def _outputs(inferred: Inferred, signature: Signature) -> Outputs:
    """Equinox returns (marker, arrays, static values in the treedef). Static leaves come last."""
    avals, paths = output_trees.output_avals(inferred.jaxpr), output_trees.output_paths(inferred.jaxpr)
    pairs = zip(paths, avals, strict=True)
    traced = leaves_at((f"out{path[3:]}", aval) for path, aval in pairs if path.startswith("[1]"))
    rows = Rows()
    for value in equinox_internals.static_outputs(inferred.out_tree):
        walk(value, "out", "arrays", rows)
    statics = (leaf for leaf in rows.leaves if leaf.role == "static" and not leaf.is_metadata)
    return Outputs((*traced, *statics), inferred.out_tree.children()[1])


ADAPTER = Adapter(wrappers.EQUINOX, of_equinox, _build, _outputs, (equinox_internals.EQUINOX_FILE,))
