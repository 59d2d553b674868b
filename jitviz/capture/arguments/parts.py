"""The parts of a static value, and how `==` compares it.

In: any object that is static in a call.  Out: its parts, by steps of a user-level path; its kind of equality.
Must never: call user code, or look further than one level.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from ...jaxcompat import equinox_internals, flax_internals, jaxprs, jits, raw
from ...jaxcompat.raw import is_a
from ...model import Equality
from .wording import key_text

CONTAINERS = (tuple, list, dict, set, frozenset)
_WITHOUT_PARTS = (types.BuiltinFunctionType, types.CodeType, types.GeneratorType, types.ModuleType)
_DUNDER_PARTS = ("__wrapped__", "__func__", "__self__")
InOrder: TypeAlias = Callable[[Any], list[Any]]


def equality_of(value: Any) -> Equality:
    """How `==` compares an object of this kind with another."""
    kind = type(value)
    if kind is types.MethodType:
        return "value"  # equal if function and instance are
    equal = raw.class_attribute(kind, "__eq__")
    hashed = raw.class_attribute(kind, "__hash__")
    if equal is object.__eq__:
        return "identity" if hashed is object.__hash__ else "hash_only"
    if type(equal) in (types.WrapperDescriptorType, types.MethodDescriptorType):
        return "value"
    return "value" if compares_fields(kind) else "custom"


def compares_fields(kind: type) -> bool:
    """Whether `==` compares the parts of a value and nothing else."""
    equal, module = raw.class_attribute(kind, "__eq__"), equinox_internals.equinox_module()
    is_of_equinox = module is not None and equal is raw.class_attribute(module, "__eq__")
    return is_of_equinox or _is_generated(kind, equal)


def _is_generated(kind: type, equal: Any) -> bool:
    """Whether `dataclasses` or attrs generated `__eq__`, which then compares field by field."""
    filename = equal.__code__.co_filename if type(equal) is types.FunctionType else ""
    names = ("__dataclass_fields__", "__attrs_attrs__")
    return filename.startswith("<") and any(raw.class_attribute(kind, name) is not None for name in names)


def _compared_fields(kind: type) -> frozenset[str] | None:
    """The fields that a generated `__eq__` compares; None for other classes. Other attributes, such as caches and
    counters, are not part of the value."""
    if not _is_generated(kind, raw.class_attribute(kind, "__eq__")):
        return None
    fields = raw.class_attribute(kind, "__dataclass_fields__")
    if type(fields) is dict:
        return frozenset(name for name, field in fields.items() if field.compare)
    return frozenset(field.name for field in raw.class_attribute(kind, "__attrs_attrs__") if field.eq)


def parts_of(value: Any, in_order: InOrder) -> Iterator[tuple[str, Any]]:
    """The parts of a value as (label, part); labels are steps of a user-level path. `in_order` sorts a set."""
    if is_a(value, types.FunctionType):
        yield from _function_parts(value)
    elif is_a(value, types.MethodType):
        yield ".__func__", value.__func__
        yield ".__self__", value.__self__
    elif is_a(value, functools.partial):
        func, args, keywords = raw.bound(value)
        yield ".func", func
        yield from ((f".args[{place}]", part) for place, part in enumerate(raw.items_of(args)))
        yield from ((f".keywords[{key_text(name)}]", part) for name, part in raw.items_of(keywords))
    elif is_a(value, jits.PjitFunction):
        yield ".__wrapped__", jits.jitted_function(value)
    elif is_a(value, slice, range):
        yield from ((f".{name}", getattr(value, name)) for name in ("start", "stop", "step"))
    elif is_a(value, *CONTAINERS):
        yield from _container_parts(value, in_order)
    elif not is_a(value, *_WITHOUT_PARTS) and not jaxprs.is_jaxpr(value):
        compared = _compared_fields(type(value))
        for name, part in raw.attributes(value).items():
            # `functools.wraps` copies dunder names on to an object; most say nothing about its value
            is_part = name in compared if compared is not None else name[:2] != "__" or name in _DUNDER_PARTS
            if is_part:
                yield f".{name}", part


def positional_names(function: Any) -> tuple[str, ...]:
    """The names of the positional parameters of a function, jitted or not; none for any other callable."""
    if is_a(function, jits.PjitFunction):
        function = jits.jitted_function(function)
    code = function.__code__ if is_a(function, types.FunctionType) else None
    return code.co_varnames[: code.co_argcount] if code is not None else ()


def attribute_step(name: str) -> str:
    """The path step of an attribute. NNX stores the items of a list as attributes "0", "1", ..."""
    return f"[{name}]" if name.isdecimal() else f".{name}"


def _container_parts(value: Any, in_order: InOrder) -> Iterator[tuple[str, Any]]:
    names = raw.class_attribute(type(value), "_fields") if is_a(value, tuple) else None
    if is_a(value, flax_internals.Member):
        for key, part in value.parts:
            yield f"[{key_text(key)}]" if value.is_dict or type(key) is not str else attribute_step(key), part
    elif is_a(value, dict):
        yield from ((f"[{key_text(key)}]", part) for key, part in raw.items_of(value))
    elif is_a(value, set, frozenset):
        yield from ((f"{{{place}}}", part) for place, part in enumerate(in_order(value)))
    elif type(names) is tuple:
        yield from ((f".{name}", part) for name, part in zip(names, raw.items_of(value), strict=False))
    else:
        yield from ((f"[{place}]", part) for place, part in enumerate(raw.items_of(value)))


def _function_parts(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Closure cells, then defaults: two functions with the same code may differ in these."""
    yield from ((f"<closure {name}>", part) for name, part in raw.closure_of(function).items())
    yield from ((f"<default {name}>", part) for name, part in raw.default_values(function).items())
