"""Static values by their structure.

In: any object that is static in a call.  Out: a `Description` of bounded size.
Must never: call the object's `__repr__`, `__eq__`, `__hash__`, a property or anything else of the user's, read the
values of an array, or keep the object.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import functools
import hashlib
import itertools
import math
import pathlib
import types
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from ..model import Description, Equality
from . import _jaxcompat as compat
from . import arrays, raw
from .code import code_digest
from .guarded import note
from .identity import token
from .raw import is_a, type_name
from .sources import short_location
from .wording import key_text, plain_text, text_of

DEPTH = 8  # fields of fields of fields ...
WIDTH = 64  # fields of one object
SIZE = 300  # descriptions in one value
REST = 4096  # parts beyond these bounds that are compared, though they are not shown
SORTED = 256  # elements of a set that are looked at, to put them into an order

_PLAIN = (
    *(bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range),
    # Python's own values that hide what they are made of
    *(decimal.Decimal, fractions.Fraction, datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
    *(pathlib.PurePath, uuid.UUID),
)
_CONTAINERS = (tuple, list, dict, set, frozenset)
_WITHOUT_PARTS = (types.BuiltinFunctionType, types.ModuleType)


@dataclass
class _Budget:
    left: int = SIZE


def describe(value: Any) -> Description:
    """The description of one static value; where that fails, its type, and a note in the recordings."""
    try:
        return _describe(value, DEPTH, _Budget())
    except Exception as error:
        note("describe", error)
        name = type_name(type(value))
        return Description(name, f"<{name.rpartition('.')[2]}>", equality_of(value), token(value), is_cut=True)


def _describe(value: Any, depth: int, budget: _Budget) -> Description:
    budget.left -= 1
    simple = _simple(value)
    if simple is not None:
        return simple
    kind = type(value)
    fields: list[tuple[str, Description]] = []
    is_cut, rest = is_a(value, set, frozenset) and _length(value) > SORTED, None
    parts = iter(_parts(value))
    for count, (label, part) in enumerate(parts):
        if depth <= 0 or count >= WIDTH or budget.left <= 0:
            is_cut, rest = True, _digest(itertools.chain([(label, part)], parts))
            break
        fields.append((label, _describe(part, depth - 1, budget)))
    code, origin = _code(value)
    is_plain_container = kind in _CONTAINERS
    return Description(
        type=type_name(kind),
        text=text_of(value, fields, origin, is_cut),
        equality=equality_of(value),
        token=None if is_plain_container else token(value),
        code=code,
        origin=origin,
        fields=tuple(fields),
        is_cut=is_cut,
        type_token=None if is_plain_container else token(kind),
        rest=rest,
    )


def _digest(parts: Iterator[tuple[str, Any]]) -> str | None:
    """Equal where the plain values in `parts` are, however deep; of other objects the type. None for too many."""
    digest = hashlib.blake2b(digest_size=6)
    levels = [parts]
    for _ in range(REST):
        found = next(levels[-1], None)
        if found is None:
            levels.pop()
            if not levels:
                return digest.hexdigest()
            continue
        label, part = found
        simple = _simple(part)
        text = type_name(type(part)) if simple is None else simple.rest or simple.text
        digest.update(f"{len(levels)}{label}={text}\n".encode(errors="replace"))
        if simple is None and equality_of(part) in ("value", "custom"):
            levels.append(_parts(part))
    return None


def _simple(value: Any) -> Description | None:
    """The description of what has no parts worth a look; None for everything else."""
    kind = type(value)
    name = type_name(kind)
    if is_a(value, enum.Enum):
        member = raw.attributes(value).get("_name_")
        text = f"{name.rpartition('.')[2]}.{member if type(member) is str else '?'}"
        return Description(name, text, type_token=token(kind))
    for plain in _PLAIN:
        if is_a(value, plain):
            text, rest = plain_text(value, plain)
            equality: Equality = "never" if _is_nan(value) else "value"
            return Description(name, text, equality, is_cut=rest is not None, rest=rest)
    if is_a(value, np.dtype):
        return Description(name, str(np.dtype.__str__(value)))
    if is_a(value, np.generic):
        dtype = np.dtype.__str__(np.generic.dtype.__get__(value))
        # a structured scalar may hold objects of the user's
        text = f"np.{dtype}" if is_a(value, np.void) else f"np.{dtype}({np.generic.item(value)!r})"
        return Description(name, text, equality="never" if _is_nan(value) else "value")
    if is_a(value, jax.Device):
        return Description(name, f"{value.platform}:{value.id}", "identity", token(value))
    if is_a(value, type):
        return Description("type", type_name(value), "identity", token(value), origin=short_location(value))
    if is_a(value, np.ndarray):
        return Description(name, arrays.short_numpy_text(value), "identity", token(value))
    if is_a(value, jax.Array):
        return Description(name, arrays.short_text(value), "identity", token(value))
    return None


def equality_of(value: Any) -> Equality:
    """How `==` between two objects like this one is decided."""
    kind = type(value)
    if kind is types.MethodType:
        return "value"  # equal when function and instance are
    equal = raw.class_attribute(kind, "__eq__")
    hashed = raw.class_attribute(kind, "__hash__")
    if equal is object.__eq__:
        return "identity" if hashed is object.__hash__ else "hash_only"
    if type(equal) in (types.WrapperDescriptorType, types.MethodDescriptorType):
        return "value"
    module = compat.equinox_module()
    if module is not None and equal is raw.class_attribute(module, "__eq__"):
        return "value"
    return "value" if _is_generated(kind, equal) else "custom"


def _is_generated(kind: type, equal: Any) -> bool:
    """Whether `__eq__` was written by `dataclasses` or attrs: it compares field by field."""
    filename = equal.__code__.co_filename if type(equal) is types.FunctionType else ""
    names = ("__dataclass_fields__", "__attrs_attrs__")
    return filename.startswith("<") and any(raw.class_attribute(kind, name) is not None for name in names)


def _compared_fields(kind: type) -> frozenset[str] | None:
    """The fields that a generated `__eq__` looks at: caches and counters beside them are no part of the value."""
    if not _is_generated(kind, raw.class_attribute(kind, "__eq__")):
        return None
    fields = raw.class_attribute(kind, "__dataclass_fields__")
    if type(fields) is dict:
        return frozenset(name for name, field in fields.items() if field.compare)
    return frozenset(field.name for field in raw.class_attribute(kind, "__attrs_attrs__") if field.eq)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a value is made of, as (label, part); labels are steps of a user-level path."""
    if is_a(value, types.FunctionType):
        yield from _function_parts(value)
    elif is_a(value, types.MethodType):
        yield ".__func__", value.__func__
        yield ".__self__", value.__self__
    elif is_a(value, functools.partial):
        yield from _partial_parts(value)
    elif is_a(value, compat.PjitFunction):
        yield ".__wrapped__", compat.jitted_function(value)
    elif is_a(value, slice, range):
        yield from ((f".{name}", getattr(value, name)) for name in ("start", "stop", "step"))
    elif is_a(value, *_CONTAINERS):
        yield from _container_parts(value)
    elif not is_a(value, *_WITHOUT_PARTS) and not compat.is_jaxpr(value):
        compared = _compared_fields(type(value))
        for name, part in raw.attributes(value).items():
            if not _is_noise(name) if compared is None else name in compared:
                yield f".{name}", part


def _container_parts(value: Any) -> Iterator[tuple[str, Any]]:
    names = raw.class_attribute(type(value), "_fields") if is_a(value, tuple) else None
    if is_a(value, dict):
        yield from ((f"[{key_text(key)}]", part) for key, part in raw.items_of(value))
    elif is_a(value, set, frozenset):
        yield from ((f"{{{place}}}", part) for place, part in enumerate(_sorted(value)))
    elif type(names) is tuple:
        yield from ((f".{name}", part) for name, part in zip(names, raw.items_of(value), strict=False))
    else:
        yield from ((f"[{place}]", part) for place, part in enumerate(raw.items_of(value)))


def _sorted(value: Any) -> list[Any]:
    """A set has no order of its own: by type and text, so that equal sets look equal. A big one is not looked into."""
    if _length(value) > SORTED:
        return []
    parts = [(part, _describe(part, 1, _Budget())) for part in raw.items_of(value)]
    return [part for part, seen in sorted(parts, key=lambda pair: (pair[1].type, pair[1].text))]


def _length(value: Any) -> int:
    return (set if is_a(value, set) else frozenset).__len__(value)


def _partial_parts(value: Any) -> Iterator[tuple[str, Any]]:
    yield ".func", raw.member(value, functools.partial, "func")
    args, keywords = (raw.member(value, functools.partial, name) for name in ("args", "keywords"))
    yield from ((f".args[{place}]", part) for place, part in enumerate(raw.items_of(args)))
    yield from ((f".keywords[{key_text(name)}]", part) for name, part in raw.items_of(keywords))


def _function_parts(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Closure cells, then defaults: what two functions of the same code may differ in."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f"<closure {name}>", cell.cell_contents
        except ValueError:  # a cell that is not filled yet
            continue
    yield from ((f"<default {place}>", part) for place, part in enumerate(function.__defaults__ or ()))
    yield from ((f"<default {name}>", part) for name, part in (function.__kwdefaults__ or {}).items())


def _is_noise(name: str) -> bool:
    """Names that `functools.wraps` copies on to an object, and that say nothing of its value."""
    return name.startswith("__") and name != "__wrapped__"


def _code(value: Any) -> tuple[str | None, str | None]:
    """(digest of what it does, where it was defined) of a callable or a jaxpr."""
    if compat.is_jaxpr(value):
        return compat.jaxpr_digest(value), None
    inner = value
    for _ in range(8):
        if is_a(inner, types.MethodType):
            inner = inner.__func__
        elif is_a(inner, functools.partial):
            inner = raw.member(inner, functools.partial, "func")
        elif is_a(inner, compat.PjitFunction):
            inner = compat.jitted_function(inner)
        else:
            break
    if is_a(inner, types.FunctionType):
        return code_digest(inner.__code__), short_location(inner)
    return None, None


def _is_nan(value: Any) -> bool:
    if is_a(value, float):
        return math.isnan(float.__float__(value))
    if is_a(value, complex):
        return math.isnan(complex.real.__get__(value)) or math.isnan(complex.imag.__get__(value))
    return is_a(value, np.inexact) and bool(np.isnan(value))
