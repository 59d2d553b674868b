"""The words of JIT compilation, each in two sentences with an example.

In: nothing.  Out: `TERMS`, by name.
Must never: explain a word with another one that is not among them, or hold an example that does not run as it stands,
with `jax`, `jnp` and `jitviz` imported.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """`text` is two sentences: what it is, and what follows from it. `example` is Python, of three lines at most.

    In an example, what stands behind `# compiles`, `# hit` or `# inlined` is what the line does. `also` are other words
    for the same.
    """

    text: str
    example: str
    also: tuple[str, ...] = ()


TERMS = {
    # what happens when a jitted function is called
    "ahead of time": Term(
        "Traced, lowered or compiled before any call, because the program asked for it. "
        "It is listed separately, and is not a call.",
        "compiled = jax.jit(lambda x: x + 1).lower(1.0).compile()\ncompiled(2.0)",
        ("lower()", "compile()"),
    ),
    "avoidable": Term(
        "A recompile that a change to the program would prevent. Its reason says which.",
        "f = jitviz.filter_jit(lambda x: x.sum())\n"
        "f(jnp.ones(3))  # compiles\n"
        "f(jnp.ones(4))  # compiles; padded to one size it would be a hit",
        ("avoidable recompile",),
    ),
    "cache key": Term(
        "What JAX uses to look up a version: the avals of the traced leaves, the values of the static ones, the "
        "treedef, and JAX's settings. "
        "If any part differs, the call is not a hit.",
        "f = jitviz.filter_jit(lambda x, mode: x)\n"
        'f(jnp.ones(3), "train")  # compiles\n'
        'f(jnp.ones(3), "eval")  # compiles',
    ),
    "call": Term(
        "One call of a jitted function, from the moment it is called until it returns. "
        "It is a hit, or it traces, lowers and compiles first.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(3))  # hit",
    ),
    "compile": Term(
        "XLA turns the lowered program into machine code, the executable. It is usually the longest phase of a call.",
        "lowered = jax.jit(lambda x: x + 1).lower(1.0)\nlowered.compile()",
        ("compiling",),
    ),
    "compile time": Term(
        "Wall time during which something was traced, lowered or compiled. "
        "If one compile runs inside another, the time counts once.",
        "f = jax.jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(1.0)\nrec.compiles[0].duration_s",
    ),
    "error": Term(
        "A call that ended with an exception. The panel still shows what was traced and compiled before it.",
        "f = jax.jit(lambda x: 1 if x else 2)\ntry: f(1.0)\nexcept TypeError: pass  # a traced value cannot "
        "decide a branch",
    ),
    "executable": Term(
        "The machine code that XLA made for one version. "
        "JAX keeps it, and runs it for each call that needs the same version.",
        "executable = jax.jit(lambda x: x + 1).lower(1.0).compile()\nexecutable(2.0)",
    ),
    "failed": Term(
        "A compile that ended with an exception: in the trace, while lowering, or in XLA. "
        "JAX keeps nothing of it, and the next call starts again.",
        "f = jax.jit(lambda x: 1 if x else 2)\ntry: f(1.0)\nexcept TypeError: pass  # the trace failed",
        ("failed compile",),
    ),
    "function": Term(
        "A jitted function with all its calls and versions. "
        "If you jit it again in a loop, it is the same function here, but a new one for JAX.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles",
        ("jitted function",),
    ),
    "hit": Term(
        "A call whose version was already compiled, so JAX only ran it. "
        "Python does not run the function again, so a hit is fast.",
        "f = jitviz.filter_jit(lambda x: x + 1)\n"
        "f(jnp.ones(3))  # compiles\n"
        "f(jnp.zeros(3))  # hit: only the numbers differ",
        ("cache hit",),
    ),
    "inherent": Term(
        "A recompile that is necessary, because the program must be different. There is nothing to fix.",
        "f = jitviz.filter_jit(lambda x, is_training: x * 2 if is_training else x)\n"
        "f(jnp.ones(3), True)  # compiles\n"
        "f(jnp.ones(3), False)  # compiles, as expected",
        ("expected", "expected recompile"),
    ),
    "inlined": Term(
        "A call inside another trace, which became part of the program that called it. "
        "It has no executable of its own.",
        "inner = jitviz.filter_jit(lambda x: x + 1)\n"
        "outer = jitviz.filter_jit(lambda x: inner(x) * 2)\n"
        "outer(jnp.ones(3))  # compiles outer, with inner inlined",
        ("inlined call",),
    ),
    "jitviz": Term(
        "Time that jitviz itself took inside a call: it describes the arguments and keeps the program. "
        "It is not part of the run, and there is none of it where nothing is recorded.",
        "f = jax.jit(lambda x: x + 1)\nwith jitviz.record(): f(1.0)  # jitviz describes x, and keeps the program",
        ("own time",),
    ),
    "lower": Term(
        "JAX translates the traced program into StableHLO, the language that XLA reads. "
        "It drops unused inputs, and matches donated ones with outputs.",
        "print(jax.jit(lambda x: x + 1).lower(1.0).as_text())",
        ("lowering",),
    ),
    "outside any jit": Term(
        "Outside of any jit, JAX compiles a small program for each operation and each new shape: a jnp call, an index. "
        "A jitted function around them is one program.",
        "x = jnp.ones(3)\nwith jitviz.record() as rec: jnp.median(x)\nrec.op_by_op",
    ),
    "recompile": Term(
        "A compile of a function that already had a compiled version. "
        "Its reason names the leaf that differs, and what to do about it.",
        "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles: another shape",
    ),
    "retrace": Term(
        "JAX ran the Python function again to trace it, but compiled nothing. "
        "The executable already existed, or none was needed.",
        "f = jax.jit(lambda x: x + 1)\njax.make_jaxpr(f)(1.0)  # traces f, and compiles nothing",
    ),
    "run": Term(
        "The time of a call once its program is ready: it runs, or is sent on its way to run. "
        "JAX does not wait for a result until someone looks at it.",
        "f = jax.jit(lambda x: x + 1)\njax.block_until_ready(f(1.0))  # waits",
    ),
    "running": Term(
        "A compile that had not finished when the panel was drawn. Its time keeps counting while the cell runs.",
        "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles, and the panel says so meanwhile",
        ("running compile", "still compiling", "in progress"),
    ),
    "signature": Term(
        "Everything about a call that decides which version it needs. "
        "Two calls with the same signature share one version.",
        "f = jitviz.filter_jit(lambda x: x + 1)\n"
        "with jitviz.record() as rec: f(jnp.ones(3))\n"
        "rec.compiles[0].signature.leaves",
    ),
    "trace": Term(
        "JAX runs the Python function once on abstract values and records its operations on arrays. "
        "Other effects, such as printing, happen only then, and not in later calls.",
        'f = jitviz.filter_jit(lambda x: print("tracing", x))\n'
        "f(jnp.ones(3))  # compiles, and prints a tracer\n"
        "f(jnp.ones(3))  # hit, and prints nothing",
        ("tracing",),
    ),
    "version": Term(
        "One compiled program of a function, for one signature. "
        "A function has one for each signature that it was called with.",
        "f = jitviz.filter_jit(lambda x: x + 1)\n"
        "f(jnp.ones(3))  # compiles version 1\n"
        "f(jnp.ones(4))  # compiles version 2",
    ),
    # arguments and their leaves
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
    # what a function was compiled to
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
    # every kind of reason, with underscores as spaces; the last compile of an example has this very reason
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
