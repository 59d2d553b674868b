"""Words for arguments and their leaves.

In: nothing.  Out: `TREES`. Those that are reasons as well are in `reasons`.
Must never: explain a word with another one that is not in the glossary.
"""

from __future__ import annotations

from .term import Term

TREES = {
    "aval": Term(
        "Abstract value: what JAX knows about an array while tracing, its dtype and shape, but no numbers. "
        "Written as f32[3,4], it is float32 with 3 rows and 4 columns.",
        "jax.eval_shape(lambda x: x @ x, jnp.ones((3, 3)))  # f32[3,3]",
        ("abstract value",),
    ),
    "donated": Term(
        "The caller gives up the buffer of this input, so that an output may reuse its memory. "
        "The array cannot be used after the call.",
        "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nx = f(jnp.ones(3))",
        ("donation",),
    ),
    "leaf": Term(
        "One value at the end of a tree of arguments: an array, a number, a function. "
        "Lists, dicts and modules are nodes, and None is a node without leaves.",
        'jax.tree.leaves({"w": jnp.ones(3), "rate": 0.1, "bias": None})  # two leaves',
        ("leaves",),
    ),
    "metadata": Term(
        "A static value in the treedef instead of the leaves. "
        "A different value means a different treedef, and so a different version.",
        "partial = jax.tree_util.Partial(jnp.add, 1.0)\njax.tree.leaves(partial)  # 1.0; jnp.add is metadata",
        ("in the treedef", "auxiliary data"),
    ),
    "not used": Term(
        "The program does not depend on this input, so JAX leaves it out of the executable. "
        "Its aval is still part of the cache key.",
        "f = jax.jit(lambda x, unused: x + 1)\nf(jnp.ones(3), jnp.ones(4))",
        ("dropped", "unused"),
    ),
    "partition": Term(
        "How the arguments were split into traced and static leaves. "
        "`filter_jit` traces arrays and nothing else; `jax.jit` traces everything except the arguments declared "
        "static.",
        'tree = {"w": jnp.ones(3), "act": jnp.tanh}\n'
        "arrays, rest = jitviz.partition(tree, jitviz.is_array)\n"
        "jitviz.combine(arrays, rest)",
    ),
    "reused": Term(
        "The buffer of this donated input became the memory of an output. "
        "This works only for an output of the same size and layout.",
        "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nf(jnp.ones(3))  # the sum is where the ones were",
        ("buffer reused",),
    ),
    "static": Term(
        "Part of the cache key: a different value, by hash and ==, needs a different version. "
        "The function sees the value itself, so `if` and `for` may depend on it.",
        "f = jitviz.filter_jit(lambda x, n: x * n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
    ),
    "traced": Term(
        "An input of the compiled program: its numbers may change from call to call, its aval may not. "
        "While tracing, the function sees a tracer in its place, which has no numbers.",
        "f = jitviz.filter_jit(lambda x: x * 2)\nf(jnp.ones(3))  # compiles\nf(jnp.zeros(3))  # hit",
        ("tracer",),
    ),
}
