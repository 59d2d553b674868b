"""A call as the user wrote it.

In: a frame.  Out: "step(params, batch['x'])".
Must never: raise, evaluate anything, or read beyond the user's innermost line.
"""

from __future__ import annotations

from itertools import islice
from types import FrameType

from ..recording.redaction import redacted
from .failures import note
from .source_lines import lines_of
from .sources import frame_owner

_MOST_LINES = 20
_MOST_CHARS = 600


def written_call(frame: FrameType | None) -> str:
    """The expression that the user's innermost frame at or above `frame` is running; "" if it cannot be read whole."""
    while frame is not None and frame_owner(frame.f_code.co_filename) != "user":
        frame = frame.f_back
    try:
        return _read(frame) if frame is not None else ""
    except Exception as error:  # for example a source with a loader that fails
        note("written_call", error)
        return ""


def _read(frame: FrameType) -> str:
    code = frame.f_code
    first, last, start, end = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    if first is None or last is None or start is None or end is None or last - first >= _MOST_LINES:
        return ""
    lines = [line.encode() for line in lines_of(code.co_filename, frame.f_globals)[first - 1 : last]]
    if len(lines) != last - first + 1:
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode()
    return redacted(text) if len(text) <= _MOST_CHARS else ""
