"""An array in another kind of memory of the same device."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz

from ..samples import array, compare, signature, told

MESH = "P('i') on mesh(i=2 auto) of cpu:0…cpu:1 (2)"


def step(x: Any) -> Any:
    return x + 1


def test_the_kind_of_memory_is_the_reason_and_placing_the_array_saves_the_compiles() -> None:
    fast, x = jax.jit(step), jnp.ones(3)
    pinned = jax.device_put(x, x.sharding.with_memory_kind("pinned_host"))
    with jitviz.record() as rec:
        for one in (jax.device_put(x, x.sharding), pinned, x + 1):
            fast(one)
    assert [[reason.kind for reason in row.reasons] for row in rec.compiles if row.function == "step"] == [
        ["first"],
        ["memory_kind"],
        ["committed"],
    ]
    _, moved, _ = rec.compiles[-3:]
    assert moved.reasons[0].summary == "`x` changed its kind of memory from the default one to `pinned_host`."
    (finding,) = (one for one in rec.findings if one.path == "x")
    assert (finding.reason, finding.saves) == ("memory_kind", 2)
    assert finding.summary == moved.reasons[0].summary.rstrip(".")
    assert finding.advice.startswith("Place it in one kind of memory in every call, `pinned_host` or the default one,")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("cpu:0 in pinned_host", "cpu:0", [("memory_kind", "x", "pinned_host", "default")]),
        (MESH, f"{MESH} in pinned_host, layout 1,0", [
            ("sharding", "x", MESH, f"{MESH} in pinned_host, layout 1,0"),
            ("memory_kind", "x", "default", "pinned_host"),
        ]),
        (f"{MESH} in the order a1b2c3", MESH, [("sharding", "x", f"{MESH} in the order a1b2c3", MESH)]),
        ("cpu:0 in pinned_host", "cuda:0 in pinned_host", [
            ("sharding", "x", "cpu:0 in pinned_host", "cuda:0 in pinned_host")
        ]),
    ],
)  # fmt: skip  # a row for each pair of sides
def test_only_what_changed_is_told(before: str, after: str, expected: list[tuple[str, str, str, str]]) -> None:
    sides = [array("x", sharding=sharding, committed=True) for sharding in (before, after)]
    assert told(compare(*(signature([leaf]) for leaf in sides))) == expected
