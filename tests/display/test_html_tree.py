from __future__ import annotations

from xml.etree import ElementTree

from jitviz.display.html_tree import draw_rows
from jitviz.model import Node
from jitviz.views import SAVED
from jitviz.views.limits import DEPTH
from jitviz.views.partition import shape_partition
from jitviz.views.schema import Mark, Row
from tests.display.samples import array, static


def shown(rows: tuple[Row, ...], *, is_diff: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring("".join(draw_rows(rows, is_diff=is_diff)))


def lines(element: ElementTree.Element) -> list[str]:
    """The lines of an element on a screen, without the marks of nesting."""
    for line_break in element.iter("br"):
        line_break.text = "\n"
    for part in element.iter():
        if part.tag in ("summary", "details"):
            part.text = "\n" + (part.text or "")
            part.tail = "\n" + (part.tail or "")
    return [line.rstrip() for line in "".join(element.itertext()).split("\n") if line.strip()]


def test_siblings_are_aligned_and_nodes_fold() -> None:
    leaves = [array("m.weight", (3, 4), donated=True), array("m.b", ()), static("m.f", "function", "<function f>")]
    rows = shape_partition(
        [*leaves, array("x", (2,))], [Node("m", "pkg.mod.Linear", (".weight", ".b", ".f"))], SAVED, rows=9
    )
    tree = shown(rows.rows)
    assert lines(tree) == [
        "m Linear 2 traced, 52 B · 1 static",
        "● .weight  f32[3,4]      48 B  donated",
        "● .b       f32[]         4 B",
        "○ .f       <function f>",
        "● x  f32[2]  8 B",
    ]
    assert [part.attrib for part in tree.iter("details")] == [{"open": ""}]


def test_static_metadata_of_a_node_is_one_line() -> None:
    leaves = [static(f"m.{name}", "int", str(size), is_metadata=True) for name, size in (("n_in", 2), ("n_out", 64))]
    rows = shape_partition(leaves, [Node("m", "Linear", ())], SAVED, rows=9)
    assert lines(shown(rows.rows)) == ["m Linear 2 static", "○ treedef  n_in=2, n_out=64"]


def test_metadata_that_changed_keeps_its_line_and_mark() -> None:
    mark = Mark("static_value", "2", "3")
    rows = [Row("leaf", 0, name, name, role="static", value="3", is_metadata=True) for name in ("a", "b", "c")]
    rows[1] = Row("leaf", 0, "b", "b", role="static", value="3", is_metadata=True, marks=(mark,))
    assert lines(shown(tuple(rows))) == [
        "○ a  3  in the treedef",
        "○ b  3  in the treedef static value: 2 → 3",
        "○ c  3  in the treedef",
    ]


def test_a_big_tree_is_open_at_its_roots_only() -> None:
    rows = [Row("node", 0, "p", "p", "dict", traced=99)]
    for block in range(3):
        rows.append(Row("node", 1, f"['b{block}']", "", "dict", traced=33))
        rows += [Row("leaf", 2, f"['w{number}']", "", role="traced", aval="f32[]", traced=1) for number in range(33)]
    opened = [part.attrib for part in shown(tuple(rows)).iter("details")]
    assert opened == [{"open": ""}, {}, {}, {}]


def test_none_and_empty_containers_are_lines() -> None:
    rows = shape_partition([array("a.x", ())], [Node("a", "A", (".x", ".y")), Node("a.y", "NoneType")], SAVED, rows=9)
    assert lines(shown(rows.rows)) == ["a A 1 traced, 4 B", "● .x  f32[]  4 B", "· .y  None"]


def test_a_deep_tree_is_well_formed() -> None:
    paths = ["x" + ".tail" * number for number in range(100)]
    nodes = [Node(path, "Cons", (".head", ".tail")) for path in paths]
    rows = shape_partition([array(f"{path}.head", ()) for path in paths], nodes, SAVED, rows=300)
    assert len(list(shown(rows.rows).iter("details"))) >= DEPTH
