"""The compile that a user passed to a public function.

In: anything.  Out: that compile, or a `TypeError` that says what was expected.
Must never: guess which compile of a recording is meant.
"""

from __future__ import annotations

from ..model import Compile


def check_compile(subject: object, function: str) -> Compile:
    """`subject`, if it is a compile.

    Raises:
        TypeError: it is something else, as a recording or a function; the message names `function`.
    """
    if isinstance(subject, Compile):
        return subject
    raise TypeError(f"{function} takes a compile, such as `rec.compiles[0]`, not {type(subject).__name__}")
