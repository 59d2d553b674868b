"""Calls of `jitviz.filter_jit` functions: arrays are traced, the rest is static, names are normalised.

In: a `Site` or a wrapper's call.  Out: an `Origin`; outputs.
Must never: bind or flatten differently from the wrapper itself.
"""

from __future__ import annotations

from typing import Any

import jax

from ...filters import hook
from ...filters.hook import Wrapper
from ...filters.jit import FilterJit
from ...filters.methods import as_tree
from ...jaxcompat import output_trees
from ...jaxcompat.frame_locals import Inferred
from ...jaxcompat.raw import is_a
from ...model import Signature, Token, wrappers
from ..arguments.flattened import Flat
from ..arguments.origin import Argument, Origin
from ..arguments.walk import Rows, Rule, static_leaf
from ..tokens import token
from . import functions
from .adapter import Adapter, Outputs, leaves_at, outputs_as_returned
from .jax_sites import Site


def of_filters(site: Site) -> Origin | None:
    """The call of a `jitviz.filter_jit` function at this site."""
    call = None if site.caller is None else hook.call_in(site.caller)
    fun = site.held.fun
    return None if call is None else of_filter_call(call, None if fun is None else token(fun))


def of_filter_call(call: hook.FilterCall, version_key: Token | None = None) -> Origin:
    """The call of a `jitviz.filter_jit` function, from its parts as the wrapper has flattened them."""
    kinds = {type(call.leaves[place]) for place in call.program.plan.split.traced_at}
    rule: Rule = "shapes" if any(issubclass(kind, jax.ShapeDtypeStruct) for kind in kinds) else "arrays"
    origin = _of_arguments(call.wrapper, call.arguments, rule)
    origin.version_key = version_key
    flats = call.layout.arguments(Flat(call.treedef, call.leaves).children())
    origin.arguments = [argument._replace(flat=flats[argument.name]) for argument in origin.arguments]
    origin.flat_root = Flat.of(*call.wrapper.flat)
    return origin


def _of_arguments(wrapper: Wrapper, arguments: dict[str, Any], rule: Rule = "arrays") -> Origin:
    """The call of a wrapper, from its arguments by parameter name."""
    function, donate = as_tree(wrapper.__wrapped__), wrapper.donate
    options = {"donate": str(donate)} if donate != "none" else {}
    options.update({name: repr(value) for name, value in wrapper.jit_options.items()})
    return Origin(
        function,
        wrappers.JITVIZ,
        [
            Argument(name, value, rule, donate in ("all", "warn") or (donate != "none" and place > 0))
            for place, (name, value) in enumerate(arguments.items())
        ],
        options=tuple(options.items()),
        defaults=functions.defaults_of(wrapper.signature, arguments),
        root=functions.root_of(function),
    )


def _build(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
    if not is_a(fun, FilterJit):
        return None
    layout, values = fun.set_up().binder.bind(args, kwargs)
    return _of_arguments(fun, layout.arguments(values))


def _outputs(inferred: Inferred, signature: Signature) -> Outputs:
    """Static leaves come last. A result that was not sealed holds only arrays; one that was may end with a spare."""
    sealed = output_trees.sealed_output(inferred.out_tree)
    if sealed is None:
        return outputs_as_returned(inferred, signature)
    avals, rows = output_trees.output_avals(inferred.jaxpr), Rows()
    own = avals[: len(avals) - sealed.n_spare]
    traced = leaves_at((f"out{path}", aval) for path, aval in zip(sealed.traced, own, strict=True))
    statics = (static_leaf(f"out{path}", value, rows) for path, value in sealed.statics)
    return Outputs((*traced, *statics), sealed.treedef)


_FILES = ("jitviz/filters/jit.py", "jitviz/filters/stages.py")
ADAPTER = Adapter(wrappers.JITVIZ, of_filters, _build, _outputs, _FILES)
