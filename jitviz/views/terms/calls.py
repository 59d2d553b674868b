"""Words for what happens when a jitted function is called.

In: nothing.  Out: `CALLS`.
Must never: explain a word with another one that is not in the glossary.
"""

from __future__ import annotations

from .term import Term

CALLS = {
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
}
