"""Which call sites of the running program are worth listening to.

In: the site of each call that is no jitted function's.  Out: whether to go on listening there.
Must never: give up a site of the user's that may call a jitted function next.

Listening to a call that is not jitted costs less than half a microsecond: nothing beside most calls, all of a loop that
appends to a list. What a site calls tells the two apart. A local, an attribute or an item (a dispatch table, a
decorator, a loop over layers, `self.fn`) may be anything next time: such a site stays on for as long as anything is
recorded. A name that only ever says what was defined under it (`helper(x)`, `Config()`, `np.sqrt(x)`, `len(xs)`) and a
method that comes with Python (`xs.append(x)`) are given up; should the name be given to a jitted function after all,
its compile or the next recording switches the site on again.

Of a library, only a site that passes arguments on (`function(*args, **kwargs)`) can come to call what is the user's,
for which it is given longer; JAX's own are seen by better means.
"""

from __future__ import annotations

import dis
import sys
from functools import lru_cache
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from ...jaxcompat import equinox, frames, raw
from ..failures import note
from ..origins.finding import ADAPTERS
from ..sources import is_library

# Calls of something else before a site is judged: of the user's, and of a library.
PATIENCE = 100
PATIENCE_WITH_LIBRARIES = 1000

# Calls from these files are seen by the wrapper itself.
_WRAPPERS = tuple(file for adapter in ADAPTERS if adapter.wrapper.has_all_hits for file in adapter.files)
_CAPTURE = str(Path(__file__).parents[1])
_PASSES_ON = dis.opmap["CALL_FUNCTION_EX"]

# A site is the address of its instruction. Another code may come to lie there: it inherits patience, never impatience.
_left: dict[int, int] = {}  # calls that a site has patience for
_kept: set[int] = set()
_given_up: set[int] = set()


def keep(code: CodeType, offset: int) -> None:
    """A site has called a jitted function, or may call one next: it stays on."""
    _kept.add(id(code) + offset)


def stays_on(code: CodeType, offset: int, target: Any) -> bool:
    """Whether to listen to a site that has just called something that is not jitted."""
    site = id(code) + offset
    if site in _kept:
        return True
    left = _left.get(site)
    if left is None:
        if is_passed_over(code.co_filename):
            return False
        left = _patience(code, offset)
    if left:
        _left[site] = left - 1
        return True
    _left.pop(site, None)
    try:  # not `guarded`, which does nothing while we look at something: most rows are made then
        is_kept = not is_library(code.co_filename) and not _calls_the_same(code, offset, target)
    except Exception as error:
        note("call site", error)
        is_kept = True
    (_kept if is_kept else _given_up).add(site)
    return is_kept


def was_given_up(frame: FrameType | None) -> bool:
    """Whether the call that a frame is making comes from a site that is not listened to any more; it is kept then."""
    if frame is None or id(frame.f_code) + frame.f_lasti not in _given_up:
        return False
    keep(frame.f_code, frame.f_lasti)
    return True


def look_again() -> None:
    """Sites that were given up are new; those that called jitted functions are kept."""
    _left.clear()
    _given_up.clear()


def forget() -> None:
    """All sites are new."""
    look_again()
    _kept.clear()


@lru_cache(maxsize=4096)
def is_passed_over(filename: str) -> bool:
    """Whether calls from a file are seen by better means, or are JAX's, Equinox's or our own."""
    return (
        frames.is_jax_file(filename)
        or filename.startswith((_CAPTURE, equinox.GENERATED))
        or filename.endswith(_WRAPPERS)
    )


def _patience(code: CodeType, offset: int) -> int:
    if not is_library(code.co_filename):
        return PATIENCE
    return PATIENCE_WITH_LIBRARIES if code.co_code[offset] == _PASSES_ON else 0


def _calls_the_same(code: CodeType, offset: int, target: Any) -> bool:
    """Whether a site calls, by its own name, what a global name, a module or a type of Python's holds."""
    callee = _callee(code, offset)
    if not callee:
        return False
    name, *attributes = callee
    if type(target) in (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType):
        last = callee[-1]
        if last.opname == "LOAD_ATTR":
            return bool(last.argval == target.__name__)
    if name.opname not in ("LOAD_GLOBAL", "LOAD_NAME"):
        return False
    frame = _frame_of(code)
    held = None if frame is None else frame.f_globals.get(name.argval, frame.f_builtins.get(name.argval))
    for load in attributes:
        if load.opname != "LOAD_ATTR" or type(held) is not ModuleType:
            return False
        held = vars(held).get(load.argval)
    # Without builtins, it is what makes a named tuple: nobody else gives a name of these globals to anything.
    is_sealed = frame is not None and not frame.f_builtins
    return held is target and (bool(attributes) or is_sealed or _defined_as(target) == name.argval)


def _callee(code: CodeType, offset: int) -> list[dis.Instruction]:
    """What loads the function that a site calls: instructions that begin where the call does in the source."""
    before: list[dis.Instruction] = []
    for instruction in dis.get_instructions(code):
        if instruction.offset == offset:
            return [load for load in before if _start(load) == _start(instruction) != (None, None)]
        if instruction.opname != "PUSH_NULL":
            before.append(instruction)
    return []


def _start(instruction: dis.Instruction) -> tuple[int | None, int | None]:
    at = instruction.positions
    return (None, None) if at is None else (at.lineno, at.col_offset)


def _frame_of(code: CodeType) -> FrameType | None:
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def _defined_as(target: Any) -> str:
    if type(target) in (FunctionType, BuiltinFunctionType):
        return str(target.__name__)
    return raw.qualname(target).rpartition(".")[2] if raw.is_a(target, type) else ""
