"""Who was called: the user's function behind whatever was jitted.

In: the object given to `jax.jit`, or a filter_jit wrapper.  Out: a `Function`, and the plain Python function behind it.
Must never: keep the function alive (tokens hold weak references), or give a name of a library's wrapper.
"""

from __future__ import annotations

import functools
import inspect
import types
from dataclasses import replace
from typing import Any

from ..model import Function
from . import _jaxcompat
from .describe import describe
from .identity import token
from .sources import is_library

TRANSFORM_OF_CODE = {"grad_f": "grad", "grad_f_aux": "grad", "value_and_grad_f": "value_and_grad", "vmap_f": "vmap"}


def identify(function: Any, api: str, wrapper: Any = None) -> Function:
    """The row for `function`, which was jitted by `api`; `wrapper` is the jit object, if it has an identity of its own."""
    inner = innermost(function)
    name, qualname, module = names_of(inner)
    body = describe(inner)
    lineage = f"{api}|{module}|{qualname}"
    if "<lambda>" in qualname:
        # all lambdas of a place share a name: their code tells them apart
        lineage += f"|{body.code}"
    return Function(
        name=name,
        qualname=qualname,
        module=module,
        api=api,
        lineage=lineage,
        token=token(owner(function)),
        wrapper=None if wrapper is None else token(wrapper),
        body=body,
    )


def names_of(function: Any) -> tuple[str, str, str]:
    """(name for people, qualname, module)."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, types.MethodType):
        function = function.__func__
    own = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    qualname = own if isinstance(own, str) else type(function).__qualname__
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        module = type(function).__module__
    return qualname.rsplit("<locals>.", 1)[-1], qualname, module


def innermost(function: Any) -> Any:
    """The user's function under wrappers that carry `__wrapped__` (grad, vmap, another jit, a counter)."""
    for _ in range(16):
        if isinstance(function, types.FunctionType) and not _is_library_wrapper(function):
            return function
        try:
            inner = inspect.getattr_static(function, "__wrapped__", None)
            if isinstance(inner, property):
                inner = getattr(function, "__wrapped__", None)
        except Exception:
            return function
        if inner is None or not callable(inner):
            return function
        function = inner
    return function


def _is_library_wrapper(function: types.FunctionType) -> bool:
    return hasattr(function, "__wrapped__") and is_library(function.__code__.co_filename)


def owner(function: Any) -> Any:
    """The object whose identity JAX's cache key holds: wrappers that compare by content give way to what they wrap."""
    module = _jaxcompat.equinox_module()
    for _ in range(16):
        by_content = module is not None and isinstance(function, module)
        inner = getattr(function, "__wrapped__", None) if by_content else None
        if by_content and inner is None:
            return type(function)
        if inner is None or not callable(inner):
            return function
        function = inner
    return function


def output_transform(function: Any) -> str:
    """What shapes the outputs of `function`: "grad", "value_and_grad", "vmap", or ""."""
    for _ in range(16):
        kind = type(function).__name__
        if kind in ("_GradWrapper", "GradFunction", "FilterGrad"):
            return "grad"
        if kind in ("_ValueAndGradWrapper", "ValueAndGradFunction", "FilterValueAndGrad"):
            return "value_and_grad"
        if isinstance(function, types.FunctionType):
            found = TRANSFORM_OF_CODE.get(function.__code__.co_name)
            if found and _jaxcompat.is_jax_file(function.__code__.co_filename):
                return found
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            return ""
        function = inner
    return ""


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
    for place, value in enumerate(args):
        name = names[place] if place < len(names) else f"{rest or 'args'}[{place - len(names)}]"
        rows.append((name, value, "positional"))
    rows.extend((name, value, "keyword") for name, value in kwargs.items())
    return rows


def signature_of(function: Any) -> inspect.Signature | None:
    """The call signature of a function, or None where Python cannot tell."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def as_loop(function: Function, primitive: str, body: Any) -> Function:
    """The row of an eager loop: named after its primitive, compared by what it runs.

    A body that is a callable object is an argument (static, by hash and ==); only a function is the loop's own identity.
    """
    return replace(
        function,
        name=primitive,
        lineage=f"{primitive}|{function.lineage}",
        token=function.token if is_code(body) else token(type(innermost(body))),
    )


def is_code(function: Any) -> bool:
    """Whether a callable is a function or method, and not an object with a `__call__`."""
    return isinstance(innermost(function), types.FunctionType | types.MethodType | types.BuiltinFunctionType)
