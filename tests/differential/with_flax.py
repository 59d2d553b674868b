"""Programs in the style of the documentation of Flax: NNX and Linen."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen, nnx
from flax.training.train_state import TrainState

X = np.ones((2, 3), np.float32)


class _Block(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return nnx.relu(self.dropout(self.linear(x)))


def training_loop():
    model = _Block(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))

    @nnx.jit
    def train_step(model, optimizer, metrics, x, y):
        loss, grads = nnx.value_and_grad(lambda model: ((model(x) - y) ** 2).mean())(model)
        metrics.update(loss=loss)
        optimizer.update(model, grads)
        return loss

    losses = [train_step(model, optimizer, metrics, X[:size], X[:size]) for size in (2, 2, 1)]
    model.eval()
    return losses, metrics.compute(), nnx.to_pure_dict(nnx.state(model, nnx.Param)), model(X)


def a_train_state_of_linen():
    model = linen.Dense(2)
    state = TrainState.create(
        apply_fn=model.apply, params=model.init(jax.random.key(0), X)["params"], tx=optax.sgd(0.1)
    )

    @jax.jit
    def train_step(state, x):
        grads = jax.grad(lambda params: (state.apply_fn({"params": params}, x) ** 2).mean())(state.params)
        return state.apply_gradients(grads=grads)

    for size in (2, 2, 1):
        state = train_step(state, X[:size])
    return state.params, state.step


def cached_and_split():
    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    cached = nnx.cached_partial(nnx.jit(lambda model, x: model(x)), model)
    graphdef, state = nnx.split(model)
    pure = jax.jit(lambda state, x: nnx.merge(graphdef, state)(x))
    return cached(X), cached(X), pure(state, X)


def many_layers():
    @nnx.vmap(in_axes=0, out_axes=0)
    def make(key):
        return nnx.Linear(3, 3, rngs=nnx.Rngs(key))

    layers = make(jax.random.split(jax.random.key(0), 2))

    @nnx.jit
    @nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
    def forward(layer, x):
        return nnx.tanh(layer(x))

    return forward(layers, X), nnx.grad(lambda layers: forward(layers, X).sum())(layers)


def a_change_in_the_wrong_trace():
    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    count = nnx.Variable(jnp.zeros(()))

    @jax.jit
    def wrong(x):
        count[...] += 1
        return model(x)

    return wrong(X)


def an_error_in_a_module():
    return nnx.jit(lambda model, x: model(x))(nnx.Linear(4, 2, rngs=nnx.Rngs(0)), X)


def static_arguments():
    step = nnx.jit(lambda model, x, n: model(x) * n, static_argnums=2)
    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    return [step(model, X, n) for n in (1, 1, 2)]
