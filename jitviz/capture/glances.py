"""The position of a running thread: the user's line, its callers, and the library function that it is in.

In: the innermost frame of a thread.  Out: a `Glance`.
Must never: keep a frame, read a local of a running frame, or walk a stack without bound.

JAX answers the hits of a jitted function in C++ (https://github.com/jax-ml/jax/pull/24828), so a thread in such a call
has no frame of JAX's. Its call site is known by the address of the instruction, from the time that it compiled.
"""

from __future__ import annotations

import dis
import gc
import sys
from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from types import CodeType, FrameType
from typing import ParamSpec, TypeVar

from ..jaxcompat import jax_frames, public_names
from ..model import Glance
from .sources import frame_owner, location

P = ParamSpec("P")
T = TypeVar("T")

_MOST_FRAMES = 300
_MOST_CALLERS = 8
_MOST_SITES = 1 << 14
_sites: set[int] = set()


def _uncollected(look: Callable[P, T]) -> Callable[P, T]:
    """`look`, with the garbage collector off while it reads frames of another thread.

    Before Python 3.12, creating a frame object may collect garbage. Then the other thread may continue and free the
    frame that is being read: https://github.com/python/cpython/issues/106883.
    """
    if sys.version_info >= (3, 12):
        return look

    def uncollected(*args: P.args, **kwargs: P.kwargs) -> T:
        if not gc.isenabled():
            return look(*args, **kwargs)
        gc.disable()
        try:
            return look(*args, **kwargs)
        finally:
            gc.enable()

    return uncollected


current_frames = _uncollected(sys._current_frames)  # noqa: SLF001  # documented for this purpose
_caller_of: Callable[[FrameType], FrameType | None] = _uncollected(attrgetter("f_back"))


def note_call(frame: FrameType | None) -> None:
    """Remember that a frame is calling a jitted function."""
    if frame is not None:
        if len(_sites) >= _MOST_SITES:
            _sites.clear()
        _sites.add(_site(frame))


def glance(frame: FrameType | None, *, with_callers: bool = False) -> Glance | None:
    """The position of a thread with this innermost frame; None if no line of the user's is on its stack."""
    source, inside = "", ""
    callers: list[str] = []
    is_waiting = frame is not None and jax_frames.is_wait(frame)
    below = None
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        owner = frame_owner(frame.f_code.co_filename)
        if owner == "user":
            here = location(frame.f_code.co_filename, frame.f_lineno)
            if source:
                if here != (callers or [source])[-1]:  # a comprehension may have a frame of its own on its line
                    callers.append(here)
            else:
                source = here
                is_waiting = is_waiting or (below is None and _is_waiting_call(frame))
            if not with_callers or len(callers) == _MOST_CALLERS:
                break
        elif not source and owner != "python":
            inside = _named(frame.f_code, str(frame.f_globals.get("__name__"))) or inside
        below, frame = frame, _caller_of(frame)
    return Glance(source, tuple(callers), inside, is_waiting) if source else None


def _site(frame: FrameType) -> int:
    """The address of the call instruction that a frame is running."""
    return id(frame.f_code) + frame.f_lasti


def _is_waiting_call(frame: FrameType) -> bool:
    """Whether a frame calls a jitted function or `array.block_until_ready()`, which have no frames of their own."""
    return _site(frame) in _sites or frame.f_lasti in _waiting_calls(frame.f_code)


@lru_cache(maxsize=1024)
def _waiting_calls(code: CodeType) -> frozenset[int]:
    if jax_frames.WAIT_METHOD not in code.co_names:
        return frozenset()
    found, is_next = [], False
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            is_next = instruction.argval == jax_frames.WAIT_METHOD
        elif instruction.opname == "CALL" and is_next:
            found.append(instruction.offset)
            is_next = False
    return frozenset(found)


@lru_cache(maxsize=4096)
def _named(code: CodeType, module: str) -> str:
    """The public name of a function of JAX, or package and name of another library's; "" for JAX's internals."""
    if jax_frames.is_jax_file(code.co_filename):
        return public_names.of_code(code)
    package = module.partition(".")[0]
    name = code.co_qualname.partition(".<locals>")[0]
    # users call the function that a `_JitWrapper` wraps, not the wrapper
    return "" if package == "jitviz" or name.startswith("_") else f"{package}.{name}"
