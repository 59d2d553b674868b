"""The kind of an exception: the first that recognises it.

In: an exception.  Out: `Raised`.
"""

from dataclasses import replace

from ..model.raised import Raised
from ..recording.redaction import redacted
from .facts import Facts
from .kinds import KINDS

_MESSAGE = 4_000  # characters


def explained(error: BaseException) -> Raised:
    """The exception, explained. One that no kind recognises has its own text and nothing else."""
    facts = Facts(error)
    spot = facts.spot
    plain = Raised(
        error=facts.type,
        message=redacted(facts.message[:_MESSAGE]),
        source=spot.source if spot else "",
        line=redacted(spot.text, is_code=True) if spot else "",
    )
    for name, explain in KINDS.items():
        found = explain(facts)
        if found is not None:
            return replace(found, kind=name, error=plain.error, message=plain.message,
                           source=found.source or plain.source, line=found.line or plain.line)  # fmt: skip
    return plain
