"""The text of a static value, in one line.

In: a value, and the descriptions of its parts.  Out: a bounded text.
Must never: run code of the value, or contain an address, which would differ between two runs.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Sequence
from typing import Any

from ...jaxcompat import flax_internals, jaxprs, jits
from ...jaxcompat.raw import attributes, class_attribute, is_a, mro_of, type_name
from ...model import Description
from ...recording import redaction

TEXT = 120  # characters
_READ = 4_000  # characters at each end of a long text that are searched for secrets; fewer are shown
LONG = 2_000  # bits of a number that is still written in decimal

_KEYS = (str, int, bool, float, bytes, type(None))
_FORMS = {tuple: "({})", list: "[{}]", dict: "{{{}}}", set: "{{{}}}", frozenset: "frozenset({{{}}})"}


def text_of(value: Any, fields: Sequence[tuple[str, Description]], origin: str | None, is_cut: bool) -> str:
    """The text of a value; `fields` are the parts that are shown, `origin` is where a callable was defined."""
    where = f" at {origin}" if origin else ""
    text_by_name = _text_by_name(value, where)
    if text_by_name is not None:
        return bounded(redaction.redacted_path(text_by_name))
    kind = kind_of(value)
    name = type_name(kind).rpartition(".")[2]
    own_name = attributes(value).get("__name__")
    if type(own_name) is str:
        return bounded(f"<{name} {own_name}{where}>")
    bases = (dict,) if is_a(value, flax_internals.Member) and value.is_dict else mro_of(kind)
    form = next((form for base, form in _FORMS.items() if base in bases), None)
    is_named_tuple = type(class_attribute(kind, "_fields")) is tuple
    inside = ", ".join([*(_part(label, part, form) for label, part in fields if label[:2] != "._")])
    if is_cut:
        inside = f"{inside}, …" if inside else "…"
    if form is None or is_named_tuple:
        return bounded(f"{name}({inside})")
    text = form.format(f"{inside}," if form == _FORMS[tuple] and len(fields) == 1 and not is_cut else inside)
    return bounded(text if kind in _FORMS else f"{name}({text})")


def kind_of(value: Any) -> type:
    """The class of a value, or of the object that a `Member` describes."""
    return value.kind if is_a(value, flax_internals.Member) else type(value)


def _text_by_name(value: Any, where: str) -> str | None:
    """The text of a function, method, module or jaxpr; None for other values."""
    if is_a(value, types.FunctionType):
        return f"<function {value.__name__}{where}>"
    if is_a(value, types.BuiltinFunctionType):
        return f"<built-in {value.__name__}>"
    if is_a(value, jits.PjitFunction):
        return f"jit({getattr(value, '__name__', '?')}{where})"
    if is_a(value, types.MethodType):
        owner, function = type_name(type(value.__self__)).rpartition(".")[2], value.__func__
        is_function = is_a(function, types.FunctionType, types.BuiltinFunctionType)
        name = function.__name__ if is_function else attributes(function).get("__name__", "?")
        return f"<method {owner}.{name}{where}>"
    if is_a(value, types.ModuleType):
        return f"<module {types.ModuleType.__getattribute__(value, '__name__')}>"
    if jaxprs.is_jaxpr(value):
        return f"<{type_name(type(value)).rpartition('.')[2]}: {jaxprs.equation_count(value)} equations>"
    return None


def _part(label: str, part: Description, form: str | None) -> str:
    if label.startswith("."):
        return f"{label[1:]}={part.text}"
    is_of_dict = form == _FORMS[dict] and label.startswith("[")
    return f"{label[1:-1]}: {part.text}" if is_of_dict else part.text


def key_text(key: Any) -> str:
    """The text of a key of a dict: a plain one as Python writes it, any other by its type."""
    if type(key) is tuple:
        return bounded(f"({', '.join(map(key_text, key[:8]))}{',' * (len(key) == 1)})")
    if type(key) is str:
        return shortened(redaction.redacted_path(repr(key[: 2 * _READ])))
    return plain_text(key, type(key))[0] if type(key) in _KEYS else type_name(type(key))


def plain_text(value: Any, plain: Any) -> tuple[str, str | None]:
    """A number, a string or the like as the built-in type `plain` writes it, even if a subclass overrides `__repr__`;
    and a digest of the whole text if it is too long."""
    # Python refuses to write a number with thousands of digits in decimal
    text: str = int.__format__(value, "#x") if plain is int and int.bit_length(value) > LONG else plain.__repr__(value)
    if plain is str or plain is bytes:
        ends = text if len(text) <= 2 * _READ else f"{text[:_READ]} … {text[-_READ:]}"
        shown = redaction.redacted(ends)
        if shown != ends:
            return shortened(shown), redaction.digest(text)
    if len(text) <= TEXT:
        return text, None
    return shortened(text), hashlib.blake2b(text.encode(errors="replace"), digest_size=6).hexdigest()


def shortened(text: str) -> str:
    """A text, without its middle if it is too long."""
    return text if len(text) <= TEXT else f"{text[: TEXT // 2]}…{text[-TEXT // 2 + 1 :]}"


def bounded(text: str) -> str:
    """A text, cut if it is too long, but with its last character, which closes a bracket."""
    return text if len(text) <= TEXT else f"{text[: TEXT - 2]}…{text[-1]}"
