r"""Texts that a terminal, a page or an assistant shows as they are, and that pretend to be nothing else.

In: any text.  Out: the same, with control and formatting characters as `\x1b` and the like.

There are two doors. `one_line` is the way in: no name, value or message of the user's program gets into a recording
with a line end, so that none can look like a line of jitviz's own. `printed` is the way out to a terminal and to an
assistant, which file names, arguments and listings pass as well, and values of jitviz's own that say in words what they
are.
"""

import sys
from collections.abc import Sequence
from html import escape
from typing import TextIO, TypeVar

# The fields of a recording that may have several lines.
HAVE_LINES = {("CellStarted", "text"), ("CompileStarted", "written"), ("Raised", "message"), ("Raised", "code")}
_MOST_NUMBERED = 20
_LINES_OF_EACH = 2
_T = TypeVar("_T")
_STYLE = "white-space:pre-wrap;line-height:1.4"


def one_line(text: str) -> str:
    r"""The text without control characters and line ends."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printed(text: str) -> str:
    """The text without control characters, but with its line ends and tabs."""
    if text.isprintable():
        return text
    kept = text.replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else one_line(c) for c in kept)


def print_safely(*texts: object, file: TextIO | None = None, flush: bool = False) -> None:
    """Print each text on lines of its own, as `printed` makes it; `file` is stdout by default. All that commands
    and magics print passes here, so that no name can move the cursor or hide a line."""
    for text in texts or ("",):
        print(printed(str(text)), file=sys.stdout if file is None else file, flush=flush)


class Readable:
    """A value that is shown in words. A child says them in `__str__`, and has no `repr` of its own."""

    def __repr__(self) -> str:
        return printed(str(self))

    def _repr_html_(self) -> str:
        return f'<pre style="{_STYLE}">{escape(repr(self))}</pre>'


class Words(Readable, str):
    """A text that is shown as it reads, without quotes."""


def numbered(values: Sequence[object]) -> str:
    """The first lines of each value, after its index."""
    heads = [f"[{index}] {_head(value)}" for index, value in enumerate(values[:_MOST_NUMBERED])]
    more = len(values) - len(heads)
    return printed("\n".join([*heads, *([f"… and {more:,} more"] if more else [])])) or "[]"


def _head(value: object) -> str:
    return "\n    ".join(str(value).split("\n")[:_LINES_OF_EACH])


class Numbered(list[_T]):
    """A list that is shown with an index before each value."""

    def __repr__(self) -> str:
        return numbered(self)
