"""The results of a few functions of Python's own that everyone uses, and what they read.

In: a function, what it is given.  Out: its result, as far as it is known; None for any other function.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from ...jaxcompat import raw
from ...jaxcompat.raw import is_a
from .lookups import Lookups
from .notes import Where
from .paths import NOTHING, PLAIN, length
from .values import TRACED, UNKNOWN, Entries, Instance, Made, Method, Parts, Text, Turns, Value, joined

Args = Sequence[Value]
_CHANGE = ("append", "extend", "insert", "add", "update", "clear", "pop", "remove", "setdefault", "discard", "popitem")


def result_of(reader: Lookups, what: Any, args: Args, where: Where) -> Value | None:
    """The result of a call, or None if it is not known here."""
    if type(what) is Method and type(what.owner.what) in (list, dict, set):
        return _of_container(reader, what, args, where)
    known = _KNOWN.get(id(what)) if args else None
    return None if known is None else known(reader, args, where)


def _of_container(reader: Lookups, method: Method, args: Args, where: Where) -> Value | None:
    owner, name = method.owner, method.name
    if name in _CHANGE:
        return UNKNOWN  # what the code itself changes, it does not read
    if type(owner.what) is not dict:
        reader.use(where, owner)
        return None
    if name == "get" and args:
        is_there = reader.is_in(args[0], owner, where)
        if is_there is NOTHING:
            return joined(owner, *args)
        return reader.item(owner, args[0], where) if is_there else args[1] if args[1:] else Value(None)
    keys = where.run.turns(owner, where) if name in ("items", "keys", "values") else None
    if keys is None:
        reader.use(where, owner)
        return None
    if name == "keys":
        return Value(keys)
    values = tuple(reader.item(owner, key, where) for key in keys.values)
    pairs = zip(keys.values, values, strict=True)
    return Value(Turns(values if name == "values" else tuple(Value(Parts("tuple", pair)) for pair in pairs)))


def _len(reader: Lookups, args: Args, where: Where) -> Value | None:
    (value, *_), what = args, args[0].what
    size = len(what.values) if type(what) is Parts else NOTHING if what is NOTHING else length(what)
    if size is NOTHING:
        return None
    reader.ask(value, "len", where)
    return Value(size)


def _type(reader: Lookups, args: Args, where: Where) -> Value | None:
    reader.ask(args[0], "type", where)
    what = args[0].what
    is_object = what is not NOTHING and type(what) not in (Made, Method, Parts, Turns, Instance, Entries, Text)
    return Value(type(what)) if is_object and len(args) == 1 else UNKNOWN


def _isinstance(reader: Lookups, args: Args, where: Where) -> Value | None:
    kind = _type(reader, args[:1], where)
    asked = args[1].what if args[1:] else NOTHING
    # a class may have its own idea of what its instances are
    is_known = kind is not None and kind.what is not NOTHING and type(asked) is type
    return Value(is_a(args[0].what, asked)) if is_known else UNKNOWN


def _getattr(reader: Lookups, args: Args, where: Where) -> Value | None:
    name = args[1].what if args[1:] else NOTHING
    return reader.attribute(args[0], name, where) if type(name) is str else None


def _range(reader: Lookups, args: Args, where: Where) -> Value | None:
    reader.use(where, *args)
    if not all(type(arg.what) is int for arg in args):
        return Value(Turns((TRACED,)), draws=joined(*args).draws)
    return Value(range(*(arg.what for arg in args)), draws=joined(*args).draws)


def _enumerate(reader: Lookups, args: Args, where: Where) -> Value | None:
    turns = where.run.turns(args[0], where) if len(args) == 1 else None
    if turns is None:
        return None
    pairs = ((Value(at), value) for at, value in enumerate(turns.values))
    return Value(Turns(tuple(Value(Parts("tuple", pair)) for pair in pairs)))


def _zip(reader: Lookups, args: Args, where: Where) -> Value | None:
    found = [turns.values for arg in args if (turns := where.run.turns(arg, where))]
    if len(found) != len(args):
        return None
    return Value(Turns(tuple(Value(Parts("tuple", together)) for together in zip(*found, strict=False))))


def _sequence(reader: Lookups, args: Args, where: Where) -> Value | None:
    turns = where.run.turns(args[0], where)
    return None if turns is None else Value(Parts("tuple", turns.values))


def _decided(decide: Callable[..., bool], reader: Lookups, args: Args, where: Where) -> Value | None:
    """`any` or `all` of what is known."""
    turns = where.run.turns(args[0], where)
    if turns is None or not all(type(value.what) in PLAIN for value in turns.values):
        return None
    reader.use(where, *turns.values)
    return Value(decide(value.what for value in turns.values))


def _issubdtype(reader: Lookups, args: Args, where: Where) -> Value | None:
    reader.use(where, *args)
    kind, of = (args[0].what, args[1].what) if len(args) == 2 else (NOTHING, NOTHING)
    if not is_a(kind, np.dtype) or not is_a(of, type) or raw.type_name(of).partition(".")[0] not in ("jax", "numpy"):
        return None
    return Value(bool(jnp.issubdtype(kind, of)))


def _text(reader: Lookups, args: Args, where: Where) -> Value | None:
    return Value(Text(tuple(args)))


def _reversed(reader: Lookups, args: Args, where: Where) -> Value | None:
    turns = where.run.turns(args[0], where)
    return None if turns is None else Value(Turns(turns.values[::-1]))


_KNOWN: dict[int, Callable[[Lookups, Args, Where], Value | None]] = {
    **{id(function): _type for function in (type, callable, id, hasattr)},
    **{id(function): _sequence for function in (tuple, list)},
    id(len): _len,
    id(isinstance): _isinstance,
    id(getattr): _getattr,
    id(range): _range,
    id(enumerate): _enumerate,
    id(zip): _zip,
    id(any): partial(_decided, any),
    id(all): partial(_decided, all),
    **{id(function): _text for function in (str, repr, format)},
    **{id(function): _issubdtype for function in (np.issubdtype, jnp.issubdtype)},
    id(reversed): _reversed,
}
