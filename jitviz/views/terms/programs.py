"""Words for what a function was compiled to.

In: nothing.  Out: `PROGRAMS`.
Must never: explain a word with another one that is not in the glossary.
"""

from __future__ import annotations

from .term import Term

PROGRAMS = {
    "arithmetic intensity": Term(
        "FLOPs per byte moved. A program with few of them waits for memory, and faster arithmetic does not help it.",
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
        "How much one run reads from memory and writes to it, as XLA estimates it, with one turn of each loop. "
        "What stays inside of a fusion is not counted.",
        'f = jax.jit(lambda a: a + a).lower(jnp.ones(64)).compile()\nf.cost_analysis()["bytes accessed"]',
    ),
    "constant": Term(
        "An array that the function read from outside of its arguments, and that became part of the program. "
        "Each version keeps a copy; a big one is better an argument.",
        "table = jnp.arange(1000.0)\nf = jax.jit(lambda i: table[i])\nf(3)",
        ("closed-over constant",),
    ),
    "difference": Term(
        "Where the programs of two versions are not the same. "
        "Names of variables do not count, so that what is left is computed differently.",
        "f = jitviz.filter_jit(lambda x, n: x ** n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
    ),
    "equation": Term(
        "One line of a jaxpr: an operation, what goes in, and what comes out. "
        "A line of Python may become none, one or hundreds.",
        "jax.make_jaxpr(lambda x: x * 2 + 1)(1.0)  # two equations",
    ),
    "FLOPs": Term(
        "Floating-point operations: how much there is to calculate in one run. "
        "XLA's estimate takes a loop for one turn of it, while lines of source count with all turns that are known.",
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
        "An output that is an input as it came. JAX hands it through, and no executable computes it.",
        "f = jax.jit(lambda x, y: (x, y + 1))\nf(1.0, 2.0)  # x is forwarded",
    ),
    "fusion": Term(
        "Several operations that XLA runs as one, so that nothing between them goes to memory. "
        "It is one line of HLO, with the operations in a computation of its own.",
        "f = jax.jit(lambda x: jnp.sin(x) * 2 + 1)\nprint(f.lower(jnp.ones(64)).compile().as_text())",
        ("fused",),
    ),
    "HLO": Term(
        "The program as XLA optimised it for one device. Operations of the StableHLO may be fused, moved or gone here.",
        "print(jax.jit(lambda x: x + 1).lower(1.0).compile().as_text())",
    ),
    "jaxpr": Term(
        "The program as JAX traced it, an equation for each operation on arrays. "
        "Python's own `if`, `for` and numbers are gone, and what they led to is there.",
        "jax.make_jaxpr(lambda x: x * 2 + 1)(1.0)",
    ),
    "StableHLO": Term(
        "The lowered program, in the language that JAX hands to XLA. It says what the jaxpr says, without Python.",
        "print(jax.jit(lambda x: x + 1).lower(1.0).as_text())",
    ),
    "unrolled": Term(
        "A Python loop that became as many copies of its body as it has rounds. "
        "With `jax.lax.scan` or `jax.lax.fori_loop` the program holds the body once, and compiles faster.",
        "f = lambda x: sum(jnp.sin(x * i) for i in range(10))\njax.make_jaxpr(f)(1.0)  # ten sines",
        ("unrolled loop",),
    ),
}
