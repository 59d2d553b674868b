"""Two real arguments that differ in known ways give exactly those differences back."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jitviz.capture.arguments.walk import Rows, walk
from jitviz.model import Signature
from tests.reasons.samples import compare

# what a leaf is before and after, and what that is told as
LEAVES: dict[str, tuple[Any, Any]] = {
    "same": (np.ones(2, np.float32), np.zeros(2, np.float32)),
    "shape": (np.ones(2, np.float32), np.ones(3, np.float32)),
    "dtype": (np.ones(2, np.float32), np.ones(2, np.int32)),
    "static_value": (1, 2),
    "leaf_kind": (np.ones(2, np.float32), 1.0),
    "treedef": (np.ones(2, np.float32), None),
}
kinds = st.sampled_from(sorted(LEAVES))
trees = st.recursive(
    kinds,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    ),
    max_leaves=12,
)


def built(tree: Any, side: int) -> Any:
    """The argument of one side: 0 is before, 1 is after."""
    if isinstance(tree, str):
        return LEAVES[tree][side]
    if isinstance(tree, dict):
        return {key: built(part, side) for key, part in tree.items()}
    return type(tree)(built(part, side) for part in tree)


def differences(tree: Any, path: str) -> set[tuple[str, str]]:
    """(kind, path) of every leaf that is to differ."""
    if isinstance(tree, str):
        return {(tree, path)} - {("same", path)}
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return {found for step, part in steps for found in differences(part, f"{path}[{step!r}]")}


def seen(argument: Any) -> Signature:
    rows = Rows()
    walk(argument, "x", "arrays", rows)
    return Signature(tuple(rows.leaves), tuple(rows.nodes))


@settings(deadline=None, max_examples=60)
@given(trees)
def test_exactly_the_differences_come_back(tree: Any) -> None:
    changes = compare(seen(built(tree, 0)), seen(built(tree, 1)))
    assert {(change.kind, change.path) for change in changes} == differences(tree, "x")
    assert len(changes) == len(differences(tree, "x"))
