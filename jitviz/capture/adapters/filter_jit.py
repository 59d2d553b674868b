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
from ...filters.static_outputs import Output
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
    data = output_trees.node_data(inferred.out_tree)
    if data is None or data[0] is not Output:
        return outputs_as_returned(inferred, signature)
    seal, avals, rows = data[1], output_trees.output_avals(inferred.jaxpr), Rows()
    count = seal.treedef.num_leaves
    try:
        pairs, _ = jax.tree_util.tree_flatten_with_path(seal.treedef.unflatten(range(count)))
        paths = [f"out{jax.tree_util.keystr(path)}" for path, _ in pairs]
    except Exception:  # a user's class that does not accept placeholders
        paths = [f"out[{place}]" for place in range(count)]
    own = avals[: len(avals) - seal.n_spare]
    traced = leaves_at((paths[place], aval) for place, aval in zip(seal.split.traced_at, own, strict=True))
    statics = zip(seal.split.static_at, seal.statics, strict=True)
    return Outputs((*traced, *(static_leaf(paths[place], value, rows) for place, value in statics)), seal.treedef)


_FILES = ("jitviz/filters/jit.py", "jitviz/filters/stages.py")
ADAPTER = Adapter(wrappers.JITVIZ, of_filters, _build, _outputs, _FILES)
