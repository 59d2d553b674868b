import inspect
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from jitviz.jaxcompat import equinox_internals, flax_internals, jits

from .watching import caller_at_trace


def test_the_metadata_of_a_variable_is_what_the_user_set() -> None:
    assert flax_internals.nnx_metadata(nnx.Param(jnp.ones(2))) == {}
    assert flax_internals.nnx_metadata(nnx.Param(jnp.ones(2), tag="head")) == {"tag": "head"}


def test_nnx_calls_have_the_users_arguments_in_their_frame() -> None:
    def forward(model: Any, x: Any) -> Any:
        return x

    step, model = nnx.jit(forward), nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    frame = caller_at_trace(lambda: step(model, np.ones((1, 2))))
    assert equinox_internals.is_module_frame(frame, flax_internals.NNX_CALL)
    assert frame.f_code.co_filename.endswith(flax_internals.NNX_FILE)
    call = flax_internals.read_nnx_call(frame)
    assert call is not None
    assert call[0][0] is model
    jitted = flax_internals.jitted_attribute(step)
    assert flax_internals.inside_nnx(jits.jitted_function(jitted)) is forward
    assert flax_internals.read_nnx_call(inspect.currentframe()) is None


def test_the_function_inside_an_nnx_gradient_is_known() -> None:
    def loss(model: Any) -> Any:
        return 0.0

    gradient = equinox_internals.wrapped_by(nnx.grad(loss))
    assert flax_internals.nnx_grad(gradient) == ("grad", loss)
    assert flax_internals.nnx_grad(equinox_internals.wrapped_by(nnx.value_and_grad(loss))) == ("value_and_grad", loss)
    assert flax_internals.nnx_grad(loss) is None
    assert gradient.__code__.co_filename.endswith(flax_internals.NNX_GRAD_FILE)


def test_live_objects_of_nnx_are_known() -> None:
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    kinds = flax_internals.nnx_types()
    assert kinds[0] is nnx.Variable
    assert isinstance(model, kinds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(flax_internals.nnx_raw_value(model.kernel), jax.Array)
    assert [name for name in vars(model) if not flax_internals.is_nnx_own(type(model), name)][:2] == ["kernel", "bias"]
    assert {"kernel", "bias"} <= flax_internals.nnx_data_names(vars(model))
    assert "use_bias" not in flax_internals.nnx_data_names(vars(model))


def test_the_outputs_of_nnx_jit_have_user_level_paths() -> None:
    outputs = [
        "[0][0].states[0][0]",
        "[0][0].states[0][1]",
        "[1]['ema'].states[0][0]",
        "[2]['loss']",
        "[2]['new'].states[0][0]",
    ]
    inputs = ["model.bias", "model.kernel", "ema.mean", "x"]
    assert flax_internals.named_outputs(outputs, ["model", "x"], inputs) == [*inputs[:3], "out['loss']", "out['new']"]
    several = ["[2].states[0][0]", "[2].states[0][1]"]
    assert flax_internals.named_outputs(several, [], []) == ["out[0]", "out[1]"]


def test_a_graphdef_is_read_as_the_tree_of_its_model() -> None:
    class Rated(nnx.Module):
        def __init__(self) -> None:
            self.rate = 0.5

    class Tied(nnx.Module):
        def __init__(self) -> None:
            self.first = nnx.Param(jnp.ones(2), tag="head")
            self.items = nnx.data([Rated(), {"w": self.first}])

    def shown(part: Any) -> Any:
        if not isinstance(part, flax_internals.Member):
            return part
        return part.kind, {key: shown(below) for key, below in part.parts}

    first = nnx.Param, {"tag": "head"}
    items = list, {0: (Rated, {"rate": 0.5}), 1: (dict, {"w": (nnx.Param, {})})}
    assert shown(flax_internals.opened_value(nnx.graphdef(Tied()))) == (Tied, {"first": first, "items": items})
    assert flax_internals.opened_value(items) is items


@pytest.mark.skipif(not hasattr(nnx, "jit_partial"), reason="this Flax has no nnx.jit_partial")
def test_the_arguments_that_a_partial_jit_binds_are_flat_and_it_is_known() -> None:
    partial = nnx.jit_partial(lambda model, x: model(x), nnx.Linear(2, 3, rngs=nnx.Rngs(0)), graph=False)
    bound = flax_internals.bound_arguments(partial)
    assert bound is not None
    assert bound[0].num_leaves == len(bound[1])
    assert flax_internals.bound_arguments(nnx.jit(lambda x: x)) is None
    (jitted,) = (part for part in [flax_internals.jitted_attribute(partial)] if part is not None)
    assert flax_internals.is_partial(jits.jitted_function(jitted))
    assert not flax_internals.is_partial(jits.jitted_function(flax_internals.jitted_attribute(nnx.jit(lambda x: x))))
