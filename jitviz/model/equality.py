"""Static values: how each is described, and which are one to a cache: those that are equal, with equal hashes.

In: descriptions.  Out: keys that are equal where `==` says so; the differences of type that some caches see as well.
Must never: treat values of a user-defined class as equal, or parse a text that could be expensive.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import isfinite
from typing import Literal, NewType

_NUMBER = re.compile(r"bool_?|u?int\d*|float\d*|complex\d*|u?longlong")
_DTYPE = re.compile(r"bool_?|u?int\d+|b?float\d+\w*|complex\d+")
_INTEGER = re.compile(r"-?\d{1,4000}")
_MADE = re.compile(r"(np\.\w+|Decimal|Fraction)\((.*)\)")
_SCALAR_TYPES = ("numpy", "jax.numpy", "ml_dtypes")
_PLAIN = ("str", "bytes", "range", "NoneType", "ellipsis", "numpy.str_")
_EXACT = ("fractions.Fraction", "decimal.Decimal")
_CONTAINERS = ("tuple", "list", "dict", "set", "frozenset")
_MOST = 400  # the exponent of a number that is still compared with those of other types

# How `==` compares a static value; this distinguishes "another value" from "the same value, created again".
Equality = Literal["value", "identity", "custom", "hash_only", "never"]

# The number of an object for as long as it lives; unique in the process (`jitviz.capture.tokens`).
Token = NewType("Token", int)


@dataclass(frozen=True)
class Description:
    """The structure of a static value, bounded in depth and length; making one runs no user code.

    `token` is equal for two descriptions exactly if they describe the same living object. It is None for plain values
    (numbers, strings, enum members), which `text` describes completely.
    """

    type: str  # "float", "train.Config", "function"
    text: str  # "0.1", "Config(rate=0.1)", "<function act at train.py:9>"
    equality: Equality = "value"
    token: Token | None = None
    code: str | None = None  # a digest of the bytecode of a function, or of the equations of a jaxpr: "7457233dfb5d"
    origin: str | None = None  # where a callable was defined: "In [3]:4", "train.py:9"
    fields: "tuple[tuple[str, Description], ...]" = ()  # ".rate" is an attribute; "<closure n>", "<default k>", "[0]"
    is_cut: bool = False  # the bounds left something out
    type_token: Token | None = None  # tells two classes of the same name apart
    rest: str | None = None  # a digest of the plain values that were left out, None if there are too many
    same_as: str | None = None  # where in the leaf this object is described already: ".loss", "" for the whole leaf
    plain: str = ""  # the built-in value that it equals, if that is not `text`: "2" for `Mode.EVAL`, a path, a time
    maker: str = ""  # the function that creates a new one each time it runs: "Net.__init__"
    is_of_library: bool = field(default=False, compare=False)  # whether an installed package defines the callable

    @property
    def is_dtype(self) -> bool:
        """Whether it is a dtype: each of NumPy's has a class ("Float32DType"), others are "numpy.dtype[bfloat16]"."""
        return self.type.endswith("DType") or self.type.startswith(("numpy.dtype[", "dtype["))

    @cached_property
    def equal_text(self) -> str | None:
        """One text for all plain values that are equal; None if the value is not plain."""
        if self.equality == "never":
            return None
        if (scalar := _scalar_type(self)) is not None:
            return f"scalar type {scalar}"
        if self.is_dtype and self.token is None:
            return f"dtype {self.text}"
        text = self.plain or self.text
        try:
            if self.type == "range":
                numbers = range(*map(int, text[len("range(") : -1].split(", ")))
                return f"range {[*numbers[:2], *numbers[-1:]]}"  # all others follow from these
            if self.plain or is_number(self.type) or self.type in _EXACT:
                return _text_of_number(text)
        except (ValueError, ArithmeticError):
            pass
        is_plain = self.plain or self.type in _PLAIN
        return f"{text} {self.rest or ''}" if is_plain else None

    @cached_property
    def holds_nan(self) -> bool:
        """Whether it holds a NaN, which equals nothing."""
        return self.equality == "never" or any(part.holds_nan for _, part in self.fields)


def are_equal(before: Description, after: Description) -> bool:
    """Whether two plain values are equal with equal hashes, of whatever types they are: `0.0`, `-0.0` and `False`."""
    value = before.equal_text
    return value is not None and value == after.equal_text


def are_alike(before: Description, after: Description) -> bool:
    """Whether nothing is known in which two values differ, wherever they were created. Another array always differs:
    elements are never read."""
    if before.token is not None and before.token == after.token and before.code == after.code:
        return True
    has_text = before.code is None and not before.fields
    return (
        before.type == after.type
        and before.code == after.code
        and (before.text == after.text or not has_text)
        and before.rest == after.rest
        and not is_array(before.type)
        and dict(before.fields).keys() == (now := dict(after.fields)).keys()
        and all(are_alike(part, now[label]) for label, part in before.fields)
    )


def is_array(kind: str) -> bool:
    """Whether values of this type are arrays, which are described by shape and dtype only."""
    return kind.rpartition(".")[2] in ("ndarray", "ArrayImpl", "PRNGKeyArray")


def has_hidden(description: Description) -> bool:
    """Whether the value holds more than its description says: array elements, parts that were cut, no known fields."""
    if description.same_as is not None:  # its fields are described elsewhere in the leaf
        return False
    is_named = (
        description.code is not None or description.equality == "never" or description.type in ("type", *_CONTAINERS)
    )
    is_opaque = description.token is not None and not description.fields and not is_named
    is_cut = description.is_cut and description.rest is None
    return is_cut or is_opaque or any(has_hidden(part) for _, part in description.fields)


def content_of(description: Description) -> str:
    """A digest of all that is known of a value but its identity; "" if it holds more than its description says."""
    return "" if has_hidden(description) else digest_of(repr(_content(description)))


def digest_of(text: str) -> str:
    return blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()


def _content(description: Description) -> object:
    parts = sorted((label, _content(part)) for label, part in description.fields)
    has_text = description.code is None and not parts
    return description.type, description.code or "", description.rest or "", description.text * has_text, parts


def key_of(description: Description, *, is_sure: bool = True) -> object:
    """Equal for two descriptions only if `reasons.statics` finds no difference between them, NaN aside.

    The reverse also holds, except for objects with a user-defined `__eq__` that were changed in place. Without
    `is_sure`, objects whose class has one count as equal.
    """
    value = description.equal_text
    if value is not None:
        return value
    if equals_itself_only(description) and not (description.equality == "hash_only" and is_sure):
        return description.token
    if description.equality == "custom" and not is_sure:
        return description.type, description.type_token
    fields = sorted(fields_of(description), key=lambda field: field[0])
    parts = tuple((label, key_of(part, is_sure=is_sure)) for label, part in fields)
    text = None if parts else description.text
    # the hash of an object may follow its fields, which may be set in place
    never = description.token if description.equality in ("never", "hash_only") else None
    return description.type, description.type_token, text, description.code, description.rest, never, parts


def fields_of(description: Description) -> Iterator[tuple[str, Description]]:
    """The fields, each with the equality that applies here: two methods are equal only if they share one object."""
    is_method = description.type == "method"
    for label, part in description.fields:
        is_owner = is_method and label == ".__self__" and part.token is not None
        yield label, replace(part, equality="identity") if is_owner else part


def equals_itself_only(description: Description) -> bool:
    """Whether this is an object that JAX compares by identity."""
    return description.equality in ("identity", "hash_only") and description.token is not None


def types_of(description: Description) -> object:
    """Equal for two values only if a cache that compares types sees one type."""
    return description.type, type_of(description), description.type_token


def is_one_dtype(before: Description, after: Description) -> bool:
    """Whether they are two forms of one dtype: its name, its scalar type, the dtype itself."""
    name = _dtype(before)
    return name is not None and name == _dtype(after) and type_of(before) != type_of(after)


@lru_cache(4096)
def is_number(kind: str) -> bool:
    """Whether values of this type are numbers or truth values."""
    return _NUMBER.fullmatch(kind.removeprefix("numpy.")) is not None


def type_of(description: Description) -> str:
    """The type; for a scalar type also its library: `jax.numpy.float32` and `numpy.float32` are different objects."""
    if description.type == "type" and _scalar_type(description) is not None:
        return f"{description.text.rpartition('.')[0]} scalar type"
    return "numpy.dtype" if description.is_dtype else description.type


@lru_cache(4096)
def _text_of_number(text: str) -> str:
    """One text for all numbers that are equal.

    Raises:
        ValueError, ArithmeticError: `text` is not a number, or has a huge exponent.
    """
    match = _MADE.fullmatch(text)
    maker, text = match.groups() if match is not None else ("", text)
    text = {"True": "1", "False": "0"}.get(text, text)
    if maker == "Fraction":
        return str(Fraction(text.replace(", ", "/")))
    if maker == "Decimal":
        if abs((number := Decimal(text[1:-1])).adjusted()) > _MOST:
            raise ValueError(text)
        return str(Fraction(number))
    if _INTEGER.fullmatch(text):
        return str(int(text))
    whole = complex(text)
    if whole.imag:
        return f"{whole.real + 0.0} {whole.imag}"
    return str(Fraction(whole.real)) if isfinite(whole.real) else str(whole.real)


def _dtype(description: Description) -> str | None:
    text = description.text[1:-1] if description.type == "str" else description.text if description.is_dtype else ""
    return _scalar_type(description) or (text if _DTYPE.fullmatch(text) else None)


def _scalar_type(description: Description) -> str | None:
    if description.type != "type":
        return None
    module, _, name = description.text.rpartition(".")
    return name if module in _SCALAR_TYPES and _DTYPE.fullmatch(name) else None
