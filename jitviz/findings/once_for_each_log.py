"""What is worked out from a whole recording, once for each state of its log.

In: a function of a recording.  Out: the same function, which works again only after the log has changed.
Must never: keep a recording alive, or answer from a log that has gone on.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from ..recording import Recording
from ..recording.events import Event

T = TypeVar("T")


class _Known(NamedTuple):
    """`answer` was worked out at a `moment` of `events`. A log that shrinks becomes another list."""

    events: Sequence[Event]
    moment: object
    answer: object


def once_for_each_log(work: Callable[[Recording], T]) -> Callable[[Recording], T]:
    """`work`, which reads a recording as of one moment. Its answer must not refer to the recording."""
    known: WeakKeyDictionary[Recording, _Known] = WeakKeyDictionary()

    @wraps(work)
    def answer(recording: Recording) -> T:
        with recording.held_still():
            events, *moment = recording.moment
            before = known.get(recording)
            if before is None or before.events is not events or before.moment != moment:
                before = known[recording] = _Known(events, moment, work(recording))
            return before.answer  # type: ignore[return-value]  # what `work` returned

    return answer
