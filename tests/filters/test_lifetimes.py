"""The objects that filter_jit keeps alive after the user has dropped them: a limited number of static leaves."""

import gc
import weakref
from typing import Any

import jax.numpy as jnp
import pytest

from jitviz.filters import filter_grad, filter_jit, kernel

from .samples import Counted, Linear

pytestmark = pytest.mark.usefixtures("little_to_collect")


def test_no_array_outlives_the_call() -> None:
    @filter_jit
    def step(model: Any, x: Any) -> Any:
        return model(x), "static"

    model, x = Linear(jnp.ones(2)), jnp.ones(2)
    watched = [weakref.ref(leaf) for leaf in (model, model.weight, x)]
    step(model, x)
    del model, x
    gc.collect()
    assert [reference() for reference in watched] == [None, None, None]


def test_no_array_outlives_a_failed_call() -> None:
    @filter_jit
    def fail(x: Any) -> Any:
        raise ValueError("mine")

    x = jnp.ones(2)
    watched = weakref.ref(x)
    with pytest.raises(ValueError, match="mine"):
        fail(x)
    del x
    gc.collect()
    assert watched() is None


@pytest.mark.parametrize("wrap", [filter_jit, lambda fun: filter_jit(filter_grad(fun))])
def test_a_deleted_function_is_freed_with_its_closure(wrap: Any) -> None:
    def make() -> tuple[Any, list[weakref.ref[Any]]]:
        table = jnp.ones(1000)

        def loss(x: Any) -> Any:
            return jnp.sum(x * table)

        jitted = wrap(loss)
        jitted(jnp.ones(1000))
        return jitted, [weakref.ref(loss), weakref.ref(table), weakref.ref(jitted.set_up())]

    jitted, watched = make()
    gc.collect()
    assert all(reference() is not None for reference in watched)
    del jitted
    gc.collect()
    assert [reference() for reference in watched] == [None, None, None]


def test_programs_outlive_the_wrapper_while_the_function_lives() -> None:
    counted = Counted()
    step = counted(lambda x: 2 * x)
    for _ in range(3):
        filter_jit(step)(jnp.ones(2))
        gc.collect()
    assert counted.traces == 1


def test_a_wrapper_of_an_equal_object_outlives_the_other() -> None:
    class Scale:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __call__(self, x: Any) -> Any:
            return self.factor * x

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Scale) and self.factor == other.factor

        def __hash__(self) -> int:
            return hash(self.factor)

    first, second = filter_jit(Scale(2.0)), filter_jit(Scale(2.0))
    del first
    gc.collect()
    assert second(3.0) == 6.0


def test_kernels_with_one_anchor_do_not_accumulate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_KERNELS_PER_ANCHOR", 4)

    keep = [filter_jit(Linear(jnp.ones(1), f"activation {number}")) for number in range(10)]
    assert len(kernel._kernels[Linear]) == 4
    assert len({id(wrapper.set_up()) for wrapper in keep}) == 10
