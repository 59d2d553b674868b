"""Which call sites of the running program are worth listening to.

In: the site of each call that is no jitted function's.  Out: whether to go on listening there.
Must never: give up a site that has called a jitted function.

Listening to a call that is not jitted costs half a microsecond. A site of the user's may call anything next (a dispatch
table, a decorator, a loop over layers), so that it has patience for many such calls, and for ever once it called a
jitted function. Of a library, only a site that passes arguments on (`function(*args, **kwargs)`) can come to call what
is the user's; JAX's own are seen by better means.
"""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType, FrameType

from ...jaxcompat import equinox, frames
from ..sources import is_library

PATIENCE = 1000  # half a millisecond for each site of a program that calls nothing jitted

# Calls from these files are seen by better means.
_WRAPPERS = (equinox.EQUINOX_FILE, "jitviz/filters/jit.py", "jitviz/filters/stages.py")
_PASSES_ON = dis.opmap["CALL_FUNCTION_EX"]

# A site is the address of its instruction. Another code may come to lie there: it inherits patience, never impatience.
_left: dict[int, int] = {}  # calls that a site has patience for
_jitted: set[int] = set()
_given_up: set[int] = set()


def keep(code: CodeType, offset: int) -> None:
    """A site has called a jitted function: it stays on."""
    _jitted.add(id(code) + offset)


def stays_on(code: CodeType, offset: int) -> bool:
    """Whether to listen to a site that has just called something that is not jitted."""
    site = id(code) + offset
    if site in _jitted:
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
    _given_up.add(site)
    return False


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
    _jitted.clear()


@lru_cache(maxsize=4096)
def is_passed_over(filename: str) -> bool:
    """Whether calls from a file are seen by better means, or are JAX's own."""
    return frames.is_jax_file(filename) or filename.endswith(_WRAPPERS)


def _patience(code: CodeType, offset: int) -> int:
    return PATIENCE if not is_library(code.co_filename) or code.co_code[offset] == _PASSES_ON else 0
