"""What is found in programs that were compiled once, and in those that were compiled again."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jitviz
from jitviz.display.kept_answers import keep
from jitviz.findings import program_findings
from jitviz.findings.program.jaxpr import LARGE_NBYTES
from jitviz.model.finding import Finding
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.recording.unread_programs import Unread, reading
from jitviz.views import shape_panel
from tests.findings.runs import Run
from tests.reasons.samples import array
from tests.views.program import programs, unrolled

X = np.ones(4, np.float32)


def loaded_anew(module: ModuleType) -> Any:
    """The same functions under another name, so that it is their first compile whatever ran before."""
    spec = spec_from_file_location(f"anew_{module.__name__}", str(module.__file__))
    assert spec
    assert spec.loader
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def found(function: Callable[..., Any], *args: Any) -> tuple[Finding, ...]:
    with jitviz.record() as rec, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of donated buffers
        function(*args)
    assert rec.facts.failures == []
    return rec.findings


def test_an_unrolled_loop_is_found_at_the_first_compile() -> None:
    (one,) = found(loaded_anew(unrolled).over_parameters, [jnp.ones((4, 4))] * 20, jnp.ones(4))
    line = programs.line_in(unrolled, "# over_parameters")
    place = f"tests/views/program/unrolled.py:{line}"
    made = one.summary.rpartition(": ")[2]
    assert (one.kind, one.function, one.source, one.count) == ("unrolled", "over_parameters", place, 20)
    assert one.summary == f"The loop at `{place}` was unrolled into 20 iterations: {made}"
    assert one.advice.startswith("Stack `ws` along a new first axis and run `jax.lax.scan` over it")
    assert one.compiles == (0,)
    assert one.seconds > 0


def test_loops_of_which_one_is_inside_the_other_are_unrolled_together() -> None:
    (one,) = found(loaded_anew(unrolled).nested, jnp.ones(4))
    first = programs.line_in(unrolled, "def nested") + 1
    places = [f"`tests/views/program/unrolled.py:{line}`" for line in (first, first + 1)]
    were = f"The loops at {' and '.join(places)} were unrolled into 100 iterations"
    assert one.summary == f"{were}: 300 of 300 equations"


def test_a_loop_in_each_iteration_of_another_is_told_with_its_own_turns() -> None:
    def objective(x: Any) -> Any:
        for i in range(20):
            x = jnp.sin(x) + 0.1 * jnp.cos(x * i)
        return (x**2).sum()

    (one,) = found(jax.jit(lambda x: jnp.stack([objective(x - 0.1 * k) for k in range(5)])), X)
    inner = f"tests/findings/test_program_findings.py:{objective.__code__.co_firstlineno + 1}"
    assert one.summary == (
        f"The loop at `{one.source}` was unrolled into 5 iterations, in each the loop at `{inner}` into 20: "
        "515 of 516 equations"
    )
    assert one.advice == (
        "Use `jax.vmap` over `jnp.arange(5)`, or over the arrays that are indexed, so that the body is traced once "
        "instead of 5 times; nothing is carried from one iteration to the next. In it, use `jax.lax.fori_loop` or "
        f"`jax.lax.scan` for the loop at `{inner}`."
    )


def test_a_loop_in_a_loop_of_the_same_function_is_told_with_its_own_turns() -> None:
    def orbits(xs: Any) -> Any:
        ends = []
        for x in xs:
            for _ in range(20):
                x = x + 0.01 * jnp.sin(x)
            ends.append(2 * x)
        return jnp.stack(ends)

    (one,) = found(jax.jit(orbits), np.ones((5, 3), np.float32))
    inner = f"tests/findings/test_program_findings.py:{orbits.__code__.co_firstlineno + 3}"
    assert f"was unrolled into 5 iterations, in each the loop at `{inner}` into 20: " in one.summary
    assert one.advice == (
        "Use `jax.vmap` over the first axis of `xs`, so that the body is traced once instead of 5 times; nothing is "
        "carried from one iteration to the next. In it, use `jax.lax.fori_loop` or `jax.lax.scan` for the loop at "
        f"`{inner}`."
    )


def test_loops_that_make_nothing_on_their_own_are_not_one_if_the_inner_carries_something() -> None:
    def orbits(xs: Any) -> Any:
        ends = []
        for x in xs:
            for _ in range(20):
                x = x + 0.01 * jnp.sin(x)
            ends.append(x)
        return ends

    (one,) = found(jax.jit(orbits), [X] * 5)
    assert one.advice.startswith("Stack `xs` along a new first axis and use `jax.vmap` over it")
    assert "In it, use `jax.lax.fori_loop`" in one.advice


def test_loops_that_only_add_to_a_sum_may_run_at_once() -> None:
    def energy(x: Any) -> Any:
        total = 0.0
        for i in range(8):
            for j in range(i + 1, 8):
                total += jnp.sqrt(jnp.sum((x[i] - x[j]) ** 2) + 1e-6)
        return total

    (one,) = found(jax.jit(energy), np.ones((8, 3), np.float32))
    assert one.advice == (
        "Put the 28 combinations that the loops go over in arrays and use `jax.vmap` over them, so that the body is "
        "traced once instead of 28 times; then sum what goes into `total`."
    )


def test_branches_of_equal_operations_are_found() -> None:
    tables = np.ones((60, 4), np.float32)

    def choose(i: Any, x: Any, make: Any) -> Any:
        return jax.lax.switch(i, [make(table) for table in tables], x)  # switch

    (one,) = found(jax.jit(lambda i, x: choose(i, x, lambda table: lambda x: jnp.sin(x * table) + jnp.cos(x))), 3, X)
    assert one.summary == f"The `switch` at `{one.source}` has 60 branches of equal operations: 240 of 243 equations"
    assert one.advice == (
        "Stack what the branches differ in along a new first axis and index it with the number of the branch, so that "
        "one body is traced instead of 60."
    )


def test_what_runs_one_after_the_other_is_promised_less_where_it_runs_long(monkeypatch: pytest.MonkeyPatch) -> None:
    function = loaded_anew(unrolled).over_parameters
    monkeypatch.setattr(program_findings, "_run_s", lambda recording: defaultdict(lambda: 1e6))
    (one,) = found(function, [jnp.ones((4, 4))] * 60, jnp.ones(4))
    assert one.saves_s == 0
    assert one.advice.endswith("But its calls took 16666 min 40 s, which that may double: measure both.")


def test_an_unrolled_loop_is_found_in_a_compile_that_failed() -> None:
    function = loaded_anew(unrolled).over_parameters.__wrapped__
    refused = jax.jit(function, compiler_options={"xla_no_such_option": True})
    with jitviz.record() as rec, pytest.raises(Exception, match="xla_no_such_option"):
        refused([jnp.ones((4, 4))] * 20, jnp.ones(4))
    assert [(row.status, row.duration_s > 0) for row in rec.compiles] == [("failed", True)]
    assert [(one.kind, one.function, one.count) for one in rec.findings] == [("unrolled", "over_parameters", 20)]
    assert rec.findings[0].seconds <= rec.compiles[0].duration_s


@pytest.mark.usefixtures("unhurried")
def test_a_loop_that_stays_one_is_not_found() -> None:
    assert found(loaded_anew(unrolled).a_scan, jnp.ones((20, 4, 4)), jnp.ones(4)) == ()


def test_seconds_of_recompiles_are_those_of_their_own_finding() -> None:
    @jax.jit
    def step(x: Any) -> Any:
        for _ in range(100):
            x = jnp.sin(x) * 2 + 1
        return x

    with jitviz.record() as rec:
        for size in (3, 4, 5):
            step(np.ones(size, np.float32))
    kinds = {one.kind: one for one in rec.findings}
    assert kinds.keys() == {"recompile", "unrolled"}
    assert kinds["recompile"].compiles == (1, 2)
    assert kinds["unrolled"].compiles == (0,)
    assert kinds["unrolled"].seconds <= rec.compiles[0].duration_s


def test_a_large_array_that_became_a_constant_is_found() -> None:
    table = jnp.ones((512, 1024))
    (one,) = found(jax.jit(lambda x: x @ table), jnp.ones(512))
    assert (one.kind, one.path, one.count, one.seconds) == ("constant", "table", 1, 0.0)
    assert one.summary == "`table`, f32[512,1024] (2.1 MB) is a constant of the program"
    assert one.advice.startswith("Pass it to `<lambda>` as an argument")


def test_a_small_one_is_not() -> None:
    table = jnp.ones(LARGE_NBYTES // 4)
    assert found(jax.jit(lambda x: table * x), jnp.ones(())) == ()


def test_a_donated_buffer_that_was_not_reused_is_found() -> None:
    (one,) = found(jax.jit(lambda x, y: (x[:2], y), donate_argnums=0), jnp.ones(4), jnp.ones(3))
    assert (one.kind, one.path, one.count) == ("donation", "x", 1)
    assert one.summary == "`x` was donated (16 B) but not reused: no output has its shape and dtype"
    assert one.advice == "Donate only arrays that are returned with the same shape and dtype."
    assert found(jax.jit(lambda x: x + 1, donate_argnums=0), jnp.ones(4)) == ()


@pytest.mark.parametrize(
    ("n", "were"),
    [(2, "`a` and `b` were donated (24 B)"), (4, "`a`, `b` and 2 more were donated (48 B)")],
)
def test_of_several_donated_buffers_two_are_named_and_all_are_counted(n: int, were: str) -> None:
    run = Run()
    run.call("step", *(array(name, donated=True) for name in "abcd"[:n]))
    (one,) = run.end().findings
    assert (one.kind, one.path, one.count) == ("donation", "a", n)
    assert one.summary == f"{were} but not reused: no output has its shape and dtype"


def test_numbers_and_numpy_arrays_are_not_told_as_donated_but_their_buffers_may_be_reused() -> None:
    with jitviz.record() as rec, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jax.jit(lambda x, y, z: z * x * y, donate_argnums=(0, 1, 2))(3.0, X, jnp.ones(4))
    (row,) = (row for row in rec.compiles if row.function == "<lambda>")
    assert [(leaf.path, leaf.donated) for leaf in row.signature.leaves] == [("x", False), ("y", False), ("z", True)]
    why = "every output of its shape and dtype reuses the buffer of another donated input"  # that of `y`
    assert [one.summary for one in rec.findings] == [f"`z` was donated (16 B) but not reused: {why}"]


@pytest.mark.usefixtures("unhurried")
def test_what_a_program_shows_is_not_told_before_it_is_read() -> None:
    @partial(jax.jit, donate_argnums=0)
    def step(x: Any) -> Any:
        for _ in range(100):
            x = jnp.sin(x) * 2 + 1
        return x

    @partial(jax.jit, donate_argnums=0)
    def lost(x: Any) -> Any:
        return x[:2]

    def kinds() -> list[tuple[str, str]]:
        return sorted((one.function, one.kind) for one in rec.findings)

    def note() -> str:
        return next((note for note in shape_panel(rec).verdict.notes if "not read" in note), "")

    with jitviz.record() as rec, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step(jnp.ones(4))
        lost(jnp.ones(4))
        with reading("nothing"):
            assert (kinds(), note()) == ([], "2 programs were not read yet, so causes may be missing.")
            assert [name for name in keep(rec, shape_panel(rec), None).answers if "facts" in name] == []
    assert (kinds(), note()) == ([("lost", "donation"), ("step", "unrolled")], "")
    assert rec.compiles[0].reused == ("x",)


def test_a_slow_compile_is_not_blamed_on_xla_while_its_program_is_unread() -> None:
    recording = slow((1.0, 1.0, 38.0))
    (number,) = (event.compile for event in recording.events if isinstance(event, ev.CompileStarted))
    recording.read_later(Unread(1, list, number))
    with reading("nothing"):
        assert recording.findings == ()
    assert [one.kind for one in recording.findings] == ["slow_compile"]


def test_a_donated_buffer_whose_executable_cannot_be_read_is_not_told_of() -> None:
    run = Run()
    run.call("step", array("x", donated=True))
    recording = run.end()
    assert [one.kind for one in recording.findings] == ["donation"]
    (number,) = (event.compile for event in recording.events if isinstance(event, ev.CompileStarted))
    unknown = ev.ProgramSeen(recording.events[-1].at_s, number, reused=None)
    assert Recording([*recording.events, unknown]).findings == ()


def slow(phases_s: tuple[float, float, float]) -> Recording:
    run = Run()
    run.call("step", array("x"), phases_s=phases_s)
    return run.end()


def test_a_slow_first_compile_is_found_and_what_the_disk_saves_is_not_its_trace() -> None:
    (one,) = slow((1.0, 1.0, 10.0)).findings
    assert (one.kind, one.summary) == ("slow_compile", "XLA took 10 s of the 12 s of one compile")
    assert (one.seconds, one.saves_s, one.is_estimated, one.count) == (pytest.approx(12.0), 10.0, True, 1)
    assert one.advice == "Let JAX keep compiled programs on disk, so that the next process loads them."


def test_a_slow_compile_names_the_line_that_most_instructions_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    def noise(key: jax.Array) -> jax.Array:
        wide = jax.random.normal(key, (50,))
        return wide.sum()

    monkeypatch.setattr(program_findings, "_SLOW_S", 0.0)
    monkeypatch.setattr(program_findings, "_SLOW_SHARE", 0.0)
    with jitviz.record() as rec:
        jax.jit(noise)(np.zeros(2, np.uint32))
    (one,) = rec.findings
    line = f"tests/findings/test_program_findings.py:{noise.__code__.co_firstlineno + 1}"
    assert re.fullmatch(rf"XLA took .* for .*; \d+% of the program's \d+ instructions come from {line}", one.summary)


def test_a_slow_trace_without_a_line_that_could_be_moved_is_no_finding() -> None:
    assert slow((9.0, 1.0, 2.0)).findings == ()


def test_a_slow_compile_that_jax_has_kept_on_disk_is_no_finding() -> None:
    recording = slow((1.0, 1.0, 10.0))
    (number,) = (event.compile for event in recording.events if isinstance(event, ev.CompileStarted))
    missed = ev.ProgramMissed(recording.events[-1].at_s, number, 1.0)
    assert Recording([*recording.events, missed]).findings == ()


def test_what_only_the_next_process_would_gain_comes_last() -> None:
    run = Run()
    run.call("step", array("x"), phases_s=(1.0, 1.0, 10.0))
    run.call("step", array("x", (4,)), seconds=1.0)
    assert [(one.kind, round(one.seconds)) for one in run.end().findings] == [("recompile", 1), ("slow_compile", 12)]


def test_a_quick_first_compile_is_none() -> None:
    assert slow((0.5, 0.5, 0.5)).findings == ()


def test_the_code_against_slow_compiles_runs() -> None:
    (one,) = slow((1.0, 1.0, 10.0)).findings
    before = jax.config.jax_compilation_cache_dir
    try:
        exec(one.code, {})
        assert jax.config.jax_compilation_cache_dir == "jax_cache"
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


@pytest.mark.usefixtures("unhurried")
def test_a_setting_that_keeps_jax_from_donating_is_named() -> None:
    jax.config.update("jax_debug_nans", True)
    try:
        with jitviz.record() as rec:
            jax.jit(lambda x: x + 1, donate_argnums=0)(jnp.ones(5))
    finally:
        jax.config.update("jax_debug_nans", False)
    advice = "Check that `jax_debug_nans` is off: while it is set, JAX donates nothing."
    assert [(one.kind, one.advice) for one in rec.findings] == [("donation", advice)]


ALIKE = (
    "so the iterations may differ, and `jax.lax.scan` needs them to be alike: pad them to one shape and mask, or jit "
    "the body and call it in a Python loop, outside the jitted function."
)


STACKED = (
    "Stack `blocks` along a new first axis and run `jax.lax.scan` over it with `x` as the carry, so that the body is "
    "traced once instead of 50 times."
)


def test_a_loop_over_static_values_is_not_told_to_stack_them() -> None:
    @partial(jax.jit, static_argnames="sizes")
    def total(data: Any, sizes: Any) -> Any:
        out = 0.0
        for size, x in zip(sizes, data, strict=True):
            for _ in range(2):
                out = out + jnp.sin(jnp.cos(x[:size] * 2 + 1) - 3).sum()
        return out

    with jitviz.record() as rec:
        total([jnp.ones(9)] * 40, sizes=(7,) * 40)
    (found,) = (one for one in rec.findings if one.kind == "unrolled")
    assert found.advice == f"`sizes` is static, {ALIKE}"


@pytest.mark.parametrize(("is_used", "advice"), [(True, f"The index `i` is used in Python, {ALIKE}"), (False, STACKED)])
def test_a_list_behind_enumerate_is_stacked_unless_its_index_is_used_in_python(is_used: bool, advice: str) -> None:
    def used(blocks: Any, x: Any) -> Any:
        for i, block in enumerate(blocks):
            x = jnp.tanh(x * block + 1) - jnp.sin(x / 2) if i >= 0 else x
        return x

    def unused(blocks: Any, x: Any) -> Any:
        for i, block in enumerate(blocks):
            x = jnp.tanh(x * block + i) - jnp.sin(x / 2)
        return x

    with jitviz.record() as rec:
        jax.jit(used if is_used else unused)([jnp.ones(3)] * 50, jnp.ones(3))
    (found,) = (one for one in rec.findings if one.kind == "unrolled")
    assert found.advice == advice


def test_a_loop_is_unrolled_in_the_words_of_the_library_that_jitted_it() -> None:
    def run(blocks: Any, x: Any) -> Any:
        for block in blocks:
            x = jnp.tanh(x * block + 1) - jnp.sin(x / 2)
        return x

    blocks, told = [jnp.ones(3)] * 50, []
    for jit in (nnx.jit, eqx.filter_jit):
        with jitviz.record() as rec:
            jit(run)(blocks, jnp.ones(3))
        told += [one.advice for one in rec.findings if one.kind == "unrolled"]
    stack = "Stack `blocks` along a new first axis and run `{}` over it with `x` as the carry, so that the body is "
    stack += "traced once instead of 50 times."
    modules = " Of modules, scan over the arrays that `eqx.partition(module, eqx.is_array)` gives."
    assert told == [stack.format("nnx.scan"), stack.format("jax.lax.scan") + modules]
