"""Programs in the style of the documentation of Equinox, Optax and Diffrax."""

import functools
import warnings

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

X = np.arange(3, dtype=np.float32)


class _Model(eqx.Module):
    weight: jax.Array
    bias: jax.Array
    activation: object
    name: str = eqx.field(static=True, default="model")

    def __call__(self, x):
        return self.activation(self.weight @ x + self.bias)

    @eqx.filter_jit
    def step(self, x):
        return self(x) * 2


def _model(activation=jnp.tanh):
    return _Model(jnp.ones((2, 3)) * 0.1, jnp.zeros(2), activation)


def training_loop():
    optim = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-2))

    @eqx.filter_value_and_grad
    def loss(model, x, y):
        return jnp.mean((jax.vmap(model)(x) - y) ** 2)

    @eqx.filter_jit
    def make_step(model, opt_state, x, y):
        value, grads = loss(model, x, y)
        updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), opt_state, value

    model, rng, losses = _model(), np.random.default_rng(0), []
    opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
    for size in (4, 4, 3):
        x = rng.normal(size=(size, 3)).astype(np.float32)
        model, opt_state, value = make_step(model, opt_state, x, x[:, :2])
        losses.append(value.item())
    return model, opt_state, losses


def a_loop_of_optax_with_a_schedule():
    optim = optax.inject_hyperparams(optax.sgd)(learning_rate=optax.cosine_decay_schedule(0.1, 10), momentum=0.9)

    def fit(params):
        state = optim.init(params)

        @functools.partial(jax.jit, donate_argnums=(0, 1))
        def step(params, state):
            grads = jax.grad(lambda p: optax.l2_loss(p["w"], jnp.ones(3)).mean())(params)
            updates, state = optim.update(grads, state, params)
            return optax.apply_updates(params, updates), state

        for _ in range(3):
            params, state = step(params, state)
        return params, state

    return fit({"w": jnp.zeros(3)})


def a_differential_equation():
    @eqx.filter_jit
    def solve(rate, y0):
        term, times = diffrax.ODETerm(lambda t, y, args: -args * y), diffrax.SaveAt(ts=jnp.linspace(0, 1, 3))
        return diffrax.diffeqsolve(term, diffrax.Euler(), 0.0, 1.0, 0.25, y0, args=rate, saveat=times, max_steps=8)

    return solve(jnp.asarray(3.0), X).ys


def a_differential_equation_with_too_few_steps():
    term = diffrax.ODETerm(lambda t, y, args: -y)
    return diffrax.diffeqsolve(term, diffrax.Euler(), 0.0, 1.0, 0.1, jnp.ones(1), max_steps=2).ys


def a_condition_that_does_not_hold():
    @eqx.filter_jit
    def check(x):
        return eqx.error_if(x, x > 0, "x must not be positive") * 2

    return check(jnp.asarray(-1.0)), check(jnp.asarray(1.0))


def a_condition_outside_of_any_jit():
    return eqx.error_if(jnp.asarray(1.0), jnp.asarray(1.0) > 0, "outside")


def ensembles():
    keys = jax.random.split(jax.random.key(0), 2)
    models = eqx.filter_vmap(lambda key: eqx.nn.Linear(3, 2, key=key))(keys)
    together = eqx.filter_vmap(lambda model, x: model(x), in_axes=(eqx.if_array(0), None))
    one = eqx.filter_jit(together)(models, X)
    two = eqx.filter_pmap(lambda x, y: x * y, in_axes=(0, None))(np.stack([X, X]), 3.0)
    return models, one, two


def modules_with_state():
    model, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(3, axis_name="batch", mode="batch")

    @eqx.filter_jit
    def run(model, state, x):
        return jax.vmap(model, axis_name="batch", in_axes=(0, None), out_axes=(0, None))(x, state)

    out, state = run(model, state, np.stack([X, X + 1]))
    out, state = run(model, state, np.stack([X, X + 2]))
    return out, run(eqx.nn.inference_mode(model), state, np.stack([X]))[0]


def methods_and_partials():
    model = _model()
    bound = eqx.filter_jit(model.__call__)
    partial = eqx.filter_jit(eqx.Partial(lambda m, x, *, y: m(x) * y, model, y=2.0))
    return model.step(X), model.step(X), bound(X), partial(X), eqx.filter_jit(model)(X)


def activations_that_are_made_anew():
    apply = eqx.filter_jit(lambda model, x: model(x))
    return [apply(_model(lambda x, n=n: x * n), X) for n in range(3)], [apply(_model(), X) for _ in range(2)]


def static_values_that_change():
    @eqx.filter_jit(donate="all-except-first")
    def scale(x, y, factor, name, flag=True):
        return y * factor if flag else x

    return [
        scale(X, jnp.ones(3), *rest) for rest in ((1, "a"), (1, "a"), (2, "a"), (2, "b"), (2, "b", False), (2.0, "b"))
    ]


def a_leaf_without_a_hash():
    return eqx.filter_jit(lambda x, rest: x)(X, {1, 2})


def a_limit_on_traces():
    @eqx.filter_jit
    @eqx.debug.assert_max_traces(max_traces=1)
    def step(x):
        return x

    return step(X), step(X[:2])


def loops_and_checkpoints():
    @eqx.filter_jit
    @eqx.filter_grad
    def run(x):
        x = eqx.internal.while_loop(lambda v: v < 20, lambda v: v * 2, x, kind="checkpointed", max_steps=8)
        return eqx.filter_checkpoint(lambda v: jnp.sin(v) * v)(x)

    @eqx.filter_custom_vjp
    def clip(x):
        return x * 2

    clip.def_fwd(lambda perturbed, x: (x * 2, x))
    clip.def_bwd(lambda residuals, grad, perturbed, x: jnp.clip(grad, -0.5, 0.5))
    return run(jnp.asarray(1.5)), eqx.filter_jit(eqx.filter_grad(lambda x: clip(x).sum()))(X)


def callbacks_and_closures():
    call = eqx.filter_jit(lambda x: eqx.filter_pure_callback(lambda x: np.asarray(x) + 1, x, result_shape_dtypes=x))
    closed = eqx.filter_closure_convert(lambda x: x * X, X)
    return call(jnp.asarray(X)), eqx.filter_jit(closed)(X), str(eqx.filter_make_jaxpr(closed)(X)[0])


def ahead_of_time():
    lowered = eqx.filter_jit(lambda model, x: model(x)).lower(_model(), X)
    return lowered.compile()(_model(), X), eqx.filter_eval_shape(_model(), X).shape


def no_jit_at_all():
    with jax.disable_jit():
        return _model().step(X)


def a_leak():
    kept = []
    with jax.checking_leaks():
        return eqx.filter_jit(lambda x: kept.append(x) or x)(X)


def an_error_of_ones_own():
    def fail(model, x):
        raise KeyError(model.name) from ValueError("the cause")

    return eqx.filter_jit(fail)(_model(), X)


def warnings_at_their_places():
    @eqx.filter_jit
    def step(x, rest):
        warnings.warn("of the trace", stacklevel=1)
        return x * 2

    for size in (3, 3, 2):
        step(X[:size], iter([1]))
        warnings.warn("of the loop", stacklevel=1)


def gradients_of_what_is_no_scalar():
    return eqx.filter_grad(lambda x: x)(X)
