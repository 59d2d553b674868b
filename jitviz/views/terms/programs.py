"""Words for what a function was compiled to.

In: nothing.  Out: `PROGRAMS`.
Must never: explain a word with another one that is not in the glossary.
"""

from __future__ import annotations

from .term import Term

PROGRAMS = {
    "arithmetic intensity": Term(
        "FLOPs per byte moved. If the number is low, the program waits for memory, and faster arithmetic does "
        "not help.",
        "jax.jit(lambda a: a @ a)(jnp.ones((64, 64)))  # many\njax.jit(lambda a: a + a)(jnp.ones((64, 64)))  # few",
        ("intensity",),
    ),
    "backward pass": Term(
        "The second half of a gradient: derivatives, from the result back to the inputs. "
        "JAX names it `transpose(jvp)`.",
        "jax.make_jaxpr(jax.grad(lambda x: jnp.sin(x) ** 2))(1.0)",
        ("backward", "transpose"),
    ),
    "bytes moved": Term(
        "How much one run reads from and writes to memory, by XLA's estimate with each loop body once. "
        "Values inside a fusion are not counted.",
        'f = jax.jit(lambda a: a + a).lower(jnp.ones(64)).compile()\nf.cost_analysis()["bytes accessed"]',
    ),
    "constant": Term(
        "An array that the function closed over, and that became part of the program. "
        "Each version keeps a copy, so pass a big array as an argument.",
        "table = jnp.arange(1000.0)\nf = jax.jit(lambda i: table[i])\nf(3)",
        ("closed-over constant",),
    ),
    "difference": Term(
        "Where the programs of two versions differ. Names of variables are ignored.",
        "f = jitviz.filter_jit(lambda x, n: x ** n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
    ),
    "equation": Term(
        "One line of a jaxpr: an operation, its inputs and its outputs. "
        "A line of Python may become none, one or hundreds.",
        "jax.make_jaxpr(lambda x: x * 2 + 1)(1.0)  # two equations",
    ),
    "FLOPs": Term(
        "Floating-point operations: how much one run computes. "
        "XLA's estimate counts a loop body once; the numbers by source line count every known iteration.",
        'f = jax.jit(lambda a: a @ a).lower(jnp.ones((8, 8))).compile()\nf.cost_analysis()["flops"]',
        ("floating-point operations",),
    ),
    "forward pass": Term(
        "The first half of a gradient: the function itself, which keeps what its backward pass needs. "
        "JAX names it `jvp`.",
        "jax.make_jaxpr(jax.value_and_grad(lambda x: jnp.sin(x) ** 2))(1.0)",
        ("forward", "jvp"),
    ),
    "forwarded": Term(
        "An output that is an unchanged input. JAX returns it directly, and no executable computes it.",
        "f = jax.jit(lambda x, y: (x, y + 1))\nf(1.0, 2.0)  # x is forwarded",
    ),
    "fusion": Term(
        "Several operations that XLA runs as one, without writing intermediate results to memory. "
        "It is one line of HLO, which refers to a computation with the operations.",
        "f = jax.jit(lambda x: jnp.sin(x) * 2 + 1)\nprint(f.lower(jnp.ones(64)).compile().as_text())",
        ("fused",),
    ),
    "HLO": Term(
        "The program as XLA optimised it for one device. Operations of the StableHLO may be fused, moved or removed.",
        "print(jax.jit(lambda x: x + 1).lower(1.0).compile().as_text())",
    ),
    "jaxpr": Term(
        "The program as JAX traced it, an equation for each operation on arrays. "
        "Python's own `if`, `for` and numbers are gone; the operations that they led to are left.",
        "jax.make_jaxpr(lambda x: x * 2 + 1)(1.0)",
    ),
    "StableHLO": Term(
        "The lowered program, in the language that JAX passes to XLA. It says the same as the jaxpr.",
        "print(jax.jit(lambda x: x + 1).lower(1.0).as_text())",
    ),
    "unrolled": Term(
        "A Python loop that became one copy of its body per iteration. "
        "With `jax.lax.scan` or `jax.lax.fori_loop` the program holds the body once, and compiles faster.",
        "f = lambda x: sum(jnp.sin(x * i) for i in range(10))\njax.make_jaxpr(f)(1.0)  # ten sines",
        ("unrolled loop",),
    ),
}
