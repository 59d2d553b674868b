// Written by `python js/write_types.py` from jitviz/views/glossary.txt. Do not edit.

export const GLOSSARY = {
  "ahead of time": {
    text: "Traced, lowered or compiled before any call, because the program asked for it. It is listed separately, and is not a call.",
    example: "compiled = jax.jit(lambda x: x + 1).lower(1.0).compile()\ncompiled(2.0)",
  },
  "arithmetic intensity": {
    text: "FLOPs per byte moved. If the number is low, the program waits for memory, and faster arithmetic does not help.",
    example: "jax.jit(lambda a: a @ a)(jnp.ones((64, 64)))  # many\njax.jit(lambda a: a + a)(jnp.ones((64, 64)))  # few",
  },
  aval: {
    text: "Abstract value: what JAX knows about an array while tracing, its dtype and shape, but no numbers. Written as f32[3,4], it is float32 with 3 rows and 4 columns.",
    example: "jax.eval_shape(lambda x: x @ x, jnp.ones((3, 3)))  # f32[3,3]",
  },
  avoidable: {
    text: "A recompile that a change to the program would prevent. Its reason says which.",
    example: "f = jitviz.filter_jit(lambda x: x.sum())\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles; padded to one size it would be a hit",
  },
  "backward pass": {
    text: "The second half of a gradient: derivatives, from the result back to the inputs. JAX names it `transpose(jvp)`.",
    example: "jax.make_jaxpr(jax.grad(lambda x: jnp.sin(x) ** 2))(1.0)",
  },
  "bytes moved": {
    text: "How much one run reads from and writes to memory, by XLA's estimate with each loop body once. Values inside a fusion are not counted.",
    example: "f = jax.jit(lambda a: a + a).lower(jnp.ones(64)).compile()\nf.cost_analysis()[\"bytes accessed\"]",
  },
  "cache cleared": {
    text: "JAX's caches were cleared, so JAX compiled the same program again. Clear them in tests, not in a loop.",
    example: "f = jax.jit(lambda x: x + 1)\nf(1.0); f.clear_cache()\nf(1.0)  # compiles",
  },
  "cache key": {
    text: "What JAX uses to look up a version: the avals of the traced leaves, the values of the static ones, the treedef, and JAX's settings. If any part differs, the call is not a hit.",
    example: "f = jitviz.filter_jit(lambda x, mode: x)\nf(jnp.ones(3), \"train\")  # compiles\nf(jnp.ones(3), \"eval\")  # compiles",
  },
  call: {
    text: "One call of a jitted function, from the moment it is called until it returns. It is a hit, or it traces, lowers and compiles first.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(3))  # hit",
  },
  committed: {
    text: "An array that was explicitly put on a device, so a computation with it must run there. JAX may move an uncommitted array, so the two need different versions.",
    example: "f, x = jax.jit(lambda x: x + 1), jnp.ones(3)\nf(x)  # compiles\nf(jax.device_put(x, jax.devices()[0]))  # compiles",
  },
  compile: {
    text: "XLA turns the lowered program into machine code, the executable. It is usually the longest phase of a call.",
    example: "lowered = jax.jit(lambda x: x + 1).lower(1.0)\nlowered.compile()",
  },
  "compile time": {
    text: "Wall time during which something was traced, lowered or compiled. If one compile runs inside another, the time counts once.",
    example: "f = jax.jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(1.0)\nrec.compiles[0].duration_s",
  },
  "config context": {
    text: "A JAX setting that is part of the cache key changed, such as x64, a mesh or a precision. Set it once, before the first call.",
    example: "f = jax.jit(lambda x: x @ x)\nf(jnp.ones(3))\nwith jax.default_matmul_precision(\"float32\"): f(jnp.ones(3))",
  },
  constant: {
    text: "An array that the function closed over, and that became part of the program. Each version keeps a copy, so pass a big array as an argument.",
    example: "table = jnp.arange(1000.0)\nf = jax.jit(lambda i: table[i])\nf(3)",
  },
  difference: {
    text: "Where the programs of two versions differ. Names of variables are ignored.",
    example: "f = jitviz.filter_jit(lambda x, n: x ** n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
  },
  donated: {
    text: "The caller gives up the buffer of this input, so that an output may reuse its memory. The array cannot be used after the call.",
    example: "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nx = f(jnp.ones(3))",
  },
  dtype: {
    text: "The type of an array's elements is part of its aval, so a different one needs a different version. Convert once, before the first call.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(3, jnp.int32))  # compiles",
  },
  equation: {
    text: "One line of a jaxpr: an operation, its inputs and its outputs. A line of Python may become none, one or hundreds.",
    example: "jax.make_jaxpr(lambda x: x * 2 + 1)(1.0)  # two equations",
  },
  error: {
    text: "A call that ended with an exception. The panel still shows what was traced and compiled before it.",
    example: "f = jax.jit(lambda x: 1 if x else 2)\ntry: f(1.0)\nexcept TypeError: pass  # a traced value cannot decide a branch",
  },
  executable: {
    text: "The machine code that XLA made for one version. JAX keeps it, and runs it for each call that needs the same version.",
    example: "executable = jax.jit(lambda x: x + 1).lower(1.0).compile()\nexecutable(2.0)",
  },
  failed: {
    text: "A compile that ended with an exception: in the trace, while lowering, or in XLA. JAX keeps nothing of it, and the next call starts again.",
    example: "f = jax.jit(lambda x: 1 if x else 2)\ntry: f(1.0)\nexcept TypeError: pass  # the trace failed",
  },
  first: {
    text: "The function had no compiled version yet. Each function compiles at its first call.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles",
  },
  FLOPs: {
    text: "Floating-point operations: how much one run computes. XLA's estimate counts a loop body once; the numbers by source line count every known iteration.",
    example: "f = jax.jit(lambda a: a @ a).lower(jnp.ones((8, 8))).compile()\nf.cost_analysis()[\"flops\"]",
  },
  "forward pass": {
    text: "The first half of a gradient: the function itself, which keeps what its backward pass needs. JAX names it `jvp`.",
    example: "jax.make_jaxpr(jax.value_and_grad(lambda x: jnp.sin(x) ** 2))(1.0)",
  },
  forwarded: {
    text: "An output that is an unchanged input. JAX returns it directly, and no executable computes it.",
    example: "f = jax.jit(lambda x, y: (x, y + 1))\nf(1.0, 2.0)  # x is forwarded",
  },
  function: {
    text: "A jitted function with all its calls and versions. If you jit it again in a loop, it is the same function here, but a new one for JAX.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles",
  },
  fusion: {
    text: "Several operations that XLA runs as one, without writing intermediate results to memory. It is one line of HLO, which refers to a computation with the operations.",
    example: "f = jax.jit(lambda x: jnp.sin(x) * 2 + 1)\nprint(f.lower(jnp.ones(64)).compile().as_text())",
  },
  hit: {
    text: "A call whose version was already compiled, so JAX only ran it. Python does not run the function again, so a hit is fast.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.zeros(3))  # hit: only the numbers differ",
  },
  HLO: {
    text: "The program as XLA optimised it for one device. Operations of the StableHLO may be fused, moved or removed.",
    example: "print(jax.jit(lambda x: x + 1).lower(1.0).compile().as_text())",
  },
  inherent: {
    text: "A recompile that is necessary, because the program must be different. There is nothing to fix.",
    example: "f = jitviz.filter_jit(lambda x, is_training: x * 2 if is_training else x)\nf(jnp.ones(3), True)  # compiles\nf(jnp.ones(3), False)  # compiles, as expected",
  },
  inlined: {
    text: "A call inside another trace, which became part of the program that called it. It has no executable of its own.",
    example: "inner = jitviz.filter_jit(lambda x: x + 1)\nouter = jitviz.filter_jit(lambda x: inner(x) * 2)\nouter(jnp.ones(3))  # compiles outer, with inner inlined",
  },
  jaxpr: {
    text: "The program as JAX traced it, an equation for each operation on arrays. Python's own `if`, `for` and numbers are gone; the operations that they led to are left.",
    example: "jax.make_jaxpr(lambda x: x * 2 + 1)(1.0)",
  },
  jitviz: {
    text: "Time that jitviz itself took inside a call: it describes the arguments and keeps the program. It is not part of the run, and there is none of it where nothing is recorded.",
    example: "f = jax.jit(lambda x: x + 1)\nwith jitviz.record(): f(1.0)  # jitviz describes x, and keeps the program",
  },
  "kwargs vs args": {
    text: "The same argument was passed by keyword instead of by position, or the reverse. For `jax.jit` these are two signatures; choose one.",
    example: "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles\nf(x=1.0)  # compiles",
  },
  leaf: {
    text: "One value at the end of a tree of arguments: an array, a number, a function. Lists, dicts and modules are nodes, and None is a node without leaves.",
    example: "jax.tree.leaves({\"w\": jnp.ones(3), \"rate\": 0.1, \"bias\": None})  # two leaves",
  },
  "leaf kind": {
    text: "A leaf that was traced is static now, or the reverse. For `filter_jit` an array is traced and a Python number is static.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.float32(1))  # compiles\nf(1.0)  # compiles",
  },
  lower: {
    text: "JAX translates the traced program into StableHLO, the language that XLA reads. It drops unused inputs, and matches donated ones with outputs.",
    example: "print(jax.jit(lambda x: x + 1).lower(1.0).as_text())",
  },
  metadata: {
    text: "A static value in the treedef instead of the leaves. A different value means a different treedef, and so a different version.",
    example: "partial = jax.tree_util.Partial(jnp.add, 1.0)\njax.tree.leaves(partial)  # 1.0; jnp.add is metadata",
  },
  "new function": {
    text: "The jitted function is a different object than last time, and each object has its own cache. Jit it once, outside the loop.",
    example: "for _ in range(2):\n    f = jax.jit(lambda x: x + 1)\n    f(1.0)  # compiles",
  },
  "not used": {
    text: "The program does not depend on this input, so JAX leaves it out of the executable. Its aval is still part of the cache key.",
    example: "f = jax.jit(lambda x, unused: x + 1)\nf(jnp.ones(3), jnp.ones(4))",
  },
  "outside any jit": {
    text: "Outside of any jit, JAX compiles a small program for each operation and each new shape: a jnp call, an index. A jitted function around them is one program.",
    example: "x = jnp.ones(3)\nwith jitviz.record() as rec: jnp.median(x)\nrec.op_by_op",
  },
  partition: {
    text: "How the arguments were split into traced and static leaves. `filter_jit` traces arrays and nothing else; `jax.jit` traces everything except the arguments declared static.",
    example: "tree = {\"w\": jnp.ones(3), \"act\": jnp.tanh}\narrays, rest = jitviz.partition(tree, jitviz.is_array)\njitviz.combine(arrays, rest)",
  },
  "prng key type": {
    text: "A PRNG key of the old kind (two integers) replaced one of the new kind, or the reverse. Make all keys with `jax.random.key`.",
    example: "f = jitviz.filter_jit(jax.random.key_data)\nf(jax.random.key(0))  # compiles\nf(jax.random.PRNGKey(0))  # compiles",
  },
  recompile: {
    text: "A compile of a function that already had a compiled version. Its reason names the leaf that differs, and what to do about it.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles: another shape",
  },
  retrace: {
    text: "JAX ran the Python function again to trace it, but compiled nothing. The executable already existed, or none was needed.",
    example: "f = jax.jit(lambda x: x + 1)\njax.make_jaxpr(f)(1.0)  # traces f, and compiles nothing",
  },
  reused: {
    text: "The buffer of this donated input became the memory of an output. This works only for an output of the same size and layout.",
    example: "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nf(jnp.ones(3))  # the sum is where the ones were",
  },
  run: {
    text: "The time of a call once its program is ready: it runs, or is queued to run. JAX does not wait for a result until someone looks at it.",
    example: "f = jax.jit(lambda x: x + 1)\njax.block_until_ready(f(1.0))  # waits",
  },
  running: {
    text: "A compile that had not finished when the panel was drawn. Its time keeps counting while the cell runs.",
    example: "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles, and the panel says so meanwhile",
  },
  shape: {
    text: "The sizes of an array's axes are part of its aval, so a different shape needs a different version. If shapes vary, pad them to a few sizes.",
    example: "f = jitviz.filter_jit(lambda x: x.sum())\nf(jnp.ones(3))  # compiles\nf(jnp.ones(4))  # compiles",
  },
  sharding: {
    text: "Which devices hold an array, and how it is split over them. An input with a different sharding needs a different version.",
    example: "f, mesh = jax.jit(lambda x: x + 1), jax.make_mesh((1,), (\"i\",))\nf(jnp.ones(4))  # compiles\nf(jax.device_put(jnp.ones(4), jax.NamedSharding(mesh, jax.P(\"i\"))))  # compiles",
  },
  signature: {
    text: "Everything about a call that decides which version it needs. Two calls with the same signature share one version.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(jnp.ones(3))\nrec.compiles[0].signature.leaves",
  },
  StableHLO: {
    text: "The lowered program, in the language that JAX passes to XLA. It says the same as the jaxpr.",
    example: "print(jax.jit(lambda x: x + 1).lower(1.0).as_text())",
  },
  static: {
    text: "Part of the cache key: a different value, by hash and ==, needs a different version. The function sees the value itself, so `if` and `for` may depend on it.",
    example: "f = jitviz.filter_jit(lambda x, n: x * n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
  },
  "static eq": {
    text: "A static value that no cache can find again, because its hash and == do not agree. Define both on its class, over the same fields; NaN equals nothing, so pass it as an array.",
    example: "f = jitviz.filter_jit(lambda x, y: x + y)\nfor _ in range(2):\n    f(jnp.ones(3), float('nan'))  # compiles",
  },
  "static identity": {
    text: "A static callable or object that was made again, and equals only itself. Make it once, outside the loop.",
    example: "f = jitviz.filter_jit(lambda x, g: g(x))\nfor _ in range(2):\n    f(jnp.ones(3), lambda y: y + 1)  # compiles",
  },
  "static value": {
    text: "A static leaf has a value that no earlier version had, by hash and ==. Make it an array if the function only computes with it.",
    example: "f = jitviz.filter_jit(lambda x, n: x * n)\nf(jnp.ones(3), 2)  # compiles\nf(jnp.ones(3), 3)  # compiles",
  },
  trace: {
    text: "JAX runs the Python function once on abstract values and records its operations on arrays. Other effects, such as printing, happen only then, and not in later calls.",
    example: "f = jitviz.filter_jit(lambda x: print(\"tracing\", x))\nf(jnp.ones(3))  # compiles, and prints a tracer\nf(jnp.ones(3))  # hit, and prints nothing",
  },
  traced: {
    text: "An input of the compiled program: its numbers may change from call to call, its aval may not. While tracing, the function sees a tracer in its place, which has no numbers.",
    example: "f = jitviz.filter_jit(lambda x: x * 2)\nf(jnp.ones(3))  # compiles\nf(jnp.zeros(3))  # hit",
  },
  transform: {
    text: "The jitted function was differentiated or batched from outside, which needs a different program. Jit the gradient instead of taking the gradient of a jitted function.",
    example: "f = jax.jit(lambda x: x ** 2)\nf(1.0)  # compiles\njax.grad(f)(1.0)  # compiles; jax.jit(jax.grad(f)) is one program",
  },
  treedef: {
    text: "The structure of a tree of arguments: containers, keys and classes, without the leaves. It is part of the cache key, so an array in place of None needs a different version.",
    example: "f = jitviz.filter_jit(lambda state: state)\nf({\"trace\": None})  # compiles\nf({\"trace\": jnp.ones(3)})  # compiles",
  },
  unexplained: {
    text: "What jitviz saw does not explain why JAX compiled. The panel shows both sides, and does not guess.",
    example: "f = jax.jit(lambda x: x + 1)\nwith jitviz.record() as rec: f(1.0)\nprint(jitviz.explain(rec))",
  },
  unrolled: {
    text: "A Python loop that became one copy of its body per iteration. With `jax.lax.scan` or `jax.lax.fori_loop` the program holds the body once, and compiles faster.",
    example: "f = lambda x: sum(jnp.sin(x * i) for i in range(10))\njax.make_jaxpr(f)(1.0)  # ten sines",
  },
  version: {
    text: "One compiled program of a function, for one signature. A function has one for each signature that it was called with.",
    example: "f = jitviz.filter_jit(lambda x: x + 1)\nf(jnp.ones(3))  # compiles version 1\nf(jnp.ones(4))  # compiles version 2",
  },
  "weak type": {
    text: "The dtype came from a Python number, and gives way to that of any array it is combined with. The same dtype needs a different version if it is weak in one call and not in the next.",
    example: "f = jax.jit(lambda x: x + 1)\nf(1.0)  # compiles for a weak f32\nf(jnp.float32(1))  # compiles",
  },
} as const;
