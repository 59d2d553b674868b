"""The public names of JAX's functions: `jnp.median`, whatever JAX calls the program behind it.

In: the frames below a line of the user's code, or a function.  Out: "jnp.median", or "" if it is not a public function.
Must never: import a module of JAX that is not loaded, keep a frame.
"""

import sys
from collections.abc import Iterator
from functools import cache
from types import CodeType, FrameType, FunctionType
from typing import Any

from .frame_locals import read_miss
from .jax_frames import CACHE_MISS, frames_of_jax, in_jax, is_frame

# Public modules and their usual short names. If two have the same function, the first one names it.
_MODULES = {
    "jax.numpy": "jnp",
    "jax.numpy.linalg": "jnp.linalg",
    "jax.numpy.fft": "jnp.fft",
    "jax.random": "jax.random",
    "jax.nn": "jax.nn",
    "jax.nn.initializers": "jax.nn.initializers",
    "jax.scipy.linalg": "jax.scipy.linalg",
    "jax.scipy.special": "jax.scipy.special",
    "jax.scipy.signal": "jax.scipy.signal",
    "jax.scipy.ndimage": "jax.scipy.ndimage",
    "jax.image": "jax.image",
    "jax.ops": "jax.ops",
    "jax.lax": "jax.lax",
    "jax.lax.linalg": "jax.lax.linalg",
}
# Functions that no public module has, by name and file, and the user's way to write them.
_USERS_WAY = {
    ("__getitem__", in_jax("_src/array.py")): "x[...]",
    ("_scatter_update", in_jax("_src/ops/scatter.py")): "x.at[...]",
    ("init", in_jax("_src/nn/initializers.py")): "jax.nn.initializers",
}


def called_by_user(frame: FrameType | None) -> str:
    """The outermost public function in the consecutive frames of JAX that start at `frame`; "" if there is none."""
    names = [name for above in frames_of_jax(frame) if (name := _name_of(above))]
    return names[-1] if names else ""


def of_program(program: str) -> str:
    """The public function with the name of a program ("jnp.negative" for "negative"), else the name itself."""
    for module_name in ("jax.numpy", "jax.lax"):
        if not program.startswith("_") and program in vars(sys.modules.get(module_name, object)):
            return f"{_MODULES[module_name]}.{program}"
    return program


def of_value(value: Any) -> str:
    """The public function that is this very object: "jax.nn.relu"; "" for anything else."""
    module_name, name = _by_address().get(id(value), ("", ""))
    is_same = bool(name) and vars(sys.modules.get(module_name, object)).get(name) is value
    return f"{_MODULES[module_name]}.{name}" if is_same else ""


def _name_of(frame: FrameType) -> str:
    if is_frame(frame, CACHE_MISS):  # a jitted function of JAX has no frame of its own
        code = _code_of(read_miss(frame).fun)
        return _by_place().get(_place(code), "") if code is not None else ""
    return of_code(frame.f_code)


def of_code(code: CodeType) -> str:
    """The public function with this code; "" for any other code."""
    name = _by_place().get(_place(code))
    return name or _USERS_WAY.get((code.co_name, code.co_filename), "")


def _place(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_name  # to hash a code object, Python reads all of it


@cache
def _by_place() -> dict[tuple[str, int, str], str]:
    """The public functions of all modules that are loaded at the first call, by where they are written."""
    names: dict[tuple[str, int, str], str] = {}
    for module_name, name, value in _public():
        code = _code_of(value)
        if code is not None:
            names.setdefault(_place(code), f"{_MODULES[module_name]}.{name}")
    return names


@cache
def _by_address() -> dict[int, tuple[str, str]]:
    """(module, name) of the public functions of all modules that are loaded at the first call, by address."""
    names: dict[int, tuple[str, str]] = {}
    for module_name, name, value in _public():
        if callable(value) and not isinstance(value, type):
            names.setdefault(id(value), (module_name, name))
    return names


def _public() -> Iterator[tuple[str, str, Any]]:
    """(module, name, value) of every public name."""
    for module_name in _MODULES:
        held = vars(sys.modules.get(module_name, object)).items()
        yield from ((module_name, name, value) for name, value in held if not name.startswith("_"))


def _code_of(value: Any) -> CodeType | None:
    """The code of the function inside all wrappers of `value`."""
    for _ in range(8):
        value = getattr(value, "__wrapped__", value)
    return value.__code__ if type(value) is FunctionType else None
