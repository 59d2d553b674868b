"""Converting dataclasses of plain values to JSON and back, and long texts to bytes and back.

In: an instance of a dataclass from `events` or `jitviz.model`, or its JSON value; a text, or its compressed form.
Out: the other.
Must never: treat one class unlike another (except for those in `_SHARED`), or silently drop what it cannot read.

What JSON lacks is written so that it comes back equal: tuples as lists, bytes as base64. NaN and infinities become
null, which is unknown; where a number must be known, null is no value of the field.
Fields at their defaults are left out. The same leaves, nodes and lines occur in event after event, so the first of
equal ones is written in full with a number ("#"), and every later one as that number.
"""

import base64
import dataclasses
import json
import math
import types
import typing
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from ..model import Glance, Leaf, Node, Placement, Read
from ..model.printable import HAVE_LINES, one_line, printed
from .events import MOST_WHOLE

_SHARED = (Glance, Leaf, Node, Placement, Read)
_NUMBER = "#"
_MOST_S = 1e11  # three thousand years
_MOST = 1e30
MOST_TEXT = 2**28  # bytes of one text


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
        kind: Any = type(value)
        data: dict[str, Any] = {}
        if kind in _SHARED:
            known = self._numbers.get(value)
            if known is not None:
                return known
            data[_NUMBER] = self._numbers[value] = len(self._numbers)
        for field in _fields(kind):
            part = getattr(value, field.name)
            if part != field.default:
                data[field.name] = None if type(part) is float and not math.isfinite(part) else part
        return data


_fields: Callable[[Any], tuple[dataclasses.Field[Any], ...]] = cache(dataclasses.fields)


class Reader:
    """Converts what one `Writer` wrote back to instances. `has_left_out` says whether there were fields that this
    version does not have."""

    def __init__(self) -> None:
        self._numbered: dict[int, Any] = {}
        self.has_left_out = False

    def decode(self, kind: Any, data: Any) -> Any:
        """Return the instance of `kind` that `data` was written from. A LookupError, TypeError or ValueError says that
        it was written from something else."""
        if kind in _SHARED and type(data) is int:
            return _checked(self._numbered[data], type(self._numbered[data]) is kind)
        parts: dict[str, Any] = {}
        decoders = _decoders(kind)
        for name, part in data.items():
            decode = decoders.get(name)
            if decode is not None:
                parts[name] = decode(part, self)
            elif name != _NUMBER:
                self.has_left_out = True
        value = kind(**parts)
        if kind in _SHARED:
            self._numbered[data[_NUMBER]] = value
        return value


_Decode = Callable[[Any, Reader], Any]


@cache
def _decoders(kind: Any) -> dict[str, _Decode]:
    hints = typing.get_type_hints(kind)
    return {
        field.name: (lambda text, _: printed(_checked(text, type(text) is str)))
        if (kind.__name__, field.name) in HAVE_LINES
        else _decoder(hints[field.name], _MOST_S if field.name.endswith("_s") else _MOST)
        for field in dataclasses.fields(kind)
    }


@cache
def _decoder(hint: Any, most: float) -> _Decode:
    """The function that reads a value of this type, in which no number is larger than `most`."""
    hint = getattr(hint, "__supertype__", hint)  # of a `NewType`
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is float:
        return lambda value, _: float(_number(value, (float, int), most))
    if hint is int:
        return lambda value, _: _number(value, (int,), min(most, MOST_WHOLE))
    if hint is bytes:
        return lambda text, _: base64.b64decode(text, validate=True)
    if hint in (str, bool, type(None)):
        pass_on: Callable[[Any], Any] = one_line if hint is str else lambda value: value
        return lambda value, _: pass_on(_checked(value, type(value) is hint))
    if origin is Literal:
        return lambda value, _: _checked(value, value in inner)
    if origin in (types.UnionType, typing.Union) and inner[1:] == (type(None),):
        decode = _decoder(inner[0], most)
        return lambda value, reader: None if value is None else decode(value, reader)
    if origin is tuple and inner[1:] == (...,):
        item = _decoder(inner[0], most)
        return lambda values, reader: tuple([item(value, reader) for value in values])
    if origin is tuple:
        items = [_decoder(item, most) for item in inner]
        return lambda values, reader: tuple([read(v, reader) for read, v in zip(items, values, strict=True)])
    if dataclasses.is_dataclass(hint):
        return lambda data, reader: reader.decode(hint, data)
    raise TypeError(f"cannot read {hint} from JSON: use plain values, tuples and dataclasses of them")


def _checked(value: Any, is_fit: bool) -> Any:
    if not is_fit:
        raise ValueError(f"{value!r} is no value of this field")
    return value


def _number(value: Any, kinds: tuple[type, ...], most: float) -> Any:
    return _checked(value, type(value) in kinds and -most <= value <= most)


def pack(text: str) -> bytes:
    """Compress a text lightly: there are many long texts, and most are never read."""
    return zlib.compress(text.encode(errors="surrogatepass"), 1)


def unpack(packed: bytes) -> str:
    """Return the text; a ValueError says that it is damaged, or longer than `MOST_TEXT`."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(packed, MOST_TEXT).decode(errors="surrogatepass")
    except (zlib.error, UnicodeError) as error:
        raise ValueError(f"a text is damaged: {error}") from None
    if not unpacking.eof:
        raise ValueError(f"a text is cut off, or longer than {MOST_TEXT} bytes")
    return text
