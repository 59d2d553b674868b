"""Misses whose trace, lowering or compile raised: what is known of them, for who explains the exception later.

In: an exception and its miss.  Out: the signature and the names of the inputs.
Must never: keep the exception, a frame or an argument.
"""

from collections import deque
from dataclasses import dataclass

from ..jaxcompat.origins import message_of
from ..jaxcompat.raw import type_name
from ..model import Signature
from .in_progress import OpenMiss

_MOST = 16  # exceptions that are remembered


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


def failed_miss(error: BaseException) -> Failed | None:
    """The outermost miss that raised this exception, if it was one of the last."""
    key = _key(error)
    return next((failed for known, failed in reversed(_newest) if known == key), None)


def _key(error: BaseException) -> tuple[int, str, str]:
    """What tells exceptions apart: addresses are used again, so type and text come with them."""
    return id(error), type_name(type(error)), message_of(error)
