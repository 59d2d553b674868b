"""Which open calls and phases are still running: Ctrl-C may have ended one before any hook saw that.

In: what is open on a thread, and a frame of that thread.  Out: yes or no.
Must never: keep a frame, or run where a plain hit begins or ends.

An interrupt may strike between the event of a call and the call itself, and between its return and the event of that.
Then the interpreter reports no end (https://docs.python.org/3/library/sys.monitoring.html), nor does a wrapper of ours.
While a call runs, the frame that made it stands at the instruction that calls.
"""

from __future__ import annotations

from pathlib import Path
from types import FrameType

from ...jaxcompat import jax_frames
from ..opened import Address, OpenCall, OpenPhase

_JITVIZ = str(Path(__file__).parents[2])


def is_call_running(call: OpenCall, inner: FrameType, miss: Address | None = None) -> bool:
    """Whether an open call is still running around `inner`, or in it if that frame does `miss`.

    Addresses of frames are reused, so only frames that do a miss count, and `inner` only for its own miss.
    """
    if call.is_implicit:
        return call.frame == miss or call.frame in jax_frames.frames_of_misses(inner.f_back)
    place = call.place or call.site.place
    frame = inner.f_back
    while frame is not None:
        # The instruction may call something else by now. The interpreter would have reported that, for a call into C.
        is_same = call.site.is_in_c or inner.f_code.co_filename.startswith(_JITVIZ)
        if (frame.f_code, frame.f_lasti) == place and is_same:
            return True
        inner, frame = frame, frame.f_back
    return False


def is_phase_running(phase: OpenPhase, inner: FrameType | None) -> bool:
    """Whether an open phase is still running around `inner`."""
    while inner is not None:
        if inner.f_code is phase.code and id(inner) == phase.frame:
            return True
        inner = inner.f_back
    return False
