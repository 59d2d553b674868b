from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.model import Function, Leaf, Signature
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.views.program import shape_facts
from jitviz.views.program.cost import group_alike, merge_alike
from jitviz.views.schema import Alike, Constant, LostInput, ProgramFacts
from jitviz.views.screen_limits import PANEL

EQUATIONS: dict[str, Any] = {"inputs": [], "constants": [], "equations": [], "outputs": []}


def array(path: str, shape: tuple[int, ...] = (4,), dtype: str = "float32", **more: Any) -> Leaf:
    return Leaf(path, "traced", "Array", shape=shape, dtype=dtype, itemsize=4, **more)


def facts_of(
    inputs: tuple[Leaf, ...] = (),
    outputs: tuple[Leaf, ...] = (),
    equations: dict[str, Any] | None = None,
    *,
    is_compiled: bool = True,
    dropped: tuple[str, ...] = (),
    **program: Any,
) -> ProgramFacts:
    recording = Recording([ev.RecordingStarted(0.0)])
    recording.append(ev.FunctionSeen(0.0, 1, Function("f", "f", "m", "jax.jit", "f", 1)))
    recording.append(ev.CompileStarted(0.0, 1, None, 1, Signature(inputs)))
    packed = zlib.compress(json.dumps(EQUATIONS | (equations or {})).encode())
    recording.append(ev.TextSeen(0.1, 1, "equations", packed))
    recording.append(ev.PhaseFinished(0.1, 1, "lower", 0.1, dropped=dropped))
    recording.append(ev.ProgramSeen(0.1, 1, outputs=outputs, **program))
    if is_compiled:
        recording.append(ev.PhaseFinished(0.3, 1, "compile", 0.2))
    recording.append(ev.CompileFinished(0.3, 1))
    return shape_facts(recording, 0)


@pytest.mark.parametrize(
    ("inputs", "outputs", "why"),
    [
        (("a",), (array("out", (5,)),), "no output has its shape and dtype"),
        (("a",), (array("out", dtype="int32"),), "no output has its shape and dtype"),
        (
            ("b", "a"),
            (array("out"),),
            "every output of its shape and dtype reuses the buffer of another donated input",
        ),
        (
            ("a",),
            (array("out", sharding="cpu:1"),),
            "outputs of its shape and dtype are placed elsewhere: cpu:1, not cpu:0",
        ),
        (("a",), (array("out"),), "an output has its shape and dtype, but the backend did not reuse the buffer"),
    ],
)
def test_why_a_donated_buffer_was_not_reused(inputs: tuple[str, ...], outputs: tuple[Leaf, ...], why: str) -> None:
    donated = tuple(array(name, donated=True, sharding="cpu:0") for name in inputs)
    facts = facts_of(donated, outputs, reused=("b",))
    assert facts.donated == merge_alike(inputs)
    assert facts.not_reused == (LostInput("a", "f32[4]", why),)


def test_a_donated_input_that_is_not_used_is_listed_as_both() -> None:
    facts = facts_of((array("a", donated=True),), (array("out"),), dropped=("a",))
    assert facts.not_reused == (LostInput("a", "f32[4]", "the program does not use it, so JAX did not pass it"),)
    assert facts.dropped == (LostInput("a", "f32[4]", "no output depends on its value"),)


def test_buffers_are_not_mentioned_before_the_backend_has_compiled() -> None:
    assert facts_of((array("a", donated=True),), is_compiled=False).not_reused == ()


def test_a_forwarded_input_is_listed_with_inputs_and_outputs() -> None:
    equations = {"inputs": [["v0", "f32[4]"], ["v1", "f32[4]"]], "outputs": ["v0", "v2", "v0"]}
    outputs = (array("out[0]"), array("out[1]"), array("out[2]"))
    facts = facts_of((array("a"), array("b")), outputs, equations, dropped=("a",))
    assert facts.forwarded == (Alike("out[0, 2] is a", 2),)
    assert facts.dropped == (LostInput("a", "f32[4]", "returned as an output without being read"),)


def test_facts_that_hold_for_each_block_are_merged() -> None:
    blocks = tuple(array(f"blocks[{number}].{name}", donated=True) for number in range(12) for name in ("w", "b"))
    facts = facts_of(blocks, (array("out", (5,)),), dropped=("blocks[3].b",))
    assert facts.donated == (Alike("blocks", 24),)
    why, unused = "no output has its shape and dtype", "the program does not use it, so JAX did not pass it"
    assert facts.not_reused == (
        LostInput("blocks[0..11].w", "f32[4]", why, 12),
        LostInput("blocks[0..2, 4..11].b", "f32[4]", why, 11),
        LostInput("blocks[3].b", "f32[4]", unused),
    )


def test_of_thousands_of_dropped_inputs_the_first_are_listed() -> None:
    names = tuple(f"tree['leaf{number}']" for number in range(2_000))
    facts = facts_of(tuple(map(array, names)), (array("out"),), dropped=names)
    assert [lost.path for lost in facts.dropped] == list(names[: PANEL.lost_inputs])
    assert facts.n_more_dropped == 2_000 - PANEL.lost_inputs


def test_the_extra_outputs_of_equinox_are_not_outputs_of_the_function() -> None:
    with jitviz.record() as recording:
        eqx.filter_jit(lambda a, b: (b + 1, a, "static"))(jnp.ones(4), jnp.ones(4))
    assert shape_facts(recording, 0).forwarded == (Alike("out[1] is a"),)


def test_the_backward_program_of_an_equinox_function_has_no_extra_outputs() -> None:
    add = eqx.filter_jit(lambda a, b: jnp.sin(a) + b)
    with jitviz.record() as recording:
        jax.grad(lambda b: add(jnp.ones(4), b).sum())(jnp.ones(4))
    assert recording.compiles[1].transform == "transpose"
    assert [known.text for known in shape_facts(recording, 1).forwarded] == ["out[0] is residuals[0]"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: eqx.filter_jit(lambda kept, given: (kept, given + 1), donate="all-except-first")(
            jnp.ones(3), jnp.ones(4)
        ),
        lambda: jax.jit(lambda kept, given: (kept, given + 1))(kept=jnp.ones(3), given=jnp.ones(4)),
    ],
    ids=["donated inputs first", "keywords by name"],
)
def test_inputs_that_a_wrapper_reorders_keep_their_names(call: Callable[[], Any]) -> None:
    with jitviz.record() as recording:
        call()
    assert shape_facts(recording, 0).forwarded == (Alike("out[0] is kept"),)
    dot = jitviz.graph(recording.compiles[0]).source
    assert ["kept\\nf32[3]" in dot, "given\\nf32[4]" in dot] == [True, True]


def test_a_program_with_different_inputs_forwards_no_known_input() -> None:
    equations = {"inputs": [["v0", "f32[4]"], ["v1", "f32[4]"]], "outputs": ["v0"]}
    assert facts_of((array("a"),), (array("out"),), equations).forwarded == ()


def test_constants_are_listed_largest_first_and_counted() -> None:
    constants = [[f"v{size}", f"f32[{size}]", f"c{size}"] for size in range(1, 31)]
    facts = facts_of(equations={"constants": constants})
    assert facts.constants[:2] == (Constant("c30", "f32[30]", 120), Constant("c29", "f32[29]", 116))
    assert (len(facts.constants), facts.n_more_constants) == (20, 10)
    assert facts.constant_nbytes == 4 * sum(range(1, 31))
    assert facts.warnings == ()


def test_constants_of_a_shared_inner_program_are_listed_once() -> None:
    inner = EQUATIONS | {
        "trace": 1,
        "constants": [["v1", "f32[2]", "table"]],
        "equations": [{"primitive": "sin", "in": [], "out": []}],
    }
    calls = [{"primitive": "jit", "in": [], "out": [], "line": line, "programs": [["jaxpr", inner]]} for line in (8, 9)]
    assert facts_of(equations={"equations": calls}).constants == (Constant("table", "f32[2]", 8),)


@pytest.mark.parametrize(
    ("constants", "warning"),
    [
        (
            [["v0", "f32[1000,1000]", "table"]],
            "Closed-over arrays of 4 MB are part of the program: `table` (f32[1000,1000], 4 MB). Every version holds "
            "a copy, and compiling takes longer; pass it as an argument instead.",
        ),
        (
            [["v0", "f32[1000,1000]", ""], ["v1", "f32[2]", ""]],
            "Closed-over arrays of 4.0 MB are part of the program, the largest of them f32[1000,1000] (4 MB). Every "
            "version holds a copy, and compiling takes longer; pass them as arguments instead.",
        ),
    ],
)
def test_constants_of_more_than_a_megabyte_cause_a_warning(constants: list[list[str]], warning: str) -> None:
    assert facts_of(equations={"constants": constants}).warnings == (warning,)


def test_constants_of_one_megabyte_cause_no_warning() -> None:
    assert facts_of(equations={"constants": [["v0", "f32[250,1000]", "table"]]}).warnings == ()


def test_the_facts_of_a_real_program() -> None:
    table = jnp.ones((600, 600))

    @jitviz.filter_jit(donate="all")
    def step(a: Any, b: Any, c: Any, d: Any, name: str) -> dict[str, Any]:
        return {"sum": a + 1, "name": name, "same": b, "product": (c @ table).sum()}

    with jitviz.record() as recording, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX's own on buffers that were donated but not reused
        step(jnp.ones(4), jnp.ones(5), jnp.ones((3, 600)), jnp.ones(2), "hi")
    (compile,) = [row.index for row in recording.compiles if row.function.endswith("step")]
    facts = shape_facts(recording, compile)
    assert facts.donated == merge_alike("abcd")
    assert facts.reused == merge_alike("ab")
    assert [lost.path for lost in facts.not_reused] == ["c", "d"]
    assert [lost.path for lost in facts.dropped] == ["d"]
    assert facts.forwarded == (Alike("out['same'] is b"),)
    assert facts.static_outputs == (Alike("out['name']"),)
    assert facts.constants == (Constant("table", "f32[600,600]", 1_440_000),)
    assert facts.warnings[0].startswith("Closed-over arrays of 1.4 MB are part of the program: `table`")
    assert facts.memory is not None
    assert facts.flops


def test_a_missing_compile_has_no_facts() -> None:
    with pytest.raises(LookupError, match=r"^The recording has no compile 3; it has 0\.$"):
        shape_facts(Recording([ev.RecordingStarted(0.0)]), 3)


def test_a_failed_trace_has_no_facts() -> None:
    @jax.jit
    def broken(x: jax.Array) -> jax.Array:
        raise ValueError("no")

    with jitviz.record() as recording, pytest.raises(ValueError):
        broken(jnp.ones(3))
    facts = shape_facts(recording, recording.compiles[-1].index)
    assert facts == ProgramFacts(flops="", moved="", memory=None)


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
