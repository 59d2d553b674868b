"""Converting dataclasses of plain values to JSON and back.

In: an instance of a dataclass from `events` or `jitviz.model`, or its JSON value.  Out: the other.
Must never: treat one class unlike another (except for those in `_SHARED`), or silently drop what it cannot read.

What JSON lacks is written so that it comes back equal: tuples as lists, bytes as base64. NaN and infinities are written
by name, and come back as None, which is unknown; where a number must be known, they are no value of the field.
Fields at their defaults are left out. The same leaves, nodes and placements occur in call after call, so the first of
equal ones is written in full with a number ("#"), and every later one as that number.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import types
import typing
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from ..model import Leaf, Node, Placement

_SHARED = (Leaf, Node, Placement)
_NUMBER = "#"
_NON_FINITE = ("nan", "inf", "-inf")
_MOST_S = 1e11  # three thousand years
_MOST = 1e30
_MOST_WHOLE = 2**53  # a browser knows larger ones only roughly


class Writer:
    """Writes instances as JSON. Each file has its own writer, which remembers what it wrote in full."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def dumps(self, data: dict[str, Any], value: Any = None) -> str:
        """Return the JSON text of `data`, with the fields of a dataclass instance added."""
        fields = {} if value is None else self._encode(value)
        return json.dumps({**data, **fields}, default=self._encode, separators=(",", ":"))

    def _encode(self, value: Any) -> Any:
        if isinstance(value, bytes):
            return base64.b64encode(value).decode("ascii")
        data: dict[str, Any] = {}
        if isinstance(value, _SHARED):
            known = self._numbers.get(value)
            if known is not None:
                return known
            data[_NUMBER] = self._numbers[value] = len(self._numbers)
        kind: Any = type(value)
        for name, default in _defaults(kind):
            part = getattr(value, name)
            if part != default:
                data[name] = repr(part) if type(part) is float and not math.isfinite(part) else part
        return data


@cache
def _defaults(kind: Any) -> list[tuple[str, Any]]:
    return [(field.name, field.default) for field in dataclasses.fields(kind)]


class LostError(LookupError):
    """The number of a leaf or node is unknown: the line that has it in full was not read."""


class NumberError(ValueError):
    """A number is none, infinite, or too large to be true."""


class Reader:
    """Converts what one `Writer` wrote back to instances.

    `unknown` counts the fields that were left out because this version does not have them ("CallFinished.color").
    """

    def __init__(self) -> None:
        self._numbered: dict[int, Any] = {}
        self.unknown: Counter[str] = Counter()

    def decode(self, kind: Any, data: Any) -> Any:
        """Return the instance of `kind` that `data` was written from.

        Raises:
            LostError: it has the number of a leaf or node that was not read.
            LookupError, TypeError, ValueError: it was written from something else.
        """
        if kind in _SHARED and type(data) is int:
            known = self._numbered.get(data)
            if type(known) is not kind:
                raise LostError(data)
            return known
        parts: dict[str, Any] = {}
        decoders = _decoders(kind)
        for name, part in data.items():
            decode = decoders.get(name)
            if decode is not None:
                parts[name] = decode(part, self)
            elif name != _NUMBER:
                self.unknown[f"{kind.__name__}.{name}"] += 1
        value = kind(**parts)
        if kind in _SHARED:
            self._numbered[data[_NUMBER]] = value
        return value


_Decode = Callable[[Any, Reader], Any]


@cache
def _decoders(kind: Any) -> dict[str, _Decode]:
    """The functions that read the fields of a dataclass."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: _decoder(hints[field.name], _MOST_S if field.name.endswith("_s") else _MOST)
        for field in dataclasses.fields(kind)
    }


@cache
def _decoder(hint: Any, most: float) -> _Decode:
    """The function that reads a value of this type, in which no number is larger than `most`."""
    hint = getattr(hint, "__supertype__", hint)  # of a `NewType`
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is float:
        return _bounded((float, int), most, float)
    if hint is int:
        return _bounded((int,), min(most, _MOST_WHOLE), int)
    if hint is bytes:
        return lambda text, _: base64.b64decode(text, validate=True)
    if hint in (str, bool, type(None)):
        return _checked(lambda value: type(value) is hint)
    if origin is Literal:
        return _checked(lambda value: value in inner)
    if origin in (types.UnionType, typing.Union) and inner[1:] == (type(None),):
        decode = _decoder(inner[0], most)
        unknown = (None, *_NON_FINITE) if inner[0] is float else (None,)
        return lambda value, reader: None if value in unknown else decode(value, reader)
    if origin is tuple and inner[1:] == (...,):
        item = _decoder(inner[0], most)
        return lambda values, reader: tuple([item(value, reader) for value in values])
    if origin is tuple:
        items = [_decoder(item, most) for item in inner]
        return lambda values, reader: tuple([read(v, reader) for read, v in zip(items, values, strict=True)])
    if dataclasses.is_dataclass(hint):
        return lambda data, reader: reader.decode(hint, data)
    raise TypeError(f"cannot read {hint} from JSON: use plain values, tuples and dataclasses of them")


def _checked(is_fit: Callable[[Any], bool]) -> _Decode:
    def decode(value: Any, _: Reader) -> Any:
        if not is_fit(value):
            raise ValueError(f"{value!r} is no value of this field")
        return value

    return decode


def _bounded(kinds: tuple[type, ...], most: float, convert: Callable[[Any], Any]) -> _Decode:
    def decode(value: Any, _: Reader) -> Any:
        if type(value) not in kinds and value not in _NON_FINITE:
            raise ValueError(f"{value!r} is no number")
        number = math.nan if type(value) is str else value
        if not -most <= number <= most:
            raise NumberError(f"{value!r:.40} is no number of this field")
        return convert(number)

    return decode
