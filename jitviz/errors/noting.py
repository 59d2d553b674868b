"""Exceptions that leave what is recorded: explained while their frames are there, and kept as text.

In: a recording, and an exception.  Out: an event.
Must never: raise, keep the exception or a frame, or change what the user sees of it.
"""

from ..capture.failures import guarded
from ..model import system
from ..recording import Recording
from ..recording.events import ErrorRaised
from .find import explained

_NOT_RAISED = (SystemExit, KeyboardInterrupt, GeneratorExit)


@guarded(None, "error")
def note_error(recording: Recording, error: BaseException | None) -> None:
    """Explain an exception in a recording that it leaves, unless it is one by which a program ends on purpose."""
    if error is not None and not isinstance(error, _NOT_RAISED):
        recording.append(ErrorRaised(system.time(), explained(error)))
