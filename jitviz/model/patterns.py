"""Regular expressions that are compiled when they are first used.

In: the text of an expression.  Out: what has the methods of a `re.Pattern`.

jitviz has a hundred and fifty, which take a fifth of the time to load it, and most sessions use few of them.
"""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as pattern
else:

    class pattern:  # noqa: N801  # it stands for a function
        """`re.compile`, later."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._given = text, flags

        def __getattr__(self, name: str) -> Any:
            found = self.__dict__[name] = getattr(re.compile(*self._given), name)
            return found


__all__ = ["pattern"]
