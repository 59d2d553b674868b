"""Words for why something compiled: every kind of reason, with underscores as spaces.

In: nothing.  Out: `REASONS`. The last compile of an example has this very reason.
Must never: explain a word with another one that is not in the glossary.
"""

from __future__ import annotations

from .term import Term

REASONS = {
    "cache cleared": Term(
        "JAX's caches were cleared, so JAX compiled the same program again. Clear them in tests, not in a loop.",
        "f = jax.jit(lambda x: x + 1)\nf(1.0); f.clear_cache()\nf(1.0)  # compiles",
    ),
    "committed": Term(
        "An array that was explicitly put on a device, so a computation with it must run there. "
        "JAX may move an uncommitted array, so the two need different versions.",
        "f, x = jax.jit(lambda x: x + 1), jnp.ones(3)\n"
        "f(x)  # compiles\n"
        "f(jax.device_put(x, jax.devices()[0]))  # compiles",
    ),
    "config context": Term(
        "A JAX setting that is part of the cache key changed, such as x64, a mesh or a precision. "
        "Set it once, before the first call.",
        'f = jax.jit(lambda x: x @ x)\nf(jnp.ones(3))\nwith jax.default_matmul_precision("float32"): f(jnp.ones(3))',
    ),
    "dtype": Term(
        "The type of an array's elements is part of its aval, so a different one needs a different version. "
        "Convert once, before the first call.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(3, jnp.int32))  # compiles",
    ),
    "first": Term(
        "The function had no compiled version yet. Each function compiles at its first call.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles",
    ),
    "kwargs vs args": Term(
        "The same argument was passed by keyword instead of by position, or the reverse. "
        "For `jax.jit` these are two signatures; choose one.",
        "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles\nf(x=1.0)  # compiles",
    ),
    "leaf kind": Term(
        "A leaf that was traced is static now, or the reverse. "
        "For `filter_jit` an array is traced and a Python number is static.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.float32(1))  # compiles\nf(1.0)  # compiles",
    ),
    "new function": Term(
        "The jitted function is a different object than last time, and each object has its own cache. "
        "Jit it once, outside the loop.",
        "for _ in range(2):\n    f = jax.jit(lambda x: x + 1)\n    f(1.0)  # compiles",
    ),
    "prng key type": Term(
        "A PRNG key of the old kind (two integers) replaced one of the new kind, or the "
        "reverse. "
        "Make all keys with `jax.random.key`.",
        "f = jitviz.filter_jit(jax.random.key_data)\n"
        "f(jax.random.key(0))  # compiles\n"
        "f(jax.random.PRNGKey(0))  # compiles",
    ),
    "shape": Term(
        "The sizes of an array's axes are part of its aval, so a different shape needs a different version. "
        "If shapes vary, pad them to a few sizes.",
        "f = jitviz.filter_jit(lambda x: x.sum())\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles",
    ),
    "sharding": Term(
        "Which devices hold an array, and how it is split over them. "
        "An input with a different sharding needs a different version.",
        'f, mesh = jax.jit(lambda x: x + 1), jax.make_mesh((1,), ("i",))\n'
        "f(jnp.ones(4))  # compiles\n"
        'f(jax.device_put(jnp.ones(4), jax.NamedSharding(mesh, jax.P("i"))))  # compiles',
    ),
    "static eq": Term(
        "A static value that no cache can find again, because its hash and == do not agree. "
        "Define both on its class, over the same fields; NaN equals nothing, so pass it as an array.",
        "f = jitviz.filter_jit(lambda x, y: x + y)\nfor _ in range(2):\n    f(jnp.ones(3), float('nan'))  # compiles",
    ),
    "static identity": Term(
        "A static callable or object that was made again, and equals only itself. Make it once, outside the loop.",
        "f = jitviz.filter_jit(lambda x, g: g(x))\nfor _ in range(2):\n    f(jnp.ones(3), lambda y: y + 1)  # compiles",
    ),
    "static value": Term(
        "A static leaf has a value that no earlier version had, by hash and ==. "
        "Make it an array if the function only computes with it.",
        "f = jitviz.filter_jit(lambda x, n: x * n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
    ),
    "transform": Term(
        "The jitted function was differentiated or batched from outside, which needs a different program. "
        "Jit the gradient instead of taking the gradient of a jitted function.",
        "f = jax.jit(lambda x: x ** 2)\n"
        "f(1.0)  # compiles\n"
        "jax.grad(f)(1.0)  # compiles; jax.jit(jax.grad(f)) is one program",
    ),
    "treedef": Term(
        "The structure of a tree of arguments: containers, keys and classes, without the leaves. "
        "It is part of the cache key, so an array in place of None needs a different version.",
        "f = jitviz.filter_jit(lambda state: state)\n"
        'f({"trace": None})  # compiles\n'
        'f({"trace": jnp.ones(3)})  # compiles',
        ("tree structure",),
    ),
    "unexplained": Term(
        "What jitviz saw does not explain why JAX compiled. The panel shows both sides, and does not guess.",
        "f = jax.jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(1.0)\nprint(jitviz.explain(rec))",
    ),
    "weak type": Term(
        "The dtype came from a Python number, and gives way to that of any array it is combined with. "
        "The same dtype needs a different version if it is weak in one call and not in the next.",
        "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles for a weak f32\nf(jnp.float32(1))  # compiles",
        ("weakly typed",),
    ),
}
