"""A jaxpr drawn: nodes by kind, clusters for inner programs, edges with avals."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from IPython.core.formatters import DisplayFormatter

import jitviz
from jitviz.display import jaxpr_graph as drawing
from jitviz.display.jaxpr_graph import draw_svg, view_graph
from jitviz.recording import Recording
from tests.display import samples

needs_dot = pytest.mark.skipif(not drawing.is_installed(), reason="no `dot` on PATH")


def recorded(function: Callable[..., Any], *args: Any) -> Recording:
    """A recording of the one compile that a call causes."""
    with jitviz.record() as recording:
        jax.jit(function)(*args)
    return recording


def drawn(function: Callable[..., Any], *args: Any) -> str:
    """The DOT text of the one compile that a call causes."""
    return jitviz.graph(recorded(function, *args).compiles[0]).source


def labels(source: str) -> dict[str, str]:
    """The label of each node, by its name."""
    found = re.findall(r'^\s*(?:"([^"]+)"|(\w+)) \[label=(?:"([^"]*)"|(\S+)) class', source, flags=re.MULTILINE)
    return {one or other: quoted or bare for one, other, quoted, bare in found}


def edges(source: str) -> list[tuple[str, str, str]]:
    """(from, to, aval) with the labels of the nodes."""
    names = labels(source)
    name = r'(?:"([^"]+)"|(\w+))'
    found = re.findall(rf'^\s*{name} -> {name} \[label="([^"]*)"\]', source, flags=re.MULTILINE)
    return [(names[a or b], names[c or d], aval) for a, b, c, d, aval in found]


def clusters(source: str) -> list[str]:
    """The titles of the open clusters."""
    return [quoted or bare for quoted, bare in re.findall(r'label=(?:"([^"]*)"|(\w+)) labeljust=', source)]


def make_loop() -> Callable[[jax.Array], Any]:
    """A function with a scan in it, which JAX has not seen before."""

    def loop(x: jax.Array) -> Any:
        return jax.lax.scan(lambda carry, part: (carry + part, carry), x.sum(), x)

    return loop


def test_inputs_and_outputs_carry_the_users_names_and_edges_their_avals() -> None:
    source = drawn(lambda params, x: {"y": jnp.sin(params["w"] * x)}, {"w": jnp.ones(3)}, jnp.ones(3))
    assert edges(source) == [
        ("params['w']\\nf32[3]", "mul", "f32[3]"),
        ("x\\nf32[3]", "mul", "f32[3]"),
        ("mul", "sin", "f32[3]"),
        ("sin", "out['y']", "f32[3]"),
    ]


def test_inner_programs_are_clusters() -> None:
    source = drawn(make_loop(), jnp.ones(3))
    assert clusters(source) == ["scan, 3 times"]
    assert ("x\\nf32[3]", "f32[]", "f32[3]") in edges(source)
    assert ("add", "out[0]", "f32[]") in edges(source)


def test_kinds_of_nodes_differ_in_shape_and_not_only_in_colour() -> None:
    table = jnp.arange(3.0)
    source = drawn(lambda x: x + table, jnp.ones(3))
    looks = re.findall(r'class="jitviz-(\w+)".* shape=(\w+) style="?([\w,]+)', source)
    assert sorted(set(looks)) == [
        ("constant", "box", "dashed,filled"),
        ("equation", "ellipse", "filled"),
        ("input", "box", "rounded,filled"),
        ("output", "box", "rounded,filled"),
    ]


def test_too_many_nodes_are_closed_and_the_title_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jitviz.views.program.graph.MOST_NODES", 5)
    recording = recorded(make_loop(), jnp.ones(3))
    monkeypatch.setattr(drawing.shape_graph, "__kwdefaults__", drawing.shape_graph.__kwdefaults__ | {"most_nodes": 5})
    source = jitviz.graph(recording.compiles[0]).source
    assert "1 part is closed: opened, they would make more than 5 nodes." in source
    assert "cluster" not in source
    assert "box3d" in source


def test_a_name_of_the_user_is_only_a_label() -> None:
    name = 'a" URL="javascript:alert(1)'
    source = drawn(lambda params: params[name] * 2, {name: jnp.ones(3)})
    assert 'label="params[\'a\\" URL=\\"javascript:alert(1)\']\\nf32[3]"' in source


def test_a_backslash_of_the_user_is_escaped() -> None:
    source = drawn(lambda params: params[r"\N"] * 2, {r"\N": jnp.ones(3)})
    assert r"params['\\\\N']\nf32[3]" in source


def test_a_compile_without_a_jaxpr_is_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"There is no jaxpr of `Model\.loss`, version 2"):
        jitviz.graph(samples.error_in_trace().compiles[1])


def test_a_screen_gets_the_line_of_each_node_and_what_can_be_opened() -> None:
    recording = recorded(make_loop(), jnp.ones(3))
    view = view_graph(recording, 0, None)
    lines = (recording.compiles[0].jaxpr or "").split("\n")
    assert {name: lines[line].split(" = ")[1][:4] for name, line in zip(view.node, view.node_line, strict=True)} == {
        "e0": "redu",
        "e1": "scan",
        "e1.0.0": "add ",
    }
    assert (view.cluster, view.cluster_open, view.svg, view.note) == (("e1",), ("e1",), "", "")
    closed = view_graph(recording, 0, ())
    assert (closed.cluster, closed.cluster_open, closed.n_nodes) == (("e1",), (), view.n_nodes - 2)


@needs_dot
def test_a_small_graph_is_drawn_if_there_is_an_engine() -> None:
    svg = view_graph(recorded(make_loop(), jnp.ones(3)), 0, None, has_svg=True).svg
    assert svg.startswith("<svg")
    assert 'id="e1.0.0"' in svg


def test_without_an_engine_there_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert draw_svg("digraph { a -> b }") == ""


def test_invalid_dot_has_no_picture() -> None:
    assert draw_svg("digraph { a -> ") == ""


def test_without_the_program_dot_a_graph_is_shown_as_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    shown = jitviz.graph(recorded(make_loop(), jnp.ones(3)).compiles[0])
    assert DisplayFormatter().format(shown) == (
        {
            "text/plain": "This graph is not drawn, since the program `dot` of Graphviz is not on the PATH. Install it "
            "(https://graphviz.org/download), or print the graph to see it as DOT text."
        },
        {},
    )
    assert str(shown).startswith("digraph")
    assert capsys.readouterr() == ("", "")


@needs_dot
def test_a_graph_is_shown_as_a_picture() -> None:
    shown, _ = DisplayFormatter().format(jitviz.graph(recorded(make_loop(), jnp.ones(3)).compiles[0]))
    assert "<svg" in shown["image/svg+xml"]
