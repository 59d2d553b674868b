from __future__ import annotations

from jitviz.display.function_outline import outline_tree, tags
from jitviz.display.wrapped_lines import write
from jitviz.model import Node
from jitviz.views import SAVED
from jitviz.views.partition import shape_partition
from jitviz.views.schema import Mark, Row
from tests.display.samples import array, static


def texts(rows: tuple[Row, ...]) -> list[str]:
    return list(write(outline_tree(rows, 0, is_diff=False), 100))


def test_siblings_are_aligned() -> None:
    leaves = [array("m.weight", (3, 4), donated=True), array("m.b", ()), static("m.f", "function", "<function f>")]
    rows = shape_partition(
        [*leaves, array("x", (2,))], [Node("m", "pkg.mod.Linear", (".weight", ".b", ".f"))], SAVED, rows=9
    )
    assert texts(rows.rows) == [
        "m: Linear  2 traced, 52 B · 1 static",
        "  ● .weight  f32[3,4]      48 B  donated",
        "  ● .b       f32[]         4 B",
        "  ○ .f       <function f>",
        "● x  f32[2]  8 B",
    ]


def test_static_metadata_of_a_node_is_one_line() -> None:
    leaves = [static(f"m.{name}", "int", str(size), is_metadata=True) for name, size in (("n_in", 2), ("n_out", 64))]
    rows = shape_partition(leaves, [Node("m", "Linear", ())], SAVED, rows=9)
    assert texts(rows.rows) == ["m: Linear  2 static", "  ○ treedef  n_in=2, n_out=64"]


def test_metadata_that_changed_keeps_its_line_and_mark() -> None:
    mark = Mark("static_value", "2", "3")
    rows = [Row("leaf", 0, name, name, role="static", value="3", is_metadata=True) for name in ("a", "b", "c")]
    rows[1] = Row("leaf", 0, "b", "b", role="static", value="3", is_metadata=True, marks=(mark,))
    assert texts(tuple(rows)) == [
        "○ a  3  metadata",
        "○ b  3  metadata  ◄ static value: 2 → 3",
        "○ c  3  metadata",
    ]


def test_a_big_tree_is_open_at_its_roots_only() -> None:
    rows = [Row("node", 0, "p", "p", "dict", traced=99)]
    for block in range(3):
        rows.append(Row("node", 1, f"['b{block}']", "", "dict", traced=33))
        rows += [Row("leaf", 2, f"['w{number}']", "", role="traced", aval="f32[]", traced=1) for number in range(33)]
    assert [line.is_open for line in outline_tree(rows, 0, is_diff=False) if line.is_open is not None] == [
        True,
        *[False] * 3,
    ]
    assert all(line.is_open for line in outline_tree(rows, 0, is_diff=True) if line.is_open is not None)


def test_none_and_empty_containers_are_lines() -> None:
    rows = shape_partition([array("a.x", ())], [Node("a", "A", (".x", ".y")), Node("a.y", "NoneType")], SAVED, rows=9)
    assert texts(rows.rows) == ["a: A  1 traced, 4 B", "  ● .x  f32[]  4 B", "  .y: None"]


def test_the_tags_of_a_leaf_have_a_fixed_order() -> None:
    row = Row(
        "leaf", 0, "x", "x", role="traced", sharding="gpu:1", is_weak_type=True, is_committed=True, is_donated=True
    )
    assert tags(row) == ("weak type", "donated", "committed to gpu:1")
    assert tags(Row("leaf", 0, "x", "x", sharding="gpu:1")) == ("gpu:1",)
