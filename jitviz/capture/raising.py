"""Misses whose trace, lowering or compile raised: what is known of them, for who explains the exception later.

In: an exception and its miss.  Out: the exception in one line; the signature and the names of the inputs.
Must never: keep the exception, a frame or an argument, or call the exception's `__str__`.
"""

from collections import deque
from dataclasses import dataclass

from ..jaxcompat.origins import message_of
from ..jaxcompat.raw import member, type_name
from ..model import Raised, Signature
from ..recording.redaction import redacted
from . import sources
from .failures import error_text, guarded
from .in_progress import OpenMiss

_MOST = 16  # exceptions that are remembered
_LINE = 80  # characters of the line that are shown


@dataclass(frozen=True)
class Failed:
    """A miss that raised. `inputs` are the paths of its traced leaves, in the order of JAX's inputs."""

    signature: Signature
    inputs: tuple[str, ...]
    source: str  # the user's line that called
    number: int  # of the function


_newest: deque[tuple[tuple[int, str, str], Failed]] = deque(maxlen=_MOST)


def note_failed(error: BaseException | None, opened: OpenMiss) -> None:
    """Remember the miss of an exception, for as long as few others follow."""
    if error is not None:
        failed = Failed(opened.signature, opened.inputs, opened.source, opened.function)
        _newest.append((_key(error), failed))


@guarded(None, "error")
def explanation(error: BaseException) -> Raised:
    """The exception, explained while it is in flight: nobody else sees one that the program catches."""
    from ..errors import explained  # a layer above, which most programs never need

    return explained(error, is_in_flight=True)


def failed_miss(error: BaseException) -> Failed | None:
    """The outermost miss that raised this exception, if it was one of the last."""
    key = _key(error)
    return next((failed for known, failed in reversed(_newest) if known == key), None)


def text_and_line(error: BaseException | None) -> str | None:
    """What an exception says, and the user's line: "TracerBoolConversionError: Attempted boolean conversion of traced
    array with shape bool[]. At train.py:6, `if y.sum() > 0:`."."""
    text = error_text(error)
    line = _line(error) if isinstance(error, Exception) and text is not None else ""  # Ctrl-C strikes anywhere
    return redacted(f"{text.rstrip('. ')}. At {line}.") if text is not None and line else text


def _line(error: BaseException) -> str:
    """The user's innermost line that the exception came through, with its text; "" if there is none."""
    at, step = None, member(error, BaseException, "__traceback__")
    while step is not None:
        code = step.tb_frame.f_code
        if sources.frame_owner(code.co_filename) == "user" and not sources.file_label(code.co_filename).startswith("<"):
            at = code.co_filename, step.tb_lineno
        step = step.tb_next
    if at is None:
        return ""
    line = sources.text_at(*at)
    text = f", `{line[:_LINE]}`" if line and "`" not in line else ""
    return f"{sources.location(*at)}{text}"


def _key(error: BaseException) -> tuple[int, str, str]:
    """What tells exceptions apart: addresses are used again, so type and text come with them."""
    return id(error), type_name(type(error)), message_of(error)
