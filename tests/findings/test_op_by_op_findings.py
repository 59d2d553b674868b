"""Programs outside any jit among the findings."""

import functools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jitviz
from jitviz.recording import Recording
from jitviz.recording import events as ev
from tests.findings.runs import told
from tests.views.test_verdict import _op


def recorded(*lengths: int, more: tuple[ev.Event, ...] = ()) -> Recording:
    return Recording([ev.RecordingStarted(0.0), *(_op(0.1 * n, 0.25, n) for n in lengths), *more])


def test_a_line_that_compiles_for_every_length_is_a_finding() -> None:
    (found,) = recorded(1, 2, 3, 4).findings
    assert told(found) == (
        "1 s, 4 times op_by_op of jnp.median, saves None: "
        "`jnp.median` at In [3]:9 compiled 4 times, once per length of `x`"
    )
    assert found.advice == (
        "Use NumPy on this line, which compiles nothing but may round differently: padding changes the result of "
        "`jnp.median`."
    )
    assert (found.source, found.compiles) == ("In [3]:9", ())
    assert (found.saves_s, found.is_estimated) == (0.75, True)


def test_a_list_of_many_arrays_that_are_joined_is_a_finding() -> None:
    """`jnp.stack` of a list compiles a program with an input for each element."""
    with jitviz.record() as recording:
        jnp.stack(list(np.ones((900, 2), np.float32)))
    (op,) = (op for op in recording.op_by_op if op.n_inputs > 1)
    assert (op.n_inputs, len(op.inputs)) == (900, 16)
    slow = Recording([ev.RecordingStarted(0.0), ev.OpCompiled(2.0, replace(op, span_s=1.5))])
    (found,) = slow.findings
    assert found.summary == f"`jnp.stack` at {op.source} compiled once, with 900 inputs"
    assert (found.kind, found.saves_s, found.is_estimated) == ("op_by_op", 1.5, True)


def test_an_array_that_a_loop_takes_apart_is_a_finding() -> None:
    """JAX compiles a program with an output for each element; so it does where the body of the loop is jitted."""
    double = jax.jit(lambda x: x * 2.0)
    with jitviz.record() as recording:
        list(map(double, jnp.arange(200.0)))
    (op,) = (op for op in recording.op_by_op if op.program == "unstack")
    slow = Recording([ev.RecordingStarted(0.0), ev.OpCompiled(2.0, replace(op, span_s=1.5))])
    (found,) = slow.findings
    taken = "to take an array apart into its elements"
    assert found.summary == f"`jax.lax.unstack` at {op.source} compiled once, {taken}"
    assert found.advice == "Take the array apart on the host: `x = np.asarray(x)` before the loop, once."
    assert (found.kind, found.saves_s, found.is_estimated) == ("op_by_op", 1.5, True)


def test_programs_that_compile_once_are_no_finding() -> None:
    """Measured in 18 notebooks, one jitted function of them would gain nothing."""
    rows = [changed(_op(0.1, 0.01, 3), source=f"In [3]:{line}") for line in range(40)]
    assert Recording([ev.RecordingStarted(0.0), *rows]).findings == ()


def test_a_line_that_several_cells_have_is_one() -> None:
    """A cell that runs again is a new cell to IPython."""
    rows = [changed(_op(0.1 * n, 0.25, n), source=f"In [{n}]:1") for n in (3, 4, 5)]
    (found,) = Recording([ev.RecordingStarted(0.0), *rows]).findings
    assert (found.summary, found.source, found.seconds) == (
        "`jnp.median` at In [3]:1 and in 2 more cells compiled 3 times, once per length of `x`",
        "In [3]:1",
        0.75,
    )


def test_one_program_is_not_a_finding() -> None:
    assert recorded(3).findings == ()


def changed(event: ev.OpCompiled, **fields: Any) -> ev.OpCompiled:
    return replace(event, op=replace(event.op, **fields))


def sized(name: str, line: str, *sizes: int) -> list[ev.OpCompiled]:
    return [changed(_op(0.1 * n, 0.25, size), name=name, source=line, line="") for n, size in enumerate(sizes)]


def test_lines_that_compile_for_the_same_sizes_have_one_cause() -> None:
    rows = [
        *sized("jnp.median", "a.py:3", 5, 9, 7),
        *sized("jnp.diff", "a.py:4", 4, 8, 6),
        *sized("jnp.sort", "a.py:9", 1, 2, 3),
    ]
    cause, other = Recording([ev.RecordingStarted(0.0), *rows]).findings
    assert (cause.seconds, cause.count, cause.source) == (1.5, 6, "a.py:3")
    assert cause.summary == (
        "`jnp.median` at a.py:3 and 1 more operation, at 2 lines in all, compiled again for each of 3 lengths of its "
        "input (f32[5], f32[9], …)"
    )
    assert cause.advice.endswith(
        "se NumPy on all of these lines, which compiles nothing but may round differently: padding changes the result "
        "of `jnp.median`."
    )
    assert other.summary.startswith("`jnp.sort` at a.py:9 compiled 3 times, once per length")


def test_an_array_that_grows_is_to_be_allocated_once() -> None:
    (found,) = Recording([ev.RecordingStarted(0.0), *sized("jnp.concatenate", "a.py:3", 0, 8, 16, 24)]).findings
    assert found.advice == (
        "Collect the pieces in a list and join them once, at the end; or allocate the array at its final size and fill "
        "it in a jitted function, with `.at[i].set(…)`."
    )
    (found,) = Recording([ev.RecordingStarted(0.0), *sized("jnp.concatenate", "a.py:3", 8, 3, 16)]).findings
    assert found.advice.startswith("Pad the input to one size")


def test_the_shapes_of_a_model_do_not_count_as_repeated() -> None:
    def shaped(n_shapes: int) -> Recording:
        rows = [changed(_op(0.1, 0.25, 1), inputs=(f"f32[{n},{n + 1}]",)) for n in range(n_shapes)]
        return Recording([ev.RecordingStarted(0.0), *rows])

    assert shaped(11).findings == ()
    (found,) = shaped(12).findings
    assert found.summary == "`jnp.median` at In [3]:9 compiled 12 times, once per shape of `x`"


def sliced(line: str) -> Recording:
    rows = [changed(_op(0.1 * n, 0.25, 128), name="x[...]", line=line) for n in range(4)]
    return Recording([ev.RecordingStarted(0.0), *rows])


def test_slices_whose_bounds_change_are_distinguished_from_programs_that_compile_again_needlessly() -> None:
    (found,) = sliced("window = x[:k]").findings
    assert found.summary == "`x[...]` at In [3]:9 compiled 4 times, once per slice of `x`"
    assert found.advice.startswith("Slice with NumPy on the host, which compiles nothing")
    (found,) = sliced("window = f(x)[:k]").findings
    assert found.summary == "`x[...]` at In [3]:9 compiled 4 times, once per slice of its input"
    assert sliced("window = x[:3]").findings == sliced("window = x[k]").findings == ()


def test_a_slice_and_what_is_done_with_it_have_one_cause() -> None:
    def called(name: str, source: str, line: str, *inputs: str) -> list[ev.OpCompiled]:
        op = _op(0.1, 0.25, 1)
        return [changed(op, name=name, source=source, line=line, inputs=(one,)) for one in inputs]

    lengths = [f"f32[{n}]" for n in (1, 2, 3)]
    named = [
        *called("x[...]", "a.py:1", "y = x[:i]", *["f32[9]"] * 3),
        *called("jnp.multiply", "a.py:2", "z = y * 2", *lengths),
    ]
    inside = called("x[...]", "b.py:1", "jnp.sum(x[:i])", *["f32[9]"] * 3)
    inside += called("jnp.sum", "b.py:1", "jnp.sum(x[:i])", *lengths)
    for rows, source, lines in ((named, "a.py:1", ", at 2 lines in all,"), (inside, "b.py:1", "")):
        (found,) = Recording([ev.RecordingStarted(0.0), *rows]).findings
        assert (found.count, found.source, found.summary) == (
            6,
            source,
            f"`x[...]` at {source} and 1 more operation{lines} compiled again for each of 3 slices of `x`",
        )
        assert found.advice.startswith(
            "Take slices of one size, with `jax.lax.dynamic_slice_in_dim`, and mask out the rest"
        )
    others = called("jnp.sum", "a.py:3", "z.sum()", *lengths)
    assert len(Recording([ev.RecordingStarted(0.0), *named[:3], *others]).findings) == 2


def test_a_line_that_makes_an_array_of_another_shape_each_time_is_a_finding() -> None:
    rows = [changed(_op(0.1, 0.25, 1), name="jnp.ones", line="jnp.ones(n)", inputs=("f32[]",)) for _ in range(12)]
    (found,) = Recording([ev.RecordingStarted(0.0), *rows]).findings
    assert found.summary == "`jnp.ones` at In [3]:9 compiled 12 times, once per value of its static arguments"
    same = (
        "Each shape, axis or other static argument has its own program: use the same in every call (of sizes, the "
        "largest, with the rest masked out)"
    )
    assert found.advice == f"{same}, or use NumPy on this line, which compiles nothing but may round differently."
    assert Recording([ev.RecordingStarted(0.0), *rows[:11]]).findings == ()
    rows = [changed(row, name="jax.random.normal", line="jax.random.normal(key, (n,))") for row in rows]
    (found,) = Recording([ev.RecordingStarted(0.0), *rows]).findings
    assert found.advice == f"{same}."
    of_library = [changed(row, line="model = Net(key)") for row in rows]  # which needs each of its shapes
    assert [one.kind for one in Recording([ev.RecordingStarted(0.0), *of_library]).findings] in ([], ["disk_cache"])
    call = {"name": "jax.random.permutation", "line": "jax.random.permutation(key, n)"}
    rows = [changed(row, **call, inputs=("key<fry>[]", f"i32[{size}]")) for size, row in enumerate(rows, 3)]
    (found,) = Recording([ev.RecordingStarted(0.0), *rows]).findings
    assert found.advice == "Use one size for `n` in every call, and mask out the rest."  # an array or a number


def test_a_callback_that_is_new_in_every_call_is_to_be_defined_once() -> None:
    callback, given = functools.partial(np.multiply, 2), np.ones(3, np.float32)
    result = jax.ShapeDtypeStruct((3,), np.float32)
    with jitviz.record(sample=False) as rec:
        for _ in range(12):
            jax.pure_callback(functools.partial(np.multiply, 2), result, given)
    (found,) = rec.findings
    assert found.summary.endswith("compiled 12 times, once per callback or shape of its result")
    assert found.advice == (
        "Define the callback once, outside the loop, and pass the same object to every call: each new function or "
        "`partial` has its own program, and so has each shape of the result."
    )
    with jitviz.record(sample=False) as rec:
        for _ in range(12):
            jax.pure_callback(callback, result, given)
    assert (len(rec.op_by_op), rec.findings) == (1, ())


def test_a_mask_is_reported_by_how_many_it_leaves_and_not_by_the_array_that_it_is_of() -> None:
    def program(name: str, *inputs: str) -> list[ev.OpCompiled]:
        op = changed(_op(0.1, 0.25, 1), name="x[...]", program=name, line="y = x[x > n]")
        return [changed(op, inputs=(one,)) for one in inputs]

    rows = [*program("convert", "f32[]", "i32[]", "i32[9]", "bool[]"), *program("gather", "i32[7]", "i32[5]", "i32[2]")]
    (found,) = Recording([ev.RecordingStarted(0.0), *rows]).findings
    assert found.summary.endswith("compiled 7 programs, new ones for each length of its input (i32[7], i32[5], …)")
    assert found.advice.startswith("Keep the size of the result the same (for a mask, use `jnp.where(mask, x, 0)`)")
