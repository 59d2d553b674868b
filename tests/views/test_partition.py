from __future__ import annotations

from jitviz.model import Leaf, Node, Reason
from jitviz.views import SAVED
from jitviz.views.partition import lay_out, shape_partition
from jitviz.views.schema import FLAGS, ROLES, ROW_KINDS, Mark, Partition, Row
from jitviz.views.tree import build_tree
from tests.display.samples import array, static


def outline(partition: Partition) -> list[str]:
    """Rows as indented names, with the kind of those that are neither nodes nor leaves."""
    return [
        "  " * row.depth + row.name + ("" if row.kind in ("node", "leaf") else f" ({row.kind})")
        for row in partition.rows
    ]


MODEL = [
    array("model.weight", (3, 4)),
    array("model.bias", (4,)),
    static("model.use_bias", "bool", "True", is_metadata=True),
]
NODES = [Node("model", "Linear", (".weight", ".bias")), Node("nothing", "NoneType")]


def test_each_argument_is_a_root_in_the_order_of_the_call() -> None:
    leaves = [array("x", ()), *MODEL, array("y", ())]
    partition = shape_partition(leaves, NODES, SAVED, rows=50)
    assert outline(partition) == ["x", "model", "  .weight", "  .bias", "  .use_bias", "nothing", "y"]


def test_a_leaf_row_has_all_properties_of_the_leaf() -> None:
    leaf = Leaf("x", "traced", "jax.Array", (2, 3), "float32", True, "cpu:1", True, True, itemsize=4)
    partition = shape_partition([leaf], [], SAVED, rows=9, dropped=["x"], reused=["x"])
    assert partition.rows == (
        Row(
            kind="leaf",
            depth=0,
            name="x",
            path="x",
            type="jax.Array",
            role="traced",
            aval="f32[2,3]",
            traced=1,
            nbytes=24,
            sharding="cpu:1",
            is_weak_type=True,
            is_committed=True,
            is_donated=True,
            is_dropped=True,
            is_reused=True,
        ),
    )


def test_columns_hold_the_same_as_rows() -> None:
    many = [array(f"x[{place}]", (place // 3,)) for place in range(9)]
    nodes = [*NODES, Node("x", "list", tuple(f"[{place}]" for place in range(9)))]
    reasons = [
        Reason("shape", "x[4]", "f32[2]", "f32[1]", "s"),
        Reason("treedef", "model.gone", "array", "absent", "s"),
    ]
    partition = shape_partition(
        [*MODEL, *many], nodes, SAVED, rows=99, reasons=reasons, dropped=["x[3]"], reused=["x[2]"]
    )
    columns = lay_out(partition).rows
    marks = dict(zip(columns.marked, columns.marks, strict=True))
    texts = ("name", "path", "type", "aval", "value", "sharding")
    assert partition.rows == tuple(
        Row(
            kind=ROW_KINDS[columns.kind[line]],
            role=None if columns.role[line] < 0 else ROLES[columns.role[line]],
            **{name: columns.texts[getattr(columns, name)[line]] for name in texts},
            **{name: getattr(columns, name)[line] for name in ("depth", "traced", "static", "nbytes")},
            **{flag: bool(columns.flags[line] >> bit & 1) for bit, flag in enumerate(FLAGS)},
            marks=marks.get(line, ()),
        )
        for line in range(len(columns.kind))
    )


def test_nodes_have_the_sums_of_their_leaves() -> None:
    partition = shape_partition(MODEL, NODES, SAVED, rows=50)
    root = partition.rows[0]
    assert (root.traced, root.static, root.nbytes) == (2, 1, 64)
    assert (partition.traced, partition.static, partition.nbytes, partition.n_more_leaves) == (2, 1, 64, 0)


def test_a_common_sharding_is_shown_once() -> None:
    one, other = array("a", ()), Leaf("b", "traced", "jax.Array", (), "float32", sharding="gpu:0", itemsize=4)
    numpy = Leaf("c", "traced", "numpy.ndarray", (), "float32", itemsize=4)
    alike = shape_partition([one, numpy], [], SAVED, rows=9)
    mixed = shape_partition([one, other, numpy], [], SAVED, rows=9)
    assert (alike.sharding, [row.sharding for row in alike.rows]) == ("cpu:0", ["", ""])
    assert (mixed.sharding, [row.sharding for row in mixed.rows]) == ("", ["cpu:0", "gpu:0", ""])


def test_changes_are_marked_in_place() -> None:
    reasons = [Reason("shape", "model.weight", "f32[3,5]", "f32[3,4]", ""), Reason("config_context", "x64", "", "", "")]
    partition = shape_partition(MODEL, NODES, SAVED, rows=50, reasons=reasons)
    marks = {row.path: row.marks for row in partition.rows if row.marks}
    assert marks == {"model.weight": (Mark("shape", "f32[3,5]", "f32[3,4]"),)}


def test_a_removed_path_has_a_row_in_its_old_place() -> None:
    reasons = [
        Reason("treedef", "model.scale.gain", "array", "absent", ""),
        Reason("treedef", "old", "int", "absent", ""),
    ]
    partition = shape_partition(MODEL, NODES, SAVED, rows=50, reasons=reasons, is_diff=True)
    assert outline(partition) == ["old (gone)", "model", "  .scale.gain (gone)"]


def test_a_diff_shows_changes_and_the_nodes_above_them() -> None:
    reasons = [Reason("shape", "model.bias", "f32[5]", "f32[4]", "")]
    partition = shape_partition([*MODEL, array("x", ())], NODES, SAVED, rows=50, reasons=reasons, is_diff=True)
    assert outline(partition) == ["model", "  .bias"]
    assert (partition.n_more_leaves, partition.is_diff, partition.traced) == (3, True, 3)


def test_changes_beyond_the_limit_are_counted() -> None:
    reasons = [Reason("shape", f"x{number}", "a", "b", "") for number in range(15)]
    leaves = [array(f"x{number}", ()) for number in range(15)]
    partition = shape_partition(leaves, [], SAVED, rows=50, reasons=reasons, is_diff=True)
    assert (len(partition.rows), partition.n_more_marks) == (12, 3)


def test_a_big_tree_is_shown_from_the_top_and_the_rest_is_counted() -> None:
    leaves = [array(f"p['b{block}']['w{number}']", (2,)) for block in range(30) for number in range(30)]
    nodes = [Node("p", "dict", tuple(f"['b{block}']" for block in range(30)))]
    nodes += [Node(f"p['b{block}']", "dict", tuple(f"['w{number}']" for number in range(30))) for block in range(30)]
    partition = shape_partition(leaves, nodes, SAVED, rows=25)
    assert outline(partition) == [
        "p",
        *(f"  ['b{block}']" for block in range(1)),
        *(f"    ['w{number}']" for number in range(4)),
        "    26 more (more)",
        *(f"  ['b{block}']" for block in range(1, 20)),
        "  10 more (more)",
    ]
    assert [(row.traced, row.nbytes) for row in partition.rows if row.kind == "more"] == [(26, 208), (300, 2400)]
    assert partition.n_more_leaves == 896


def test_a_changed_leaf_is_shown_even_in_a_big_tree() -> None:
    leaves = [array(f"p[{number}]", ()) for number in range(20_000)]
    nodes = [Node("p", "list", tuple(f"[{number}]" for number in range(20_000)))]
    reasons = [Reason("shape", "p[12345]", "a", "b", "")]
    partition = shape_partition(leaves, nodes, SAVED, rows=40, reasons=reasons)
    assert "  [12345]" in outline(partition)
    assert len(partition.rows) == 41  # 40 and the row that counts the rest
    assert partition.n_more_leaves == 20_000 - 39


def test_a_linked_list_of_two_thousand_nodes_is_a_tree() -> None:
    paths = ["x" + ".tail" * number for number in range(2_000)]
    nodes = [Node(path, "Cons", (".head", ".tail")) for path in paths]
    leaves = [array(f"{path}.head", ()) for path in paths]
    partition = shape_partition(leaves, nodes, SAVED, rows=200)
    assert partition.traced == 2_000
    assert max(row.depth for row in partition.rows) == 100


def test_outputs_without_nodes_get_their_tree_from_their_paths() -> None:
    leaves = [array("out[0].layers[1].weight", ()), array("out[0].layers[1].bias", ()), array("out[1]", ())]
    partition = shape_partition(leaves, [], SAVED, rows=50)
    assert outline(partition) == [
        "out",
        "  [0]",
        "    .layers",
        "      [1]",
        "        .weight",
        "        .bias",
        "  [1]",
    ]


def test_inconsistent_rows_are_still_shown() -> None:
    leaves = [array("x", ()), array("x", ()), array("y.a", ()), array("d['a.b[0]']", ()), array("", ())]
    nodes = [Node("y", "A", (".a", ".b", "")), Node("y", "B", (".a",)), Node("", "tuple", ("",))]
    partition = shape_partition(leaves, nodes, SAVED, rows=50)
    assert (partition.traced, partition.n_more_leaves) == (5, 0)


def test_every_item_of_a_tree_comes_after_its_parent() -> None:
    tree = build_tree([array("x", ()), *MODEL], NODES)
    walked = [tree, *tree.walk()]
    assert all(branch.parent in walked[:place] for place, branch in enumerate(walked) if place)
    assert [walked.index(branch) for branch in tree.below] == [1, 2, 6]


def test_a_large_tree_is_built_once_for_several_requests() -> None:
    leaves, others = (tuple(array(f"{name}[{place}]", ()) for place in range(1_001)) for name in "xy")
    tree = build_tree(leaves, ())
    assert build_tree(leaves, ()) is tree
    _, first, *_ = build_tree(others, ()).walk()
    assert (first.name, first.item) == ("[0]", others[0])
    assert build_tree(list(leaves), ()) is not tree
