"""A jaxpr drawn: nodes by kind, clusters for inner programs, edges with avals."""

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.display import jaxpr_graph as drawing
from tests.display import samples


def drawn(function: Callable[..., Any], *args: Any) -> str:
    """The DOT text of the one compile that a call causes."""
    with jitviz.record() as recording:
        jax.jit(function)(*args)
    return jitviz.graph(recording.compiles[0]).source


def labels(source: str) -> dict[str, str]:
    """The label of each node, by its name."""
    found = re.findall(r'^\s*(n\d+) \[label=(?:"([^"]*)"|(\S+)) ', source, flags=re.MULTILINE)
    return {name: quoted or bare for name, quoted, bare in found}


def edges(source: str) -> list[tuple[str, str, str]]:
    """(from, to, aval) with the labels of the nodes."""
    names = labels(source)
    found = re.findall(r'^\s*(n\d+) -> (n\d+) \[label="([^"]*)"', source, flags=re.MULTILINE)
    return [(names[start], names[end], aval) for start, end, aval in found]


def clusters(source: str) -> list[str]:
    """The titles of the inner programs, without that of the whole."""
    return [
        quoted or bare
        for quoted, bare in re.findall(r'label=(?:"([^"]*)"|(\w+)) style=rounded$', source, flags=re.MULTILINE)
    ]


def test_inputs_and_outputs_carry_the_users_names_and_edges_their_avals() -> None:
    source = drawn(lambda params, x: {"y": jnp.sin(params["w"] * x)}, {"w": jnp.ones(3)}, jnp.ones(3))
    assert edges(source) == [
        ("params['w']\\nf32[3]", "mul", "f32[3]"),
        ("x\\nf32[3]", "mul", "f32[3]"),
        ("mul", "sin", "f32[3]"),
        ("sin", "out['y']", "f32[3]"),
    ]


def test_inner_programs_are_clusters() -> None:
    def loop(x: jax.Array) -> Any:
        return jax.lax.scan(lambda carry, part: (carry + part, carry), x.sum(), x)

    source = drawn(loop, jnp.ones(3))
    assert clusters(source) == ["scan"]
    assert ("x\\nf32[3]", "1: f32[]", "f32[3]") in edges(source)
    assert ("add", "out[0]", "f32[]") in edges(source)


def test_branches_meet_where_it_is_decided_which_of_them_runs() -> None:
    def choose(x: jax.Array) -> Any:
        return jax.lax.cond(x > 0, lambda y: y + 1, lambda y: y * 2, x)

    source = drawn(choose, jnp.ones(()))
    assert clusters(source) == ["cond: branches", "cond: branches"]
    assert [edge for edge in edges(source) if edge[1] == "cond"] == [
        ("convert_element_type", "cond", "i32[]"),
        ("mul", "cond", "f32[]"),
        ("add", "cond", "f32[]"),
    ]


def test_too_many_nodes_are_folded_and_the_title_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MOST_NODES", 5)

    def loop(x: jax.Array) -> Any:
        return jax.lax.scan(lambda carry, part: (carry + part, carry), x.sum(), x)

    source = drawn(loop, jnp.ones(3))
    assert "(inner programs below level 0 are folded)" in source
    assert "cluster" not in source
    assert "box3d" in source


def test_a_compile_without_a_jaxpr_is_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"There is no jaxpr of `Model\.loss`, version 2"):
        jitviz.graph(samples.error_in_trace().compiles[1])
