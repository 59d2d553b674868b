"""Which call sites of the running program are worth listening to.

In: the site of each call of something that is not jitted.  Out: whether to keep listening there.
Must never: give up a site of the user's that may call a jitted function next.

Listening to a call costs less than half a microsecond: negligible for most calls, but not in a loop that appends to a
list. The expression that is called tells the two apart. A local, an attribute or an item (a dispatch
table, a decorator, a loop over layers, `self.fn`) may be anything next time: such a site stays on while anything is
recorded. A name that refers to its own definition (`helper(x)`, `Config()`, `np.sqrt(x)`, `len(xs)`) and a built-in
method (`xs.append(x)`) are given up. If such a name is rebound to a jitted function after all, its compile or the next
recording switches the site on again.

In a library, only a site that passes arguments on (`function(*args, **kwargs)`) can call a function of the user's, so
it gets more patience. Calls made by JAX itself are seen by better means.
"""

import dis
import os
import sys
import types
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...jaxcompat import equinox_internals, jax_frames, raw
from ..adapters.registry import ADAPTERS
from ..eager_lines import callee, named_callee
from ..failures import note
from ..sources import is_library

# How many calls of something else a site may make before it is judged: the user's sites, and those of a library.
PATIENCE = 100
PATIENCE_WITH_LIBRARIES = 1000

# The wrapper itself sees the calls from these files.
_WRAPPERS = tuple(file for adapter in ADAPTERS if adapter.wrapper.has_all_hits for file in adapter.files)
# What jitviz does for itself. `guards`, `filters` and `ipython` call functions of the user's.
_ROOMS = ("capture", "display", "findings", "jaxcompat", "model", "reasons", "recording", "views")
_OWN = tuple(str(Path(__file__).parents[2] / room) + os.sep for room in _ROOMS)
_PASSES_ON = dis.opmap["CALL_FUNCTION_EX"]

# A site is the address of its instruction. Other code may reuse the address: it inherits patience, never impatience.
_kept: set[int] = set()
_left: dict[int, int] = {}  # how many more calls it may make before it is judged, or how it was
_STAYS, _GIVEN_UP = -1, -2
_with_sites: dict[tuple[str, int, str], bool] = {}  # whether code of a library has sites that pass arguments on


def keep(code: types.CodeType, offset: int) -> None:
    """Keep a site on: it has called a jitted function."""
    site = id(code) + offset
    _kept.add(site)
    _left.pop(site, None)


def stays_on(code: types.CodeType, offset: int, target: Any) -> bool:
    """Whether to keep listening to a site that has just called something that is not jitted."""
    site = id(code) + offset
    if site in _kept:
        return True
    left = _left.get(site, _GIVEN_UP)
    if left == _GIVEN_UP:
        passes_on = code.co_code[offset] == _PASSES_ON
        left = PATIENCE if not is_library(code.co_filename) else PATIENCE_WITH_LIBRARIES * passes_on
    if left:
        _left[site] = left - 1
        return True
    try:  # not `guarded`, which does nothing while jitviz itself is at work: most rows are made then
        is_kept = not is_library(code.co_filename) and not _calls_the_same(code, offset, target)
    except Exception as error:
        note("call site", error)
        is_kept = True
    _left[site] = _STAYS if is_kept else _GIVEN_UP
    if is_kept:
        _kept.add(site)
    return is_kept


def calls_at(site: int) -> int:
    """How many calls of something that is not jitted a site of the user's made, at least; 0 if they are not counted."""
    left = _left.get(site, PATIENCE)
    return PATIENCE if left < 0 else max(0, PATIENCE - left)


def was_given_up(frame: types.FrameType) -> bool:
    """Whether the current call of a frame comes from a site that was given up; if so, the site is kept from now on."""
    is_its = _left.get(id(frame.f_code) + frame.f_lasti) == _GIVEN_UP
    if is_its:
        keep(frame.f_code, frame.f_lasti)
    return is_its


def look_again() -> None:
    """Forget all sites but those that called jitted functions."""
    _kept.difference_update(list(_left))
    _left.clear()


def forget() -> None:
    """Forget all sites."""
    _kept.clear()
    _left.clear()


def is_worth_hearing(code: types.CodeType) -> bool:
    """Whether code may call a jitted function of the user's where nothing else sees it."""
    if is_passed_over(code.co_filename) or _is_constructor(code):
        return False
    if not is_library(code.co_filename):
        return True
    key = code.co_filename, code.co_firstlineno, code.co_name  # to hash a code object, Python reads all of it
    if key not in _with_sites:
        _with_sites[key] = _PASSES_ON in code.co_code[::2]
    return _with_sites[key]


@lru_cache(maxsize=4096)
def is_passed_over(filename: str) -> bool:
    """Whether calls from a file are seen by better means, or belong to JAX, Equinox or jitviz."""
    return (
        jax_frames.is_jax_file(filename)
        or filename.startswith((*_OWN, equinox_internals.GENERATED))
        or filename.endswith(_WRAPPERS)
    )


def _is_constructor(code: types.CodeType) -> bool:
    """Whether `dataclasses` or `namedtuple` wrote this function: it sets fields, and is called more than all others."""
    return code.co_filename == "<string>" and (
        code.co_qualname.startswith("__create_fn__.<locals>.") or code.co_names == ("_tuple_new",)
    )


def _calls_the_same(code: types.CodeType, offset: int, target: Any) -> bool:
    """Whether a site calls its target by the target's own name: a global, a function of a module, a built-in method."""
    loads = callee(code, offset)
    kind, name = loads[-1] if loads else ("", "")
    is_builtin = type(target) in (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
    if is_builtin and kind == "LOAD_ATTR":
        return bool(name == target.__name__)
    frame = next((above for above in jax_frames.stack(sys._getframe()) if above.f_code is code), None)
    is_named = frame is not None and named_callee(frame, offset) is target
    return is_named and (len(loads) > 1 or _defined_as(target) == name)


def _defined_as(target: Any) -> str:
    if type(target) in (types.FunctionType, types.BuiltinFunctionType):
        return str(target.__name__)
    return raw.qualname(target).rpartition(".")[2] if raw.is_a(target, type) else ""
