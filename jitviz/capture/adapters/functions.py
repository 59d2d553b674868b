"""The user's function inside a jitted object.

In: the object given to `jax.jit`, or a filter_jit wrapper.  Out: a `Function`, and the plain Python function inside.
Must never: keep the function alive (tokens hold weak references), or return the name of a library's wrapper.
"""

import functools
import inspect
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...filters.grad import FilterGrad
from ...jaxcompat import equinox_internals, flax_internals, jits, raw
from ...jaxcompat.raw import is_a, unwrapped
from ...model import Function, Token
from ...model.printable import one_line
from ...model.wrappers import Wrapper
from ...recording.redaction import redacted_path
from ..arguments.describe import describe
from ..sources import is_library
from ..tokens import token, token_of_all


def identify(function: Any, jitted_by: Wrapper) -> Function:
    """The row for `function`."""
    inner = innermost(function)
    name, qualname, module = (one_line(redacted_path(name)) for name in names_of(inner))
    body = describe(inner)
    lineage = f"{jitted_by.name}|{module}|{qualname}"
    if "<lambda>" in qualname:
        # all lambdas of a module share a name; their code and their place tell them apart
        lineage += f"|{body.code}|{min(places_of(inner), default=(0, 0))}"
    # a function, its gradient and a batch of gradients are three functions to a person, not versions of one
    lineage += f"|{' of '.join(_transforms(function))}"
    is_held = _found(module, qualname) is not inner or _is_held_jitted(inner, module)
    return Function(
        name,
        qualname,
        module,
        jitted_by.name,
        lineage,
        token_of(function, is_tree=jitted_by.is_static_by_leaf),
        body,
        is_held=is_held,
    )


def _found(module: str, qualname: str) -> Any:
    """What a module holds under a qualified name, itself or in one of its classes; None if there is nothing."""
    first, *steps = qualname.split(".")
    found: Any = raw.namespace(sys.modules.get(module)).get(first)
    for step in steps:
        found = raw.class_attribute(found, step) if is_a(found, type) else None
    return found


def _is_held_jitted(function: Any, module: str) -> bool:
    """Whether a module holds something around a function that can be lowered, such as `jax.jit` of it."""
    held = list(raw.namespace(sys.modules.get(module)).values())  # a copy: other threads may add to it
    return any(value is not function and _can_be_lowered(value) and innermost(value) is function for value in held)


def _can_be_lowered(value: Any) -> bool:
    holder = raw.attributes(value) if is_a(value, types.FunctionType) else {}
    return "lower" in holder or raw.class_attribute(type(value), "lower") is not None


def names_of(function: Any) -> tuple[str, str, str]:
    """(display name, qualname, module).

    A name that was set on a function, a partial or an object is the one that JAX logs (`fun_name` in
    https://github.com/jax-ml/jax/blob/main/jax/_src/util.py). It replaces the last part of the qualname: two names are
    two functions to a person, even if one line made both.
    """
    function = plain(function, is_name_wanted=True)
    if is_a(function, types.FunctionType, types.BuiltinFunctionType, type):
        return _named(function.__name__, function.__qualname__, str(function.__module__))
    held, kind = raw.attributes(function), raw.type_name(type(function))
    module, _, name = kind.rpartition(".")
    noted = held.get("__module__")  # `functools.wraps` copies it, and the two names
    set_name, qualname = (held.get(key) for key in ("__name__", "__qualname__"))
    set_name = set_name if type(set_name) is str else None
    qualname = qualname if type(qualname) is str else set_name or name
    return _named(set_name or qualname, qualname, noted if type(noted) is str else module)


def plain(function: Any, *, is_name_wanted: bool = False) -> Any:
    """The function that a method or a partial finally calls; if `is_name_wanted`, a partial with a name of its own."""

    def called(by: Any) -> Any:
        if is_a(by, types.MethodType):
            return by.__func__
        is_named = is_name_wanted and type(raw.attributes(by).get("__name__")) is str
        return raw.bound(by)[0] if is_a(by, functools.partial) and not is_named else None

    *_, function = unwrapped(function, called)
    return function


def _named(name: str, qualname: str, module: str) -> tuple[str, str, str]:
    before, _, last = qualname.rpartition(".")
    if name.rpartition(".")[2] != last:
        qualname = f"{before}.{name}" if before else name
    return qualname.rsplit("<locals>.", 1)[-1], qualname, module


def innermost(function: Any) -> Any:
    """The user's function under wrappers that name what they wrap (grad, vmap, another jit, a counter)."""
    *_, function = unwrapped(function, _wrapped_by_library)
    return function


def _wrapped_by_library(function: Any) -> Any:
    inner = equinox_internals.wrapped_by(function)
    if is_a(function, types.FunctionType):
        differentiated = flax_internals.nnx_grad(function)
        if differentiated is not None:
            inner = differentiated[1]
        elif not is_library(function.__code__.co_filename):
            return None
    return inner if callable(inner) else None


def token_of(function: Any, *, is_tree: bool) -> Token:
    """The number of the function in JAX's cache key. A filter_jit takes it as a tree (`is_tree`) and compares what it
    holds, which is below `self` in the signature: the code that it runs, or its class, stands for it."""
    keyed = keyed_object(function)
    if is_tree and root_of(function) is not None and equinox_internals.trace_tag(function) is None:
        keyed = plain(keyed)
        keyed = keyed if is_a(keyed, types.FunctionType, types.BuiltinFunctionType, type) else type(keyed)
    return token(keyed)


def places_of(function: Any) -> list[tuple[int, int]]:
    """The lines and columns of the instructions of a function in its cell or file."""
    code = getattr(plain(function), "__code__", None)
    places = code.co_positions() if code is not None else ()
    return [(line, start) for line, _, start, _ in places if line and start]


def keyed_object(function: Any) -> Any:
    """The object whose identity is in JAX's cache key; for a wrapper that compares by content, the wrapped object."""
    *_, keyed = unwrapped(function, _compared_inside)
    tag = equinox_internals.trace_tag(keyed)
    if tag is not None:
        return tag
    return type(keyed) if _compares_by_content(keyed) and equinox_internals.wrapped_by(keyed) is None else keyed


def _compared_inside(function: Any) -> Any:
    if equinox_internals.trace_tag(function) is not None or not _compares_by_content(function):
        return None
    inner = equinox_internals.wrapped_by(function)
    return inner if callable(inner) else None


def _compares_by_content(function: Any) -> bool:
    module = equinox_internals.equinox_module()
    return module is not None and is_a(function, module)


def output_transform(function: Any) -> str:
    """The transformation that shapes the outputs of `function`: "grad", "value_and_grad", "vmap", or ""."""
    return next(_transforms(function), "")


def _transforms(function: Any) -> Iterator[str]:
    """The transformations around a function, outermost first."""
    return filter(None, map(_transform_of, unwrapped(function, equinox_internals.wrapped_by)))


def _transform_of(function: Any) -> str:
    if is_a(function, FilterGrad):
        return str(function.transform)
    if is_a(function, types.FunctionType):
        differentiated = flax_internals.nnx_grad(function)
        return differentiated[0] if differentiated is not None else jits.transform_of(function)
    return equinox_internals.equinox_transform(function)


def parameters(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[tuple[str, Any, str]]:
    """(user-level name, value, "positional" or "keyword") for each argument given, in the order given."""
    names: list[str] = []
    rest: str | None = None
    if signature is not None:
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                names.append(parameter.name)
            elif parameter.kind is parameter.VAR_POSITIONAL:
                rest = parameter.name
    rows: list[tuple[str, Any, str]] = []
    for index, value in enumerate(args):
        name = names[index] if index < len(names) else f"{rest or 'args'}[{index - len(names)}]"
        rows.append((name, value, "positional"))
    rows.extend((name, value, "keyword") for name, value in kwargs.items())
    return rows


def defaults_of(signature: inspect.Signature | None, given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(name, text) of each parameter that is not `given` and has a plain default."""
    names = set(given)
    found = []
    for parameter in signature.parameters.values() if signature is not None else ():
        value = parameter.default
        if parameter.name in names or value is parameter.empty:
            continue
        description = describe(value, parameter.name)
        if description.equality == "value" and not description.fields:
            found.append((parameter.name, description.text))
    return tuple(found)


def signature_of(function: Any) -> inspect.Signature | None:
    """The call signature of a function; None if Python cannot determine it."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def as_loop(function: Function, primitive: str, bodies: tuple[Any, ...]) -> Function:
    """The row of an eager loop: it is identified by its bodies, and has the name of the loop. A body that is a callable
    object is an argument (static, by hash and ==); only functions are the loop's identity."""
    return replace(
        function,
        name=primitive,
        lineage=f"{primitive}|{function.lineage}",
        token=token_of_all(map(_identity_of_body, bodies)),
    )


def _identity_of_body(body: Any) -> Any:
    is_identified = is_code(body) or raw.type_name(type(body)).startswith("jax.")
    return keyed_object(body) if is_identified else type(innermost(body))


def is_code(function: Any) -> bool:
    """Whether a callable is a function, method or partial, and not an object with a `__call__`."""
    kinds = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)
    return is_a(innermost(function), *kinds)


def root_of(function: Any) -> Any:
    """The function as an argument tree, or None if it is only code, or a partial, whose parts JAX does not see."""
    inner = innermost(function)
    is_plain = is_a(inner, types.FunctionType, types.BuiltinFunctionType, type) or type(inner) is functools.partial
    return None if is_plain else function
