"""The lines of an outline, which text and static HTML draw.

In: pieces of sentences.  Out: `Line`s, and their text within a width.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from ..model.quick_dataclass import dataclass
from ..views.schema import Span
from ..views.words import as_text, read_spans
from .layout import wrap

Look: TypeAlias = Literal["", "headline", "note", "finding", "timeline", "reason", "tree", "aside"]


@dataclass(frozen=True)
class Line:
    """A line of an outline. The lines after it that are indented further belong to it.

    `look` and `is_open` are for HTML: how it is drawn, and whether the lines that belong to it are shown at first; they
    cannot be folded if this is None.
    """

    indent: int  # columns
    spans: tuple[Span, ...]
    hang: int = 2  # columns by which its continuation lines are indented further
    has_gap: bool = False  # whether there is an empty line before it
    marks: tuple[str, ...] = ()  # what changed in it
    listing: str = ""  # a long text that belongs to it; plain text leaves it out
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
) -> Line:
    """A line made of pieces. In those that are strings, backticks mark code."""
    spans: list[Span] = []
    for piece in pieces:
        spans += [piece] if isinstance(piece, Span) else read_spans(piece) if isinstance(piece, str) else piece
    return Line(indent, tuple(spans), hang, marks=marks, listing=listing, look=look, is_open=is_open)


def strong(text: str) -> Span:
    return Span(text, is_strong=True)


def after_gap(lines: Iterable[Line]) -> Iterator[Line]:
    """The same lines, with an empty line before the first."""
    for place, line in enumerate(lines):
        yield line if place else replace(line, has_gap=True)


def write(lines: Iterable[Line], width: int) -> Iterator[str]:
    """The lines as text. Deeply nested ones are indented by about a third of the width."""
    for place, line in enumerate(lines):
        if line.has_gap and place:
            yield ""
        text = as_text(line.spans) + "".join(f"  ◄ {mark}" for mark in line.marks)
        lead = " " * min(line.indent, width // 3 + 6)
        yield from wrap(text, width, lead, lead + " " * line.hang)
