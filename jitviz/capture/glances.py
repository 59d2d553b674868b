"""What one look at a running thread shows: the user's line, who called it, and what it is in.

In: the innermost frame of a thread.  Out: a `Glance`.
Must never: keep a frame, read a local of one that runs, or walk a stack without bound.

A thread that is in a call of a jitted function has no frame of JAX's, where JAX answers in C++
(https://github.com/jax-ml/jax/pull/24828). So the sites of such calls are kept, by the addresses of their instructions,
as they are seen to compile.
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

from ..jaxcompat import frames, public_names
from ..model import Glance
from .sources import frame_owner, location

P = ParamSpec("P")
T = TypeVar("T")

_MOST_FRAMES = 300
_MOST_CALLERS = 8
_MOST_SITES = 1 << 14
_sites: set[int] = set()


def _uncollected(look: Callable[P, T]) -> Callable[P, T]:
    """The same, with the garbage collector off while it looks at frames of another thread.

    Before Python 3.12, making a frame object may collect garbage, which may let the other thread go on and free the
    frame that is being looked at: https://github.com/python/cpython/issues/106883.
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


running = _uncollected(sys._current_frames)  # noqa: SLF001  # documented, for what it is used for here
_calling: Callable[[FrameType], FrameType | None] = _uncollected(attrgetter("f_back"))


def note_call(frame: FrameType | None) -> None:
    """A frame is calling a jitted function."""
    if frame is not None:
        if len(_sites) >= _MOST_SITES:
            _sites.clear()
        _sites.add(_site(frame))


def glance(frame: FrameType | None, *, with_callers: bool = False) -> Glance | None:
    """None where no line of the user's is below."""
    source, inside = "", ""
    callers: list[str] = []
    is_waiting = frame is not None and frames.is_wait(frame)
    below = None
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        owner = frame_owner(frame.f_code.co_filename)
        if owner == "user":
            here = location(frame.f_code.co_filename, frame.f_lineno)
            if source:
                if here != (callers or [source])[-1]:  # a comprehension may have a frame of its own in its line
                    callers.append(here)
            else:
                source = here
                is_waiting = is_waiting or (below is None and (_site(frame) in _sites or _waits(frame)))
            if not with_callers or len(callers) == _MOST_CALLERS:
                break
        elif not source and owner != "python":
            inside = _named(frame.f_code, str(frame.f_globals.get("__name__"))) or inside
        below, frame = frame, _calling(frame)
    return Glance(source, tuple(callers), inside, is_waiting) if source else None


def _site(frame: FrameType) -> int:
    """The call that a frame is making, by the address of its instruction."""
    return id(frame.f_code) + frame.f_lasti


def _waits(frame: FrameType) -> bool:
    """Whether a frame is in `array.block_until_ready()`, which no frame of JAX's stands for."""
    return frame.f_lasti in _waiting_calls(frame.f_code)


@lru_cache(maxsize=1024)
def _waiting_calls(code: CodeType) -> frozenset[int]:
    if frames.WAIT_METHOD not in code.co_names:
        return frozenset()
    found, is_next = [], False
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            is_next = instruction.argval == frames.WAIT_METHOD
        elif instruction.opname == "CALL" and is_next:
            found.append(instruction.offset)
            is_next = False
    return frozenset(found)


@lru_cache(maxsize=4096)
def _named(code: CodeType, module: str) -> str:
    """The public function of JAX, or the package and the function of another library; "" for JAX's own machinery."""
    if frames.is_jax_file(code.co_filename):
        return public_names.of_code(code)
    package = module.partition(".")[0]
    name = code.co_qualname.partition(".<locals>")[0]
    # nobody calls Equinox's `_JitWrapper` by its name, but what it wraps
    return "" if package == "jitviz" or name.startswith("_") else f"{package}.{name}"
