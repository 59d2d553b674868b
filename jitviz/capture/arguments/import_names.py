"""The name by which a program can import an object: looked up, never guessed.

In: any object.  Out: "jax.numpy:tanh", or "" if no loaded module has this very object under a name.
Must never: import a module, or run code of one (no `__getattr__`, no property).
"""

import enum
import itertools
import sys
import types
from functools import lru_cache
from typing import Any

from ...jaxcompat import raw
from ...jaxcompat.raw import is_a
from ..sources import frame_owner

MOST = 64  # user modules that are searched


_held: dict[str, dict[int, str]] = {}  # module -> address -> name; each module is read once for each miss


def forget_names() -> None:
    """Read the modules anew from now on: the program has gone on."""
    _held.clear()


def import_name(value: Any) -> str:
    """The object's own name if the object is found under it, else a name in its module or in a user module."""
    module, qualname = _own_name(value)
    if module and qualname and _found(module, qualname) is value:
        return f"{module}:{qualname}"
    for home in dict.fromkeys((module, *_modules_of_user(len(sys.modules)))):
        name = _names_in(home).get(id(value))
        # checked again, since a freed object leaves its address to another
        if name is not None and raw.namespace(sys.modules.get(home)).get(name) is value:
            return f"{home}:{name}"
    return ""


def _names_in(home: str) -> dict[int, str]:
    """The first name of each object in a module, by address."""
    found = _held.get(home)
    if found is None:
        found = {}
        # copied, since another thread may add to it
        for name, part in list(raw.namespace(sys.modules.get(home)).items()):
            if type(name) is str and name.isidentifier() and name.strip("_"):
                found.setdefault(id(part), name)
        _held[home] = found
    return found


_users: dict[str, None] = {}
_seen: set[str] = set()  # the names of modules that were looked at


@lru_cache(maxsize=1)
def _modules_of_user(count: int) -> tuple[str, ...]:
    """The script and the imported user modules. `count`, the number of modules, renews the cache."""
    for name in [name for name in list(sys.modules) if name not in _seen]:
        file = raw.namespace(sys.modules.get(name)).get("__file__")
        if type(file) is str and frame_owner(file) == "user" and name != "__main__":
            _users.setdefault(name)
        _seen.add(name)
    return ("__main__", *itertools.islice((name for name in _users if name in sys.modules), MOST))


def _own_name(value: Any) -> tuple[str, str]:
    """The module and the qualified name that an object or its class has."""
    if is_a(value, type):
        name = raw.qualname(value)
        return raw.type_name(value).removesuffix(name).rstrip(".") or "builtins", name
    if is_a(value, enum.Enum):
        module, name = _own_name(type(value))
        return module, f"{name}.{raw.attributes(value).get('_name_')}"
    qualname: Any
    if is_a(value, types.FunctionType, types.BuiltinFunctionType):
        set_module, qualname = value.__module__, value.__qualname__
    else:
        held = raw.attributes(value)
        set_module, qualname = held.get("__module__") or _own_name(type(value))[0], held.get("__qualname__")
    return set_module if type(set_module) is str else "", qualname if type(qualname) is str else ""


def _found(module: str, qualname: str) -> Any:
    """The object under a qualified name: in a module, or in the classes of the module."""
    first, *steps = qualname.split(".")
    value: Any = raw.namespace(sys.modules.get(module)).get(first)
    for step in steps:
        if not is_a(value, type):
            return None
        members = raw.class_attribute(value, "_member_map_") if is_a(value, enum.EnumMeta) else None
        inside = members.get(step) if type(members) is dict else None
        value = raw.class_attribute(value, step) if inside is None else inside
        value = value.__func__ if type(value) is staticmethod else value
    return value
