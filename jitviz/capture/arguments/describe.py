"""Descriptions of static values.

In: any object that is static in a call.  Out: a `Description` of bounded size.
Must never: call the object's `__repr__`, `__eq__`, `__hash__`, a property or any other user code, read the values of an
array, or keep the object.

Bounds count steps, never seconds, so that the descriptions of two equal objects stop at the same place. Hence equal
objects have equal descriptions, however big they are.
"""

import datetime
import decimal
import enum
import fractions
import functools
import hashlib
import itertools
import math
import pathlib
import sys
import types
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from ...jaxcompat import flax_internals, jaxprs, jits, public_names, raw
from ...jaxcompat.raw import is_a, type_name
from ...model import Description, Equality
from ...recording import redaction, secret_texts
from ..failures import note
from ..sources import is_of_library, short_location
from ..tokens import token, token_of_nan
from . import array_facts
from .parts import (
    CONTAINERS,
    code_digest,
    compares_fields,
    equality_of,
    kind_of,
    parts_of,
    plain_text,
    positional_names,
    text_of,
)

_PLAIN = (
    *(bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range),
    # Python's own values whose attributes are not readable
    *(decimal.Decimal, fractions.Fraction, datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
    *(pathlib.PurePath, uuid.UUID),
)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
# Bounds, never in seconds: equal values are searched equally far on every machine.
DEPTH = 8  # nested levels of fields
WIDTH = 64  # fields of one object
SIZE = 300  # descriptions in one value
STEPS = 4096  # parts of one value that are visited to show, compare or sort them
TOTAL = 32_768  # steps for all values of one signature; after that
FEW = 64  # ... each value gets only so many
SORTED = 256  # elements of a set that are visited to sort them
# by address, since a user's metaclass may define `==` between classes
_SIMPLE = frozenset(
    map(id, (*_PLAIN, enum.Enum, np.dtype, np.generic, np.ndarray, jax.Device, jax.Array, jax.core.Tracer, type))
)


def describe(value: Any, path: str = "", shown: int = SIZE) -> Description:
    """Describe one static value, with up to `shown` parts. If that fails, the description has the type alone, and the
    error is recorded."""
    return Descriptions(shown).of(value, path)


class Descriptions:
    """The descriptions of one signature. An object in several leaves is described once, and all share one bound."""

    def __init__(self, shown: int = SIZE) -> None:
        self._shown = shown
        self.objects: list[tuple[str, Any]] = []  # all but plain values, up to a limit
        self._left = TOTAL
        # holds the object as well, so that its address is not reused
        self._known: dict[tuple[int, str], tuple[Any, Description]] = {}
        self._hidden: tuple[str, ...] = ()

    def beside(self, part: object, path: str, index: int) -> None:
        """Hide what stands next in the sequence at a path, if this part of it names a secret."""
        if type(part) is str and redaction.names_next(part, index):
            self._hidden = (*self._hidden, f"{path}[{index + 1}]")

    def of(self, value: Any, path: str = "") -> Description:
        """The description of the static value at a path."""
        is_secret = secret_texts.is_secret(path) or path.startswith(self._hidden)
        key = id(value), path if redaction.is_configured() or is_secret else ""
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = value, self._look_at(value, path, is_secret)
            if known[1].token is not None and len(self.objects) < FEW:
                self.objects.append((path, value))
        return known[1]

    def _look_at(self, value: Any, path: str, is_secret: bool) -> Description:
        look = _Look(STEPS if self._left > 0 else FEW, self._shown, path)
        try:
            return look.at(value, "", DEPTH, is_secret)
        except Exception as error:
            note("describe", error)
            name = type_name(type(value))
            return Description(name, f"<{name.rpartition('.')[2]}>", equality_of(value), token(value), is_cut=True)
        finally:
            self._left -= look.steps


class _Look:
    """Describes one value and counts the steps.

    An object that compares by identity is described in full once. Where it occurs again, its description has no fields
    but the path of the first one (`same_as`); so has any object that occurs inside itself. Other values are described
    in full again, since one of two equal values may share a part that the other holds twice.
    """

    def __init__(self, most: int, shown: int = SIZE, root: str = "") -> None:
        self.steps = 0
        self._root = root
        self._most = most
        self._shown = shown
        self._open: dict[int, str] = {}  # address -> path of the objects around the current one
        self._met: dict[int, tuple[Any, str, Description]] = {}  # holds the object, so that its address is not reused

    def at(self, value: Any, path: str, depth: int, is_secret: bool = False) -> Description:
        """Describe the value at `path` with `depth` levels below it; `is_secret` if a name above it says so."""
        value = flax_internals.opened_value(value)
        found = self._seen(value, path, depth, is_secret)
        is_text, is_number = is_a(value, str, bytes), is_a(value, int) and int.bit_length(value) > 9  # no count or flag
        is_number = is_number and not secret_texts.is_of_vocabulary(self._root + path)
        if redaction.is_hidden(self._root + path) or (is_secret and (is_text or is_number)):
            if is_text:
                redaction.learn(str.__str__(value) if is_a(value, str) else bytes.decode(value, errors="replace"))
            return _hidden(found)
        return found

    def _seen(self, value: Any, path: str, depth: int, is_secret: bool) -> Description:
        self._shown -= 1
        self.steps += 1
        simple = _simple(value)
        if simple is not None:
            return simple
        if id(value) in self._open:
            return self._described(value, (), same_as=self._open[id(value)])
        met = self._met.get(id(value))
        if met is not None:
            return self._described(value, (), same_as=met[1], text=met[2].text)
        self._open[id(value)] = path
        found = self._inside(value, path, depth, is_secret)
        del self._open[id(value)]
        if depth > 0 and found.fields and found.equality in ("identity", "hash_only"):
            self._met[id(value)] = value, path, found
        return found

    def _inside(self, value: Any, path: str, depth: int, is_secret: bool) -> Description:
        fields: list[tuple[str, Description]] = []
        is_cut, rest = is_a(value, set, frozenset) and self._is_too_big(value), None
        parts = parts_of(value, self._in_order)
        # from Python 3.13 on, a dataclass compares its fields one by one, and then a NaN does not equal itself
        is_by_field = sys.version_info >= (3, 13) and compares_fields(type(value))
        named: dict[str, str] = {}
        if is_a(value, functools.partial):
            names = positional_names(raw.bound(value)[0])
            named = {f".args[{index}]": f".{name}" for index, name in enumerate(names)}
        for count, (label, part) in enumerate(parts):
            if depth <= 0 or count >= WIDTH or self._shown <= 0 or self.steps >= self._most:
                is_cut, rest = True, self._digest(itertools.chain([(label, part)], parts), is_secret)
                break
            if type(part) is str and label == f"[{count}]" and redaction.names_next(part, count):
                named[f"[{count + 1}]"] = f".{part}"
            is_part_secret = is_secret or secret_texts.is_secret(named.get(label, label))
            found = self.at(part, path + label, depth - 1, is_part_secret)
            if found.equality == "never" and is_by_field:
                found = replace(found, token=None)
            fields.append((label, found))
        return self._described(value, fields, is_cut=is_cut, rest=rest)

    def _described(
        self,
        value: Any,
        fields: Sequence[tuple[str, Description]],
        *,
        is_cut: bool = False,
        rest: str | None = None,
        same_as: str | None = None,
        text: str = "",
    ) -> Description:
        kind = kind_of(value)
        code, origin, maker = _code(value)
        if jaxprs.is_jaxpr(value):
            self.steps += jaxprs.equation_count(value)
        if same_as is not None and not text and code is None:
            text = f"<{type_name(kind).rpartition('.')[2]} above>"
        is_plain_container = type(value) in (*CONTAINERS, flax_internals.Member)
        is_plain_value = not fields and not is_cut and same_as is None and compares_fields(type(value))
        return Description(
            type=type_name(kind),
            text=text or text_of(value, fields, origin, is_cut),
            equality=equality_of(value),
            token=None if is_plain_container or is_plain_value else token(value),
            code=code,
            origin=origin,
            fields=tuple(fields),
            is_cut=is_cut,
            type_token=None if kind in CONTAINERS else token(kind),
            rest=rest,
            same_as=same_as,
            maker=maker,
            is_of_library=is_of_library(value.__func__ if is_a(value, types.MethodType) else value),
        )

    def _digest(self, parts: Iterator[tuple[str, Any]], is_secret: bool) -> str | None:
        """A digest of the plain values in `parts` at any depth, and of the types of other objects; None if there are
        too many."""
        digest = hashlib.blake2b(digest_size=6)
        levels = [(parts, 0)]  # the containers around the current part, with their addresses
        while levels and self.steps < self._most:
            row = next(levels[-1][0], None)
            if row is None:
                self._open.pop(levels.pop()[1], None)
                continue
            label, part = row
            self.steps += 1
            simple = _simple(part)
            text = type_name(type(part)) if simple is None else simple.rest or simple.text
            if is_secret or secret_texts.is_secret(label):
                text = redaction.digest(text)
            digest.update(f"{len(levels)}{label}={text}\n".encode(errors="replace"))
            if simple is None and id(part) not in self._open and equality_of(part) in ("value", "custom"):
                self._open[id(part)] = "?"
                levels.append((parts_of(part, self._in_order), id(part)))
        for _, address in levels:  # there are too many
            self._open.pop(address, None)
        return None if levels else digest.hexdigest()

    def _in_order(self, value: Any) -> list[Any]:
        """The elements of a set sorted by text and type, so that equal sets look equal; none for a big set."""
        if self._is_too_big(value):
            return []
        parts = []
        for part in raw.items_of(value):
            look = _Look(self._most - self.steps, WIDTH)
            seen = look.at(part, "", 1)
            self.steps += look.steps
            parts.append((seen.equal_text or seen.text, seen.type, part))
        return [part for _, _, part in sorted(parts, key=lambda row: row[:2])]

    def _is_too_big(self, value: Any) -> bool:
        length = set.__len__ if is_a(value, set) else frozenset.__len__
        return length(value) > min(SORTED, self._most - self.steps)


def _hidden(shown: Description) -> Description:
    """A redacted description: it differs for different values but shows nothing of them."""
    inside = redaction.digest(f"{shown.equal_text or shown.text} {shown.rest} {shown.fields} {shown.plain}")
    return replace(shown, text="<redacted>", fields=(), is_cut=True, rest=inside, plain="")


def _simple(value: Any) -> Description | None:
    """The description of a value without parts, or of a public function of JAX; None for everything else."""
    kind = type(value)
    if any(id(base) in _SIMPLE for base in raw.mro_of(kind)):
        return _simple_of(value, kind)
    text = public_names.of_value(value)
    if not text:
        return None
    code, origin, _ = _code(value)
    return Description(type_name(kind), text, equality_of(value), token(value), code or text, origin)


def _simple_of(value: Any, kind: type) -> Description | None:
    name = type_name(kind)
    if is_a(value, enum.Enum):
        member = raw.attributes(value).get("_name_")
        mixed_in = next((plain_text(value, base)[0] for base in (int, str) if is_a(value, base)), "")
        text = f"{name.rpartition('.')[2]}.{member if type(member) is str else '?'}"
        # a member is the only one of its name, so comparing it by identity or by value is the same
        is_custom = equality_of(value) == "custom"
        return Description(
            *(name, text, "custom" if is_custom else "value"),
            type_token=token(kind),
            plain="" if is_custom else mixed_in,
        )
    for plain in _PLAIN:
        if is_a(value, plain):
            text, rest = plain_text(value, plain)
            if _is_nan(value):
                return Description(name, text, "never", token_of_nan(value))
            is_custom = raw.class_attribute(kind, "__eq__") is not raw.class_attribute(plain, "__eq__")
            equality: Equality = "custom" if is_custom else "value"
            equal = "" if is_custom else _equal_plain_text(value, plain, text)
            return Description(name, text, equality, is_cut=rest is not None, rest=rest, plain=equal)
    if is_a(value, np.dtype):
        return Description(name, str(np.dtype.__str__(value)))
    if is_a(value, np.generic):
        dtype = np.dtype.__str__(np.generic.dtype.__get__(value))
        # a structured scalar may hold user objects
        text = f"np.{dtype}" if is_a(value, np.void) else f"np.{dtype}({np.generic.item(value)!r})"
        return Description(name, text, "never", token_of_nan(value)) if _is_nan(value) else Description(name, text)
    if is_a(value, jax.Device):
        return Description(name, f"{value.platform}:{value.id}", "identity", token(value))
    if is_a(value, type):
        return Description("type", type_name(value), "identity", token(value), origin=short_location(value))
    short = array_facts.text_of(value)
    return None if short is None else Description(name, short, "identity", token(value))


def _equal_plain_text(value: Any, plain: type, text: str) -> str:
    """The text of the built-in value that equals this one; "" if that is `text`, or not known."""
    if plain is datetime.datetime:
        zone = datetime.datetime.tzinfo.__get__(value)
        if zone is None:
            return datetime.datetime.isoformat(value)
        return repr(datetime.datetime.__sub__(value, _EPOCH)) if type(zone) is datetime.timezone else ""
    if plain is pathlib.PurePath:
        return f"PurePosixPath{text[text.index('(') :]}" if is_a(value, pathlib.PurePosixPath) else ""
    return "" if type(value) is plain else text


def _code(value: Any, levels: int = 8) -> tuple[str | None, str | None, str]:
    """(digest of the code, where it was defined, the enclosing function) of a callable or a jaxpr."""
    if jaxprs.is_jaxpr(value):
        return jaxprs.jaxpr_digest(value), None, ""
    if not levels:
        return None, None, ""
    if is_a(value, types.MethodType):
        return _code(value.__func__, levels - 1)
    if is_a(value, functools.partial):
        return _code(raw.bound(value)[0], levels - 1)
    if is_a(value, jits.PjitFunction):
        return _code(jits.jitted_function(value), levels - 1)
    if is_a(value, types.FunctionType):
        outside, _, _ = value.__code__.co_qualname.rpartition(".<locals>.")
        wrapped, _, _ = _code(raw.attributes(value).get("__wrapped__"), levels - 1)
        return code_digest(value.__code__, wrapped), short_location(value), outside.rpartition("<locals>.")[2]
    return None, None, ""


def _is_nan(value: Any) -> bool:
    if is_a(value, float):
        return math.isnan(float.__float__(value))
    if is_a(value, complex):
        return math.isnan(complex.real.__get__(value)) or math.isnan(complex.imag.__get__(value))
    return is_a(value, np.inexact) and bool(np.isnan(value))
