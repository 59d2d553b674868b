"""A public function of JAX is described by the name that users know."""

import jax

from jitviz.capture.arguments.describe import describe


def test_a_public_function_of_jax_is_described_by_its_name_alone() -> None:
    functions = jax.numpy.tanh, jax.numpy.add, jax.nn.relu, jax.nn.gelu, jax.nn.initializers.zeros
    found = [describe(function) for function in functions]
    names = ["jnp.tanh", "jnp.add", "jax.nn.relu", "jax.nn.gelu", "jax.nn.initializers.zeros"]
    assert [(one.text, one.fields, one.code is None) for one in found] == [(name, (), False) for name in names]
