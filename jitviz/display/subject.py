"""What a person handed to a function that speaks of a compile.

In: anything.  Out: the compile that it is, or a `TypeError` that says what was wanted.
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
