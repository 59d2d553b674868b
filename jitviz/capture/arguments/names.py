"""The name by which a program can find an object: looked up, and never guessed.

In: any object.  Out: "jax.numpy:tanh", or "" where no module that is there holds this very object.
Must never: import a module, or run code of one (no `__getattr__`, no property).
"""

from __future__ import annotations

import enum
import itertools
import sys
import types
from functools import lru_cache
from typing import Any

from ...jaxcompat import raw
from ...jaxcompat.raw import is_a
from ..sources import frame_owner

MOST = 64  # modules of the user's that are looked through


class Names:
    """Those of the objects in one signature: each module is gone through once, however many objects ask."""

    def __init__(self) -> None:
        self._held: dict[str, dict[int, str]] = {}  # module -> address -> name

    def of(self, value: Any) -> str:
        """Its own name, where that leads to it; else one that its module or one of the user's gave it."""
        module, qualname = _own_name(value)
        if module and qualname and _found(module, qualname) is value:
            return f"{module}:{qualname}"
        for home in dict.fromkeys((module, *_modules_of_user(len(sys.modules)))):
            name = self._in(home).get(id(value))
            # looked up once more: an object that is gone leaves its address to another
            if name is not None and raw.namespace(sys.modules.get(home)).get(name) is value:
                return f"{home}:{name}"
        return ""

    def _in(self, home: str) -> dict[int, str]:
        """The names that a module gives, the first of each object."""
        found = self._held.get(home)
        if found is None:
            found = self._held[home] = {}
            # all at once: another thread may add to it
            for name, part in list(raw.namespace(sys.modules.get(home)).items()):
                if type(name) is str and name.isidentifier() and name.strip("_"):
                    found.setdefault(id(part), name)
        return found


@lru_cache(maxsize=1)
def _modules_of_user(count: int) -> tuple[str, ...]:
    """The script, and what of the user's was imported; looked for again when there are more or fewer modules."""
    files = [(name, raw.namespace(module).get("__file__")) for name, module in list(sys.modules.items())]
    found = (name for name, file in files if type(file) is str and frame_owner(file) == "user")
    return tuple(dict.fromkeys(("__main__", *itertools.islice(found, MOST))))


def _own_name(value: Any) -> tuple[str, str]:
    """Module and qualified name, as the object or its class tells them."""
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
    """What stands there, in a module and in the classes in it."""
    first, *steps = qualname.split(".")
    found: Any = raw.namespace(sys.modules.get(module)).get(first)
    for step in steps:
        if not is_a(found, type):
            return None
        members = raw.class_attribute(found, "_member_map_") if is_a(found, enum.EnumMeta) else None
        inside = members.get(step) if type(members) is dict else None
        found = raw.class_attribute(found, step) if inside is None else inside
        found = found.__func__ if type(found) is staticmethod else found
    return found
