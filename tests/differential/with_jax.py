"""Programs that need only JAX."""

import functools
import logging
import threading
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.config import enable_x64  # public from jax 0.8 on
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

X = np.arange(3, dtype=np.float32)


def training_loop():
    def loss(params, x, y):
        hidden = jnp.tanh(x @ params["w"] + params["b"])
        return jnp.mean((hidden.sum(1) - y) ** 2)

    @functools.partial(jax.jit, donate_argnums=0)
    def step(params, momentum, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
        return jax.tree.map(lambda p, m: p - 0.1 * m, params, momentum), momentum, value

    rng = np.random.default_rng(0)
    params = {"w": jax.random.normal(jax.random.key(0), (2, 4)), "b": jnp.zeros(4)}
    momentum, first, losses = jax.tree.map(jnp.zeros_like, params), params, []
    for size in (4, 4, 3, 4):
        x = rng.normal(size=(size, 2)).astype(np.float32)
        params, momentum, value = step(params, momentum, x, x.sum(1))
        losses.append(float(value))
    return params, losses, jax.tree.map(lambda leaf: leaf.is_deleted(), first)


def control_flow_inside_and_outside_of_a_jit():
    def run(x):
        carry, ys = lax.scan(lambda c, v: (c + v, c * v), 0.0, x)
        looped = lax.fori_loop(0, 3, lambda i, v: v * 1.5 + i, x)
        grown = lax.while_loop(lambda v: v.sum() < 50, lambda v: v * 2 + 1, looped)
        chosen = lax.cond(carry > 1, jnp.sin, jnp.cos, x)
        switched = lax.switch(1, [jnp.exp, jnp.tanh], x)
        return carry, ys, grown, chosen, switched, lax.map(lambda v: v + 1, x), lax.associative_scan(jnp.add, x)

    return run(X), jax.jit(run)(X), jax.vmap(jax.jit(run))(X[None])


def derivatives_of_every_kind():
    @jax.jit
    def f(x):
        return jnp.sum(jnp.sin(x) ** 3)

    value, pull = jax.vjp(f, X)
    out, push = jax.linearize(f, X)
    return (
        jax.grad(f)(X),
        jax.jit(jax.hessian(f))(X),
        jax.jacfwd(f)(X),
        pull(value),
        push(X),
        out,
        jax.jvp(f, (X,), (X,)),
        jax.vmap(jax.grad(f))(np.stack([X, X])),
    )


def custom_rules_and_checkpoints():
    @jax.custom_vjp
    def clipped(x):
        return x * 2

    clipped.defvjp(lambda x: (clipped(x), x), lambda x, ct: (jnp.clip(ct * x, -1, 1),))

    @jax.custom_jvp
    def soft(x):
        return jnp.log1p(jnp.exp(x))

    soft.defjvp(lambda primals, tangents: (soft(*primals), tangents[0] * jax.nn.sigmoid(primals[0])))
    block = jax.checkpoint(lambda x: jnp.sin(clipped(soft(x))), policy=jax.checkpoint_policies.nothing_saveable)
    return jax.grad(lambda x: block(block(x)).sum())(X), jax.jit(jax.grad(lambda x: block(x).sum()))(X)


def callbacks_that_call_jitted_functions():
    seen = []
    inner = jax.jit(lambda x: x + 1)

    @jax.jit
    def outer(x):
        jax.debug.print("x = {x}", x=x)
        jax.debug.callback(lambda x: seen.append(np.asarray(inner(x))), x, ordered=True)
        y = jax.pure_callback(lambda x: np.asarray(inner(x)), jax.ShapeDtypeStruct((3,), jnp.float32), x)
        return jax.experimental.io_callback(lambda y: np.float32(y.sum()), jax.ShapeDtypeStruct((), jnp.float32), y)

    outs = [outer(X), outer(X)]
    jax.effects_barrier()
    return outs, seen


def shards():
    mesh = Mesh(np.array(jax.devices()), ("i",))
    spread = jax.shard_map(lambda x: lax.psum(x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
    x = jax.device_put(np.arange(4, dtype=np.float32), jax.NamedSharding(mesh, P("i")))
    jitted = jax.jit(spread)
    with mesh:
        inside = jitted(x)
    return jitted(x), inside, jax.jit(lambda x: x * 2)(x), jax.jit(lambda x: x * 2)(jax.device_put(x, jax.devices()[1]))


def donation_that_cannot_be_used():
    step = jax.jit(lambda x: x[:1], donate_argnums=0)
    x = jnp.ones(3)
    return step(x), x.is_deleted(), [step(jnp.ones(3)) for _ in range(2)]


def a_deleted_array():
    x = jnp.ones(3)
    x.delete()
    return jax.jit(lambda x: x)(x)


def nans_that_are_looked_for():
    with jax.debug_nans(True):
        return jax.jit(lambda x: jnp.log(x - 5))(X)


def nans_that_are_looked_for_in_a_gradient():
    with jax.debug_nans(True):
        return jax.jit(jax.grad(lambda x: jnp.sqrt(x).sum()))(X)


def no_jit_at_all():
    with jax.disable_jit():
        return jax.jit(lambda x: lax.scan(lambda c, v: (c + v, v), 0.0, x)[0] if x[0] == 0 else x)(X)


def a_leak():
    kept = []
    with jax.checking_leaks():
        return jax.jit(lambda x: kept.append(x) or x)(X)


def no_leak():
    with jax.checking_leaks():
        return [jax.jit(jax.grad(lambda x: (x**2).sum()))(X) for _ in range(2)]


def ahead_of_time():
    step = jax.jit(lambda x, n: x * n, static_argnums=1)
    lowered = step.trace(X, 3).lower()
    compiled = lowered.compile()
    return (
        compiled(X),
        compiled.cost_analysis()["flops"],
        jax.eval_shape(lambda x: step(x, 3), X),
        len(step.lower(X, 4).as_text()),
        str(jax.make_jaxpr(lambda x: step(x, 3))(X)),
    )


def ahead_of_time_called_wrongly():
    return jax.jit(lambda x: x).lower(X).compile()(X[:2])


def an_if_on_a_traced_value():
    def choose(x):
        if x.sum() > 0:
            return x
        return -x

    return jax.jit(choose)(X)


def numpy_of_a_traced_value():
    return jax.jit(lambda x: x + np.asarray(x * 2))(X)


def an_error_of_ones_own_with_a_cause():
    class OwnError(Exception):
        def __init__(self, code, *, more):
            super().__init__(code)
            self.more = more

    @jax.jit
    def fail(x):
        try:
            {}["missing"]
        except KeyError as error:
            raised = OwnError(3, more=1)
            raised.add_note("noted")
            raise raised from error

    return fail(X)


def an_error_deep_inside():
    def body(carry, x):
        return carry + x[0, 0], None

    return jax.jit(jax.vmap(lambda x: lax.scan(body, 0.0, x)[0]))(X[None])


def an_error_of_a_callback():
    return jax.jit(lambda x: jax.pure_callback(_refuse, x, x))(X)


def _refuse(x):
    raise ValueError("refused by the callback")


def an_interrupt_and_then_a_call():
    is_first = []

    @jax.jit
    def step(x):
        if not is_first:
            is_first.append(True)
            raise KeyboardInterrupt
        return x

    try:
        step(X)
    except KeyboardInterrupt:
        return step(X)


def too_many_arguments():
    return jax.jit(lambda x: x)(X, X)


def a_static_list():
    return jax.jit(lambda x, n: x, static_argnums=1)(X, [1])


def a_leaf_that_is_no_array():
    return jax.jit(lambda x: x)({"a": "text"})


def more_memory_than_there_is():
    return jax.block_until_ready(jax.jit(lambda x: jnp.zeros((1 << 44,)) + x)(X[0]))


def what_xla_does_not_know():
    return jax.jit(lambda x: jax.ffi.ffi_call("nowhere", jax.ShapeDtypeStruct((3,), np.float32))(x))(X)


def warnings_at_their_places():
    @jax.jit
    def step(x):
        warnings.warn("of the trace", stacklevel=1)
        return x + jnp.asarray(1, dtype="float64")

    outs = []
    for size in (3, 3, 2, 3):
        outs.append(step(X[:size]))
        warnings.warn("of the loop", stacklevel=1)  # shown once, unless the filters change
    return outs


def warnings_that_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return jax.jit(lambda x: x + jnp.asarray(1, dtype="int64"))(X)


def logs():
    with jax.log_compiles(True), jax.explain_cache_misses(True):
        step = jax.jit(lambda x: x * 2)
        logging.getLogger("mine").info("between")
        return step(X), step(X[:2]), step(X.astype(np.int32))


def settings_for_a_while():
    step = jax.jit(lambda x: x @ x)
    outs = [step(X)]
    with enable_x64(True):
        outs.append(step(X.astype(np.float64)))
    with jax.default_matmul_precision("float32"):
        outs.append(step(X))
    with jax.numpy_dtype_promotion("strict"):
        outs.append(step(X))
    return outs


def caches_that_are_cleared():
    step = jax.jit(lambda x: x * 2)
    outs = [step(X)]
    jax.clear_caches()
    outs.append(step(X))
    step.clear_cache()
    return [*outs, step(X), step._cache_size()]


def jits_of_everything():
    class Model:
        scale = 2.0

        @functools.partial(jax.jit, static_argnums=0)
        def __call__(self, x):
            return x * self.scale

    def with_default(x, *rest, y=2.0, **options):
        return x * y + sum(rest)

    model = Model()
    outer = jax.jit(lambda x: jax.jit(lambda x: x + 1, inline=True)(jax.jit(jnp.sin)(x)))
    return (
        [model(X), model(X), Model()(X)],
        [jax.jit(functools.partial(with_default, y=3.0))(X), jax.jit(with_default)(X, 1, 2, y=X)],
        [
            jax.jit(jax.jit(jnp.cos))(X),
            outer(X),
            jax.jit(jax.vmap(jnp.sin))(X),
            jax.jit(jax.value_and_grad(jnp.sum))(X),
        ],
    )


def references():
    total = jax.new_ref(jnp.zeros(3))

    @jax.jit
    def add(ref, x):
        ref[...] += x
        return ref[...].sum()

    return add(total, X), add(total, X), total[...]


def threads():
    step, outs = jax.jit(lambda x: x * 3), {}
    for number in range(3):
        thread = threading.Thread(target=lambda number=number: outs.update({number: step(X[:number])}))
        thread.start()
        thread.join()
    return outs


def moving_nothing():
    step, x = jax.jit(lambda x: x * 2 + 1), jnp.ones(3)
    with jax.transfer_guard("disallow"):
        return step(x), step(x)


def functions_that_are_made_anew():
    return [jax.jit(lambda x, n=n: x * n)(X) for n in range(3)], [lax.map(lambda v: v + 1, X) for _ in range(2)]
