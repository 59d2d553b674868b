"""Programs that recompile, one for each kind and what holds the value; `run` returns the results.

Those of `MENDED` get code that takes the cause away, those of `TOLD` words only, since nothing safe can be pasted.
"""

HEAD = """\
import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
"""
# name -> (kind of the reason, program)
MENDED: dict[str, tuple[str, str]] = {
    "weak number of a loop, in a function that has the name as a local": (
        "weak_type",
        """
@jax.jit
def step(x):
    return x + np.float32(1)

def run():
    x, results = 0.0, []
    for _ in range(3):
        x = step(x)
        results.append(x)
    return results
""",
    ),
    "weak number that a nested function closes over": (
        "weak_type",
        """
@jax.jit
def step(x, w):
    return x * w

def run():
    w = 2.0
    def once(v):
        return step(jnp.ones(3), v)
    return [once(w), once(jnp.float32(2))]
""",
    ),
    "weak entry of a dict": (
        "weak_type",
        """
@jax.jit
def step(params, x):
    return params["rate"] * x

def run():
    return [step({"rate": rate}, jnp.ones(3)) for rate in (np.float32(0.5), 0.25)]
""",
    ),
    "weak item of a list, given by keyword": (
        "weak_type",
        """
@jax.jit
def step(x, rates):
    return rates[0] * x + rates[1]

def run():
    return [step(jnp.ones(3), rates=[np.float32(1), rate]) for rate in (np.float32(0.5), 0.25)]
""",
    ),
    "weak field of a NamedTuple, in starred arguments": (
        "weak_type",
        """
class State(NamedTuple):
    x: Any
    time: Any

@jax.jit
def step(scale, state):
    return scale, State(state.x * scale, state.time + np.float32(0.1))

def run():
    box = [jnp.ones(3), State(jnp.ones(3), 0.0)]
    for _ in range(3):
        box = step(*box)
    return box
""",
    ),
    "weak field of a frozen dataclass": (
        "weak_type",
        """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State:
    x: Any
    time: Any

@jax.jit
def step(state):
    return State(state.x, state.time + np.float32(0.1))

def run():
    state = State(jnp.ones(3), 0.0)
    for _ in range(3):
        state = step(state)
    return [state]
""",
    ),
    "weak field of an Equinox module with a constructor of its own": (
        "weak_type",
        """
import equinox as eqx

class Model(eqx.Module):
    scale: jax.Array
    name: str
    def __init__(self):
        self.scale, self.name = jnp.asarray(2.0), "m"

@eqx.filter_jit
def step(model, x):
    return eqx.tree_at(lambda m: m.scale, model, model.scale * np.float32(0.5)), model.scale * x

def run():
    model, results = Model(), []
    for _ in range(3):
        model, y = step(model, jnp.ones(3))
        results.append(y)
    return results
""",
    ),
    "weak field of a class of one's own whose children have no names": (
        "weak_type",
        """
@jax.tree_util.register_pytree_node_class
class State:
    def __init__(self, x, rate):
        self.x, self.rate = x, rate
    def tree_flatten(self):
        return ([self.x], self.rate), None
    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(children[0][0], children[1])

@jax.jit
def step(state):
    return state.x * state.rate

def run():
    return [step(State(jnp.ones(3), rate)) for rate in (np.float32(1), 2.0)]
""",
    ),
    "weak argument of a partial": (
        "weak_type",
        """
@jax.jit
def step(function, x):
    return function(x)

def run():
    scale = jnp.multiply
    return [step(jax.tree_util.Partial(scale, rate), jnp.ones(3)) for rate in (np.float32(1), 2.0)]
""",
    ),
    "weak argument of a method": (
        "weak_type",
        """
class Agent:
    @functools.partial(jax.jit, static_argnums=0)
    def act(self, x, rate):
        return x * rate

def run():
    agent = Agent()
    return [agent.act(jnp.ones(3), rate) for rate in (np.float32(1), 2.0)]
""",
    ),
    "dtype of an index": (
        "dtype",
        """
@jax.jit
def pick(table, at):
    return table[at]

def run():
    return [pick(jnp.arange(9.0), np.array([1, 2], kind)) for kind in (np.int32, np.int16)]
""",
    ),
    "number of an Equinox module that an update makes an array": (
        "leaf_kind",
        """
import equinox as eqx

class Model(eqx.Module):
    flux: Any

@eqx.filter_jit
def step(model, x):
    return Model(model.flux + 0.5 * x.sum())

def run():
    model = Model(1.0)
    for _ in range(3):
        model = step(model, jnp.ones(3))
    return [model.flux]
""",
    ),
    "one element more in the shape of a field": (
        "shape",
        """
@jax.jit
def step(state, x):
    return {"reward": x.sum(keepdims=True) + state["reward"]}

def run():
    state = {"reward": jnp.zeros(())}
    for _ in range(3):
        state = step(state, jnp.ones(3))
    return [state]
""",
    ),
    "older key": (
        "prng_key_type",
        """
@jax.jit
def draw(key):
    return jax.random.normal(key, (3,))

def run():
    return [draw(key) for key in (jax.random.key(0), jax.random.PRNGKey(1))]
""",
    ),
    "committed entry of a dict": (
        "committed",
        """
@jax.jit
def step(params):
    return params["a"] + params["b"]

def run():
    plain = {"a": jnp.ones(3), "b": jnp.ones(3)}
    return [step(params) for params in (plain, {**plain, "b": jax.device_put(plain["b"], jax.devices()[0])})]
""",
    ),
    "list where a tuple came": (
        "treedef",
        """
@jax.jit
def total(parts):
    return parts[0] + parts[1]

def run():
    return [total(parts) for parts in ((1.0, 2.0), [1.0, 2.0])]
""",
    ),
    "argument by keyword": (
        "kwargs_vs_args",
        """
@jax.jit
def f(x, y):
    return x - y

def run():
    return [f(1.0, 2.0), f(1.0, y=2.0)]
""",
    ),
    "argument by keyword, at lines with hits only as well": (
        "kwargs_vs_args",
        """
@jax.jit
def f(x, y, *rest, scale=2.0):
    return (x - y) * scale

def run():
    results = [f(1.0, 2.0)]
    results.append(f(3.0, 2.0))
    results.append(f(1.0, y=2.0))
    results.append(functools.partial(f, 4.0)(y=1.0))
    return results
""",
    ),
    "default argument that is given at last": (
        "kwargs_vs_args",
        """
@jax.jit
def f(x, scale=2.0):
    return x * scale

def run():
    return [f(jnp.ones(3)), f(jnp.ones(3), scale=3.0)]
""",
    ),
    "number of NumPy's that is static": (
        "static_value",
        """
@functools.partial(jax.jit, static_argnames="n")
def f(x, n):
    return [x] * n

def run():
    return [f(jnp.ones(3), n) for n in (2, np.int64(2))]
""",
    ),
    "config of one's own class": (
        "static_identity",
        """
class Config:
    def __init__(self, rate, name):
        self.rate, self.name = rate, name

@functools.partial(jax.jit, static_argnums=0)
def f(config, x):
    return x * config.rate

def run():
    return [f(Config(rate, "a"), jnp.ones(3, jnp.int32)) for rate in (2, 2, 2.0, 2)]
""",
    ),
    "self with a hash of its own": (
        "static_eq",
        """
class Agent:
    def __init__(self, rate):
        self.rate = rate
    def __hash__(self):
        return 7
    @functools.partial(jax.jit, static_argnums=0)
    def act(self, x):
        return x * self.rate

def run():
    return [Agent(rate).act(jnp.ones(3)) for rate in (2.0, 2.0, 3.0)]
""",
    ),
}
# name -> (kind, words of the advice, program)
TOLD: dict[str, tuple[str, str, str]] = {
    "weak number that decides the dtype of the result": (
        "weak_type",
        "Pass an array of dtype `jnp.float32` instead of a Python number or a result computed from one.",
        """
@jax.jit
def step(x, rate):
    return x * rate

def run():
    return [step(jnp.ones(3, jnp.bfloat16), rate) for rate in (np.float32(2), 2.0)]
""",
    ),
    "dtype that the result has": (
        "dtype",
        "Use one dtype in every call, `jnp.float32`; this may change the dtype of the results.",
        """
@jax.jit
def double(x):
    return x * 2

def run():
    return [double(jnp.ones(3)), double(jnp.arange(3))]
""",
    ),
    "static number that a range takes": (
        "static_value",
        "Nothing to fix if you need both (one more repetition of 2 operations, 6 operations instead of 4).",
        """
@functools.partial(jax.jit, static_argnums=1)
def roll(x, n_steps):
    for _ in range(n_steps):
        x = x * 2
    return x

def run():
    return [roll(jnp.ones(3), n) for n in (1, 2, 3)]
""",
    ),
    "static number that an if takes": (
        "static_value",
        "Nothing to fix if you need both (3 operations instead of 2).",
        """
@functools.partial(jax.jit, static_argnames="order")
def norm(x, order):
    if order > 1:
        return jnp.sqrt((x * x).sum())
    return abs(x).sum()

def run():
    return [norm(jnp.ones(3), order=order) for order in (1, 2)]
""",
    ),
    "static function that is another one": (
        "static_value",
        "Nothing to fix if you need both (cosine in place of sine).",
        """
@functools.partial(jax.jit, static_argnames="act")
def layer(x, act):
    return act(x)

def run():
    return [layer(jnp.ones(3), act=act) for act in (jnp.sin, jnp.cos)]
""",
    ),
    "weak number in a Variable of NNX": (
        "weak_type",
        "Create it with the explicit dtype `jnp.float32`.",
        """
from flax import nnx

class Counter(nnx.Module):
    def __init__(self):
        self.n = nnx.Variable(jnp.asarray(0.0))

@nnx.jit
def count(counter):
    counter.n[...] += np.float32(1)
    return counter.n[...]

def run():
    counter = Counter()
    return [count(counter) for _ in range(3)]
""",
    ),
    "static number that is computed with": (
        "static_value",
        "Since the program only computes with it, remove `rate` from `static_argnums` and `static_argnames`. If "
        "something in the program needs its value (a branch, a static parameter), keep it static.",
        """
@functools.partial(jax.jit, static_argnums=1)
def step(x, rate):
    return x * rate

def run():
    return [step(jnp.ones(3), rate) for rate in (1.0, 2.0)]
""",
    ),
    "number in a static config": (
        "static_value",
        "Since the program only computes with it, pass `rate` as a separate argument: `config` is static as a whole. "
        "If something in the program needs its value (a branch, a static parameter), keep it static.",
        """
@dataclasses.dataclass(frozen=True)
class Config:
    rate: float

@functools.partial(jax.jit, static_argnames="config")
def step(x, config):
    return x * config.rate

def run():
    return [step(jnp.ones(3), config=Config(rate)) for rate in (1.0, 2.0)]
""",
    ),
    "rate of a library's layer": (
        "static_value",
        "`Dropout` makes `rate` static: keep the number of different values small, since each has its own program.",
        """
from flax import nnx

@nnx.jit
def apply(layer, x):
    return layer(x, deterministic=True) * layer.rate

def run():
    return [apply(nnx.Dropout(rate, rngs=nnx.Rngs(0)), jnp.ones(3)) for rate in (0.5, 0.25)]
""",
    ),
    "dataclass with an array": (
        "static_identity",
        "If `table` always holds the same values, create `config` once, outside the loop, and pass the same object to "
        "every call; otherwise pass `table` as a separate argument.",
        """
@dataclasses.dataclass(eq=False)
class Config:
    table: Any

@functools.partial(jax.jit, static_argnums=0)
def step(config, x):
    return x + config.table

def run():
    return [step(Config(np.arange(3.0)), jnp.ones(3)) for _ in range(2)]
""",
    ),
    "older key that is returned": (
        "prng_key_type",
        "Create every key with `jax.random.key(seed)`; `jax.random.PRNGKey(seed)` creates the older kind.",
        """
@jax.jit
def advance(key):
    return jax.random.split(key)[0]

def run():
    return [jax.random.key_data(advance(key)) for key in (jax.random.key(0), jax.random.PRNGKey(1))]
""",
    ),
    "NaN": (
        "static_eq",
        "Create the NaN once and pass the same object to every call, or make `fill` traced and pass "
        "`jnp.asarray(jnp.nan)`.",
        """
@functools.partial(jax.jit, static_argnames="fill")
def step(x, fill):
    return jnp.where(x > 0, x, fill)

def run():
    return [step(jnp.ones(3), fill=float("nan")) for _ in range(2)]
""",
    ),
    "axis and a tuple of it": (
        "static_value",
        "If they mean the same to `total`, write it one way in every call, `1` or `(1,)`.",
        """
@functools.partial(jax.jit, static_argnames="axis")
def total(x, axis):
    return x.sum(axis)

def run():
    return [total(jnp.ones((3, 4)), axis=axis) for axis in (1, (1,))]
""",
    ),
    "items of one dict in two orders": (
        "static_value",
        "Write its entries in one order in every call, such as `tuple(sorted(config.items()))` of a dict.",
        """
@functools.partial(jax.jit, static_argnames="config")
def step(x, config):
    return x * dict(config)["rate"]

def run():
    configs = {"rate": 2.0, "depth": 3}, {"depth": 3, "rate": 2.0}
    return [step(jnp.ones(3), config=tuple(config.items())) for config in configs]
""",
    ),
    "named tuple of a class that was imported again": (
        "treedef",
        "Use the same class in every call: two classes with the same name are different to JAX.",
        """
import optax

class ScaleByAdamState(NamedTuple):
    count: Any
    mu: Any
    nu: Any

@jax.jit
def step(state, x):
    return state[0].mu + x

def run():
    first = optax.adam(0.1).init(jnp.ones(3))
    return [step(state, jnp.ones(3)) for state in (first, (ScaleByAdamState(*first[0]), *first[1:]))]
""",
    ),
    "default of a function that a loop makes": (
        "new_function",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with `power` "
        "as a separate argument.",
        """
def run():
    return [jax.jit(lambda x, power=power: x**power)(jnp.ones(3)) for power in (1.5, 2.5)]
""",
    ),
    "function that closes over several values of a loop": (
        "new_function",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with `rate`, "
        "`scale` and `power` as separate arguments.",
        """
def run():
    results = []
    for i in (1.0, 2.0):
        scale, rate = i * jnp.ones(3), i
        def f(x, power=i):
            return x**power * scale * rate
        results.append(jax.jit(f)(jnp.ones(3)))
    return results
""",
    ),
    "function that closes over an object, one attribute of which it reads": (
        "new_function",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with what it "
        "reads of `t` as a separate argument.",
        """
class Task:
    def __init__(self):
        self.x, self.params = jnp.arange(3.0), jnp.ones(3)

def run():
    t, results = Task(), []
    for _ in range(2):
        results.append(jax.jit(lambda p: (p * t.x).sum())(t.params))
        t.params = t.params + 1
    return results
""",
    ),
    "scale that is None at first": (
        "treedef",
        "If the function returns `std`, start with a value like the one that it returns. Otherwise "
        "replace None with a value that has no effect, unless you need both.",
        """
@jax.jit
def normalise(x, std):
    return x if std is None else x / std

def run():
    return [normalise(jnp.ones(3), std) for std in (None, 2.0 * jnp.ones(3))]
""",
    ),
    "function jitted in a loop": (
        "new_function",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with `scale` "
        "as a separate argument.",
        """
def run():
    results = []
    for scale in (1.0, 2.0):
        def f(x, n):
            return x * scale * n
        f = jax.jit(f, static_argnums=1)
        results.append(f(jnp.ones(3), 2))
    return results
""",
    ),
    "method that a constructor jits": (
        "new_function",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result; if "
        "every object jits its own method, create the object once.",
        """
class Agent:
    def __init__(self):
        self._update = jax.jit(self._update)
    def _update(self, x):
        return x * 2

def run():
    return [Agent()._update(jnp.ones(3)) for _ in range(2)]
""",
    ),
}
