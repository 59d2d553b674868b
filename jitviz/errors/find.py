"""The kind of an exception: the first that recognises it.

In: an exception.  Out: `Raised`; an event of the recording that it leaves, made while its frames are there.
Must never: keep the exception or a frame, or change what the user sees of it.
"""

from collections.abc import Callable
from dataclasses import replace

from ..capture.failures import guarded
from ..model import system
from ..model.raised import Raised
from ..recording import Recording
from ..recording.events import ErrorRaised
from ..recording.redaction import redacted
from .facts import Facts
from .syntax import tree_of

_MESSAGE = 4_000  # characters
_NOT_RAISED = (SystemExit, KeyboardInterrupt, GeneratorExit)


def explained(error: BaseException, *, is_in_flight: bool = False) -> Raised:
    """The exception, explained. One that no kind recognises has its own text and nothing else. Of one that is still in
    flight, the frames that it has not reached count too."""
    from .kinds import KINDS  # thirty modules, which a session without an exception never needs

    facts = Facts(error, is_in_flight=is_in_flight)
    spot = facts.spot
    plain = Raised(
        error=facts.type,
        message=redacted(facts.message[:_MESSAGE]),
        source=spot.source if spot else "",
        line=redacted(spot.text, is_code=True) if spot else "",
    )
    try:
        for name, explain in KINDS.items():
            found = _tried(explain, facts)
            if found is not None:
                return replace(found, kind=name, error=plain.error, message=plain.message,
                               source=found.source or plain.source, line=found.line or plain.line)  # fmt: skip
    finally:
        tree_of.cache_clear()
    return plain


@guarded(None, "error")
def _tried(explain: Callable[[Facts], Raised | None], facts: Facts) -> Raised | None:
    """What a kind says; None where it fails."""
    return explain(facts)


@guarded(None, "error")
def note_error(recording: Recording, error: BaseException | None) -> None:
    """Explain an exception in a recording that it leaves, unless it is one by which a program ends on purpose."""
    if error is not None and not isinstance(error, _NOT_RAISED):
        recording.append(ErrorRaised(system.time(), explained(error)))
