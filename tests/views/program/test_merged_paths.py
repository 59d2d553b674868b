from __future__ import annotations

import pytest

from jitviz.views.program.cost import group_alike, merge_alike
from jitviz.views.schema import Alike


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["a", "b"], [("a", 1), ("b", 1)]),
        ([f"blocks[{n}].w" for n in range(12)], [("blocks[0..11].w", 12)]),
        (["b[0].w", "b[0].v", "b[1].w", "b[1].v"], [("b[0..1].w", 2), ("b[0..1].v", 2)]),
        (["b[0].w", "b[1].w", "b[5].w"], [("b[0..1, 5].w", 3)]),
        ([f"b[{n}]" for n in range(0, 20, 2)], [("b[0, 2, …, 18]", 10)]),
        (["out[0].w is p[0].w", "out[1].w is p[1].w"], [("out[0..1].w is p[0..1].w", 2)]),
        (["p['3'].w", "p['4'].w"], [("p['3'].w", 1), ("p['4'].w", 1)]),
    ],
)
def test_paths_that_differ_only_in_their_indices_are_merged(texts: list[str], told: list[tuple[str, int]]) -> None:
    assert merge_alike(texts) == tuple(Alike(*one) for one in told)


def test_a_complete_subtree_replaces_its_leaves() -> None:
    model = [f"m.b[{n}].{name}" for n in range(3) for name in ("w", "v")]
    assert merge_alike(model, ["x", *model]) == (Alike("m", 6),)
    assert merge_alike(model, [*model, "m.head"]) == (Alike("m.b", 6),)
    assert merge_alike(model[:4], model) == (Alike("m.b[0..1]", 4),)
    assert merge_alike(["x"], ["x", *model]) == (Alike("x", 1),)


def test_paths_with_different_facts_stay_separate() -> None:
    rows = [("b[0]", "f32[2]"), ("b[1]", "f32[3]"), ("b[2]", "f32[2]")]
    assert group_alike(rows) == ([("f32[2]", "b[0, 2]", 2), ("f32[3]", "b[1]", 1)], 0)
    assert group_alike([*rows, rows[1]], most=1) == ([("f32[2]", "b[0, 2]", 2)], 2)
