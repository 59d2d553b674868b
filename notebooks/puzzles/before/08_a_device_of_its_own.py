"""Weights that were put on the device by hand compile again, though there is only one device."""

import jax
import jax.numpy as jnp


@jax.jit
def predict(params, x):
    return params["w"] * x


x = jnp.ones(3)
print(predict({"w": jnp.ones(3)}, x))
print(predict({"w": jax.device_put(jnp.ones(3), jax.devices()[0])}, x))
