"""The cost of a call as a count, which does not depend on the machine or its load.

In: a call, or a `with` block.  Out: the number of Python and C functions that it called on this thread, or of lines.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class Counter:
    """Counts function calls inside the block. `n` may be read there too."""

    n = 0

    def __enter__(self) -> "Counter":
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _count(self, frame: FrameType, event: str, _: Any) -> None:
        self.n += event in ("call", "c_call")


def calls_of(run: Callable[[], Any]) -> int:
    with Counter() as counter:
        run()
    return counter.n


def lines_of(run: Callable[[], Any]) -> int:
    """The number of lines that ran."""
    n = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n
        n += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return n
