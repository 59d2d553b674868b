"""Which version a hit is said to have run: never another one, and the right one wherever its first argument tells."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.capture import first_argument
from jitviz.model import Leaf, Signature
from jitviz.recording import Recording

from .samples import JITS, JITS_WITH_HITS, Affine, fresh, needs_hits

each_jit_with_hits = pytest.mark.parametrize("api", JITS_WITH_HITS)


options = {"k": 1.0}


def a(*shape: int, dtype: Any = np.float32) -> Any:
    return np.ones(shape, dtype)


def told(recording: Recording, name: str = "step") -> list[tuple[str, Any]]:
    """The outcome of each call of a function, and the shape of its first leaf in the version that it is said to run."""
    return [
        (call.outcome, None if call.compile is None else call.compile.signature.leaves[0].shape)
        for call in recording.calls
        if call.function == name
    ]


@needs_hits
def test_the_first_argument_tells_the_version_of_each_hit_of_a_line_that_alternates() -> None:
    step = fresh()
    sizes = (3, 4, 3, 3, 5, 4) * 3
    with jitviz.record():
        for size in (3, 4, 5):
            step(a(size))
    with jitviz.record() as rec:
        for size in sizes:
            step(a(size))
    assert told(rec) == [("hit", (size,)) for size in sizes]


@needs_hits
def test_arrays_of_jax_and_numpy_and_numbers_tell_the_version() -> None:
    step = fresh()
    given = [a(3), jnp.ones(3) * 1, a(3, dtype=np.int32), jnp.ones(3, jnp.bfloat16), 2.0, 3, True, np.float32(1)]
    weak = jax.jit(lambda: jnp.full(3, 1.0))()  # weakly typed
    with jitviz.record() as rec:
        for x in (*given, weak, *given, weak):
            step(x)
    half = len(rec.calls) // 2
    expected: list[int | None] = [call.version for call in rec.calls[:half]]
    expected[7] = None  # a NumPy scalar is not looked at
    expected[1] = expected[0]  # that was a hit
    assert [call.version for call in rec.calls[half:]] == expected
    assert weak.weak_type
    assert rec.facts.failures == []


@needs_hits
@pytest.mark.parametrize(
    "call",
    [
        lambda step, x, y: step(y=y, x=x),
        lambda step, x, y: step({"a": x}, y),
        lambda step, x, y: step(a(2), y),
        lambda step, x, y: partial(step, a(2))(y),
        lambda step, x, y: jax.grad(lambda x: step(x, y).sum())(jnp.ones(2)),
    ],
)
def test_where_the_first_argument_tells_nothing_the_version_is_not_known(call: Callable[..., Any]) -> None:
    step = jax.jit(lambda x, y: jax.tree.leaves(x)[0].sum() + y)
    shapes = ((2, 3), (3, 2), (2, 4))
    with jitviz.record():
        for x, y in shapes:
            call(step, a(x), a(y))
    with jitviz.record() as rec:
        for x, y in shapes:
            call(step, a(x), a(y))
    assert {call.outcome for call in rec.calls} <= {"hit"}
    assert {call.version for call in rec.calls} <= {None}


@needs_hits
@pytest.mark.parametrize(
    "call",
    [
        lambda step, x: step(x, k=1.0),
        lambda step, x: step(*[x]),
        lambda step, x: step(*(x,), **options),
        lambda step, x: (lambda *args: step(*args))(x),
    ],
)
def test_the_form_of_a_call_does_not_hide_its_first_argument(call: Callable[..., Any]) -> None:
    step = jax.jit(lambda x, k=2.0: x * k)
    step.__wrapped__.__name__ = "step"
    with jitviz.record() as rec:
        for size in (3, 4, 3, 4):
            call(step, a(size))
    assert [call.version for call in rec.calls] == [rec.compiles[0].version, rec.compiles[1].version] * 2


@needs_hits
def test_an_array_in_the_place_of_a_tree_and_a_keyword_in_the_place_of_an_argument_are_other_versions() -> None:
    step = jax.jit(lambda x, y=1.0: jax.tree.leaves(x)[0] * y)
    with jitviz.record() as rec:
        step({"a": a(3)})
        step(a(3))
        step(x=a(3))
        step(a(3))
    assert rec.calls[3].compile == rec.compiles[1]


@needs_hits
def test_a_plain_hit_did_not_run_the_program_of_a_transformation() -> None:
    step = fresh()
    with jitviz.record() as rec:
        step(a(3))
        jax.vmap(step)(a(3, 3))
        step(a(3))
    assert [row.transform for row in rec.compiles] == ["", "vmap"]
    assert rec.calls[-1].outcome == "hit"
    assert rec.calls[-1].compile == rec.compiles[0]


@needs_hits
def test_a_method_is_told_apart_only_where_its_object_is_not_the_first_argument() -> None:
    class Net:
        @partial(jax.jit, static_argnums=0)
        def step(self, x: Any) -> Any:
            return x * 2

    net = Net()
    with jitviz.record() as rec:
        for size in (3, 4, 3, 4):
            net.step(a(size))
    versions = [row.version for row in rec.compiles]
    assert [call.version for call in rec.calls[:2]] == versions
    assert [call.version for call in rec.calls[2:]] == [None, None]


@each_jit_with_hits
def test_no_hit_is_told_as_another_version(api: str) -> None:
    step = JITS[api](lambda x: x * 2)
    given = [a(3), a(4), a(3, dtype=np.int32), 2.0, jnp.ones(4)]
    with jitviz.record():
        for x in given:
            step(x)
    with jitviz.record() as rec:
        for x in (*given, *given):
            step(x)
    own = [aval(x) for x in given] * 2
    said = [call.compile and call.compile.signature.leaves[0] for call in rec.calls]
    assert [(leaf.dtype, leaf.shape) if leaf else None for leaf in said] == [
        (None, None) if leaf and leaf.role == "static" else of if leaf else None
        for leaf, of in zip(said, own, strict=True)
    ]


def aval(x: Any) -> tuple[str, tuple[int, ...]]:
    shaped = jax.eval_shape(lambda: jnp.asarray(x))
    return str(shaped.dtype), shaped.shape


@pytest.mark.parametrize("api", list(JITS))
def test_an_inlined_call_runs_no_version_and_its_arguments_are_its_own(api: str) -> None:
    step = fresh(JITS[api])

    @jax.jit
    def outer(x: Any) -> Any:
        return step(x) + step(x[:2]).sum()

    with jitviz.record():
        step(a(4))
    with jitviz.record() as rec:
        outer(a(5))
    inlined = [call for call in rec.calls if call.outcome == "inlined"]
    assert {(call.version, call.compile) for call in inlined} <= {(None, None)}
    signed = [call.signature for call in inlined if call.signature is not None]
    assert [(leaf.path, leaf.shape) for signature in signed for leaf in signature.leaves] == [("x", (5,))][
        : len(inlined)
    ]


@needs_hits
def test_an_inlined_call_of_a_tree_has_the_paths_of_its_leaves() -> None:
    @partial(jax.jit, static_argnames="n")
    def step(params: Any, *rest: Any, n: int = 1) -> Any:
        return params["w"] * n + rest[0]

    @jax.jit
    def outer(x: Any) -> Any:
        w = x * 2
        inner = jax.jit(lambda y: y + w)
        return step({"w": x}, 1.0, n=3) + inner(x[:1])

    with jitviz.record() as rec:
        outer(a(5))
    signatures = [call.signature for call in rec.calls if call.outcome == "inlined"]
    assert [[(leaf.path, leaf.shape) for leaf in one.leaves] for one in signatures if one] == [
        [("params['w']", (5,)), ("rest[0]", ())],
        [("y", (1,))],
    ]
    assert rec.facts.failures == []


@needs_hits
def test_an_inlined_call_of_which_no_equation_stays_is_not_told_as_an_earlier_one() -> None:
    @jax.jit
    def step(x: Any) -> Any:
        return x * 2

    @jax.jit
    def outer(x: Any) -> Any:
        step(x)
        return jax.vmap(step)(x.reshape(1, -1)), jax.grad(lambda y: step(y[:2]).sum())(x)

    with jitviz.record() as rec:
        outer(a(5))
    shapes = [call.signature and call.signature.leaves[0].shape for call in rec.calls if call.outcome == "inlined"]
    assert shapes[0] == (5,)
    assert set(shapes[1:]) <= {None, (2,)}


@each_jit_with_hits
def test_a_hit_of_a_version_that_was_compiled_ahead_of_time_is_a_hit_of_that_version(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        step.lower(a(3)).compile()
        step(a(3))
    assert [row.stage for row in rec.compiles if row.error is None][:1] == ["lower"]
    assert [(call.outcome, call.version) for call in rec.calls] == [("hit", rec.compiles[0].version)]


@each_jit_with_hits
def test_a_call_that_raised_is_not_said_to_have_run_a_version(api: str) -> None:
    step, gone = fresh(JITS[api]), jnp.ones(3)
    gone.delete()
    with jitviz.record() as rec:
        step(a(3))
        with pytest.raises(RuntimeError, match="deleted"):
            step(gone)
    assert [(call.outcome, call.version is None) for call in rec.calls] == [("compile", False), ("error", True)]


_BEFORE = """
import numpy as np, jax, equinox as eqx
import jitviz
steps = [jit(lambda x: x * 2) for jit in ({jits})]
def call(size):
    for step in steps:
        step(np.ones(size, np.float32))
call(3)
with jitviz.record():
    call(4)
with jitviz.record() as rec:
    call(3)
    call(4)
print([(call.outcome, call.version) for call in rec.calls])
"""


def test_a_hit_may_have_run_a_version_from_before_jitviz_watched() -> None:
    code = _BEFORE.format(jits=", ".join(JITS_WITH_HITS).replace("equinox", "eqx"))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str([("hit", None)] * 2 * len(JITS_WITH_HITS))


def test_a_version_is_ruled_out_only_by_a_first_argument_that_it_cannot_take() -> None:
    def taken(**fields: Any) -> first_argument.Taken | None:
        leaf = Leaf("x", "traced", "numpy.ndarray", **{"shape": (3,), "dtype": "float32", **fields})
        return first_argument.taken_by(Signature((leaf,), form=(("x", "positional"),)))

    first = first_argument.first_of(a(3, dtype=np.float64))  # which is float32 to JAX, without jax_enable_x64
    assert first_argument.may_take(taken(), first)
    assert first_argument.may_take(taken(dtype="float64"), first)
    assert not first_argument.may_take(taken(shape=(4,)), first)
    assert not first_argument.may_take(taken(dtype="int32"), first)
    assert not first_argument.may_take(taken(weak_type=True), first)
    assert first_argument.may_take(None, first)
    assert first_argument.may_take(taken(), None)
    cut = Signature((Leaf("x", "traced", "", (4,), "float32"),), form=(("x", "positional"),), is_partial=True)
    assert first_argument.taken_by(cut) is None
    assert first_argument.first_of([a(3)]) is first_argument.first_of(Affine) is first_argument.first_of(None) is None
