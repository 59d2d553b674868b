"""Scores as text: calls across, leaves down, seconds above.

In: `Score`s.  Out: lines within a width; where not all columns fit, the rest follows below, with what changed.
"""

from collections.abc import Iterator, Sequence

from ..model import count, shortened
from ..views import Score, ScoreRow, Span
from .wrapped_lines import OutlineLine, pad, say, strong, width_of

_SIGNS = {"traced": "●", "static": "○", "mixed": "◐", "absent": " "}
_CAUSE, _BLAMED, OPEN, FOLDED, _UNKNOWN = "◆", "✕", "▾", "▸", "╌"
_WORDS = {
    "●": "traced", "○": "static", "◐": "both", _CAUSE: "made this call compile", _BLAMED: "made this call raise",
    _UNKNOWN: "version not known",
}  # fmt: skip
_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS, _MOST_FOLDED, _MOST_ERRORS = 24, 4, 4
_CELL, _TYPE, _NARROW = 14, 24, 60  # columns: of a cell, of a type, and of a terminal that has no room for types


def outline_scores(scores: Sequence[Score], n_more: int, width: int) -> Iterator[OutlineLine]:
    """The first score whole, some others as a line each."""
    shown = choose(scores)
    for score in shown[:1]:
        yield say(0, strong(score.function), Span(f"  {score.told}"), look="score")
        yield from outline_table(score, width)
    for score in shown[1:]:  # a name, what happened, and a bar for each column
        longest_s = max((column.seconds for column in score.columns), default=0.0) or 1.0
        heights = (int(column.seconds / longest_s * (len(_BARS) - 1)) for column in score.columns[:_MOST_BARS])
        bars = "".join(_BARS[height] for height in heights)
        yield say(0, f"{FOLDED} ", strong(score.function), Span(f"  {score.told}  {bars}"), look="score")
    if n_more := n_more + len(scores) - len(shown):
        yield say(0, count(n_more, "more function"))


def choose(scores: Sequence[Score]) -> Sequence[Score]:
    """The scores that have a place in a picture: the most expensive, and what ran outside any jit."""
    return scores if len(scores) <= _MOST_FOLDED + 1 else [*scores[:_MOST_FOLDED], scores[-1]]


def outline_table(score: Score, width: int) -> Iterator[OutlineLine]:
    """Calls across, leaves down, in as many bands as it needs, and what its signs mean."""
    rows = list(visible(score.rows))
    names = ["", "version" if score.place >= 0 else "", *("  " * row.depth + sign_of(row) + row.name for row in rows)]
    types = ["", "", *(tell_type(row) if width >= _NARROW else "" for row in rows)]
    name_width = min(max(8, width // 3), max(map(width_of, names)))
    type_width = min(_TYPE, max(map(width_of, types)))
    most = max(4, min(_CELL, width - name_width - type_width - 6))
    heads = [[column.told for column in score.columns], [column.name for column in score.columns]]
    table = [[shortened(text, most) for text in line] for line in (*heads, *(_cells(score, row) for row in rows))]
    widths = [max(map(width_of, column)) for column in zip(*table, strict=True)]
    for band, places in enumerate(_bands(widths, width - name_width - type_width - 4)):
        for line, texts in enumerate(table):
            is_new = line < 2 or not band or any(cell.column in places for cell in rows[line - 2].cells)
            shown = [pad(texts[place], widths[place]) for place in places]
            if is_new and (line or any(text.strip() for text in shown)):
                text = "  ".join([pad(shortened(names[line], name_width), name_width), *shown])
                yield say(0, Span(f"  {text}  {shortened(types[line], type_width)}".rstrip()), look="score")
    yield from _outline_errors(score)
    used = {text[:1] for line in table[2:] for text in line}
    legend = "   ".join(f"{sign} {word}" for sign, word in _WORDS.items() if sign in used)
    yield from (say(2, text, look="aside") for text in (legend if score.place >= 0 else "", score.note) if text)


def _outline_errors(score: Score) -> Iterator[OutlineLine]:
    """What the first calls raised that raised."""
    failed = [column for column in score.columns if column.error]
    for column in failed[:_MOST_ERRORS]:
        many = count(max(1, column.count), "call")  # where their numbers are not known
        yield say(2, f"{f'call {column.first:,}' if column.first else many}: {column.error}")
    if len(failed) > _MOST_ERRORS:
        yield say(2, f"{len(failed) - _MOST_ERRORS:,} more raised")


def visible(rows: Sequence[ScoreRow]) -> Iterator[ScoreRow]:
    """The rows that are not beneath a folded one."""
    depth = 0  # of the rows that are shown
    for row in rows:
        if row.depth <= depth:
            yield row
            depth = row.depth + row.is_open


def sign_of(row: ScoreRow) -> str:
    """What stands before the name of a row that has others beneath it: whether they are shown."""
    if row.kind not in ("node", "group") or row.traced + row.static == 0:
        return ""
    return f"{OPEN if row.is_open else FOLDED} "


def tell_type(row: ScoreRow) -> str:
    """What stands to the right of a row."""
    return "  ".join(filter(None, (row.type, row.varies, *row.marks)))


def _cells(score: Score, row: ScoreRow) -> list[str]:
    """A sign in each column, with the text of what changed; none for an open node, whose leaves tell."""
    if row.is_open:
        return [""] * len(score.columns)
    at = {cell.column: cell for cell in row.cells}
    sign, cells = "", []
    for place, column in enumerate(score.columns):
        cell = at.get(place)
        sign = _SIGNS[cell.role] if cell else sign
        is_known = cell or column.is_known or not row.has_changed  # what never changed is known of any version
        mark = (_BLAMED if cell.is_blamed else _CAUSE * cell.is_cause) if cell else ""
        shown = mark or sign if is_known or not sign.strip() else _UNKNOWN
        text = cell.text if cell else ""
        cells.append(text if score.place < 0 and text else f"{shown} {text}".rstrip())
    return cells


def _bands(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """The columns that fit beside each other, at least one."""
    band: list[int] = []
    for place, width in enumerate(widths):
        if band and sum(widths[there] + 2 for there in band) + width + 2 > room:
            yield band
            band = []
        band.append(place)
    if band:
        yield band
