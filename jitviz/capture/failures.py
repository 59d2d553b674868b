"""The promise that an error inside jitviz never reaches the user's program.

In: a callback of jitviz.  Out: the same callback, which notes exceptions instead of raising them.
Must never: raise, or hide that something went wrong.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..jaxcompat.raw import is_a, member, type_name
from ..model import system
from ..recording.events import CaptureFailed
from ..recording.redaction import redacted
from .in_progress import here

ERROR = 300  # characters of an exception's text

P = ParamSpec("P")
T = TypeVar("T")
D = TypeVar("D")


_MOST = 1_000  # failures that wait
_waiting: list[CaptureFailed] = []  # for the recordings, as hits do


def guarded(default: D, part: str = "") -> Callable[[Callable[P, T]], Callable[P, T | D]]:
    """Make a function return `default` instead of raising, and report the failure.

    Nested calls return `default` at once: the work of jitviz (flattening a tree, for example) is not part of the user's
    program. A function with the name of a `part` of that work runs all the same, and fails under this name.
    """

    def wrap(function: Callable[P, T]) -> Callable[P, T | D]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T | D:
            mine = here.mine
            was_inside = mine.is_inside
            if was_inside and not part:
                return default
            mine.is_inside = True
            try:
                return function(*args, **kwargs)
            except Exception as error:
                note(part or function.__qualname__, error)
                return default
            finally:
                mine.is_inside = was_inside

        return call

    return wrap


def note(where: str, error: BaseException) -> None:
    """Let a failure wait for the recordings, in one line that names no object of the user's."""
    try:
        if len(_waiting) < _MOST:
            _waiting.append(CaptureFailed(system.time(), where, error_text(error) or ""))
    except Exception:
        return


def take_failures() -> list[CaptureFailed]:
    """Remove the failures that wait, and return them."""
    taken = _waiting[:]
    del _waiting[: len(taken)]
    return taken


def error_text(error: BaseException | None) -> str | None:
    """Type and first line of an exception, without keys and tokens; its own `__str__` is never called."""
    if error is None:
        return None
    kind = type_name(type(error)).rpartition(".")[2]
    args = member(error, BaseException, "args")
    text = next((part for part in args if is_a(part, str)), "")  # an OSError has it second
    first = str.strip(text).partition("\n")[0]
    return redacted(f"{kind}: {first[:4_000]}")[:ERROR] if first else kind
