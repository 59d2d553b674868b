"""The names under which people know JAX's functions: `jnp.median`, whatever JAX calls the program behind it.

In: the frames below a line of the user's, or a function.  Out: "jnp.median", or "" where no public function is meant.
Must never: import a module of JAX that is not loaded, keep a frame; or raise because a version lacks a name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from types import CodeType, FrameType, FunctionType
from typing import Any

from .frames import CACHE_MISS, JAX_ROOT, is_frame, is_jax_file
from .jits import jitted_function

# Public modules with the names that people give them; where two hold a function, the first one counts.
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
# Functions that no module shows, by name and file, with what the user wrote.
_WRITTEN = {
    ("__getitem__", "_src/array.py"): "x[...]",
    ("_scatter_update", "_src/ops/scatter.py"): "x.at[...]",
    ("init", "_src/nn/initializers.py"): "jax.nn.initializers",
}
_FRAMES = 60


def called_by_user(frame: FrameType | None) -> str:
    """The outermost public function in the innermost run of JAX's frames; at the end of a compile, say."""
    found = ""
    for _ in range(_FRAMES):
        if frame is None or not is_jax_file(frame.f_code.co_filename):
            break
        found = _name_of(frame) or found
        frame = frame.f_back
    return found


def of_program(program: str) -> str:
    """The public function of the same name, where there is one: "jnp.negative" of "negative"."""
    for module_name in ("jax.numpy", "jax.lax"):
        if not program.startswith("_") and program in vars(sys.modules.get(module_name, object)):
            return f"{_MODULES[module_name]}.{program}"
    return program


def of_value(value: Any) -> tuple[str, str]:
    """(module, name) of the public function that this very object is: ("jax.nn", "relu"); ("", "") for any other."""
    module_name, name = _by_address().get(id(value), ("", ""))
    is_it = bool(name) and vars(sys.modules.get(module_name, object)).get(name) is value
    return (module_name, name) if is_it else ("", "")


def written(module_name: str, name: str) -> str:
    """As people write it: "jnp.tanh"."""
    return f"{_MODULES.get(module_name, module_name)}.{name}"


def _name_of(frame: FrameType) -> str:
    code = frame.f_code
    if is_frame(frame, CACHE_MISS):  # a jitted function of JAX's has no frame of its own
        held = frame.f_locals
        jitted = held.get("jit_func")
        fun = held.get("fun") if jitted is None else jitted_function(jitted)
        inner = _code_of(fun)
        return _by_code().get(inner, "") if inner is not None else ""
    return of_code(code)


def of_code(code: CodeType) -> str:
    """The public function that this is the code of; "" for any other."""
    name = _by_code().get(code)
    return name or _WRITTEN.get((code.co_name, code.co_filename.removeprefix(JAX_ROOT)), "")


@cache
def _by_code() -> dict[CodeType, str]:
    """Every public function by its code: made once, of what is loaded by then."""
    found: dict[CodeType, str] = {}
    for module_name, name, value in _public():
        code = _code_of(value)
        if code is not None:
            found.setdefault(code, written(module_name, name))
    return found


@cache
def _by_address() -> dict[int, tuple[str, str]]:
    """Where every public function is held, by its address: made once, of what is loaded by then."""
    found: dict[int, tuple[str, str]] = {}
    for module_name, name, value in _public():
        if callable(value) and not isinstance(value, type):
            found.setdefault(id(value), (module_name, name))
    return found


def _public() -> Iterator[tuple[str, str, Any]]:
    """(module, name, value) of whatever has a public name."""
    for module_name in _MODULES:
        held = vars(sys.modules.get(module_name, object)).items()
        yield from ((module_name, name, value) for name, value in held if not name.startswith("_"))


def _code_of(value: Any) -> CodeType | None:
    """The code that runs when `value` is called, through what wraps it."""
    for _ in range(8):
        inner = getattr(value, "__wrapped__", None)
        if inner is None:
            break
        value = inner
    return value.__code__ if type(value) is FunctionType else None
