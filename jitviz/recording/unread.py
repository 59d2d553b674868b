"""What is known of a program to whoever reads it, and was not read yet: its texts, its cost, the memory it takes.

In: functions that read.  Out: events, when somebody asks for them.
Must never: read anything twice, or for a thread that only looks while the user's program runs.

Reading takes longer than all else that capture does, so that it is put off until the user's call is over.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator

from .events import Event


class Unread:
    """Read once, for all recordings that wait for it. `nbytes` says roughly what it keeps alive until then."""

    def __init__(self, nbytes: int, read: Callable[[], Iterable[Event]]) -> None:
        self.nbytes = nbytes
        self._read: Callable[[], Iterable[Event]] | None = read
        self._events: tuple[Event, ...] = ()
        self._lock = threading.RLock()

    @property
    def is_read(self) -> bool:
        """Whether there is nothing more to keep alive."""
        return self._read is None

    def events(self) -> tuple[Event, ...]:
        """What there is to know."""
        with self._lock:
            if self._read is not None:
                read, self._read = self._read, None
                try:
                    self._events = tuple(read())
                except KeyboardInterrupt:
                    self._read = read  # nothing is known of it yet
                    raise
            return self._events


class _Thread(threading.local):
    leaves_unread = False


_thread = _Thread()


@contextlib.contextmanager
def left_unread() -> Iterator[None]:
    """On this thread, recordings answer from what was read: the user's program runs meanwhile, or the user waits."""
    before, _thread.leaves_unread = _thread.leaves_unread, True
    try:
        yield
    finally:
        _thread.leaves_unread = before


def leaves_unread() -> bool:
    """Whether this thread only looks."""
    return _thread.leaves_unread
