"""Programs that are read later: their texts, their cost, their memory.

In: functions that read.  Out: events, when they are needed.
Must never: read anything twice, or on a thread that draws while the user's program runs.

Reading takes longer than everything else that capture does, so it is put off until the user's call is over. For a panel
that nobody asked for, only what findings depend on is read; the rest waits until somebody looks.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from ..model import system
from .events import CompileNumber, Event

# "causes": what findings depend on, and all of what took long, of which they say more.
Depth = Literal["whole", "causes", "findings", "nothing"]

at_prompt = threading.Event()  # set unless a cell of a notebook runs
at_prompt.set()
_PAUSE_S = 0.3  # at the prompt; the next one of queued cells begins sooner


class Unread:
    """Read once, for all recordings that wait for it. `nbytes` is roughly what it keeps alive until then, `compile`
    what it is about, and `is_compared` says whether later programs are compared with it. `for_findings` reads what
    findings depend on, where that is less than everything; None if they do not depend on it. `is_of_largest` says that
    they depend on the largest program of each function only.
    """

    def __init__(
        self,
        nbytes: int,
        read: Callable[[], Iterable[Event]],
        compile: CompileNumber | None = None,
        *,
        is_compared: bool = False,
        is_of_largest: bool = False,
        for_findings: Callable[[], Iterable[Event]] | None = None,
    ) -> None:
        self.nbytes, self.compile = nbytes, compile
        self.is_compared, self.is_of_largest = is_compared, is_of_largest
        self._for_findings = for_findings
        self._less: tuple[Event, ...] | None = None
        self._read: Callable[[], Iterable[Event]] | None = read
        self._events: tuple[Event, ...] = ()
        self._lock = system.RLock()

    @property
    def is_read(self) -> bool:
        """Whether it was read, and keeps nothing alive any more."""
        return self._read is None

    def events_for_findings(self) -> tuple[Event, ...]:
        """Read what findings depend on, or return it again."""
        with self._lock:
            if self.is_read:
                return self.events()
            if self._less is None:
                self._less = () if self._for_findings is None else tuple(self._for_findings())
            return self._less

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
                self._less = self._for_findings = None  # which keep the program alive too
            return self._events


_thread = threading.local()


@contextlib.contextmanager
def reading(depth: Depth) -> Iterator[None]:
    """In this block, recordings read no more than that for this thread; with "nothing", nobody waits."""
    before, _thread.depth = reading_depth(), depth
    try:
        yield
    finally:
        _thread.depth = before


def reading_depth() -> Depth:
    """How much recordings read for this thread."""
    depth: Depth = getattr(_thread, "depth", "whole")
    return depth


def wait_until_idle() -> None:
    """Wait until no cell runs: a thread that reads would hold it up whenever it needs the interpreter."""
    is_idle = False
    while not is_idle:
        at_prompt.wait()
        system.sleep(_PAUSE_S)
        is_idle = at_prompt.is_set()
