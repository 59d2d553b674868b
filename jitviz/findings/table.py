"""The findings of a recording as a table, in a prompt and in a notebook; otherwise they are a tuple.

In: `Finding`s.  Out: `Findings`.
"""

from html import escape
from textwrap import wrap

from ..model import Finding
from ..model.printable import printed

_CHARS = 100  # of a line
_CELL = "text-align:left;vertical-align:top;padding:2px 12px 2px 0"


class Findings(tuple[Finding, ...]):
    """Findings in the order of what fixing each saves. Print one for all of it, and its `code` for what to paste."""

    def __repr__(self) -> str:
        if not self:
            return "Nothing worth changing was found."
        width = max(5, *(len(finding.saving) for finding in self))
        lines = [f"    {'saves':<{width}}  what, and what to do"]
        for number, finding in enumerate(self):
            lead = f"[{number}] {finding.saving:<{width}}  "
            for text in filter(None, (_subject(finding), finding.advice and f"→ {finding.advice}")):
                lines += wrap(text, _CHARS, initial_indent=lead, subsequent_indent=" " * len(lead))
                lead = " " * len(lead)
        return printed("\n".join(lines))

    def _repr_html_(self) -> str:
        if not self:
            return escape(repr(self))
        texts = (
            (str(number), finding.saving, _subject(finding), finding.advice) for number, finding in enumerate(self)
        )
        rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in texts)
        heads = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("", "saves", "what", "what to do"))
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _subject(finding: Finding) -> str:
    """ "`step` at train.py:7: `x` changed its shape from f32[4] to f32[3]"."""
    place = " at ".join(filter(None, (finding.function and f"`{finding.function}`", finding.source)))
    return finding.summary if not place or f"`{finding.function}`" in finding.summary else f"{place}: {finding.summary}"


def _cell(text: str) -> str:
    return f'<td style="{_CELL}">{escape(printed(text))}</td>'
