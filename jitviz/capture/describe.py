"""Static values by their structure.

In: any object that is static in a call.  Out: a `Description` of bounded size.
Must never: call the object's `__repr__`, `__eq__`, `__hash__`, a property or anything else of the user's, read the values of
an array, or keep the object.
"""

from __future__ import annotations

import enum
import functools
import math
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from ..model import Description, Equality
from . import _jaxcompat, arrays
from .code import code_digest
from .identity import token
from .sources import short_location

DEPTH = 6  # fields of fields of fields ...
WIDTH = 24  # fields of one object
SIZE = 300  # descriptions in one value
TEXT = 120  # characters of `text`

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range, slice)


@dataclass
class _Budget:
    left: int = SIZE


def describe(value: Any) -> Description:
    """The description of one static value."""
    return _describe(value, DEPTH, _Budget())


def _describe(value: Any, depth: int, budget: _Budget) -> Description:
    budget.left -= 1
    kind = type(value)
    name = type_name(kind)
    if isinstance(value, enum.Enum):
        return Description(name, f"{kind.__name__}.{value._name_}")
    for plain in _PLAIN:
        if isinstance(value, plain):
            return Description(name, _plain_text(value, plain), equality="never" if _is_nan(value) else "value")
    if isinstance(value, np.dtype | np.generic):
        text = value.name if isinstance(value, np.dtype) else f"{value.dtype.name}({np.generic.item(value)!r})"
        return Description(name, text, equality="never" if _is_nan(value) else "value")
    if isinstance(value, type):
        return Description("type", type_name(value), "identity", token(value), origin=short_location(value))
    if isinstance(value, jax.Array | np.ndarray):
        return Description(name, arrays.short_text(value), "identity", token(value))
    fields: list[tuple[str, Description]] = []
    is_cut = False
    for count, (label, part) in enumerate(_parts(value)):
        if depth <= 0 or count >= WIDTH or budget.left <= 0:
            is_cut = True
            break
        fields.append((label, _describe(part, depth - 1, budget)))
    code, origin = _code(value)
    return Description(
        type=name,
        text=_text(value, fields, origin, is_cut),
        equality=equality_of(value),
        token=None if kind in (tuple, list, dict, set, frozenset) else token(value),
        code=code,
        origin=origin,
        fields=tuple(fields),
        is_cut=is_cut,
    )


def type_name(kind: type) -> str:
    """ "float", "optax.GradientTransformation", "__main__.Config"."""
    module = kind.__module__
    return kind.__qualname__ if module in ("builtins", None) else f"{module}.{kind.__qualname__}"


def equality_of(value: Any) -> Equality:
    """How `==` between two objects like this one is decided."""
    kind = type(value)
    if isinstance(value, types.MethodType):
        return "value"  # equal when function and instance are
    if isinstance(value, tuple | list | dict | set | frozenset):
        return "value"
    equal: Any = kind.__eq__
    hashed: Any = kind.__hash__
    if equal is object.__eq__:
        return "identity" if hashed is object.__hash__ else "hash_only"
    if isinstance(equal, types.WrapperDescriptorType | types.MethodDescriptorType):
        return "value"
    module = _jaxcompat.equinox_module()
    if module is not None and equal is module.__eq__:
        return "value"
    return "value" if _is_generated(kind, equal) else "custom"


def _is_generated(kind: type, equal: Any) -> bool:
    """Whether `__eq__` was written by `dataclasses` or attrs: it compares field by field."""
    filename = getattr(getattr(equal, "__code__", None), "co_filename", "")
    has_fields = hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__attrs_attrs__")
    return has_fields and filename.startswith("<")


def attributes(value: Any) -> dict[str, Any]:
    """Instance attributes, from `__dict__` and slots, without running a property."""
    found: dict[str, Any] = {}
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        held = None
    if isinstance(held, Mapping):
        found.update((name, part) for name, part in held.items() if isinstance(name, str))
    for base in type(value).__mro__:
        for name, slot in vars(base).items():
            if isinstance(slot, types.MemberDescriptorType) and name not in found:
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:
                    continue
    return found


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a value is made of, as (label, part); labels are steps of a user-level path."""
    if isinstance(value, types.MethodType):
        yield ".__func__", value.__func__
        yield ".__self__", value.__self__
    elif isinstance(value, functools.partial):
        yield ".func", value.func
        yield from ((f".args[{place}]", part) for place, part in enumerate(value.args))
        yield from ((f".keywords[{name!r}]", part) for name, part in value.keywords.items())
    elif isinstance(value, types.FunctionType):
        yield from _function_parts(value)
    elif isinstance(value, _jaxcompat.PjitFunction):
        yield ".__wrapped__", _jaxcompat.jitted_function(value)
    elif isinstance(value, tuple) and hasattr(type(value), "_fields"):
        yield from ((f".{name}", part) for name, part in zip(_field_names(value), value, strict=False))
    elif isinstance(value, tuple | list):
        yield from ((f"[{place}]", part) for place, part in enumerate(value))
    elif isinstance(value, dict):
        yield from ((f"[{_key_text(key)}]", part) for key, part in dict.items(value))
    elif isinstance(value, set | frozenset):
        # sets have no order of their own: sort by type and text, so that equal sets look equal
        parts = sorted((describe(part) for part in value), key=lambda part: (part.type, part.text))
        yield from ((f"{{{place}}}", part.text) for place, part in enumerate(parts))
    elif not isinstance(value, types.BuiltinFunctionType | types.ModuleType) and not _jaxcompat.is_jaxpr(value):
        yield from ((f".{name}", part) for name, part in attributes(value).items() if not _is_noise(name))


def _is_noise(name: str) -> bool:
    """Names that `functools.wraps` copies on to an object, and that say nothing of its value."""
    return name.startswith("__") and name != "__wrapped__"


def _field_names(named_tuple: Any) -> tuple[str, ...]:
    return tuple(type(named_tuple)._fields)


def _function_parts(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Closure cells, then defaults: what two functions of the same code may differ in."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f"<closure {name}>", cell.cell_contents
        except ValueError:  # a cell that is not filled yet
            continue
    yield from ((f"<default {place}>", part) for place, part in enumerate(function.__defaults__ or ()))
    yield from ((f"<default {name}>", part) for name, part in (function.__kwdefaults__ or {}).items())


def _key_text(key: Any) -> str:
    return repr(key) if type(key) in (str, int, bool, float, bytes, type(None)) else type_name(type(key))


def _code(value: Any) -> tuple[str | None, str | None]:
    """(digest of what it does, where it was defined) of a callable or a jaxpr."""
    if _jaxcompat.is_jaxpr(value):
        return _jaxcompat.jaxpr_digest(value), None
    inner = value
    for _ in range(8):
        if isinstance(inner, types.MethodType):
            inner = inner.__func__
        elif isinstance(inner, functools.partial):
            inner = inner.func
        elif isinstance(inner, _jaxcompat.PjitFunction):
            inner = _jaxcompat.jitted_function(inner)
        else:
            break
    if isinstance(inner, types.FunctionType):
        return code_digest(inner.__code__), short_location(inner)
    return None, None


def _is_nan(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    if isinstance(value, complex):
        return math.isnan(value.real) or math.isnan(value.imag)
    return False


def _plain_text(value: Any, plain: Any) -> str:
    text: str = plain.__repr__(value)  # not the one of a subclass
    return text if len(text) <= TEXT else f"{text[: TEXT - 1]}…"


def _text(value: Any, fields: list[tuple[str, Description]], origin: str | None, is_cut: bool) -> str:
    """One line for people."""
    kind = type(value).__name__
    where = f" at {origin}" if origin else ""
    if isinstance(value, types.FunctionType):
        return _bounded(f"<function {value.__name__}{where}>")
    if isinstance(value, types.BuiltinFunctionType):
        return _bounded(f"<built-in {value.__name__}>")
    if isinstance(value, _jaxcompat.PjitFunction):
        return _bounded(f"jit({getattr(value, '__name__', '?')}{where})")
    if isinstance(value, types.MethodType):
        return _bounded(f"<method {type(value.__self__).__name__}.{value.__func__.__name__}{where}>")
    if isinstance(value, types.ModuleType):
        return f"<module {value.__name__}>"
    if _jaxcompat.is_jaxpr(value):
        return f"<{kind}: {_jaxcompat.equation_count(value)} equations>"
    wrapped = attributes(value).get("__name__")
    if isinstance(wrapped, str):
        return _bounded(f"<{kind} {wrapped}{where}>")
    shown = [(label, part) for label, part in fields if not label.startswith("._")]
    inside = ", ".join(f"{label[1:]}={part.text}" if label[0] == "." else part.text for label, part in shown)
    inside += ", …" if is_cut else ""
    if isinstance(value, tuple) and not hasattr(type(value), "_fields"):
        return _bounded(f"({inside})")
    if isinstance(value, list):
        return _bounded(f"[{inside}]")
    if isinstance(value, dict):
        pairs = ", ".join(f"{label[1:-1]}: {part.text}" for label, part in fields) + (", …" if is_cut else "")
        return _bounded(f"{{{pairs}}}")
    return _bounded(f"{kind}({inside})")


def _bounded(text: str) -> str:
    return text if len(text) <= TEXT else f"{text[: TEXT - 2]}…{text[-1]}"
