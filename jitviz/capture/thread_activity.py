"""What a thread was seen doing: the user's line, its callers, the library function, and what the line waits for.

In: frames of another thread.  Out: `Glance`s, and the other things that a heartbeat says.

JAX answers the hits of a jitted function in C++ (https://github.com/jax-ml/jax/pull/24828), so a thread in such a call
has no frame of JAX's. Its call site is known by the address of the instruction, from the time that it compiled.
"""

import dis
import gc
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter
from types import CodeType, FrameType
from typing import Literal, ParamSpec, TypeVar

from ..jaxcompat import jax_frames, public_names
from ..model import AHEAD, CALLBACK, GARBAGE, TRACED, UNDER, Glance
from .eager_lines import callee, is_dispatching
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
    if frame is not None and jax_frames.is_frame(frame, jax_frames.COLLECTED):
        # No other thread runs during a collection, so that the next sample, which stands for it, is taken here.
        seen = _glance(_caller_of(frame), with_callers=with_callers)
        return None if seen is None else replace(seen, inside=GARBAGE, is_waiting=False, is_eager=False)
    return _glance(frame, with_callers=with_callers)


def _glance(frame: FrameType | None, *, with_callers: bool) -> Glance | None:
    source, is_eager = "", False
    callers: list[str] = []
    of_jax: FrameType | None = None  # the outermost frame of JAX's beneath the next frame of other code
    is_waiting = frame is not None and jax_frames.is_wait(frame)
    inside = AHEAD if frame is not None and jax_frames.is_call_of_stage(frame) else ""
    beneath: list[FrameType] = []  # the frames of libraries beneath the line, the innermost first
    for above in stack_of(frame):
        owner = frame_owner(above.f_code.co_filename)
        if owner == "machinery":
            of_jax = of_jax if above.f_code.co_name == jax_frames.BOUNDARY else above
        elif owner != "python" and not (source or is_eager) and (of_jax is not None or above is frame):
            is_eager = is_dispatching(above, of_jax)
            with_callers, of_jax = with_callers or is_eager, None
        if owner == "user":
            here = location(above.f_code.co_filename, above.f_lineno)
            if not source:
                source = here
                # a call of a jitted function, or of `array.block_until_ready()`, has no frame of its own
                is_call = above is frame and (_site(above) in _sites or _called_at(above) == jax_frames.WAIT_METHOD)
                is_waiting = is_waiting or is_call
            elif here != (callers or [source])[-1]:  # a comprehension may have a frame of its own on its line
                callers.append(here)
            if not with_callers or len(callers) == _MOST_CALLERS:
                break
        elif not source and owner != "python":
            beneath.append(above)
    names = (_named(frame.f_code, str(frame.f_globals.get("__name__"))) for frame in reversed(beneath))
    inside = next(filter(None, names), inside)
    return Glance(source, tuple(callers), inside, is_waiting, is_eager and not is_waiting) if source else None


def _site(frame: FrameType) -> int:
    """The address of the call instruction that a frame is running."""
    return id(frame.f_code) + frame.f_lasti


_LOCK_METHOD = "acquire"
_READERS = ("asarray", "array")  # of NumPy, which wait for an array of JAX's
_CALLEES = frozenset({jax_frames.WAIT_METHOD, _LOCK_METHOD, "next", *_READERS})  # that may wait in C


def _called_at(frame: FrameType) -> str:
    """Which of `_CALLEES` a frame is calling; "" for all others."""
    code = frame.f_code
    loads = [] if _CALLEES.isdisjoint(code.co_names) else callee(code, frame.f_lasti)
    name = loads[-1][1] if loads else ""
    return name if name in _CALLEES else ""


def _runs(frame: FrameType) -> str:
    """The name of the instruction that a frame is running."""
    code, place = frame.f_code.co_code, frame.f_lasti
    while place > 0 and not code[place]:  # a cache of the instruction before
        place -= 2
    return dis.opname[code[place]]


def wait_of(frame: FrameType | None) -> tuple[Literal["lock", "loader", "python"], str, str]:
    """What Python waits for, the line of a loop that does, and the name of the user's function that waits. A thread
    that is inside the iterator of a `for` loop, or of `next()`, waits for a data loader."""
    is_lock, is_inside, loader, name = False, True, "", ""
    for above in stack_of(frame):
        if frame_owner(above.f_code.co_filename) == "user":
            here = location(above.f_code.co_filename, above.f_lineno)
            if above is frame:
                is_lock = _called_at(above) == _LOCK_METHOD or _runs(above) == "BEFORE_WITH"
            elif _runs(above) == "FOR_ITER" or _called_at(above) == "next":
                loader = here  # the outermost
            if is_inside or loader == here:
                name = above.f_code.co_qualname.replace("<locals>.", "").replace("<module>", "")
            is_inside = False
        elif is_inside:
            is_lock = is_lock or above.f_globals.get("__name__") in _LOCKING
    return "loader" if loader else "lock" if is_lock else "python", loader, name


_LOCKING = ("threading", "multiprocessing.synchronize")


def may_read(frame: FrameType | None) -> bool:
    """Whether a frame calls what reads an array in C."""
    return frame is not None and _called_at(frame) in _READERS


def way_to(frame: FrameType | None) -> tuple[str, str]:
    """How a thread came to run what it runs, and the user's innermost line: `CALLBACK` or `TRACED…` if JAX called the
    user's function, `UNDER…` if the line calls a jitted function under a transformation; "" for all else."""
    way, line, is_jitted, of_jax = "", "", False, None
    for above in stack_of(frame):
        if frame_owner(above.f_code.co_filename) != "machinery":
            if way:
                break
            if not line and frame_owner(above.f_code.co_filename) == "user":
                line = location(above.f_code.co_filename, above.f_lineno)
                if is_jitted and of_jax is not None and jax_frames.is_transformation(of_jax):
                    way = f"{UNDER}jax.{of_jax.f_code.co_qualname.partition('.')[0]}"
                    break
        elif not line:
            of_jax = of_jax if above.f_code.co_name == jax_frames.BOUNDARY else above
            is_jitted = is_jitted or jax_frames.is_frame(above, jax_frames.CACHE_MISS)
        elif jax_frames.is_callback(above):
            return CALLBACK, line
        elif way or jax_frames.is_trace(above):
            way = TRACED + (_named(above.f_code, "") or way.removeprefix(TRACED))
    return way, line if way else ""


def stack_of(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame of another thread, the one that called it, and so on."""
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        yield frame
        frame = _caller_of(frame)


def _named(code: CodeType, module: str) -> str:
    """The public name of a function of JAX, or package and name of another library's; "" for JAX's internals."""
    if jax_frames.is_jax_file(code.co_filename):
        return public_names.of_code(code)
    package = module.partition(".")[0]
    name = code.co_qualname.partition(".<locals>")[0]
    # users call the function that a `_JitWrapper` wraps, not the wrapper
    return "" if package == "jitviz" or name.startswith("_") else f"{package}.{name}"
