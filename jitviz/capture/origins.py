"""Whose call a miss was, and with which arguments, in the user's words.

In: a `Site`.  Out: an `Origin`, or None for JAX's own functions.
Must never: outlive the event; an `Origin` holds the user's objects.

The user's own arguments stand one or two frames above JAX's: under a wrapper (Equinox, NNX, jitviz's filters, an eager loop)
the frame of the wrapper is read, so that nothing has to be mapped back.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

from ..filters import hook
from ..filters.methods import as_tree
from . import _jaxcompat as compat
from . import functions
from .identity import token
from .sites import Site
from .walk import Rule


@dataclass
class Origin:
    """`arguments` are (name, value, rule, is donated); `form` tells how each was given, where that is part of the key.

    `root` is a callable that is itself an argument tree (a module under filter_jit), else None. `keyed` is the object whose
    identity stands for this function in JAX's caches; an open call is recognised by it. `version_key` is given where one program of JAX's stands for
    one static key, so that a hit's version is known.
    """

    function: Any
    api: str
    arguments: list[tuple[str, Any, Rule, bool]]
    form: tuple[tuple[str, str], ...] = ()
    wrapper: Any = None
    root: Any = None
    keyed: Any = None
    options: tuple[tuple[str, str], ...] = ()
    name: str | None = None
    version_key: int | None = None


def find_origin(site: Site) -> Origin | None:
    """The user's call behind a miss; None where it is JAX's own business."""
    if site.kind == "backward":
        return None
    found = _of_equinox(site) or _of_filters(site) or _of_nnx(site)
    if found is not None:
        return found
    if site.jax_caller is not None and compat.is_frame(site.jax_caller, compat.APPLY_PRIMITIVE):
        return _of_loop(site)
    return _of_jit(site)


def _of_equinox(site: Site) -> Origin | None:
    caller = site.caller
    if caller is None or not compat.is_module_frame(caller, compat.EQUINOX_CALL):
        return None
    held = caller.f_locals
    wrapper, args, kwargs = held["jit_wrapper"], held["args"], held["kwargs"]
    return of_equinox_call(
        wrapper.__wrapped__,
        "equinox.filter_jit",
        wrapper,
        wrapper._signature,
        args,
        kwargs,
        wrapper.donate_first,
        wrapper.donate_rest,
        site.locals.get("fun"),
    )


def of_equinox_call(
    function: Any,
    api: str,
    wrapper: Any,
    signature: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    donate_first: bool,
    donate_rest: bool,
    keyed: Any,
) -> Origin:
    """A call of a filter_jit, whose arguments are normalised by signature before they are keyed."""
    try:
        bound = signature.bind(*args, **kwargs)
        args, kwargs = bound.args, bound.kwargs
    except TypeError:
        pass  # the call fails by itself; show what was given
    rows = functions.parameters(signature, args, kwargs)
    arguments: list[tuple[str, Any, Rule, bool]] = [
        (name, value, "arrays", donate_first if place == 0 else donate_rest)
        for place, (name, value, _) in enumerate(rows)
    ]
    root = _root_of(function)
    return Origin(
        function,
        api,
        arguments,
        wrapper=None,
        root=root,
        keyed=keyed,
        options=_filter_options(donate_first, donate_rest),
    )


def _filter_options(donate_first: bool, donate_rest: bool) -> tuple[tuple[str, str], ...]:
    donated = "all" if donate_first and donate_rest else "all-except-first" if donate_rest else ""
    return (("donate", donated),) if donated else ()


def _of_filters(site: Site) -> Origin | None:
    call = None if site.caller is None else hook.call_in(site.caller)
    return None if call is None else of_filter_call(call, site.locals.get("fun"))


def of_filter_call(call: hook.FilterCall, keyed: Any) -> Origin:
    """A call of our own filter_jit, already taken apart and normalised."""
    function, donate = as_tree(call.wrapper.__wrapped__), call.wrapper.donate
    arguments: list[tuple[str, Any, Rule, bool]] = [
        (name, value, "arrays", donate in ("all", "warn") or (donate != "none" and place > 0))
        for place, (name, value) in enumerate(call.arguments.items())
    ]
    options = {"donate": donate} if donate != "none" else {}
    options.update({name: repr(value) for name, value in call.wrapper.jit_options.items()})
    return Origin(
        function,
        "jitviz.filter_jit",
        arguments,
        root=_root_of(function),
        keyed=keyed,
        options=tuple(options.items()),
        version_key=None if keyed is None else token(keyed),
    )


def _root_of(function: Any) -> Any:
    """The function as an argument tree of its own, or None if it has nothing but code."""
    inner = functions.innermost(function)
    is_plain = isinstance(inner, types.FunctionType | types.BuiltinFunctionType | type)
    return None if is_plain else function


def _of_nnx(site: Site) -> Origin | None:
    caller = site.caller
    if caller is None or not compat.is_module_frame(caller, compat.NNX_CALL):
        return None
    held = caller.f_locals
    wrapper, args, kwargs = held.get("self"), held.get("args", ()), held.get("kwargs", {})
    fun = site.locals.get("fun")
    function = functions.innermost(getattr(fun, "f", fun))
    rows = functions.parameters(functions.signature_of(function), args, kwargs)
    info = site.locals.get("jit_info")
    arguments, form = _with_rules(rows, info)
    return Origin(fun, "nnx.jit", arguments, form, wrapper=wrapper, keyed=fun, options=_options(info))


def _of_jit(site: Site) -> Origin | None:
    held = site.locals
    if site.kind == "ahead":
        jitted = held.get("jit_func")
        fun, info = compat.jitted_function(jitted), compat.jit_info(jitted)
    else:
        fun, info = held.get("fun"), held.get("jit_info")
    if fun is None or _is_internal(fun, site):
        return None
    rows = functions.parameters(getattr(info, "fun_signature", None), held.get("args", ()), held.get("kwargs", {}))
    arguments, form = _with_rules(rows, info)
    return Origin(fun, "jax.jit", arguments, form, wrapper=info, keyed=fun, options=_options(info))


def _with_rules(
    rows: list[tuple[str, Any, str]], info: Any
) -> tuple[list[tuple[str, Any, Rule, bool]], tuple[tuple[str, str], ...]]:
    """Mark static and donated arguments as the jit options say."""
    static_at, donated_at = getattr(info, "static_argnums", ()), getattr(info, "donate_argnums", ())
    static_names, donated_names = getattr(info, "static_argnames", ()), getattr(info, "donate_argnames", ())
    count = sum(given == "positional" for _, _, given in rows)
    static_at = {place % count if count and place < 0 else place for place in static_at}
    arguments: list[tuple[str, Any, Rule, bool]] = []
    for place, (name, value, given) in enumerate(rows):
        is_positional = given == "positional"
        is_static = place in static_at if is_positional else name in static_names
        is_donated = place in donated_at if is_positional else name in donated_names
        arguments.append((name, value, "static" if is_static else "traced", is_donated))
    return arguments, tuple((name, given) for name, _, given in rows)


def _options(info: Any) -> tuple[tuple[str, str], ...]:
    """The jit options that differ from the default and are part of the cache key."""
    if info is None:
        return ()
    shown: list[tuple[str, str]] = []
    for name in ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames"):
        value = getattr(info, name, ())
        if value:
            shown.append((name, repr(tuple(value))))
    for name in ("inline", "keep_unused"):
        if getattr(info, name, False):
            shown.append((name, "True"))
    for name in ("device", "backend"):
        if getattr(info, name, None) is not None:
            shown.append((name, str(getattr(info, name))))
    for name in ("in_shardings_leaves", "out_shardings_leaves"):
        leaves = [leaf for leaf in getattr(info, name, ()) if type(leaf).__name__ != "UnspecifiedValue"]
        if leaves:
            shown.append((name.removesuffix("_leaves"), ", ".join(map(compat.sharding_option_text, leaves))))
    if getattr(info, "compiler_options_kvs", ()):
        shown.append(("compiler_options", repr(dict(info.compiler_options_kvs))))
    return tuple(shown)


def _is_internal(fun: Any, site: Site) -> bool:
    """Whether this is a function of JAX's that JAX jitted for itself, and not one that the user asked to be jitted."""
    if isinstance(fun, compat.PjitFunction):
        return False  # jax.jit(jnp.sin): a jit round a jitted function is the user's
    inner = functions.innermost(fun)
    if not is_of_jax(inner):
        return False
    caller = site.jax_caller
    if caller is None or compat.is_jax_file(caller.f_code.co_filename):
        return True
    return compat.is_own_jit(fun)


def is_of_jax(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    if code is not None:
        return compat.is_jax_file(code.co_filename)
    module = getattr(type(function), "__module__", "") or ""
    return module.split(".")[0] in ("jax", "jaxlib")


# -- eager lax loops ----------------------------------------------------------------------------------------------------------


def _of_loop(site: Site) -> Origin | None:
    """`lax.scan`, `while_loop`, `cond`, `map`, `fori_loop` called outside any jit: the body is the user's function."""
    frame = site.jax_caller
    entry = None
    while frame is not None and compat.is_jax_file(frame.f_code.co_filename):
        if frame.f_code.co_filename.startswith(compat.JAX_ROOT + compat.CONTROL_FLOW):
            entry = frame
        frame = frame.f_back
    if entry is None:
        return None
    code, held = entry.f_code, entry.f_locals
    bodies: list[tuple[str, Any]] = []
    arguments: list[tuple[str, Any, Rule, bool]] = []
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = held.get(name, held.get(f"{name}_flat", held.get(f"{name}s")))
        if compat.is_flat_tree(value):
            arguments.extend((f"{name}{path}", leaf, "traced", False) for path, leaf in compat.flat_tree_items(value))
        elif callable(value):
            bodies.append((name, value))
        elif isinstance(value, tuple | list) and value and all(callable(part) for part in value):
            bodies.extend((f"{name}[{place}]", part) for place, part in enumerate(value))
        elif value is not None:
            is_setting = isinstance(value, bool | int | str) and name not in ("init", "init_val", "operand", "pred")
            arguments.append((name, value, "static" if is_setting else "traced", False))
    users = [(name, body) for name, body in bodies if not is_of_jax(functions.innermost(body))]
    if not users:
        return None
    for name, body in users:
        if not isinstance(functions.innermost(body), types.FunctionType | types.BuiltinFunctionType | types.MethodType):
            arguments.append((name, body, "static", False))
    main = next((body for name, body in users if name in ("body_fun", "f", "fun")), users[0][1])
    return Origin(
        main,
        "jax.lax",
        arguments,
        keyed=site.locals.get("fun"),
        wrapper=None,
        name=getattr(site.locals.get("fun"), "__name__", code.co_name),
    )
