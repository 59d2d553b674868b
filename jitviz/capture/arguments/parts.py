"""The parts of a static value, how `==` compares it, and its text in one line.

In: any object that is static in a call, and the descriptions of its parts.  Out: parts, by steps of a user-level path;
its kind of equality; a bounded text.
Must never: call user code, look further than one level, or write an address, which would differ between two runs.
"""

import functools
import hashlib
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from ...jaxcompat import equinox_internals, flax_internals, jaxprs, jits, raw
from ...jaxcompat.raw import attributes, class_attribute, is_a, mro_of, type_name
from ...model import Description, Equality
from ...recording import redaction

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
        # two functions with the same code may differ in these
        yield from ((f"<closure {name}>", part) for name, part in raw.closure_of(value).items())
        yield from ((f"<default {name}>", part) for name, part in raw.default_values(value).items())
    elif is_a(value, types.MethodType):
        yield ".__func__", value.__func__
        yield ".__self__", value.__self__
    elif is_a(value, functools.partial):
        func, args, keywords = raw.bound(value)
        yield ".func", func
        yield from ((f".args[{index}]", part) for index, part in enumerate(raw.items_of(args)))
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
        yield from ((f"{{{index}}}", part) for index, part in enumerate(in_order(value)))
    elif type(names) is tuple:
        yield from ((f".{name}", part) for name, part in zip(names, raw.items_of(value), strict=False))
    else:
        yield from ((f"[{index}]", part) for index, part in enumerate(raw.items_of(value)))


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


@functools.lru_cache(maxsize=4096)  # code objects compare by content; constants are the only user data in them
def code_digest(code: types.CodeType, wrapped: str | None = None) -> str:
    """A digest of the bytecode, constants and names of a function, its nested functions and a wrapped function: equal
    for functions of the same text, wherever it stands."""
    summary = (code.co_code, code.co_names, code.co_varnames, code.co_freevars, _constants(code.co_consts), wrapped)
    return hashlib.blake2b(repr(summary).encode(), digest_size=6).hexdigest()


def _constants(constants: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(code_digest(part) if isinstance(part, types.CodeType) else _constant_text(part) for part in constants)


def _constant_text(constant: Any) -> str:
    if isinstance(constant, frozenset):  # its order differs between processes
        return "frozenset" + repr(sorted(map(repr, constant)))
    if isinstance(constant, tuple):
        return "tuple" + repr(_constants(constant))
    return repr(constant)
