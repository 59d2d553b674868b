"""The rows of an argument tree."""

from dataclasses import replace

from jitviz.model import Leaf


def test_a_leaf_at_another_path_is_otherwise_equal() -> None:
    leaf = Leaf(path="tree[0]", role="traced", type="jax.Array", shape=(3,), dtype="float32", donated=True, itemsize=4)
    assert leaf.at("tree[1]") == replace(leaf, path="tree[1]")
    assert leaf.path == "tree[0]"
