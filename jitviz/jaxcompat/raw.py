"""Objects read without running their code.

In: any object or class.  Out: its type, attributes and items.
Must never: run code of the object or its class: no property, no `__getattr__`, no `__class__`, no `__iter__`. Nor
iterate over a live dict or set, since another thread may add to it meanwhile.

`isinstance`, `vars`, `hasattr` and `iter` may all run code of an object; the functions here do not.
"""

import contextlib
import functools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

# The method resolution order of a class: the class itself, then its bases.
mro_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
# The qualified name of a class: "float", "GradientTransformation", "Model.Config".
qualname: Callable[[type], str] = type.__dict__["__qualname__"].__get__
_dict_of: Any = type.__dict__["__dict__"].__get__
_GETTERS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def is_a(value: Any, *kinds: type) -> bool:
    """Whether `value` is an instance of one of `kinds`, by its real type."""
    mro = mro_of(type(value))
    for kind in kinds:  # noqa: SIM110  # called more often than anything else
        if kind in mro:
            return True
    return False


def unwrapped(value: Any, inside: Callable[[Any], Any]) -> Iterator[Any]:
    """`value`, what `inside` returns of it, and so on until that is None. A ring of wrappers ends too."""
    for _ in range(16):
        yield value
        value = inside(value)
        if value is None:
            return


def class_attribute(kind: type, name: str, default: Any = None) -> Any:
    """The attribute that a class or one of its bases defines, without calling it if it is a descriptor."""
    for base in mro_of(kind):
        namespace_of_base = _dict_of(base)
        if name in namespace_of_base:
            return namespace_of_base[name]
    return default


def type_name(kind: type) -> str:
    """The full name of a class: "float", "optax.GradientTransformation", "__main__.Config"."""
    module = _dict_of(kind).get("__module__")
    if not is_a(module, str):  # a type made in C has it in its name
        module = getattr(kind, "__module__", None) if type(kind) is type else None
    return qualname(kind) if not is_a(module, str) or module == "builtins" else f"{module}.{qualname(kind)}"


def attributes(value: Any) -> dict[str, Any]:
    """Instance attributes, from `__dict__` and slots."""
    values: dict[str, Any] = {}
    held = _instance_dict(value)
    if is_a(held, dict):
        values.update((name, part) for name, part in list(dict.items(held)) if type(name) is str)
    for base in mro_of(type(value))[:-1]:  # the last is `object`, without slots
        for name, slot in list(_dict_of(base).items()):
            if type(slot) is types.MemberDescriptorType and name not in values:
                try:
                    values[name] = slot.__get__(value)
                except AttributeError:  # an empty slot
                    continue
    return values


def closure_of(function: types.FunctionType) -> dict[str, Any]:
    """The values that a function closes over, by name; a variable without a value is left out."""
    values: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell
            values[name] = cell.cell_contents
    return values


def default_values(function: types.FunctionType) -> dict[str, Any]:
    """The defaults of a function's parameters, by name."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    return {**dict(zip(names, defaults, strict=False)), **(function.__kwdefaults__ or {})}


def bound(partial: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """(function, args, keywords) of a `functools.partial`."""
    func, args, keywords = (member(partial, functools.partial, name) for name in ("func", "args", "keywords"))
    return func, args, keywords


def namespace(module: Any) -> dict[str, Any]:
    """The names of a module and their values; empty for anything but a module."""
    held = _instance_dict(module) if is_a(module, types.ModuleType) else None
    return held if type(held) is dict else {}


def _instance_dict(value: Any) -> Any:
    """The `__dict__` that CPython keeps for an object; None if the class defines a `__dict__` of its own."""
    for base in mro_of(type(value)):
        slot = _dict_of(base).get("__dict__")
        if slot is not None:
            return slot.__get__(value) if type(slot) in _GETTERS else None
    return None


def member(value: Any, owner: type, name: str) -> Any:
    """An attribute that `owner` defines in C for its instances, even if a subclass overrides it."""
    slot = _dict_of(owner)[name]
    return slot.__get__(value) if type(slot) in _GETTERS else None


def items_of(value: Any) -> Iterable[Any]:
    """The items of a tuple, list, set, frozenset or dict (as pairs), even if a subclass overrides its iteration."""
    if is_a(value, dict):
        pairs: Mapping[Any, Any] = value
        return list(dict.items(pairs))  # type: ignore[arg-type]
    for kind in (tuple, list, set, frozenset):
        if is_a(value, kind):
            items: Iterable[Any] = kind.__iter__(value)
            return list(items) if kind is set else items
    return ()
