"""The text of a cell as an index to what it compiled."""

from jitviz.model import Reason, Signature
from jitviz.recording import events as ev
from jitviz.views import PANEL, SAVED, shape_panel
from jitviz.views.schema import CellLine
from tests.display.samples import EPOCH_S, FIRST, Sample, Story, array

TEXT = "%%filterjit\nfor x in batches:\n    step(x)\nprint('done')\n"
X = Signature((array("x", (4,)),))
SHAPE = Reason("shape", "x", "f32[3]", "f32[4]", "`x` changed its shape.", "Pad it.")


def cell_of(text: str) -> Sample:
    story = Story()
    story.events[1] = ev.CellStarted(EPOCH_S, "In [3]", text)
    step = story.function("step")
    story.miss(step, 0.0, (0.25, 0.25, 0.5), 0.0, X, (FIRST,))
    story.miss(step, 1.0, (0.25, 0.25, 0.5), 0.0, X, (SHAPE,))
    story.hit(step, 2.5, 0.01, version=2)
    return story.end(3.0)


def test_each_line_has_its_seconds_its_counts_and_its_findings() -> None:
    (cell,) = shape_panel(cell_of(TEXT), PANEL).cells
    assert (cell.label, cell.n_more_lines) == ("In [3]", 0)
    assert cell.lines == (
        CellLine(1, "%%filterjit"),
        CellLine(2, "for x in batches:"),
        CellLine(3, "    step(x)", 2.0, "3 calls, 1 hit, 2 compiles", (0,)),
        CellLine(4, "print('done')"),
    )


def test_a_long_cell_is_shown_only_near_the_lines_that_compiled() -> None:
    (cell,) = shape_panel(cell_of("\n" * 2 + "    step(x)" + "\nrest" * 200), PANEL).cells
    assert [line.number for line in cell.lines] == [1, 2, 3, 4, 5]
    assert cell.n_more_lines == 198


def test_a_cell_without_a_known_text_has_no_index_and_neither_has_static_html() -> None:
    assert shape_panel(cell_of(""), PANEL).cells == ()
    assert shape_panel(cell_of(TEXT), SAVED).cells == ()
