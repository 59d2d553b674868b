"""Programs of every shape that jaxprs come in, each as a call that compiles one function."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

X = np.ones((3, 3), np.float32)
TABLE = np.arange(9.0, dtype=np.float32).reshape(3, 3)


def nested() -> Any:
    inner = jax.jit(lambda x: jnp.sin(x) * 2.0)
    return jax.jit(lambda x: inner(x @ TABLE) + inner(x))(X)


def shared() -> Any:
    """An inner program of many equations, run three times: JAX prints it once, before all else."""

    @jax.jit
    def tower(x: Any) -> Any:
        for _ in range(12):
            x = jnp.cos(x)
        return x

    return jax.jit(lambda x: tower(tower(x)) + tower(x.T))(X)


def looped() -> Any:
    def body(carry: Any, row: Any) -> Any:
        return carry + jnp.tanh(row).sum(), carry

    def whole(x: Any) -> Any:
        total, _ = jax.lax.scan(body, 0.0, x)
        grown = jax.lax.while_loop(lambda y: y < 100.0, lambda y: y * 2.0 + 1.0, total)
        return jax.lax.cond(grown > 3.0, lambda y: y * 2.0, lambda y: -y, grown)

    return jax.jit(whole)(X)


def differentiated() -> Any:
    @jax.custom_vjp
    def clip(x: Any) -> Any:
        return jnp.clip(x, -1.0, 1.0)

    clip.defvjp(lambda x: (clip(x), x), lambda x, g: (g * (x > 0.0),))

    @jax.custom_jvp
    def square(x: Any) -> Any:
        return x * x

    square.defjvp(lambda primals, tangents: (square(primals[0]), 2.0 * primals[0] * tangents[0]))
    loss = lambda w, x: jax.nn.relu(clip(square(w @ x)) + jax.nn.softmax(x)).sum()  # noqa: E731
    return jax.jit(jax.value_and_grad(loss))(X, X)


def batched() -> Any:
    return jax.jit(jax.vmap(jax.grad(lambda x: jnp.dot(x, x) * jnp.sum(jnp.sin(x)))))(X)


def module() -> Any:
    model = eqx.nn.MLP(3, 2, 4, 2, key=jax.random.key(0))
    return eqx.filter_jit(eqx.filter_value_and_grad(lambda model, x: jax.vmap(model)(x).sum()))(model, X)


def optimised() -> Any:
    optim = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))
    weights = {"w": X}

    @jax.jit
    def step(weights: Any, state: Any) -> Any:
        grads = jax.grad(lambda weights: (weights["w"] ** 2).sum())(weights)
        updates, state = optim.update(grads, state)
        return optax.apply_updates(weights, updates), state

    return step(weights, optim.init(weights))


def solved() -> Any:
    import diffrax  # which takes a second, and the programs are collected for every run

    term = diffrax.ODETerm(lambda t, y, args: -y)
    solve = lambda y: diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y).ys  # noqa: E731
    return jax.jit(solve)(np.ones(2, np.float32))


def drawn() -> Any:
    """Keys, integers, a called-back function, a sort, a convolution, and an equation without inputs."""

    def whole(key: Any, x: Any) -> Any:
        jax.debug.print("sum {}", x.sum())
        kernel = jax.random.normal(key, (1, 1, 2, 2))
        out = jax.lax.conv_general_dilated(x[None, None], kernel, (1, 1), "SAME")
        return jnp.sort(out[0, 0] + jnp.arange(3)), jnp.argmax(out)

    return jax.jit(whole)(jax.random.key(0), X)


def inverted() -> Any:
    """Programs in a named tuple, which JAX prints as words of several lines, with equations above and below."""
    return jax.jit(lambda x: jnp.cos(jnp.linalg.solve(jnp.sin(x) + jnp.eye(3), x[0])) * 2.0)(X)


PROGRAMS: dict[str, Callable[[], Any]] = {
    program.__name__: program
    for program in (nested, shared, looped, differentiated, batched, module, optimised, solved, drawn, inverted)
}
