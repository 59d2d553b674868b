"""Programs that are read later: their texts, their cost, their memory.

In: functions that read.  Out: events, when they are needed.
Must never: read anything twice, or on a thread that draws while the user's program runs.

Reading takes longer than everything else that capture does, so it is put off until the user's call is over.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator

from .events import CompileNumber, Event


class Unread:
    """Read once, for all recordings that wait for it. `nbytes` is roughly what it keeps alive until then, `compile`
    what it is about, and `is_compared` says whether later programs are compared with it."""

    def __init__(
        self,
        nbytes: int,
        read: Callable[[], Iterable[Event]],
        compile: CompileNumber | None = None,
        *,
        is_compared: bool = False,
    ) -> None:
        self.nbytes, self.compile, self.is_compared = nbytes, compile, is_compared
        self._read: Callable[[], Iterable[Event]] | None = read
        self._events: tuple[Event, ...] = ()
        self._lock = threading.RLock()

    @property
    def is_read(self) -> bool:
        """Whether it was read, and keeps nothing alive any more."""
        return self._read is None

    def events(self) -> tuple[Event, ...]:
        """Read them, or return them again."""
        with self._lock:
            if self._read is not None:
                read, self._read = self._read, None
                try:
                    self._events = tuple(read())
                except KeyboardInterrupt:
                    self._read = read  # so that the next time reads again
                    raise
            return self._events


_thread = threading.local()


@contextlib.contextmanager
def left_unread() -> Iterator[None]:
    """In this block, recordings answer this thread from what was already read, so that nobody waits."""
    before, _thread.leaves_unread = leaves_unread(), True
    try:
        yield
    finally:
        _thread.leaves_unread = before


def leaves_unread() -> bool:
    """Whether this thread is in a block of `left_unread`."""
    return getattr(_thread, "leaves_unread", False)
