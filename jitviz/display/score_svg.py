"""The score as a picture of about ten kilobytes, which needs no script, no style sheet and no trust.

In: `Score`s.  Out: SVG, and an `<img>` that holds it with a text for those who cannot see it.
Must never: depend on the colours of the page around it, or hold an unescaped text of the user.

Cells of one look are one path, so that many take little room. The picture has its own ground, light or dark as the
reader's system is: a saved notebook cannot know the theme that it is read in.
"""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from ..model import count, shortened
from ..views import Score, ScoreCell, ScoreColumn, ScoreRow
from .score_text import FOLDED, choose, sign_of, visible
from .wrapped_lines import width_of

_LETTER, _PITCH, _CELL, _BARS = 6.7, 20, 16, 62  # pixels: of a letter, from row to row, of a cell, of the longest bar
_PAD, _GAP, _STEP = 12, 3, 14
_MOST_NAME, _MOST_TYPE, _MOST_TEXT = 34, 40, 14
_FEW_COLUMNS = 16  # which have room for the number of their last call
_LEAST_WIDTH, _MOST_WIDTH = 420, 1400
# The colours of the panel (`js/src/style.css`): six with one meaning each.
_LIGHT = {
    "ink": "#1d2127", "dim": "#5a626c", "ground": "#fff", "save": "#a34a00", "changed": "#ffd75e", "traced": "#8fbbe6",
    "running": "#23834a", "error": "#b3261e", "compile": "#566270", "trace": "#a9b3be",
}  # fmt: skip
_DARK = {
    "ink": "#e4e7eb", "dim": "#a3abb5", "ground": "#17191c", "save": "#ffb05c", "changed": "#8a6a00",
    "traced": "#3d6c9c", "running": "#4fc07f", "error": "#ff8a80", "compile": "#8b98a8", "trace": "#5b6672",
}  # fmt: skip
_STYLE = (
    "text{{font:11px 'DejaVu Sans Mono',monospace;fill:var(--ink)}}"
    ".d{{fill:var(--dim)}}.b{{font-weight:700}}.s{{fill:var(--save)}}.e{{fill:var(--error)}}.m{{text-anchor:middle}}"
    ":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
)
# The look of a path by its name; cells of hits are paler, since nothing happened in them.
_LOOKS = {
    "traced": "fill:var(--traced)",
    "static": "fill:none;stroke:var(--dim)",
    "cause": "fill:var(--changed);stroke:var(--save);stroke-width:2",
    "unknown": "fill:none;stroke:var(--dim);stroke-dasharray:2 3",
    "trace": "fill:var(--trace)",
    "compile": "fill:var(--compile)",
    "save": "fill:var(--save)",
    "run": "fill:var(--running)",
    "error": "fill:var(--error)",
}


@dataclass
class _Picture:
    """What has been drawn so far."""

    paths: defaultdict[tuple[str, bool], list[str]] = field(default_factory=lambda: defaultdict(list))
    texts: list[str] = field(default_factory=list)
    width: float = _LEAST_WIDTH

    def box(self, look: str, x: float, y: float, width: float, height: float, *, is_pale: bool = False) -> None:
        self.paths[look, is_pale].append(f"M{x:.0f} {y:.0f}h{width:.0f}v{height:.0f}h{-width:.0f}z")
        self.width = max(self.width, x + width)

    def text(self, x: float, y: float, text: str, look: str = "") -> None:
        if text:
            classes = f' class="{look}"' if look else ""
            self.texts.append(f'<text x="{x:.0f}" y="{y:.0f}"{classes}>{escape(text, quote=False)}</text>')
            self.width = max(self.width, x + (0 if "m" in look.split() else _LETTER * width_of(text)))

    def svg(self, height: float) -> str:
        sides = [";".join(f"--{name}:{colour}" for name, colour in side.items()) for side in (_LIGHT, _DARK)]
        width = min(_MOST_WIDTH, self.width + _PAD)
        paths = "".join(
            f'<path style="{_LOOKS[look]}{";opacity:.5" if is_pale else ""}" d="{"".join(drawn)}"/>'
            for (look, is_pale), drawn in self.paths.items()
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}"><style>{_STYLE.format(light=sides[0], dark=sides[1])}</style>'
            f'<rect width="100%" height="100%" style="fill:var(--ground)"/>{paths}{"".join(self.texts)}</svg>'
        )


def draw_score(scores: Sequence[Score], n_more: int = 0) -> str:
    """The first score whole, the others as a line each, as SVG."""
    shown = choose(scores)
    rows = list(visible(shown[0].rows))
    names = [f"{FOLDED} {score.function}" for score in shown[1:]]
    ends = [_PAD + _LETTER * width_of(name) for name in names]
    ends += [_indent(row) + _LETTER * (width_of(shortened(row.name, _MOST_NAME)) + 2) for row in rows]
    left = max(_PAD + _LETTER * 9, *ends, 0) + 6  # where the first column of each begins
    picture = _Picture()
    y = _draw_open(picture, shown[0], rows, left)
    for score in shown[1:]:
        y = _draw_folded(picture, score, left, y)
    if n_more := n_more + len(scores) - len(shown):
        picture.text(_PAD, y + _CELL - 4, count(n_more, "more function"), "d")
        y += _PITCH
    return picture.svg(y + _PAD / 2)


def as_image(svg: str, alt: str) -> str:
    """An `<img>` with the picture in it."""
    source = b64encode(svg.encode()).decode()
    return f'<img alt="{escape(alt)}" style="max-width:100%;height:auto" src="data:image/svg+xml;base64,{source}"/>'


def _indent(row: ScoreRow) -> float:
    return _PAD + _STEP * row.depth


def _draw_open(picture: _Picture, score: Score, rows: Sequence[ScoreRow], left: float) -> float:
    columns, y = score.columns, float(_PAD)
    texts = [[(at.text if at else "") for at in _cells_by_column(row, len(columns))] for row in rows]
    heads = [_numbers(column, columns) for column in columns]
    widths = [_width_of(column, [heads[at], *(line[at] for line in texts)]) for at, column in enumerate(columns)]
    xs = [left + sum(widths[:place]) + _GAP * place for place in range(len(columns))]
    picture.text(_PAD, y + 10, score.function, "b")
    picture.text(_PAD + _LETTER * (width_of(score.function) + 2), y + 10, score.told, "d")
    y += _PITCH
    _draw_bars(picture, columns, xs, widths, y + _BARS + 12)
    y += _BARS + _PITCH + 8
    if any(column.first for column in columns):
        picture.text(_PAD, y, "call", "d")
        for column, x, width in zip(columns, xs, widths, strict=True):
            picture.text(x + width / 2, y, _numbers(column, columns), "m d")
        y += 15
    if score.place >= 0:
        picture.text(_PAD, y, "version", "d")
    for column, x, width in zip(columns, xs, widths, strict=True):
        look = "e" if column.kind == "error" else "b" if column.compiles else "d"
        picture.text(x + width / 2, y, column.name, f"m {look}")
    y += 8
    right = (xs[-1] + widths[-1] if xs else left) + 10
    for row in rows:
        name = sign_of(row) + shortened(row.name, _MOST_NAME)
        picture.text(_indent(row), y + 12, name, "d" if row.kind in ("more", "fields") else "")
        if not row.is_open:  # else its leaves tell
            _draw_row(picture, row, columns, list(zip(xs, widths, strict=True)), y)
        what = shortened("  ".join((row.type, *row.marks)) if row.marks else row.type, _MOST_TYPE)
        picture.text(right, y + 12, what, "d")
        if row.varies:
            varies = shortened(row.varies, _MOST_TYPE)
            picture.text(right + _LETTER * (width_of(what) + (1 if what else 0)), y + 12, varies, "b")
        y += _PITCH
    return _draw_legend(picture, score, y + 4)


def _numbers(column: ScoreColumn, columns: Sequence[ScoreColumn]) -> str:
    """The numbers of a column's calls, "" where they have none: "2–7", or the first alone where columns are many."""
    is_range = column.last > column.first and len(columns) <= _FEW_COLUMNS
    return f"{column.first:,}" + f"–{column.last:,}" * is_range if column.first else ""


def _cells_by_column(row: ScoreRow, n: int) -> list[ScoreCell | None]:
    at = {cell.column: cell for cell in row.cells}
    return [at.get(place) for place in range(n)]


def _width_of(column: ScoreColumn, texts: Sequence[str]) -> float:
    """Of a column: what is written in it fits; calls that compiled are wider than hits."""
    longest = max((min(_MOST_TEXT, width_of(text)) for text in (*texts, column.name)), default=0)
    least = 46 if column.compiles or column.kind in ("error", "running", "programs") else 10
    return max(least, _LETTER * max(longest, width_of(column.told)) + 10)


def _draw_bars(
    picture: _Picture, columns: Sequence[ScoreColumn], xs: Sequence[float], widths: Sequence[float], floor: float
) -> None:
    """The seconds above each column: tracing and lowering on top of compiling; what was avoidable has its colour."""
    longest_s = max((column.seconds for column in columns), default=0.0) or 1.0
    for column, x, width in zip(columns, xs, widths, strict=True):
        height = max(2.0, _BARS * column.seconds / longest_s)
        is_saved = column.avoidable_s > 0 and column.avoidable_s >= 0.5 * column.seconds
        picture.text(x + width / 2, floor - height - 4, column.told, "m b s" if is_saved else "m d")
        if not column.compiles and column.kind != "programs":
            picture.box("error" if column.kind == "error" else "run", x, floor - height, width, height)
            continue
        is_error = column.kind == "error"
        share = 0.0 if is_error or not column.seconds else (column.trace_s + column.lower_s) / column.seconds
        top = height * min(1.0, share)
        body = "error" if is_error else "save" if is_saved else "compile"
        picture.box(body, x, floor - height + top, width, height - top)
        if top >= 1:
            picture.box("trace", x, floor - height, width, top)


def _draw_row(
    picture: _Picture,
    row: ScoreRow,
    columns: Sequence[ScoreColumn],
    places: Sequence[tuple[float, float]],
    y: float,
) -> None:
    role = "absent"
    for column, cell, (x, width) in zip(columns, _cells_by_column(row, len(columns)), places, strict=True):
        role = cell.role if cell else role
        is_pale = not (column.compiles or cell)
        is_cause = cell is not None and (cell.is_cause or cell.is_blamed)
        if is_cause:
            picture.box("cause", x + 1, y + 1, width - 2, _CELL - 2)
        elif role == "absent":
            continue
        elif not column.is_known and row.has_changed and not cell:  # what never changed is known of any version
            picture.box("unknown", x + 1, y + 1, width - 2, _CELL - 2)
        elif role == "mixed":
            share = width * row.traced / (row.traced + row.static)
            picture.box("traced", x, y, max(2, share - 1), _CELL, is_pale=is_pale)
            picture.box("static", x + share + 0.5, y + 0.5, max(2, width - share - 1), _CELL - 1, is_pale=is_pale)
        elif role == "static":
            picture.box("static", x + 0.5, y + 0.5, width - 1, _CELL - 1, is_pale=is_pale)
        else:
            picture.box("traced", x, y, width, _CELL, is_pale=is_pale)
        if cell is not None and cell.text:
            picture.text(x + width / 2, y + 12, shortened(cell.text, _MOST_TEXT), "m b" if is_cause else "m")


def _draw_legend(picture: _Picture, score: Score, y: float) -> float:
    if score.place < 0:
        return y
    cells = [cell for row in score.rows for cell in row.cells]
    roles = {cell.role for cell in cells}
    are_used = {
        "traced": bool(roles & {"traced", "mixed"}),
        "static": bool(roles & {"static", "mixed"}),
        "made this call compile": any(cell.is_cause and not cell.is_blamed for cell in cells),
        "made this call raise": any(cell.is_blamed for cell in cells),
        "version not known": not all(column.is_known for column in score.columns),
        "avoidable": any(column.avoidable_s for column in score.columns),
    }
    x, looks = float(_PAD), ("traced", "static", "cause", "cause", "unknown", "save")
    for look, (word, is_used) in zip(looks, are_used.items(), strict=True):
        if is_used:
            picture.box(look, x + 1, y + 3, 12, 9)
            picture.text(x + 18, y + 12, word, "d")
            x += 18 + _LETTER * len(word) + 18
    return y + _PITCH


def _draw_folded(picture: _Picture, score: Score, x: float, y: float) -> float:
    """A line: name, what happened, and a bar for each column."""
    picture.text(_PAD, y + 13, f"{FOLDED} {score.function}", "b")
    longest_s = max((column.seconds for column in score.columns), default=0.0) or 1.0
    for column in score.columns:
        is_compile = column.compiles or column.kind == "programs"
        width, height = (14 if is_compile else 5), max(2.0, 13 * column.seconds / longest_s)
        look = "save" if column.avoidable_s else "compile" if is_compile else "run"
        picture.box("error" if column.kind == "error" else look, x, y + 15 - height, width, height)
        x += width + 2
    picture.text(x + 8, y + 13, score.told, "d")
    return y + _PITCH
