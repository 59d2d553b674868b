"""The lines of an outline, which text and static HTML draw.

In: pieces of sentences.  Out: `OutlineLine`s, and their text within a width.
Must never: drop a character; a text that does not fit continues on the next line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias
from unicodedata import combining, east_asian_width

from ..views import Span, as_text, read_spans

_WORD = re.compile(r"\S*\d (?:min|[mµ]?s|[kMGT]?B|%)(?!\w)\S*|\S+")


def width_of(text: str) -> int:
    """Terminal columns that `text` takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, width: int) -> str:
    return text + " " * max(0, width - width_of(text))


def align(lines: Sequence[Sequence[str]], widest: int) -> list[str]:
    """Columns as lines. A text wider than `widest` does not widen its column, but shifts the rest of its line."""
    if not lines:
        return []
    widths = [max((w for w in map(width_of, column) if w <= widest), default=0) for column in zip(*lines, strict=True)]
    return [
        "  ".join(pad(text, width) for text, width in zip(line, widths, strict=True) if text or width).rstrip()
        for line in lines
    ]


def wrap(text: str, width: int, indent: str = "", hanging: str | None = None) -> list[str]:
    """Break `text` at its spaces, but not between a number and its unit. The first line starts with `indent`, the
    others with `hanging` (or `indent`). A text that fits keeps its runs of spaces, so that columns stay columns."""
    rest = indent if hanging is None else hanging
    if width_of(indent + text) <= width:
        return [(indent + text).rstrip()]
    lines, line, has_words = [], indent, False
    for word in _pieces(_WORD.findall(text), max(1, width - width_of(rest))):
        gap = " " if has_words else ""
        if has_words and width_of(line + gap + word) > width:
            lines.append(line.rstrip())
            line, gap = rest, ""
        line, has_words = line + gap + word, True
    return [*lines, line.rstrip()]


def _pieces(words: Iterable[str], width: int) -> Iterator[str]:
    """The words; a word that is wider than a line is cut into pieces."""
    for word in words:
        while width_of(word) > width:
            head = 1
            while head < len(word) and width_of(word[: head + 1]) <= width:
                head += 1
            yield word[:head]
            word = word[head:]
        if word:
            yield word


Look: TypeAlias = Literal["", "headline", "note", "finding", "reason", "tree", "aside", "score"]


@dataclass(frozen=True)
class OutlineLine:
    """A line of an outline. The lines after it that are indented further belong to it.

    `look` and `is_open` are for HTML: how it is drawn, and whether the lines that belong to it are shown at first; they
    cannot be folded if this is None.
    """

    indent: int  # columns
    spans: tuple[Span, ...]
    hang: int = 2  # columns by which its continuation lines are indented further
    has_gap: bool = False  # whether there is an empty line before it
    marks: tuple[str, ...] = ()  # what changed in it
    listing: str = ""  # a long text that belongs to it
    look: Look = ""
    is_open: bool | None = None


def say(
    indent: int,
    *pieces: str | Span | tuple[Span, ...],
    hang: int = 2,
    marks: tuple[str, ...] = (),
    listing: str = "",
    look: Look = "",
    is_open: bool | None = None,
) -> OutlineLine:
    """A line made of pieces. In those that are strings, backticks mark code."""
    spans: list[Span] = []
    for piece in pieces:
        spans += [piece] if isinstance(piece, Span) else read_spans(piece) if isinstance(piece, str) else piece
    return OutlineLine(indent, tuple(spans), hang, marks=marks, listing=listing, look=look, is_open=is_open)


def strong(text: str) -> Span:
    return Span(text, is_strong=True)


def after_gap(lines: Iterable[OutlineLine]) -> Iterator[OutlineLine]:
    """The same lines, with an empty line before the first."""
    for place, line in enumerate(lines):
        yield line if place else replace(line, has_gap=True)


def write(lines: Iterable[OutlineLine], width: int, *, has_listings: bool = False) -> Iterator[str]:
    """The lines as text. Deeply nested ones are indented by about a third of the width. Listings are left out, or stand
    as they are, to be copied."""
    for place, line in enumerate(lines):
        if line.has_gap and place:
            yield ""
        text = as_text(line.spans) + "".join(f"  ◄ {mark}" for mark in line.marks)
        has_listing = has_listings and bool(line.listing)
        lead = " " * min(line.indent, width // 3 + 6)
        yield from wrap(f"{text}:" if has_listing else text, width, lead, lead + " " * line.hang)
        if has_listing:
            yield from ("", *line.listing.rstrip().splitlines(), "")
