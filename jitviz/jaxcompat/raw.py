"""Objects as Python itself holds them.

In: any object or class.  Out: its type, attributes and items.
Must never: run code of the object or its class: no property, no `__getattr__`, no `__class__`, no `__iter__`. And no
dict or set is gone through one by one: another thread may add to it meanwhile.

`isinstance` asks an object for its `__class__`, and `vars`, `hasattr` and `iter` ask it too; what stands here does not.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from typing import Any

_mro_of: Any = type.__dict__["__mro__"].__get__
_dict_of: Any = type.__dict__["__dict__"].__get__
_qualname_of: Any = type.__dict__["__qualname__"].__get__
_GETTERS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def is_a(value: Any, *kinds: type) -> bool:
    """Whether `value` is an instance of one of `kinds`, by its real type."""
    mro = _mro_of(type(value))
    for kind in kinds:  # noqa: SIM110  # asked more often than all else
        if kind in mro:
            return True
    return False


def mro_of(kind: type) -> tuple[type, ...]:
    """The bases of a class, itself first."""
    found: tuple[type, ...] = _mro_of(kind)
    return found


def class_attribute(kind: type, name: str, default: Any = None) -> Any:
    """What a class or its bases define under a name, as it stands there (a descriptor is not called)."""
    for base in mro_of(kind):
        found = _dict_of(base)
        if name in found:
            return found[name]
    return default


def type_name(kind: type) -> str:
    """ "float", "optax.GradientTransformation", "__main__.Config"."""
    module = _dict_of(kind).get("__module__")
    if not is_a(module, str):  # of a type made in C the name says it
        module = getattr(kind, "__module__", None) if type(kind) is type else None
    return qualname(kind) if not is_a(module, str) or module == "builtins" else f"{module}.{qualname(kind)}"


def qualname(kind: type) -> str:
    """ "float", "GradientTransformation", "Model.Config"."""
    found: str = _qualname_of(kind)
    return found


def attributes(value: Any) -> dict[str, Any]:
    """Instance attributes, from `__dict__` and slots."""
    found: dict[str, Any] = {}
    held = _instance_dict(value)
    if is_a(held, dict):
        found.update((name, part) for name, part in list(dict.items(held)) if type(name) is str)
    for base in mro_of(type(value))[:-1]:  # the last is `object`, without slots
        for name, slot in list(_dict_of(base).items()):
            if type(slot) is types.MemberDescriptorType and name not in found:
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # a slot that nothing was put into
                    continue
    return found


def namespace(module: Any) -> dict[str, Any]:
    """The names of a module, and what they stand for."""
    held = _instance_dict(module) if is_a(module, types.ModuleType) else None
    return held if type(held) is dict else {}


def _instance_dict(value: Any) -> Any:
    """The `__dict__` that CPython keeps for an object; a `__dict__` that a class defines itself is not asked."""
    for base in mro_of(type(value)):
        slot = _dict_of(base).get("__dict__")
        if slot is not None:
            return slot.__get__(value) if type(slot) in _GETTERS else None
    return None


def member(value: Any, owner: type, name: str) -> Any:
    """A C-level attribute that `owner` gives to its instances, whatever a subclass says."""
    slot = _dict_of(owner)[name]
    return slot.__get__(value) if type(slot) in _GETTERS else None


def items_of(value: Any) -> Iterable[Any]:
    """What a tuple, list, set, frozenset or dict (then pairs) holds, whatever a subclass says."""
    if is_a(value, dict):
        pairs: Mapping[Any, Any] = value
        return list(dict.items(pairs))  # type: ignore[arg-type]
    for kind in (tuple, list, set, frozenset):
        if is_a(value, kind):
            found: Iterable[Any] = kind.__iter__(value)
            return list(found) if kind is set else found
    return ()
