"""Converting dataclasses of plain values to JSON values and back, by their type hints.

In: an instance of a dataclass from `events` or `jitviz.model`, or its JSON value.  Out: the other.
Must never: treat one class unlike another (except for the two in `_SHARED`), or silently drop what it cannot read.

What JSON lacks is written so that it comes back equal: tuples as lists, bytes as base64, NaN and infinities by name.
Fields at their defaults are left out. The same leaves and nodes occur in call after call, so the first of equal ones
is written in full with a number ("#"), and every later one as that number.
"""

from __future__ import annotations

import base64
import dataclasses
import math
import types
import typing
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from ..model import Leaf, Node

_SHARED = (Leaf, Node)
_NUMBER = "#"


class Writer:
    """Converts instances to JSON objects. Each file has its own writer, which remembers what it wrote in full."""

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}

    def encode(self, value: Any) -> Any:
        """Return the fields of a dataclass instance as a JSON object, or the number of an equal instance."""
        return _shape(type(value)).encode(value, self)


class LostError(LookupError):
    """The number of a leaf or node is unknown: the line that has it in full was not read."""


class Reader:
    """Converts what one `Writer` wrote back to instances.

    `unknown` counts the fields that were left out because this version does not have them ("CallFinished.color").
    """

    def __init__(self) -> None:
        self.numbered: dict[int, Any] = {}
        self.unknown: Counter[str] = Counter()

    def decode(self, kind: type[Any], data: Any) -> Any:
        """Return the instance of `kind` that `data` was written from.

        Raises:
            LostError: it has the number of a leaf or node that was not read.
            LookupError, TypeError, ValueError: it was written from something else.
        """
        return _shape(kind).decode(data, self)


_Encode = Callable[[Any, Writer], Any]
_Decode = Callable[[Any, Reader], Any]


class _Shape:
    """How one dataclass is written and read, from its type hints."""

    def __init__(self, kind: type[Any]) -> None:
        hints = typing.get_type_hints(kind)
        self._kind = kind
        self._is_shared = kind in _SHARED
        self._encoders: list[tuple[str, Any, _Encode | None]] = []
        self._decoders: dict[str, _Decode] = {}
        for field in dataclasses.fields(kind):
            encode, self._decoders[field.name] = _codec(hints[field.name])
            self._encoders.append((field.name, field.default, encode))

    def encode(self, value: Any, writer: Writer) -> Any:
        data: dict[str, Any] = {}
        if self._is_shared:
            known = writer.numbers.get(value)
            if known is not None:
                return known
            data[_NUMBER] = writer.numbers[value] = len(writer.numbers)
        for name, default, encode in self._encoders:
            part = getattr(value, name)
            if part != default:
                data[name] = part if encode is None else encode(part, writer)
        return data

    def decode(self, data: Any, reader: Reader) -> Any:
        if self._is_shared and type(data) is int:
            known = reader.numbered.get(data)
            if type(known) is not self._kind:
                raise LostError(data)
            return known
        parts: dict[str, Any] = {}
        for name, part in data.items():
            decode = self._decoders.get(name)
            if decode is not None:
                parts[name] = decode(part, reader)
            elif name != _NUMBER:
                reader.unknown[f"{self._kind.__name__}.{name}"] += 1
        value = self._kind(**parts)
        if self._is_shared:
            reader.numbered[data[_NUMBER]] = value
        return value


_shapes: dict[Any, _Shape] = {}


def _shape(kind: Any) -> _Shape:
    if kind not in _shapes:
        _shapes[kind] = _Shape(kind)
    return _shapes[kind]


@cache
def _codec(hint: Any) -> tuple[_Encode | None, _Decode]:
    """The functions that write and read a value of this type; None to write where JSON has the type itself."""
    hint = getattr(hint, "__supertype__", hint)  # of a `NewType`
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is float:
        return _encode_float, _decode_float
    if hint is bytes:
        return (
            lambda value, _: base64.b64encode(value).decode("ascii"),
            lambda text, _: base64.b64decode(text, validate=True),
        )
    if hint in (str, int, bool, type(None)):
        return None, _checked(lambda value: type(value) is hint)
    if origin is Literal:
        return None, _checked(lambda value: value in inner)
    if origin in (types.UnionType, typing.Union) and inner[1:] == (type(None),):
        return _optional(*_codec(inner[0]))
    if origin is tuple:
        return _tuple(inner)
    if dataclasses.is_dataclass(hint):
        # The shape is looked up late: descriptions hold descriptions.
        return lambda value, writer: _shape(hint).encode(value, writer), lambda data, reader: _shape(hint).decode(
            data, reader
        )
    raise TypeError(f"cannot write {hint} as JSON: use plain values, tuples and dataclasses of them")


def _checked(is_fit: Callable[[Any], bool]) -> _Decode:
    def decode(value: Any, _: Reader) -> Any:
        if not is_fit(value):
            raise ValueError(f"{value!r} is no value of this field")
        return value

    return decode


def _optional(encode: _Encode | None, decode: _Decode) -> tuple[_Encode | None, _Decode]:
    return (
        encode and (lambda value, writer: None if value is None else encode(value, writer)),
        lambda value, reader: None if value is None else decode(value, reader),
    )


def _tuple(items: tuple[Any, ...]) -> tuple[_Encode | None, _Decode]:
    if items[1:] == (...,):
        encode, decode = _codec(items[0])
        return (
            encode and (lambda values, writer: [encode(value, writer) for value in values]),
            lambda values, reader: tuple([decode(value, reader) for value in values]),
        )
    codecs = [_codec(item) for item in items]
    return (
        lambda values, writer: [e(v, writer) if e else v for (e, _), v in zip(codecs, values, strict=True)],
        lambda values, reader: tuple([d(v, reader) for (_, d), v in zip(codecs, values, strict=True)]),
    )


def _encode_float(value: float, _: Writer) -> float | str:
    return value if math.isfinite(value) else repr(value)


def _decode_float(value: Any, _: Reader) -> float:
    if isinstance(value, str):
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[value]
    if type(value) not in (float, int):
        raise ValueError(f"{value!r} is not a number")
    return float(value)
