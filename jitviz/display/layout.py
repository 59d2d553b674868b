"""Lines of a given width for a terminal.

In: text.  Out: lines, none wider than that.
Must never: drop a character; a text that does not fit continues on the next line.
"""

from collections.abc import Iterable, Iterator, Sequence
from unicodedata import combining, east_asian_width

from ..model.patterns import pattern

_WORD = pattern(r"\S*\d (?:min|[mµ]?s|[kMGT]?B|%)(?!\w)\S*|\S+")


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
    """Break `text` at its spaces, but not between a number and its unit.

    The first line starts with `indent`, the others with `hanging` (or `indent`). A text that fits keeps its runs of
    spaces, so that columns stay columns.
    """
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
