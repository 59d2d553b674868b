"""The text of a cell as an index to what it compiled."""

from dataclasses import replace

from jitviz.model import Glance, OpByOp, Reason, Signature
from jitviz.model import Sample as Sampled
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
    story.hit(step, 2.5, 0.25, version=2)
    return story.end(3.0)


def test_each_line_has_its_seconds_its_counts_and_its_findings() -> None:
    (cell,) = shape_panel(cell_of(TEXT), PANEL).cells
    assert (cell.label, cell.n_more_lines) == ("In [3]", 0)
    assert cell.lines == (
        CellLine(1, "%%filterjit"),
        CellLine(2, "for x in batches:"),
        CellLine(3, "    step(x)", 2.25, "3 calls, 1 hit, 2 compiles", (0,), trace_s=1.0, compile_s=1.0, run_s=0.25),
        CellLine(4, "print('done')"),
    )


def test_the_line_that_a_finding_asks_to_change_is_marked_where_another_one_calls() -> None:
    story = Story()
    story.events[1] = ev.CellStarted(EPOCH_S, "In [3]", "def f(x):\n    return x\n" + "\n" * 50 + "f(x)\n")
    step = story.function("f")
    again = "`f` changed to a new object with the same code (defined at In [3]:1)."
    story.miss(step, 0.0, (0.25, 0.25, 0.5), 0.0, X, (FIRST,), source="In [3]:53")
    story.miss(step, 1.0, (0.25, 0.25, 0.5), 0.0, X, (Reason("new_function", "", "", "", again),), source="In [3]:53")
    panel = shape_panel(story.end(3.0), PANEL)
    assert [finding.edits for finding in panel.findings] == [("In [3]:1",)]
    assert [(line.number, line.edits, line.findings) for line in panel.cells[0].lines if line.text] == [
        (1, (0,), ()),
        (2, (), ()),
        (53, (), (0,)),
    ]


def test_the_heaviest_line_is_the_one_that_took_most_whatever_it_did() -> None:
    """Of a loop of NumPy, and of what called it; the line that compiled is the third."""
    story = Story()
    text = "def augment(x):\n    return slow(x)\nfor x in batches:\n    y = augment(x)\n    step(y)\n"
    story.events[1] = ev.CellStarted(EPOCH_S, "In [3]", text)
    step = story.function("step")
    story.miss(step, 0.0, (0.25, 0.25, 0.5), 0.0, X, (FIRST,), source="In [3]:5", stack=("In [3]:5",))
    seen = Glance("In [3]:2", ("In [3]:4",), "numpy.sort")
    story.events.append(ev.LinesSampled(EPOCH_S + 8.0, (Sampled(EPOCH_S + 2.0, EPOCH_S + 8.0, seen, False),)))
    (cell,) = shape_panel(story.end(9.0), PANEL).cells
    assert [(line.number, line.seconds, line.python_s, line.beneath) for line in cell.lines if line.seconds] == [
        (2, 6.0, 6.0, 0.0),
        (4, 6.0, 6.0, 6.0),
        (5, 1.0, 0.0, 0.0),
    ]


NESTED = "%%filterjit\ndef go(x):\n    return step(x)\ny = [go(x) for x in batches]\nstep(y)\n"


def test_each_line_has_what_compiled_beneath_it_and_its_own_part() -> None:
    story = Story()
    story.events[1] = ev.CellStarted(EPOCH_S, "In [3]", NESTED)
    step = story.function("step")
    story.miss(step, 0.0, (0.25, 0.25, 0.5), 0.0, X, (FIRST,), stack=("In [3]:3", "In [3]:4"))
    story.miss(step, 1.0, (0.25, 0.25, 0.5), 0.0, X, (SHAPE,), stack=("In [3]:3", "In [3]:4"))
    story.miss(step, 2.0, (0.25, 0.25, 0.5), 0.0, X, (SHAPE,), source="In [3]:5", stack=("In [3]:5",))
    op = OpByOp("jnp.sin", source="In [3]:4", stack=("In [3]:4",), start_s=EPOCH_S + 3.0, compile_s=0.5, span_s=0.5)
    inside = replace(op, source="In [3]:2", stack=("In [3]:2", "In [3]:3", "In [3]:4"), start_s=EPOCH_S + 0.125)
    story.events += [ev.OpCompiled(EPOCH_S + 3.5, op), ev.OpCompiled(EPOCH_S + 3.5, replace(inside, span_s=0.125))]
    (cell,) = shape_panel(story.end(4.0), PANEL).cells
    assert [(line.seconds, line.beneath) for line in cell.lines] == [
        (0.0, 0.0),
        (0.125, 0.0),  # while line 3 was traced
        (2.0, 0.125),
        (2.5, 2.0),
        (1.0, 0.0),
    ]
    assert [line.told for line in cell.lines][3] == "1 program outside any jit · 500 ms in the line itself"


def test_of_a_line_that_raised_in_an_unknown_text_only_the_line_is_shown() -> None:
    story = Story()
    error = "TypeError: no. At a.py:2, `print(f'`{x}`')`."
    story.miss(story.function("f"), 1, (0.1,), 0.0, X, (FIRST,), error=error, source="b.py:4")  # type: ignore[arg-type]
    (cell,) = shape_panel(story.end(3.0), PANEL).cells
    assert [line.text for line in cell.lines] == ["print(f'`{x}`')"]


def test_the_line_that_raised_under_a_trace_is_marked() -> None:
    story = Story()
    story.events[1] = ev.CellStarted(EPOCH_S, "In [3]", "def f(x):\n    if x.sum() > 0:\n        return x\nf(x)\n")
    said = "TracerBoolConversionError: no bool. At In [3]:2, `if x.sum() > 0:`."
    story.miss(story.function("f"), 0.1, (0.5,), 0.0, X, (FIRST,), error=said, source="In [3]:4")  # type: ignore[arg-type]
    (cell,) = shape_panel(story.end(1.0), PANEL).cells
    told = [line.told for line in cell.lines]
    assert told == ["", "raised TracerBoolConversionError", "", "1 call"]


def test_the_most_expensive_cells_are_shown_in_the_order_in_which_they_ran() -> None:
    story = Story()
    step = story.function("step")
    del story.events[1]
    for number, seconds in enumerate((1.0, 9.0, 2.0, 8.0, 7.0, 6.0)):
        at_s = 10.0 * number
        story.events.append(ev.CellStarted(EPOCH_S + at_s, f"In [{number}]", "step(x)"))
        story.miss(step, at_s, (0.0, 0.0, seconds), 0.0, X, (FIRST,), source=f"In [{number}]:1")
    cells = shape_panel(story.end(60.0), PANEL).cells
    assert [cell.label for cell in cells] == ["In [1]", "In [3]", "In [4]", "In [5]"]


def test_a_long_cell_is_shown_only_near_the_lines_that_compiled() -> None:
    (cell,) = shape_panel(cell_of("\n" * 2 + "    step(x)" + "\nrest" * 200), PANEL).cells
    assert [line.number for line in cell.lines] == [1, 2, 3, 4, 5]
    assert cell.n_more_lines == 198


def test_several_cells_share_the_lines_that_are_shown() -> None:
    story = Story()
    step = story.function("step")
    del story.events[1]
    for number in range(3):
        story.events.append(
            ev.CellStarted(EPOCH_S + 10.0 * number, f"In [{number}]", "step(x)" + "\nrest" * 7 + "\nstep(x)" * 9)
        )
        for line in (1, 12):
            story.miss(
                step, 10.0 * number + line / 4, (0.0, 0.0, 1.0), 0.0, X, (FIRST,), source=f"In [{number}]:{line}"
            )
    cells = shape_panel(story.end(60.0), PANEL).cells
    assert [[line.number for line in cell.lines] for cell in cells] == [[1, 2, 3, 10, 11, 12, 13, 14]] * 3


def test_a_cell_without_a_known_text_has_no_index_and_neither_has_static_html() -> None:
    assert shape_panel(cell_of(""), PANEL).cells == ()
    assert shape_panel(cell_of(TEXT), SAVED).cells == ()
