"""What people see of a value in a prompt, a debugger or a notebook: its own words, whole.

In: a value whose `str` is in words.  Out: the same text as its `repr`, and as HTML.
"""

from html import escape

_STYLE = "white-space:pre-wrap;line-height:1.4"


def printable(text: str) -> str:
    """The lines of a text, with what would move a terminal's cursor written out."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode() for char in text
    )


class Readable:
    """A value that is shown in words. A child says them in `__str__`, and has no `repr` of its own."""

    def __repr__(self) -> str:
        return printable(str(self))

    def _repr_html_(self) -> str:
        return f'<pre style="{_STYLE}">{escape(repr(self))}</pre>'


class Words(Readable, str):
    """A text that is shown as it reads, without quotes."""
