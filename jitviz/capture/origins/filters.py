"""Calls of filter_jit functions, Equinox's and our own: arrays are traced, the rest is static, names are normalised.

In: a `Site` or a wrapper's call.  Out: an `Origin`.
Must never: bind or flatten differently from the wrapper itself.
"""

from __future__ import annotations

import types
from typing import Any

from ... import wrappers
from ...filters import hook
from ...filters.methods import as_tree
from ...jaxcompat import equinox
from ...raw import is_a
from ..arguments.origin import Argument, Origin
from ..identity import token
from . import functions
from .sites import Site


def of_equinox(site: Site) -> Origin | None:
    """The call of an `equinox.filter_jit` function."""
    call = equinox.read_equinox_call(site.caller)
    return None if call is None else of_equinox_call(call, site.held.fun)


def of_equinox_call(call: equinox.EquinoxCall, keyed: Any) -> Origin:
    """The same from the parts of the call."""
    args, kwargs = call.args, call.kwargs
    try:
        bound = call.signature.bind(*args, **kwargs)
        args, kwargs = bound.args, bound.kwargs
    except TypeError:
        pass  # the call fails by itself; show what was given
    rows = functions.parameters(call.signature, args, kwargs)
    donated = "all" if call.donate_first and call.donate_rest else "all-except-first" if call.donate_rest else ""
    return Origin(
        call.function,
        wrappers.EQUINOX,
        [
            Argument(name, value, "arrays", call.donate_first if place == 0 else call.donate_rest)
            for place, (name, value, _) in enumerate(rows)
        ],
        keyed=keyed,
        options=(("donate", donated),) if donated else (),
        defaults=functions.defaults_of(call.signature, (name for name, _, _ in rows)),
        root=_root_of(call.function),
        input_order=_order_of_equinox(rows, call),
    )


def _order_of_equinox(rows: list[tuple[str, Any, str]], call: equinox.EquinoxCall) -> tuple[str, ...]:
    """Equinox hands on what is donated, then the rest, each as the first argument, the function, the others."""
    places = [name.partition("[")[0] for name, _, given in rows if given == "positional"]
    keywords = sorted(name for name, _, given in rows if given == "keyword")
    first, others = places[:1], [*places[1:], *keywords]
    parts = [(call.donate_first, first), (call.donate_rest, ["self", *others])]
    return tuple(name for _, names in sorted(parts, key=lambda part: not part[0]) for name in names)


def of_filters(site: Site) -> Origin | None:
    """The call of a `jitviz.filter_jit` function."""
    call = None if site.caller is None else hook.call_in(site.caller)
    return None if call is None else of_filter_call(call, site.held.fun)


def of_filter_call(call: hook.FilterCall, keyed: Any) -> Origin:
    """The same from the call as the wrapper took it apart."""
    return of_filter_arguments(call.wrapper, call.arguments, keyed)


def of_filter_arguments(wrapper: hook.Wrapper, arguments: dict[str, Any], keyed: Any) -> Origin:
    """The same from the arguments by the names of their parameters."""
    function, donate = as_tree(wrapper.__wrapped__), wrapper.donate
    options = {"donate": str(donate)} if donate != "none" else {}
    options.update({name: repr(value) for name, value in wrapper.jit_options.items()})
    return Origin(
        function,
        wrappers.JITVIZ,
        [
            Argument(name, value, "arrays", donate in ("all", "warn") or (donate != "none" and place > 0))
            for place, (name, value) in enumerate(arguments.items())
        ],
        keyed=keyed,
        options=tuple(options.items()),
        defaults=functions.defaults_of(wrapper.signature, arguments),
        root=_root_of(function),
        version_key=None if keyed is None else token(keyed),
    )


def _root_of(function: Any) -> Any:
    """The function as an argument tree of its own, or None if it has nothing but code."""
    inner = functions.innermost(function)
    is_plain = is_a(inner, types.FunctionType, types.BuiltinFunctionType, type)
    return None if is_plain else function
