// Written by `python -m jitviz.views.typescript` from jitviz/views/terms. Do not edit.

export const GLOSSARY = {
  "ahead of time": {
    text: "Traced, lowered or compiled before any call, because the program asked for it. It is listed by itself and is no call.",
    example: "compiled = jax.jit(lambda x: x + 1).lower(1.0).compile()\ncompiled(2.0)",
  },
  "arithmetic intensity": {
    text: "FLOPs per byte moved. A program with few of them waits for memory, and faster arithmetic does not help it.",
    example: "jax.jit(lambda a: a @ a)(jnp.ones((64, 64)))  # many\njax.jit(lambda a: a + a)(jnp.ones((64, 64)))  # few",
  },
  aval: {
    text: "Abstract value: what JAX knows of an array while tracing, its dtype and shape, but no numbers. Written as f32[3,4], it is float32 with 3 rows and 4 columns.",
    example: "jax.eval_shape(lambda x: x @ x, jnp.ones((3, 3)))  # f32[3,3]",
  },
  avoidable: {
    text: "A recompile that a change to the program would save. Its reason says which.",
    example: "f = jitviz.filter_jit(lambda x: x.sum())\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles; padded to one size it would be a hit",
  },
  "backward pass": {
    text: "The second half of a gradient: derivatives, from the result back to the inputs. JAX names it `transpose(jvp)`.",
    example: "jax.make_jaxpr(jax.grad(lambda x: jnp.sin(x) ** 2))(1.0)",
  },
  "bytes moved": {
    text: "How much one run reads from memory and writes to it, as XLA estimates it, with one turn of each loop. What stays inside of a fusion is not counted.",
    example: "f = jax.jit(lambda a: a + a).lower(jnp.ones(64)).compile()\nf.cost_analysis()[\"bytes accessed\"]",
  },
  "cache cleared": {
    text: "Someone emptied JAX's caches, so that what had been compiled was compiled again. Do that in tests and not in a loop.",
    example: "f = jax.jit(lambda x: x + 1)\nf(1.0); f.clear_cache()\nf(1.0)  # compiles",
  },
  "cache key": {
    text: "What JAX looks up a version by: the avals of the traced leaves, the values of the static ones, the treedef, and JAX's settings. Where any of it differs, the call is no hit.",
    example: "f = jitviz.filter_jit(lambda x, mode: x)\nf(jnp.ones(3), \"train\")  # compiles\nf(jnp.ones(3), \"eval\")  # compiles",
  },
  call: {
    text: "One call of a jitted function, from the moment it is called until it returns. It is a hit, or it traces, lowers and compiles first.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(3))  # hit",
  },
  committed: {
    text: "An array that was put on a device on purpose, so that a computation with it has to run there. One that was not may run anywhere, which is another version.",
    example: "f, x = jax.jit(lambda x: x + 1), jnp.ones(3)\nf(x)  # compiles\nf(jax.device_put(x, jax.devices()[0]))  # compiles",
  },
  compile: {
    text: "XLA turns the lowered program into machine code, the executable. It is usually the longest phase of a call.",
    example: "lowered = jax.jit(lambda x: x + 1).lower(1.0)\nlowered.compile()",
  },
  "compile time": {
    text: "Wall time during which something was traced, lowered or compiled. Where one compile is inside of another, the time counts once.",
    example: "f = jax.jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(1.0)\nrec.compiles[0].duration_s",
  },
  "config context": {
    text: "A setting of JAX that is part of the cache key was another one: x64, a mesh, a precision. Set it once, before the first call.",
    example: "f = jax.jit(lambda x: x @ x)\nf(jnp.ones(3))\nwith jax.default_matmul_precision(\"float32\"): f(jnp.ones(3))",
  },
  constant: {
    text: "An array that the function read from outside of its arguments, and that became part of the program. Each version keeps a copy; a big one is better an argument.",
    example: "table = jnp.arange(1000.0)\nf = jax.jit(lambda i: table[i])\nf(3)",
  },
  difference: {
    text: "Where the programs of two versions are not the same. Names of variables do not count, so that what is left is computed differently.",
    example: "f = jitviz.filter_jit(lambda x, n: x ** n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
  },
  donated: {
    text: "The caller gives the buffer of this input away, so that an output may reuse its memory. The array cannot be used after the call.",
    example: "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nx = f(jnp.ones(3))",
  },
  dtype: {
    text: "The type of an array's elements is part of its aval, so that another one means another version. Convert once, before the first call.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(3, jnp.int32))  # compiles",
  },
  equation: {
    text: "One line of a jaxpr: an operation, what goes in, and what comes out. A line of Python may become none, one or hundreds.",
    example: "jax.make_jaxpr(lambda x: x * 2 + 1)(1.0)  # two equations",
  },
  error: {
    text: "A call that ended with an exception. What was traced and compiled until then is shown all the same.",
    example: "f = jax.jit(lambda x: 1 if x else 2)\ntry: f(1.0)\nexcept TypeError: pass  # a traced value decides nothing",
  },
  executable: {
    text: "The machine code that XLA made for one version. JAX keeps it, and a call that needs the same version runs it at once.",
    example: "executable = jax.jit(lambda x: x + 1).lower(1.0).compile()\nexecutable(2.0)",
  },
  failed: {
    text: "A compile that ended with an exception: in the trace, while lowering, or in XLA. JAX keeps nothing of it, and the next call begins anew.",
    example: "f = jax.jit(lambda x: 1 if x else 2)\ntry: f(1.0)\nexcept TypeError: pass  # the trace failed",
  },
  first: {
    text: "The function had no compiled version yet. Each function compiles at its first call.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles",
  },
  FLOPs: {
    text: "Floating-point operations: how much there is to calculate in one run. XLA's estimate takes a loop for one turn of it, while lines of source count with all turns that are known.",
    example: "f = jax.jit(lambda a: a @ a).lower(jnp.ones((8, 8))).compile()\nf.cost_analysis()[\"flops\"]",
  },
  "forward pass": {
    text: "The first half of a gradient: the function itself, which keeps what its backward pass needs. JAX names it `jvp`.",
    example: "jax.make_jaxpr(jax.value_and_grad(lambda x: jnp.sin(x) ** 2))(1.0)",
  },
  forwarded: {
    text: "An output that is an input as it came. JAX hands it through, and no executable computes it.",
    example: "f = jax.jit(lambda x, y: (x, y + 1))\nf(1.0, 2.0)  # x is forwarded",
  },
  function: {
    text: "A jitted function with all its calls and versions. One that is jitted anew in a loop is the same function here, and another one for JAX.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles",
  },
  fusion: {
    text: "Several operations that XLA runs as one, so that nothing between them goes to memory. It is one line of HLO, with the operations in a computation of its own.",
    example: "f = jax.jit(lambda x: jnp.sin(x) * 2 + 1)\nprint(f.lower(jnp.ones(64)).compile().as_text())",
  },
  hit: {
    text: "A call that found its version compiled already, and only ran it. Python does not run the function again, so that a hit is fast.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.zeros(3))  # hit: only the numbers differ",
  },
  HLO: {
    text: "The program as XLA optimised it for one device. Operations of the StableHLO may be fused, moved or gone here.",
    example: "print(jax.jit(lambda x: x + 1).lower(1.0).compile().as_text())",
  },
  inherent: {
    text: "A recompile that anyone would expect, since the program has to be another one. There is nothing to mend.",
    example: "f = jitviz.filter_jit(lambda x, is_training: x * 2 if is_training else x)\nf(jnp.ones(3), True)  # compiles\nf(jnp.ones(3), False)  # compiles, as expected",
  },
  inlined: {
    text: "A call inside another trace, which became part of the program that called it. It has no executable of its own.",
    example: "inner = jitviz.filter_jit(lambda x: x + 1)\nouter = jitviz.filter_jit(lambda x: inner(x) * 2)\nouter(jnp.ones(3))  # compiles outer, with inner inlined",
  },
  jaxpr: {
    text: "The program as JAX traced it, an equation for each operation on arrays. Python's own `if`, `for` and numbers are gone, and what they led to is there.",
    example: "jax.make_jaxpr(lambda x: x * 2 + 1)(1.0)",
  },
  "kwargs vs args": {
    text: "The same argument came by name instead of by place, or the other way round. For `jax.jit` these are two signatures; choose one.",
    example: "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles\nf(x=1.0)  # compiles",
  },
  leaf: {
    text: "One value at the end of a tree of arguments: an array, a number, a function. Lists, dicts and modules are nodes, and None is a node without leaves.",
    example: "jax.tree.leaves({\"w\": jnp.ones(3), \"rate\": 0.1, \"bias\": None})  # two leaves",
  },
  "leaf kind": {
    text: "A leaf that was traced is static now, or the other way round. For `filter_jit` an array is traced and a number of Python's is static.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.float32(1))  # compiles\nf(1.0)  # compiles",
  },
  lower: {
    text: "JAX translates the traced program into StableHLO, the language that XLA reads. Inputs that are not used are left out here, and donated ones are tied to outputs.",
    example: "print(jax.jit(lambda x: x + 1).lower(1.0).as_text())",
  },
  metadata: {
    text: "A static value that sits in the treedef, and not among the leaves. Another value is another treedef, and so another version.",
    example: "partial = jax.tree_util.Partial(jnp.add, 1.0)\njax.tree.leaves(partial)  # 1.0; jnp.add is metadata",
  },
  "new function": {
    text: "The jitted function is another object than last time, and each object has its own cache. Jit it once, outside of the loop.",
    example: "for _ in range(2):\n    f = jax.jit(lambda x: x + 1)\n    f(1.0)  # compiles",
  },
  "not used": {
    text: "The program does not depend on this input, so that JAX leaves it out of the executable. Its aval is part of the cache key all the same.",
    example: "f = jax.jit(lambda x, unused: x + 1)\nf(jnp.ones(3), jnp.ones(4))",
  },
  partition: {
    text: "How the arguments were divided into traced and static leaves. `filter_jit` traces arrays and nothing else; `jax.jit` traces all but the arguments that it is told are static.",
    example: "tree = {\"w\": jnp.ones(3), \"act\": jnp.tanh}\narrays, rest = jitviz.partition(tree, jitviz.is_array)\njitviz.combine(arrays, rest)",
  },
  "prng key type": {
    text: "A random key of the old kind, two integers, came where one of the new kind had been, or the other way round. Make all keys with `jax.random.key`.",
    example: "f = jitviz.filter_jit(jax.random.key_data)\nf(jax.random.key(0))  # compiles\nf(jax.random.PRNGKey(0))  # compiles",
  },
  recompile: {
    text: "A compile of a function that had a compiled version already. Its reason names the leaf that differs, and what to do about it.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles: another shape",
  },
  retrace: {
    text: "The Python function ran again to be traced, but nothing was compiled. The executable was there already, or none was needed.",
    example: "f = jax.jit(lambda x: x + 1)\njax.make_jaxpr(f)(1.0)  # traces f, and compiles nothing",
  },
  reused: {
    text: "The buffer of this donated input became the memory of an output. That works for an output of the same size and layout.",
    example: "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nf(jnp.ones(3))  # the sum is where the ones were",
  },
  run: {
    text: "The time of a call once its program is ready: it runs, or is sent on its way to run. JAX does not wait for a result until someone looks at it.",
    example: "f = jax.jit(lambda x: x + 1)\njax.block_until_ready(f(1.0))  # waits",
  },
  running: {
    text: "A compile that had not ended when the panel was drawn. While its cell runs, the time goes on.",
    example: "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles, and the panel says so meanwhile",
  },
  shape: {
    text: "The sizes of an array's axes are part of its aval, so that another shape means another version. Where shapes vary, pad to a few sizes.",
    example: "f = jitviz.filter_jit(lambda x: x.sum())\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles",
  },
  sharding: {
    text: "On which devices an array lies, and how it is divided over them. An input that lies elsewhere means another version.",
    example: "f, mesh = jax.jit(lambda x: x + 1), jax.make_mesh((1,), (\"i\",))\nf(jnp.ones(4))  # compiles\nf(jax.device_put(jnp.ones(4), jax.NamedSharding(mesh, jax.P(\"i\"))))  # compiles",
  },
  signature: {
    text: "Everything of a call that decides which version it needs. Two calls with the same signature share one version.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(jnp.ones(3))\nrec.compiles[0].signature.leaves",
  },
  StableHLO: {
    text: "The lowered program, in the language that JAX hands to XLA. It says what the jaxpr says, without Python.",
    example: "print(jax.jit(lambda x: x + 1).lower(1.0).as_text())",
  },
  static: {
    text: "Part of the cache key: another value, by hash and ==, means another version. The function sees the value itself, so that `if` and `for` may depend on it.",
    example: "f = jitviz.filter_jit(lambda x, n: x * n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
  },
  "static eq": {
    text: "A static value that no cache can find again, since its hash and == do not fit together. Give its class both, over the same fields; NaN equals nothing and has to be an array.",
    example: "f = jitviz.filter_jit(lambda x, y: x + y)\nfor _ in range(2):\n    f(jnp.ones(3), float('nan'))  # compiles",
  },
  "static identity": {
    text: "A static callable or object that was made anew, and equals none but itself. Make it once, outside of the loop.",
    example: "f = jitviz.filter_jit(lambda x, g: g(x))\nfor _ in range(2):\n    f(jnp.ones(3), lambda y: y + 1)  # compiles",
  },
  "static value": {
    text: "A static leaf has another value, by hash and ==, than in any version before. Make it an array where it is only calculated with.",
    example: "f = jitviz.filter_jit(lambda x, n: x * n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
  },
  trace: {
    text: "JAX runs the Python function once on abstract values and notes down what it does with arrays. Whatever else it does, such as printing, happens then and in no later call.",
    example: "f = jitviz.filter_jit(lambda x: print(\"tracing\", x))\nf(jnp.ones(3))  # compiles, and prints a tracer\nf(jnp.ones(3))  # hit, and prints nothing",
  },
  traced: {
    text: "An input of the compiled program: its numbers may change from call to call, its aval may not. While tracing, the function sees a tracer in its place, which has no numbers.",
    example: "f = jitviz.filter_jit(lambda x: x * 2)\nf(jnp.ones(3))  # compiles\nf(jnp.zeros(3))  # hit",
  },
  transform: {
    text: "The jitted function was differentiated or batched from outside, which is another program. Jit the gradient instead of taking the gradient of what is jitted.",
    example: "f = jax.jit(lambda x: x ** 2)\nf(1.0)  # compiles\njax.grad(f)(1.0)  # compiles; jax.jit(jax.grad(f)) is one program",
  },
  treedef: {
    text: "The structure of a tree of arguments: containers, keys and classes, without the leaves. It is part of the cache key, so that an array in place of None means another version.",
    example: "f = jitviz.filter_jit(lambda state: state)\nf({\"trace\": None})  # compiles\nf({\"trace\": jnp.ones(3)})  # compiles",
  },
  unexplained: {
    text: "What was seen of the call does not tell why JAX compiled. Both sides are shown, and nothing is guessed.",
    example: "f = jax.jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(1.0)\nprint(jitviz.explain(rec))",
  },
  unrolled: {
    text: "A Python loop that became as many copies of its body as it has rounds. With `jax.lax.scan` or `jax.lax.fori_loop` the program holds the body once, and compiles faster.",
    example: "f = lambda x: sum(jnp.sin(x * i) for i in range(10))\njax.make_jaxpr(f)(1.0)  # ten sines",
  },
  version: {
    text: "One compiled program of a function, for one signature. A function has as many as it was called in different ways.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles version 1\nf(jnp.ones(4))  # compiles version 2",
  },
  "weak type": {
    text: "The dtype came from a Python number, and gives way to that of any array it meets. The same dtype, weak in one call and not in the next, means another version.",
    example: "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles for a weak f32\nf(jnp.float32(1))  # compiles",
  },
} as const;
