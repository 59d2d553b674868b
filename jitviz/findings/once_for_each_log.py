"""What is worked out from a whole recording, once for each state of its log.

In: a function of a recording.  Out: the same function, which works again only after the log has changed.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from ..recording import Recording

T = TypeVar("T")


def once_for_each_log(work: Callable[[Recording], T]) -> Callable[[Recording], T]:
    """`work`, which reads a recording as of one moment. The recording keeps the answer, which must not refer to it."""

    @wraps(work)
    def answer(recording: Recording) -> T:
        with recording.held_still():
            answers = recording.answers
            if work not in answers:
                answers[work] = work(recording)
            answer: T = answers[work]
            return answer

    return answer
