"""A jaxpr as a graph: its clusters, its data flow, and what is open."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.recording import Recording
from jitviz.views.program import graph
from jitviz.views.program.graph import Graph, shape_graph
from jitviz.views.program.graph_parts import GraphNode
from jitviz.views.program.inputs_outputs import gather


def recorded(function: Callable[..., Any], *args: Any) -> Recording:
    with jitviz.record() as recording:
        jax.jit(function)(*args)
    return recording


def shaped(recording: Recording, opened: Sequence[str] | None = None, **more: Any) -> Graph:
    return shape_graph(recording.compiles[0], opened, **more)


def outline(items: Sequence[GraphNode]) -> list[Any]:
    """Labels; the label of a cluster is followed by the list of those inside."""
    found: list[Any] = []
    for item in items:
        found += [item.label] if item.items is None else [item.label, outline(item.items)]
    return found


def nodes(items: Sequence[GraphNode]) -> Iterator[GraphNode]:
    for item in items:
        if item.items is None:
            yield item
        else:
            yield from nodes(item.items)


def only_cluster(drawn: Graph) -> tuple[str, list[Any]]:
    """The label and the outline of the one open cluster of a graph."""
    (cluster,) = [item for item in drawn.items if item.items is not None]
    return cluster.label, outline(cluster.items or [])


def edges(drawn: Graph) -> list[tuple[str, str, list[str]]]:
    names = {node.id: node.label.partition("\n")[0] for node in nodes(drawn.items)}
    return [(names[origin], names[target], avals) for (origin, target), avals in drawn.edges.items()]


def test_the_extra_outputs_of_equinox_do_not_take_the_names_of_others() -> None:
    with jitviz.record() as recording:
        eqx.filter_jit(lambda x: {"sin": jnp.sin(x), "name": "static", "cos": jnp.cos(x)})(jnp.ones(3))
    assert edges(shaped(recording)) == [
        ("x", "sin", ["f32[3]"]),
        ("x", "cos", ["f32[3]"]),
        ("0", "output[0]", [""]),
        ("cos", "out['cos']", ["f32[3]"]),
        ("sin", "out['sin']", ["f32[3]"]),
    ]


def test_a_number_passed_to_a_nested_jit_is_an_operand() -> None:
    @jax.jit
    def inner(y: jax.Array, scale: float) -> jax.Array:
        return jnp.sin(y) * scale

    drawn = shaped(recorded(lambda x: inner(x, 2.0), jnp.ones(3)))
    assert outline(drawn.items)[2][:2] == ["2.0\nf32[]", "sin"]
    assert [(origin, avals) for origin, target, avals in edges(drawn) if target == "sin"] == [("x", ["f32[3]"])]
    assert ["f32[]"] in [avals for origin, _, avals in edges(drawn) if origin == "2.0"]


def test_a_nested_jit_is_a_cluster_that_values_flow_through() -> None:
    @jax.jit
    def inner(y: jax.Array) -> jax.Array:
        return jnp.sin(y) * y

    drawn = shaped(recorded(lambda x: inner(x + 1), jnp.ones(3)))
    assert outline(drawn.items) == ["x\nf32[3]", "add", "jit inner", ["sin", "mul"], "out"]
    assert edges(drawn) == [
        ("x", "add", ["f32[3]"]),
        ("add", "sin", ["f32[3]"]),
        ("sin", "mul", ["f32[3]"]),
        ("add", "mul", ["f32[3]"]),
        ("mul", "out", ["f32[3]"]),
    ]


def test_a_closed_part_is_one_node_with_all_its_edges() -> None:
    @jax.jit
    def inner(y: jax.Array) -> jax.Array:
        return jnp.sin(y) * y

    recording = recorded(lambda x: inner(x + 1), jnp.ones(3))
    drawn = shaped(recording, ())
    assert outline(drawn.items) == ["x\nf32[3]", "add", "jit inner", "out"]
    assert [node.look for node in nodes(drawn.items)] == ["input", "equation", "closed", "output"]
    assert edges(drawn)[1:] == [("add", "jit inner", ["f32[3]"]), ("jit inner", "out", ["f32[3]"])]
    assert (drawn.openable, drawn.opened, shaped(recording, drawn.openable)) == (("e1",), (), shaped(recording))


def test_each_program_of_a_while_loop_gets_its_own_constants() -> None:
    def count(start: jax.Array, least: jax.Array, step: jax.Array) -> Any:
        return jax.lax.while_loop(lambda i: i < least, lambda i: i + step, start)

    drawn = shaped(recorded(count, jnp.ones(()), jnp.ones(()), jnp.ones(())))
    found = {(origin, target) for (origin, target) in drawn.edges if target.startswith("arg")}
    assert found == {("in1", "arge0.0.0"), ("in0", "arge0.0.1"), ("in2", "arge0.1.0"), ("in0", "arge0.1.1")}


def test_branches_meet_in_a_node_of_their_own() -> None:
    def choose(x: jax.Array) -> Any:
        return jax.lax.cond(x > 0, lambda y: y + 1, lambda y: y * 2, x)

    drawn = shaped(recorded(choose, jnp.ones(())))
    assert outline(drawn.items)[3:5] == ["cond", ["branches 0", ["mul"], "branches 1", ["add"], "cond"]]
    assert [edge[0] for edge in edges(drawn) if edge[1] == "cond"] == ["convert_element_type", "mul", "add"]


@pytest.mark.parametrize("make", [jax.custom_jvp, jax.custom_vjp])
def test_a_function_with_its_own_derivative_is_a_cluster(make: Callable[..., Any]) -> None:
    special = make(lambda x: jnp.sin(x))
    if make is jax.custom_jvp:
        special.defjvp(lambda primals, tangents: (special(*primals), tangents[0]))
    else:
        special.defvjp(lambda x: (special(x), x), lambda x, tangent: (tangent,))
    drawn = shaped(recorded(lambda x: special(x), jnp.ones(3)))
    label, inside = only_cluster(drawn)
    assert label.startswith(("custom_jvp_call", "custom_vjp_call"))
    assert "sin" in inside


def test_an_inlined_call_is_shown_in_its_place() -> None:
    @functools.partial(jax.jit, inline=True)
    def folded(y: jax.Array) -> jax.Array:
        return jnp.sin(y) * y

    def step(x: jax.Array) -> jax.Array:
        return "λλλ" and folded(x) - 1

    drawn = shaped(recorded(step, jnp.ones(3)))
    assert [node.label for node in nodes(drawn.items)] == ["x\nf32[3]", "sin", "mul", "sub", "out"]


def test_arguments_and_constants_differ_and_constants_have_names() -> None:
    table = jnp.arange(3.0)
    drawn = shaped(recorded(lambda x: x + table, jnp.ones(3)))
    assert [(node.label, node.look) for node in nodes(drawn.items)][:2] == [
        ("x\nf32[3]", "input"),
        ("table\nf32[3]", "constant"),
    ]


def test_an_output_that_is_a_number_is_a_node() -> None:
    drawn = shaped(recorded(lambda x: (x, 2.0), jnp.ones(3)))
    (number,) = [node for node in nodes(drawn.items) if node.look == "constant"]
    assert number.label.startswith("2.0")
    assert [(origin, target) for origin, target in drawn.edges] == [("in0", "out0"), (number.id, "out1")]


def test_each_node_knows_its_line() -> None:
    recording = recorded(lambda x: jax.lax.scan(lambda c, a: (jnp.cos(c) * a, c), x[0], x), jnp.ones(3))
    lines = (recording.compiles[0].jaxpr or "").split("\n")
    drawn = shaped(recording)
    found = {node.label: lines[node.line].partition(" = ")[2] for node in nodes(drawn.items) if node.line >= 0}
    assert {name: text[: len(name)] for name, text in found.items()} == {name: name for name in found}
    assert {"cos", "mul"} <= set(found)


def test_parts_without_room_stay_closed_innermost_first_and_are_named() -> None:
    def body(carry: jax.Array, part: jax.Array) -> Any:
        return jax.lax.cond(part > 0, jnp.sin, jnp.cos, carry), carry

    recording = recorded(lambda x: jax.lax.scan(body, x[0], x), jnp.ones(3))
    whole = shaped(recording)
    partly = shaped(recording, most_nodes=whole.n_nodes - 1)
    assert whole.note == ""
    assert set(whole.opened) - set(partly.opened) == {whole.opened[-1]}
    assert partly.note == f"1 part is closed: opened, they would make more than {whole.n_nodes - 1:,} nodes."
    assert len(list(nodes(partly.items))) == partly.n_nodes < len(list(nodes(whole.items))) == whole.n_nodes


def test_a_request_cannot_exceed_the_limit_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recorded(lambda x: jax.lax.scan(lambda c, a: (c + a, c), x[0], x), jnp.ones(3))
    n_nodes = shaped(recording).n_nodes
    monkeypatch.setattr(graph, "MOST_NODES", n_nodes - 1)
    assert shaped(recording, shaped(recording, ()).openable).opened == ()


def wide(n: int) -> Recording:
    def unrolled(x: jax.Array) -> jax.Array:
        for _ in range(n):
            x = jnp.sin(x)
            x = x * 2
        return x

    return recorded(unrolled, jnp.ones(3))


def test_a_wide_level_is_grouped() -> None:
    recording = wide(1_000)
    drawn = shaped(recording, ())
    looks = [(node.look, node.label) for node in nodes(drawn.items)]
    blocks = [f"{number + 1:,}. to {number + 125:,}." for number in range(0, 2_000, 125)]
    assert [label for look, label in looks if look == "closed"] == blocks
    assert [edge for edge in drawn.edges if edge[0] == edge[1]] == []
    first = only_cluster(shaped(recording, drawn.openable[:1]))[1]
    assert first == [f"{number + 1:,}. to {number + 8:,}." for number in range(0, 125, 8)]
    assert len(list(nodes(shaped(recording, most_nodes=24).items))) <= 24


def model(n: int) -> dict[str, Any]:
    return {"blocks": [{"w": jnp.ones(3), "b": jnp.ones(3)} for _ in range(n)], "head": jnp.ones(3)}


def double(model: Any, x: jax.Array) -> Any:
    return jax.tree.map(lambda leaf: leaf * x[0], model)


def test_inputs_and_outputs_of_a_model_are_merged_by_subtree() -> None:
    recording = recorded(double, model(40), jnp.ones(3))
    drawn = shaped(recording)
    ends = [node.label for node in nodes(drawn.items) if node.look in ("input", "output")]
    assert ends == [
        "model['blocks']\n80 arrays",
        "model['head']\nf32[3]",
        "x\nf32[3]",
        "out['blocks']\n80 arrays",
        "out['head']",
    ]


def test_few_inputs_are_listed_and_of_many_the_biggest_subtree_is_divided_first() -> None:
    paths = ["x", *(f"m[{block}].{name}" for block in range(3) for name in ("w", "b"))]
    assert [label for label, _ in gather(paths)] == paths
    pairs = ["x", *(f"m[{block}].{name}" for block in range(6) for name in ("w", "b"))]
    assert [label for label, _ in gather(pairs)] == ["x", *(f"m[{block}]" for block in range(6))]  # not some of them
    blocks = [f"m.blocks[{block}].{name}" for block in range(20) for name in ("w", "b")]
    many = ["x", *blocks, "m.head.w", "m.head.b", "m.pos"]
    assert [label for label, _ in gather(many)] == [
        "x",
        "m.blocks",
        "m.head.w",
        "m.head.b",
        "m.pos",
    ]
    assert gather([f"input[{place}]" for place in range(13)]) == [("input", list(range(13)))]  # of no known leaf


def test_equations_are_grouped_by_call_and_groups_name_the_call() -> None:
    def layer(x: jax.Array) -> jax.Array:
        for _ in range(50):
            x = jnp.sin(x)
        return x

    def layers(x: jax.Array) -> jax.Array:
        x = layer(x)
        x = layer(x)
        for _ in range(400):
            x = jnp.cos(x)
        return x

    drawn = shaped(recorded(layers, jnp.ones(3)), ())
    closed = [(node.label, node.tooltip.rpartition(":")[0]) for node in nodes(drawn.items) if node.look == "closed"]
    labels = [(label.partition("\n")[0], label.rpartition(", ")[2]) for label, _ in closed]
    assert labels == [
        ("x = layer(x)", "50 equations"),
        ("x = layer(x)", "50 equations"),
        ("x = jnp.cos(x)", "400 equations"),
    ]
    assert {place for _, place in closed} == {"tests/views/program/test_graph.py"}


def test_a_cut_jaxpr_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = wide(3)
    cut = json.loads(recording.compiles[0].equations or "") | {"is_cut": True}
    monkeypatch.setattr(graph.json, "loads", lambda text: cut if "equations" in text else [])
    assert shape_graph(recording.compiles[0]).note == (
        "The program has more equations than were recorded; the rest are not drawn."
    )


def test_without_a_jaxpr_there_is_no_graph() -> None:
    with jitviz.record() as recording, pytest.raises(ValueError):
        jax.jit(lambda x: int("no number"))(jnp.ones(3))
    with pytest.raises(LookupError, match="its trace failed"):
        shaped(recording)
