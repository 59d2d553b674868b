"""An exception that left what was recorded, for a screen.

In: a recording.  Out: `RaisedView`, None where nothing was raised.
"""

from ..recording import Recording
from .schema import RaisedView
from .screen_limits import NAME_CHARS, SENTENCE_CHARS
from .words import plain, plain_path, read_spans

_LINES = 40  # of what the exception itself says


def shape_raised(recording: Recording) -> RaisedView | None:
    """The last exception: explained, or with its own text alone."""
    if not recording.raised:
        return None
    raised = recording.raised[-1]
    message = "\n".join(plain(line, SENTENCE_CHARS) for line in raised.message.splitlines()[:_LINES])
    return RaisedView(
        kind=raised.kind,
        error=plain(raised.error, NAME_CHARS),
        message=message,
        source=plain_path(raised.source, NAME_CHARS),
        line=plain(raised.line, SENTENCE_CHARS),
        function=plain(raised.function, NAME_CHARS),
        path=plain_path(raised.path, SENTENCE_CHARS),
        also=tuple(plain_path(path, SENTENCE_CHARS) for path in raised.also),
        summary=read_spans(plain(raised.summary, SENTENCE_CHARS)),
        detail=read_spans(plain(raised.detail, SENTENCE_CHARS)),
        advice=read_spans(plain(raised.advice, SENTENCE_CHARS)),
        code="\n".join(plain(line, SENTENCE_CHARS) for line in raised.code.splitlines()),
    )
