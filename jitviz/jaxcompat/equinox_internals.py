"""Equinox, if the user has imported it.

In: its wrappers and frames.  Out: the user's function and arguments.
"""

import inspect
import sys
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any, NamedTuple

import jax

from .raw import attributes, class_attribute, is_a, mro_of, type_name

EQUINOX_CALL = ("_call", "equinox._jit")
EQUINOX_FILE = "equinox/_jit.py"
# A frame holds this value in a local so that `equinox.error_if` can tell the stack inside a jit from the stack outside.
JIT_MARK = b"jitviz.filter_jit"
# The names of the code that Equinox generates to flatten modules start with this:
# https://github.com/patrick-kidger/equinox/blob/main/equinox/_module/_flatten.py
GENERATED = "<generated_"
# What raises an `equinox.error_if` closes over the stack at which it was made, with an identifier of each call:
# https://github.com/patrick-kidger/equinox/blob/main/equinox/_errors.py
ERRORS, STACK = "equinox/_errors.py:", "<closure stack>"

_EQUINOX_TRANSFORMS = {"_GradWrapper": "grad", "_ValueAndGradWrapper": "value_and_grad"}


def is_module_frame(frame: FrameType, name: tuple[str, str]) -> bool:
    """Whether `frame` runs function `name[0]` of module `name[1]`."""
    return frame.f_code.co_name == name[0] and frame.f_globals.get("__name__") == name[1]


def equinox_module() -> type | None:
    """`equinox.Module`."""
    module = sys.modules.get("equinox")
    return getattr(module, "Module", None)


def is_equinox_module(value: Any) -> bool:
    """Whether a value is an `equinox.Module`."""
    return is_class_of_equinox(type(value))


def is_class_of_equinox(kind: type) -> bool:
    """Whether a class is an `equinox.Module`."""
    return equinox_module() in mro_of(kind)


def equinox_jit_wrapper() -> type | None:
    """The class of the functions that `equinox.filter_jit` returns."""
    module = sys.modules.get("equinox._jit")
    return getattr(module, "_JitWrapper", None)


def is_equinox_jit(wrapper: Any) -> bool:
    """Whether `equinox.filter_jit` returned this function."""
    kind = equinox_jit_wrapper()
    return kind is not None and is_a(wrapper, kind)


def jit_inside(wrapper: Any) -> Any:
    """The `jax.jit` object inside a function that `equinox.filter_jit` returned."""
    return getattr(wrapper, "_cached", None)


def equinox_transform(wrapper: Any) -> str:
    """The transformation that returned this wrapper: "grad", "value_and_grad", or ""."""
    module, _, name = type_name(type(wrapper)).rpartition(".")
    return _EQUINOX_TRANSFORMS.get(name, "") if module.startswith("equinox.") else ""


def wrapped_by(wrapper: Any) -> Any:
    """The function inside a wrapper, by its `__wrapped__` attribute or Equinox's property of that name; else None."""
    inside = attributes(wrapper).get("__wrapped__")
    if inside is None and type_name(type(wrapper)).startswith("equinox."):
        inside = getattr(wrapper, "__wrapped__", None)
    return inside


def trace_tag(wrapper: Any) -> Any:
    """The tag that each use of `equinox.debug.assert_max_traces` adds to the cache key; None for other wrappers."""
    is_counter = type_name(type(wrapper)) == "equinox.debug._max_traces._AssertMaxTraces"
    return attributes(wrapper).get("tag") if is_counter else None


def other_attributes(module: Any, aux: Any) -> list[str] | None:
    """The attributes of a module that are not fields, such as a `cached_property` that was read; None if it has none.

    Its auxiliary data begins with the names that `functools.wraps` copied, all missing, if it has such an attribute.
    The modules that JAX makes from this data keep those names in place of the attribute, so that the list is empty.
    """
    kind = equinox_module()
    if kind is None or not is_a(module, kind) or type(aux) is not tuple or not aux or type(aux[0]) is not tuple:
        return None
    if not all(type(name).__name__ == "_Missing" for name in aux[0]):
        return None
    fields = class_attribute(type(module), "__dataclass_fields__")
    return [name for name in attributes(module) if name not in fields and name[:2] != "__"]


class EquinoxCall(NamedTuple):
    """A call of an `equinox.filter_jit` function.

    `flat` holds the treedef and leaves of each part that Equinox has flattened: the function as "fun", the "first"
    argument, and as "rest" the other arguments, a None, and the keywords.
    """

    wrapper: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    flat: Mapping[str, tuple[Any, Sequence[Any]]] = {}


def read_equinox_call(frame: FrameType | None) -> EquinoxCall | None:
    """The call that a frame of Equinox is making; None for any other frame."""
    if frame is None or not is_module_frame(frame, EQUINOX_CALL):
        return None
    held = frame.f_locals
    dynamic = {**(held.get("dynamic_donate") or {}), **(held.get("dynamic_nodonate") or {})}
    parts = zip(("fun", "first", "rest"), held.get("static") or (), strict=False)
    flat = {name: _merged(dynamic[name], *part) for name, part in parts if name in dynamic}
    return EquinoxCall(held["jit_wrapper"], held["args"], held["kwargs"], flat)


def _merged(dynamic: Sequence[Any], static: Sequence[Any], treedef: Any) -> tuple[Any, Sequence[Any]]:
    """Undo Equinox's partition, in which each leaf is either dynamic or static."""
    return treedef, [d if s is None else s for d, s in zip(dynamic, static, strict=True)]


def signature_in(wrapper: Any) -> inspect.Signature:
    """The signature by which `equinox.filter_jit` binds arguments."""
    signature: inspect.Signature = wrapper._signature
    return signature


def static_outputs(out_tree: Any) -> list[Any]:
    """The values that a filter_jit returned inside the output's treedef because they are not arrays."""
    values = []
    for child in out_tree.children():
        data = child.node_data()
        if data is not None and data[0].__name__ == "Static":
            try:
                values.append(jax.tree_util.tree_unflatten(child, ()).value)
            except Exception:
                continue
    return values


def runtime_error(error: BaseException) -> BaseException | None:
    """The error of an `equinox.error_if` in a program, as `equinox.filter_jit` raises it; None for other errors."""
    module = sys.modules.get("equinox._jit")
    names = "last_error_info", "EquinoxRuntimeError", "_on_error_msg"
    info, kind, words = (getattr(module, name, None) for name in names)
    texts = (text for text in error.args if isinstance(text, str))  # a user's exception is never asked to print itself
    if info is None or kind is None or words is None or not any("_EquinoxRuntimeError: " in text for text in texts):
        return None
    message, stack = info
    inside = stack[: max((index for index, frame in enumerate(stack) if frame == JIT_MARK), default=None)]
    frames = "".join(frame for frame in reversed(inside) if isinstance(frame, str))
    raised: BaseException = kind(words.format(msg=message, stack=frames))
    return raised
