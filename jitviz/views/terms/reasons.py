"""Words for why something compiled: every kind of reason, with underscores as spaces.

In: nothing.  Out: `REASONS`. The last compile of an example has this very reason.
Must never: explain a word with another one that is not in the glossary.
"""

from __future__ import annotations

from .term import Term

REASONS = {
    "cache cleared": Term(
        "Someone emptied JAX's caches, so that what had been compiled was compiled again. "
        "Do that in tests and not in a loop.",
        "f = jax.jit(lambda x: x + 1)\nf(1.0); f.clear_cache()\nf(1.0)  # compiles",
    ),
    "committed": Term(
        "An array that was put on a device on purpose, so that a computation with it has to run there. "
        "One that was not may run anywhere, which is another version.",
        "f, x = jax.jit(lambda x: x + 1), jnp.ones(3)\n"
        "f(x)  # compiles\n"
        "f(jax.device_put(x, jax.devices()[0]))  # compiles",
    ),
    "config context": Term(
        "A setting of JAX that is part of the cache key was another one: x64, a mesh, a precision. "
        "Set it once, before the first call.",
        'f = jax.jit(lambda x: x @ x)\nf(jnp.ones(3))\nwith jax.default_matmul_precision("float32"): f(jnp.ones(3))',
    ),
    "dtype": Term(
        "The type of an array's elements is part of its aval, so that another one means another version. "
        "Convert once, before the first call.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(3, jnp.int32))  # compiles",
    ),
    "first": Term(
        "The function had no compiled version yet. Each function compiles at its first call.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles",
    ),
    "kwargs vs args": Term(
        "The same argument came by name instead of by place, or the other way round. "
        "For `jax.jit` these are two signatures; choose one.",
        "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles\nf(x=1.0)  # compiles",
    ),
    "leaf kind": Term(
        "A leaf that was traced is static now, or the other way round. "
        "For `filter_jit` an array is traced and a number of Python's is static.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.float32(1))  # compiles\nf(1.0)  # compiles",
    ),
    "new function": Term(
        "The jitted function is another object than last time, and each object has its own cache. "
        "Jit it once, outside of the loop.",
        "for _ in range(2):\n    f = jax.jit(lambda x: x + 1)\n    f(1.0)  # compiles",
    ),
    "prng key type": Term(
        "A random key of the old kind, two integers, came where one of the new kind had been, or the other way "
        "round. "
        "Make all keys with `jax.random.key`.",
        "f = jitviz.filter_jit(jax.random.key_data)\n"
        "f(jax.random.key(0))  # compiles\n"
        "f(jax.random.PRNGKey(0))  # compiles",
    ),
    "shape": Term(
        "The sizes of an array's axes are part of its aval, so that another shape means another version. "
        "Where shapes vary, pad to a few sizes.",
        "f = jitviz.filter_jit(lambda x: x.sum())\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles",
    ),
    "sharding": Term(
        "On which devices an array lies, and how it is divided over them. "
        "An input that lies elsewhere means another version.",
        'f, mesh = jax.jit(lambda x: x + 1), jax.make_mesh((1,), ("i",))\n'
        "f(jnp.ones(4))  # compiles\n"
        'f(jax.device_put(jnp.ones(4), jax.NamedSharding(mesh, jax.P("i"))))  # compiles',
    ),
    "static eq": Term(
        "A static value that no cache can find again, since its hash and == do not fit together. "
        "Give its class both, over the same fields; NaN equals nothing and has to be an array.",
        "f = jitviz.filter_jit(lambda x, y: x + y)\nfor _ in range(2):\n    f(jnp.ones(3), float('nan'))  # compiles",
    ),
    "static identity": Term(
        "A static callable or object that was made anew, and equals none but itself. "
        "Make it once, outside of the loop.",
        "f = jitviz.filter_jit(lambda x, g: g(x))\nfor _ in range(2):\n    f(jnp.ones(3), lambda y: y + 1)  # compiles",
    ),
    "static value": Term(
        "A static leaf has another value, by hash and ==, than in any version before. "
        "Make it an array where it is only calculated with.",
        "f = jitviz.filter_jit(lambda x, n: x * n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
    ),
    "transform": Term(
        "The jitted function was differentiated or batched from outside, which is another program. "
        "Jit the gradient instead of taking the gradient of what is jitted.",
        "f = jax.jit(lambda x: x ** 2)\n"
        "f(1.0)  # compiles\n"
        "jax.grad(f)(1.0)  # compiles; jax.jit(jax.grad(f)) is one program",
    ),
    "treedef": Term(
        "The structure of a tree of arguments: containers, keys and classes, without the leaves. "
        "It is part of the cache key, so that an array in place of None means another version.",
        "f = jitviz.filter_jit(lambda state: state)\n"
        'f({"trace": None})  # compiles\n'
        'f({"trace": jnp.ones(3)})  # compiles',
        ("tree structure",),
    ),
    "unexplained": Term(
        "What was seen of the call does not tell why JAX compiled. Both sides are shown, and nothing is guessed.",
        "f = jax.jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(1.0)\nprint(jitviz.explain(rec))",
    ),
    "weak type": Term(
        "The dtype came from a Python number, and gives way to that of any array it meets. "
        "The same dtype, weak in one call and not in the next, means another version.",
        "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles for a weak f32\nf(jnp.float32(1))  # compiles",
        ("weakly typed",),
    ),
}
