"""Every kind in the words that people read: (summary, advice, whether it is inherent)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jitviz.model import KINDS, Description, Miss, Node, Reason, Signature
from jitviz.reasons import Explainer

from .samples import array, explained, function, host, jitted, made, miss, none, scalar, static

SPREAD = "P('i') on mesh(i=2 auto) of cpu:0…cpu:1 (2)"
FILTER_JIT = {"api": "equinox.filter_jit"}


def reasons(*misses: Miss) -> tuple[Reason, ...]:
    explainer = Explainer()
    return [explainer.explain(one) for one in misses][-1]


def of_leaf(before: Any, after: Any, *, nodes: tuple[Node, ...] = (), **owner: Any) -> list[Miss]:
    return [miss(leaf, nodes=nodes, function=jitted(**owner)) for leaf in (before, after)]


def of_body(before: Any, after: Any, **owner: Any) -> list[Miss]:
    return [miss(array("x"), function=jitted(token, body, **owner)) for token, body in ((1, before), (2, after))]


POINTS = Description("numpy.ndarray", "f64[3]", "identity")
MODEL = Node("model", "__main__.Model", (".weight", ".index"), 7)
STATE = Node("opt_state", "__main__.Model", (".weight", ".index"), 7)
HALVES = [Node(half, "__main__.Model", (".w",), 7) for half in ("params", "static")]
CHAIN = [
    Node("s", "tuple", ("[0]",)),
    Node("s[0]", "optax.ScaleByAdamState", (".mu",)),
    Node("s[1]", "optax.EmptyState"),
]
LONGER = Node("s", "tuple", ("[0]", "[1]"))
OTHER = [Node("s[0]", "optax.TraceState", (".mu",)), CHAIN[2]]
MODEL_LEAVES = [array("model.weight"), array("model.index", (2,), "int32")]

CASES: dict[str, tuple[list[Miss], str, str, bool]] = {
    "first": (
        [miss(array("x"))],
        "`step` was compiled for the first time.",
        "",
        False,
    ),
    "first, after a failure": (
        [miss(array("x")), miss(array("x"), is_retry=True)],
        "`step` has no compiled version yet: the previous attempt failed.",
        "",
        False,
    ),
    "shape": (
        of_leaf(array("tokens", (8, 2)), array("tokens", (9, 2))),
        "`tokens` changed its shape from f32[8,2] to f32[9,2].",
        "Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding.",
        False,
    ),
    "shape, another rank": (
        of_leaf(array("state.reward", ()), array("state.reward", (1,))),
        "`state.reward` changed its shape from f32[] to f32[1].",
        "Use the same rank in every call.",
        False,
    ),
    "shape, another rank and another number of elements": (
        of_leaf(array("state.reward", ()), array("state.reward", (3,))),
        "`state.reward` changed its shape from f32[] to f32[3].",
        "Use the same rank in every call.",
        False,
    ),
    "shape, several keys": (
        of_leaf(array("key", (), "key<fry>"), array("key", (2,), "key<fry>")),
        "`key` changed its shape from key<fry>[] to key<fry>[2].",
        "Use one rank in every call: always a single key, or always an array of keys.",
        False,
    ),
    "shape, another number of keys": (
        of_leaf(array("keys", (3,), "key<fry>"), array("keys", (4,), "key<fry>")),
        "`keys` changed its shape from key<fry>[3] to key<fry>[4].",
        "Split into the same number of keys in every call, and leave out those that you do not need.",
        False,
    ),
    "static_value, another type": (
        of_leaf(static("n", 3), static("n", Description("numpy.int64", "np.int64(3)"))),
        "`n` is static and changed from `3` to `np.int64(3)`, which is equal but has another type: int → numpy.int64.",
        "Use the same type in every call: JAX distinguishes equal values of different types.",
        False,
    ),
    "static_value, beyond what is shown": (
        of_leaf(
            static("p", Description("tuple", "(0, …)", rest="a")), static("p", Description("tuple", "(0, …)", rest="b"))
        ),
        "`p` is static and changed in a part of `(0, …)` that is not shown.",
        "Keep the number of different values small: each has its own program.",
        False,
    ),
    "static_value, an identifier": (
        of_leaf(*(static("run", f"6ba7b810-9dad-11d1-80b4-00c04fd430c{n}") for n in (7, 8))),
        "`run` is static and changed from `'6ba7b810-9dad-11d1-80b4-00c04fd430c7'` to "
        "`'6ba7b810-9dad-11d1-80b4-00c04fd430c8'`.",
        "If only the caller needs it (a path, a name, a time), do not pass it to the jitted function: it keeps getting "
        "new values, and each has its own program.",
        False,
    ),
    "static_value, a path": (
        of_leaf(*(static("to", Description("pathlib.PosixPath", f"PosixPath('{n}.npz')")) for n in (1, 2))),
        "`to` is static and changed from `PosixPath('1.npz')` to `PosixPath('2.npz')`.",
        "If only the caller needs it (a path, a name, a time), do not pass it to the jitted function: it keeps getting "
        "new values, and each has its own program.",
        False,
    ),
    "static_value, an identifier in a config": (
        of_leaf(*(static("config", made("train.Config", n, "custom", at=f"2026-11-23T01:22:0{n}")) for n in (1, 2))),
        "`config.at` is static and changed from `'2026-11-23T01:22:01'` to `'2026-11-23T01:22:02'`.",
        "If only the caller needs it (a path, a name, a time), keep it out of `config`: it keeps getting new values, "
        "and each has its own program.",
        False,
    ),
    "treedef, a part of a state": (
        [miss(array("s[0].mu"), nodes=[CHAIN[0], *CHAIN[1:2]]), miss(array("s[0].mu"), nodes=[LONGER, *CHAIN[1:]])],
        "`s[1]` is new in `s`: `EmptyState`.",
        "Build `s` from the same parts in every call. Another optimiser has another state: create it with that "
        "optimiser's `init`, and expect one more compile.",
        False,
    ),
    "treedef, another part of a state": (
        [miss(array("s[0].mu"), nodes=[LONGER, *CHAIN[1:]]), miss(array("s[0].mu"), nodes=[LONGER, *OTHER])],
        "`s[0]` changed its class from `ScaleByAdamState` to `TraceState`.",
        "Build `s` from the same parts in every call. Another optimiser has another state: create it with that "
        "optimiser's `init`, and expect one more compile.",
        False,
    ),
    "treedef, another type of keys": (
        [
            miss(*(array(f"d{key}") for key in keys), nodes=[Node("d", "dict", keys)])
            for keys in (("[2]", "[10]"), ("['10']", "['2']"))
        ],
        "`d` changed the type of its keys from `d[2]` to `d['2']`.",
        "Use keys of one type in every call: JAX distinguishes `d[2]` from `d['2']`.",
        False,
    ),
    "static_value, another array of a class with an __eq__": (
        of_leaf(*(static("grid", made("train.Grid", n, "custom", pts=replace(POINTS, token=n))) for n in (1, 2))),
        "`grid.pts` is static and changed to another array `f64[3]`.",
        "If it always holds the same values, create `grid` once and pass the same object to every call; otherwise "
        "pass the array as a separate, traced argument.",
        False,
    ),
    "static_value, metadata of a class of one's own": (
        of_leaf(*(static("s.<aux_data>", n, is_metadata=True) for n in (4, 5))),
        "`s` is static metadata and changed from `4` to `5`.",
        "If it is only used in arithmetic, return it from `tree_flatten` as a child, not as auxiliary data; if it "
        "controls a loop, a branch or a shape, keep the number of different values small.",
        False,
    ),
    "static_value, another number of another type": (
        of_leaf(static("n", 3), static("n", Description("numpy.int64", "np.int64(4)"))),
        "`n` is static and changed from `3` to `np.int64(4)`.",
        "If it is only used in arithmetic, remove `n` from `static_argnums` and `static_argnames`; if it controls a"
        " loop, a branch or a shape, keep the number of different values small.",
        False,
    ),
    "static_value, length of an eager loop": (
        of_leaf(static("length", 3), static("length", 5), name="scan", api="jax.lax"),
        "`length` is static and changed from `3` to `5`.",
        "Keep the number of different values small: each has its own program.",
        False,
    ),
    "static_value, bound of an eager loop": (
        of_leaf(static("upper", 3), static("upper", 5), name="scan", api="jax.lax"),
        "`upper` is static and changed from `3` to `5`.",
        "Keep the number of different values small; in a jitted function that takes the bounds as arguments, "
        "`fori_loop` compiles once.",
        False,
    ),
    "config_context, no literal": (
        [miss(array("x"), context=(("jax_default_device", value),)) for value in ("None", "cpu:1")],
        "the setting `jax_default_device` changed from `None` to `cpu:1`.",
        "Nothing to fix if you need both; otherwise make every call in the same context.",
        False,
    ),
    "dtype": (
        of_leaf(array("x"), array("x", (3,), "int32")),
        "`x` changed its dtype from f32[3] to i32[3].",
        "Use one dtype in every call, `jnp.float32`; this may change the dtype of the results.",
        False,
    ),
    "weak_type, lost": (
        of_leaf(scalar("data.time"), array("data.time", ())),
        "`data.time` changed from weak f32[] (weakly typed, like a Python number) to f32[] (strongly typed).",
        "Create it with the explicit dtype `jnp.float32`.",
        False,
    ),
    "weak_type, gained": (
        of_leaf(array("params['Psi']", (), "float64"), scalar("params['Psi']", "float64")),
        "`params['Psi']` changed from f64[] (strongly typed) to weak f64[] (weakly typed, like a Python number).",
        "Pass an array of dtype `jnp.float64` instead of a Python number or a result computed from one.",
        False,
    ),
    "weak_type, many": (
        [miss(*(make(f"info.{name}") for name in "abc")) for make in (scalar, lambda path: array(path, ()))],
        "`info.a` changed from weak f32[] (weakly typed, like a Python number) to f32[] (strongly typed).",
        "Give all leaves of `info` an explicit dtype before the first call.",
        False,
    ),
    "prng_key_type, old and new": (
        of_leaf(array("key", (2,), "uint32"), array("key", (), "key<fry>")),
        "`key` changed its kind of PRNG key from `u32[2]` to `key<fry>[]`.",
        "Create every key with `jax.random.key(seed)`; `jax.random.PRNGKey(seed)` creates the older kind.",
        False,
    ),
    "prng_key_type, implementations": (
        of_leaf(array("key", (), "key<fry>"), array("key", (), "key<rbg>")),
        "`key` changed its kind of PRNG key from `key<fry>[]` to `key<rbg>[]`.",
        "Create every key with the same implementation: `jax.random.key(seed, impl=...)`.",
        False,
    ),
    "leaf_kind": (
        of_leaf(static("model.flux", 1.0), array("model.flux", ())),
        "`model.flux` changed from a static value to an array: from `static 1.0` to `traced f32[]`.",
        "Make it an array in every call.",
        False,
    ),
    "leaf_kind, the other way": (
        of_leaf(array("model.flux", ()), static("model.flux", 1.0)),
        "`model.flux` changed from an array to a static value: from `traced f32[]` to `static 1.0`.",
        "Make it an array in every call.",
        False,
    ),
    "static_identity, a class defined anew": (
        of_leaf(*(static("kind", Description("type", "my.Kind", "identity", token)) for token in (1, 2))),
        "`kind` changed to a new class of the same name, and JAX compares classes by identity.",
        "Define the class once, and pass the same class to every call.",
        False,
    ),
    "static_identity, an object of a class defined anew": (
        of_leaf(
            *(static("cfg", replace(made("Config", token, "value", a=1), type_token=token + 10)) for token in (1, 2))
        ),
        "`cfg` changed its class: it was redefined under the same name.",
        "Define the class once, and create the object again after you change the class.",
        False,
    ),
    "kwargs_vs_args, left to its default before": (
        [
            Miss(jitted(), Signature((array("x"),), defaults=(("scale", "1.0"),))),
            Miss(jitted(), Signature((array("x"), scalar("scale")), form=(("scale", "keyword"),))),
        ],
        "`scale` was left at its default and is now passed, which is a different argument list to JAX.",
        "Pass it in every call, or in none.",
        False,
    ),
    "kwargs_vs_args, left to its default now": (
        [
            Miss(jitted(), Signature((array("x"), scalar("scale")), form=(("scale", "keyword"),))),
            Miss(jitted(), Signature((array("x"),), defaults=(("scale", "1.0"),))),
        ],
        "`scale` was passed and is now left at its default, which is a different argument list to JAX.",
        "Pass it in every call, or in none.",
        False,
    ),
    "static_value, number": (
        of_leaf(static("n", 4), static("n", 3)),
        "`n` is static and changed from `4` to `3`.",
        "If it is only used in arithmetic, remove `n` from `static_argnums` and `static_argnames`; if it controls a"
        " loop, a branch or a shape, keep the number of different values small.",
        False,
    ),
    "static_value, number under filter_jit": (
        of_leaf(static("state.step", 0), static("state.step", 1), **FILTER_JIT),
        "`state.step` is static and changed from `0` to `1`.",
        "If it is only used in arithmetic, create `step` as an array, which is traced; if it "
        "controls a loop, a branch or a shape, keep the number of different values small.",
        False,
    ),
    "static_value, number inside a static object": (
        of_leaf(
            static("f", made("functools.partial", 1, scale=1.0)),
            static("f", made("functools.partial", 2, scale=2.0)),
            **FILTER_JIT,
        ),
        "`f.scale` is static and changed from `1.0` to `2.0`.",
        "If it is only used in arithmetic, create `f` once, and pass `scale` as a separate argument: each object has "
        "its own program; if it controls a loop, a branch or a shape, keep the number of different values small.",
        False,
    ),
    "static_value, metadata": (
        of_leaf(static("m.scale", 1.0, is_metadata=True), static("m.scale", 2.5, is_metadata=True)),
        "`m.scale` is static metadata and changed from `1.0` to `2.5`.",
        "If it is only used in arithmetic and the class is yours, make `scale` a non-static field (in "
        "`tree_flatten`, a child) that holds an array; if it controls a loop, a branch or a shape, keep the number of "
        "different values small.",
        False,
    ),
    "static_value, flag": (
        of_leaf(static("train", True), static("train", False)),
        "`train` is static and changed from `True` to `False`.",
        "Nothing to fix if you need both: each value of a flag has its own program.",
        False,
    ),
    "static_value, function": (
        of_leaf(static("act", function(1)), static("act", function(2, "f00d", "tanh"))),
        "`act` is static and changed from `<function act at train.py:7>` to `<function tanh at train.py:7>`.",
        "Keep the number of different values small: each has its own program.",
        False,
    ),
    "static_identity, function": (
        of_leaf(static("act", function(1)), static("act", function(2))),
        "`act` changed to a new function with the same code (defined at train.py:7), and JAX compares such objects "
        "by identity.",
        "Create `act` once, outside the loop, and pass the same object to every call.",
        False,
    ),
    "static_identity, made in each construction": (
        of_leaf(*(static("model.act", replace(function(token), maker="Net.__init__")) for token in (1, 2))),
        "`model.act` changed to a new function with the same code (defined at train.py:7), and JAX compares such "
        "objects by identity.",
        "Define it outside `Net.__init__`, so that every `Net` uses the same one.",
        False,
    ),
    "static_identity, made in each construction of what that was given": (
        of_leaf(*(static("model.act", replace(function(n, slope=0.1), maker="Net.__init__")) for n in (1, 2))),
        "`model.act` changed to a new function with the same code (defined at train.py:7), and JAX compares such "
        "objects by identity.",
        "Make it a method of `Net` that uses `self.slope`.",
        False,
    ),
    "static_identity, closure": (
        of_leaf(static("act", function(1, lr=0.1)), static("act", function(2, lr=0.2))),
        "`act` changed to a new function with the same code (defined at train.py:7), and JAX compares such objects "
        "by identity; inside it, `lr` went from `0.1` to `0.2`.",
        "Create `act` once, outside the loop, and pass `lr` as a separate argument.",
        False,
    ),
    "static_identity, another array inside": (
        of_leaf(*(static("data", made("train.Data", token, x=replace(POINTS, token=-token))) for token in (1, 2))),
        "`data` changed to a new Data that looks the same, and JAX compares such objects by identity; inside it, `x` "
        "is another `f64[3]`.",
        "If `x` always holds the same values, create `data` once, outside the loop, and pass the same object to every "
        "call; otherwise pass `x` as a separate argument.",
        False,
    ),
    "static_identity, what JAX made for one input": (
        of_leaf(
            *(
                static("back.fun", function(token, name="vjp", origin="jax/_src/api.py:1735"), is_metadata=True)
                for token in (1, 2)
            ),
            nodes=(Node("back", "jax._src.api.VJP"),),
        ),
        "`back.fun` changed to a new function with the same code (defined at jax/_src/api.py:1735), and JAX compares "
        "such objects by identity.",
        "It holds values computed for one input, so each one is a different function: jit a function that calls "
        "`jax.vjp` or `jax.linearize` itself.",
        False,
    ),
    "static_identity, a rate inside of an optimiser": (
        of_leaf(
            *(
                static("tx.update", function(token, origin="optax/transforms/_combining.py:81", step_size=-rate))
                for token, rate in ((1, 0.1), (2, 0.2))
            )
        ),
        "`tx.update` changed to a new function with the same code (defined at optax/transforms/_combining.py:81), and "
        "JAX compares such objects by identity; inside it, `step_size` went from `-0.1` to `-0.2`.",
        "Create `tx` once, outside the loop, with `optax.inject_hyperparams`, which keeps its numbers in the"
        " state, traced.",
        False,
    ),
    "static_identity, optimiser": (
        [
            miss(static("opt.init", function(token)), static("opt.update", function(token + 1, "beef")))
            for token in (1, 3)
        ],
        "`opt.init` changed to a new function with the same code (defined at train.py:7), and JAX compares such "
        "objects by identity.",
        "Create `opt` once, outside the loop, and pass the same object to every call.",
        False,
    ),
    "static_identity, object": (
        of_leaf(static("config", made("__main__.Config", 1, a=1)), static("config", made("__main__.Config", 2, a=1))),
        "`config` changed to a new Config with the same content, and JAX compares such objects by identity.",
        "Create `config` once, outside the loop, and pass the same object to every call.",
        False,
    ),
    "static_identity, object of a class of one's own": (
        of_leaf(static("config", made("train.Config", 1, a=1)), static("config", made("train.Config", 2, a=1))),
        "`config` changed to a new Config with the same content, and JAX compares such objects by identity.",
        "Create `config` once, outside the loop, and pass the same object to every call, or give `Config` an "
        "`__eq__` and a `__hash__` based on its fields, as `@dataclass(frozen=True)` does.",
        False,
    ),
    "static_identity, method": (
        of_leaf(
            static("fn", made("method", 1, "value", __self__=made("train.Net", 2, "value", k=1))),
            static("fn", made("method", 3, "value", __self__=made("train.Net", 4, "value", k=1))),
        ),
        "the object that the method `fn` belongs to changed to a new Net with the same content, and methods are equal "
        "only if they belong to the same object.",
        "Create the object once, outside the loop, and pass the same object to every call.",
        False,
    ),
    "static_eq, hash only": (
        of_leaf(static("self", made("Key", 1, "hash_only", a=1)), static("self", made("Key", 2, "hash_only", a=1))),
        "`self` changed to a new `Key` with the same content, and `Key` has `__hash__` but no `__eq__`: no two "
        "instances are equal.",
        "Define `__eq__` in `Key` as well, comparing the same fields that `__hash__` uses.",
        False,
    ),
    "static_eq, NaN": (
        of_leaf(static("cfg.t", float("nan")), static("cfg.t", float("nan"))),
        "`cfg.t` is static and NaN, and NaN equals nothing, not even itself.",
        "Create the NaN once and pass the same object to every call, or make `t` traced and pass "
        "`jnp.asarray(jnp.nan)`.",
        False,
    ),
    "static_eq, custom": (
        of_leaf(static("cfg", made("Key", 1, "custom", a=1)), static("cfg", made("Key", 2, "custom", a=1))),
        "`cfg` changed to a new `Key` with the same content, but the `__eq__` of `Key` does not treat them as equal.",
        "Make `Key.__eq__` return True for equal content, and make `__hash__` consistent with it.",
        False,
    ),
    "treedef, array to None in an optimiser state": (
        [
            miss(*MODEL_LEAVES, array("opt_state.weight"), array("opt_state.index"), nodes=[MODEL, STATE]),
            miss(*MODEL_LEAVES, array("opt_state.weight"), nodes=[MODEL, STATE, none("opt_state.index")]),
        ],
        "`opt_state.index` changed from `array` to `None`.",
        "Initialise the optimiser state with only the leaves that have gradients: `optimiser.init(eqx.filter(model,"
        " eqx.is_inexact_array))`.",
        False,
    ),
    "treedef, None to array": (
        [miss(nodes=[none("cache")]), miss(array("cache", (2, 3)))],
        "`cache` changed from `None` to `array`.",
        "If the function returns `cache`, start with a value like the one that it returns. Otherwise "
        "replace None with a value that has no effect, unless you need both.",
        False,
    ),
    "treedef, array to None where another argument takes it over": (
        [
            miss(array("params.w"), nodes=[*HALVES, none("static.w")]),
            miss(array("static.w"), nodes=[*HALVES, none("params.w")]),
        ],
        "`params.w` changed from `array` to `None`.",
        "If the function returns `params.w`, start with a value like the one that it returns. Otherwise "
        "replace None with a value that has no effect, unless you need both.",
        False,
    ),
    "treedef, None to a flag": (
        [miss(nodes=[none("mode")]), miss(static("mode", "fast"))],
        "`mode` changed from `None` to `'fast'`.",
        "Nothing to fix if you need both: each has its own program.",
        False,
    ),
    "treedef, None to a static number": (
        [miss(nodes=[none("dt0")]), miss(static("dt0", 0.1))],
        "`dt0` changed from `None` to `0.1`.",
        "If it is only used in arithmetic, pass an array in every call, with a value that has no effect in place of "
        "None; if it controls a loop, a branch or a shape, keep the number of different values small.",
        False,
    ),
    "treedef, None to a function": (
        [miss(nodes=[none("act")]), miss(static("act", function(1)))],
        "`act` changed from `None` to `<function act at train.py:7>`.",
        "Nothing to fix if you need both: each has its own program.",
        False,
    ),
    "treedef, a static entry came": (
        [
            miss(static("m['a']", 1), nodes=[Node("m", "dict", ("['a']",))]),
            miss(static("m['a']", 1), static("m['b']", "x"), nodes=[Node("m", "dict", ("['a']", "['b']"))]),
        ],
        "`m['b']` is new in `m`: `'x'`.",
        "Create `m` with `m['b']` before the first call: each of its values has its own program.",
        False,
    ),
    "treedef, a key came": (
        [miss(nodes=[Node("m", "dict")]), miss(array("m['a']", ()), nodes=[Node("m", "dict", ("['a']",))])],
        "`m['a']` is new in `m`: `array`.",
        "Create `m` with all its entries before the first call, "
        "with a placeholder of the same structure, shapes and dtypes for `m['a']`.",
        False,
    ),
    "treedef, a list got shorter": (
        [
            miss(array("xs[0]"), array("xs[1]"), nodes=[Node("xs", "list", ("[0]", "[1]"))]),
            miss(array("xs[0]"), nodes=[Node("xs", "list", ("[0]",))]),
        ],
        "`xs[1]` is gone from `xs`: it was `array`.",
        "Keep the length of `xs` constant; entries of one shape can be stacked into one array and masked.",
        False,
    ),
    "treedef, an argument came": (
        [miss(array("x")), miss(array("x"), array("scale", ()))],
        "`scale` is a new argument: `array`.",
        "Pass `scale` in every call, or in none.",
        False,
    ),
    "treedef, a container came": (
        [
            miss(nodes=[Node("state", "dict")]),
            miss(
                array("state['stats']['mean']"),
                nodes=[Node("state", "dict", ("['stats']",)), Node("state['stats']", "dict", ("['mean']",))],
            ),
        ],
        "`state['stats']` is new in `state`: a dict of 1 entry.",
        "Create `state` with all its entries before the first call, "
        "with a placeholder of the same structure, shapes and dtypes for `state['stats']`.",
        False,
    ),
    "treedef, another class": (
        [miss(nodes=[Node("xs", "list")]), miss(nodes=[Node("xs", "tuple")])],
        "`xs` changed its class from a list of 0 items to a tuple of 0 items.",
        "Use the same class in every call, `list` or `tuple`.",
        False,
    ),
    "treedef, a class defined anew": (
        [miss(nodes=[Node("model.cell", "__main__.Cell", (), token)]) for token in (1, 2)],
        "`model.cell` changed its class: `Cell` was redefined under the same name.",
        "Create `model` again after you redefine its class, or define the class only once.",
        False,
    ),
    "treedef, another order": (
        [miss(nodes=[Node("d", "OrderedDict", keys)]) for keys in (("['a']", "['b']"), ("['b']", "['a']"))],
        "`d` changed the order of its entries.",
        "Build `d` with its entries in the same order each time.",
        False,
    ),
    "kwargs_vs_args": (
        [miss(array("y"), form=(("y", form),)) for form in ("positional", "keyword")],
        "`y` changed from a positional argument to a keyword one.",
        "Pass it by keyword in every call.",
        False,
    ),
    "new_function, in a loop": (
        of_body(function(1), function(2)),
        "`step` changed to a new object with the same code (defined at train.py:7), and JAX caches per function "
        "object.",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result.",
        False,
    ),
    "new_function, lambda": (
        of_body(function(1, lr=0.1), function(2, lr=0.2), name="<lambda>"),
        "`<lambda>` changed to a new object with the same code (defined at train.py:7), and JAX caches per function "
        "object; inside it, `lr` went from `0.1` to `0.2`.",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with "
        "`lr` as a separate argument.",
        False,
    ),
    "new_function, with functions that close over an array": (
        of_body(*(function(n, f=function(n + 2, A=POINTS, b=1.0), act=function(9)) for n in (1, 2))),
        "`step` changed to a new object with the same code (defined at train.py:7), and JAX caches per function "
        "object.",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with "
        "`f` and `act` at module level, where closed-over values become arguments.",
        False,
    ),
    "new_function, object with a __call__": (
        of_body(made("nets.Net", 1), made("nets.Net", 2), name="Net"),
        "`Net` changed to a new object with the same code, and JAX caches per function object.",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result.",
        False,
    ),
    "new_function, method": (
        of_body(made("method", 1, "value"), made("method", 2, "value"), name="Net.loss"),
        "`Net.loss` changed to a new object with the same code, and JAX caches per function object.",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result; "
        "if every object jits its own method, create the object once.",
        False,
    ),
    "new_function, method of another object": (
        of_body(
            made("method", 1, "value", __self__=made("train.Net", 2, k=0.1)),
            made("method", 3, "value", __self__=made("train.Net", 4, k=0.2)),
            name="Net.loss",
        ),
        "`Net.loss` changed to a new object with the same code, and JAX caches per function object; inside it, "
        "`self.k` went from `0.1` to `0.2`.",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with what it "
        "reads of `self` as a separate argument.",
        False,
    ),
    "new_function, wrapped anew": (
        of_body(function(9), function(9)),
        "`step` itself is the same function, but its wrapper, such as `jax.grad`, changed to a new object.",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result.",
        False,
    ),
    "new_function, eager loop": (
        of_body(function(1), function(2), name="scan", api="jax.lax"),
        "the function that `scan` runs changed to a new object with the same code (defined at train.py:7), and JAX "
        "caches per function object.",
        "Jit the function that calls `scan` (or `fori_loop` or `map`, which use it); what decides a length or a "
        "branch there must be static. Or define the function that it runs once, outside.",
        False,
    ),
    "new_function, eager loop that closes over an array": (
        of_body(*(function(n, A=POINTS, go=function(3)) for n in (1, 2)), name="scan", api="jax.lax"),
        "the function that `scan` runs changed to a new object with the same code (defined at train.py:7), and JAX "
        "caches per function object.",
        "Jit the function that calls `scan` (or `fori_loop` or `map`, which use it); what decides a length or a branch "
        "there must be static. Or define the function that it runs once, outside, with `A` passed in or defined there "
        "instead of closed over, and `go` at module level.",
        False,
    ),
    "new_function, eager loop with a condition, of which only the body is described": (
        of_body(function(1), function(2), name="while", api="jax.lax"),
        "the function that `while` runs changed to a new object with the same code (defined at train.py:7), and JAX "
        "caches per function object.",
        "Jit the function that calls `while_loop` or `fori_loop`; what decides a length or a branch there must be "
        "static. Or define all functions that it runs once, outside, with what they close over passed in or defined "
        "there.",
        False,
    ),
    "new_function, pullback": (
        of_body(made("jax.tree_util.Partial", 1), made("jax.tree_util.Partial", 2), name="VJP", module="jax._src.api"),
        "`VJP` changed to a new object with the same code, and JAX caches per function object.",
        "It holds values computed for one input, so each one is a different function: jit a function that calls "
        "`jax.vjp` or `jax.linearize` itself.",
        False,
    ),
    "new_function, cell run again": (
        of_body(function(1, origin="In [3]:4"), function(2, origin="In [5]:4")),
        "`step` changed to a new function: a cell has defined it again (defined at In [5]:4), and its code is the "
        "same.",
        "Rerun the cell that defines it only when its code has changed.",
        False,
    ),
    "new_function, edited": (
        of_body(function(1, origin="In [3]:4"), function(2, "f00d", origin="In [5]:4")),
        "`step` changed to a new function: a cell has defined it again (defined at In [5]:4), and its code was edited.",
        "Nothing to fix if you need both: different code needs a different program.",
        True,
    ),
    "new_function, options": (
        [miss(array("x"), options=options) for options in ((), (("donate_argnums", "(0,)"),))],
        "`step` was jitted again, and `donate_argnums` changed from `not given` to `(0,)`.",
        "Nothing to fix if you need both; otherwise jit it once, with one set of options.",
        True,
    ),
    "new_function, cell run again with other options": (
        [
            miss(array("x"), function=jitted(token, function(token, origin=f"In [{token}]:4")), options=options)
            for token, options in ((3, ()), (5, (("donate_argnums", "(0,)"),)))
        ],
        "`step` was jitted again, and `donate_argnums` changed from `not given` to `(0,)`.",
        "Nothing to fix if you need both; otherwise jit it once, with one set of options.",
        True,
    ),
    "committed": (
        of_leaf(host("x"), array("x", committed=True)),
        "`x` changed from uncommitted to committed (on `cpu:0`), and JAX compiles a version for each.",
        "Place it the same way before every call, including the first, with `jax.device_put`.",
        False,
    ),
    "sharding": (
        of_leaf(array("x", committed=True), array("x", committed=True, sharding=SPREAD)),
        f"`x` changed its sharding from `cpu:0` to `{SPREAD}`.",
        "Nothing to fix if you need both; otherwise place it as `cpu:0` or as `P('i') on mesh(i=2 auto) of "
        "cpu:0…cpu:1 (2)` in every call, with `jax.device_put`.",
        False,
    ),
    "config_context": (
        [miss(array("x"), context=(("jax_enable_x64", value),)) for value in ("False", "True")],
        "the setting `jax_enable_x64` changed from `False` to `True`.",
        "Nothing to fix if you need both; otherwise set it once at the start: "
        "`jax.config.update('jax_enable_x64', True)`.",
        False,
    ),
    "config_context, mesh": (
        [miss(array("x"), context=(("mesh_context_manager", value),)) for value in ("()", "(i=2)")],
        "the setting `mesh` changed from `()` to `(i=2)`.",
        "Nothing to fix if you need both; otherwise make every call inside the same mesh context.",
        False,
    ),
    "transform": (
        [miss(array("x")), miss(array("x"), transform="linearize, by x")],
        "`step` was transformed from outside, and its forward program for differentiation by `x` was compiled for the "
        "first time.",
        "Nothing to fix. To get one program, jit outside the transform, as in `jax.jit(jax.grad(step))`.",
        True,
    ),
    "transform, plain after all": (
        [miss(array("x"), transform="vmap"), miss(array("x"))],
        "`step` was called by itself, and its plain program was compiled for the first time.",
        "Nothing to fix: the plain program differs from those of its transforms.",
        True,
    ),
    "cache_cleared": (
        [miss(array("x")), miss(array("x"), cleared="all")],
        "`step` was compiled for the same arguments before, but JAX's caches have been cleared since.",
        "Don't call `jax.clear_caches()` in code that runs repeatedly.",
        False,
    ),
    "cache_cleared, of one function": (
        [miss(array("x")), miss(array("x"), cleared="function")],
        "`step` was compiled for the same arguments before, but `clear_cache()` has been called since.",
        "Don't call `step.clear_cache()` in code that runs repeatedly.",
        False,
    ),
    "unexplained": (
        [miss(array("x"), note="kwargs not seen")] * 2,
        "expected a hit, because `step` was compiled for the same arguments and settings before; observed: JAX traced "
        "it again (kwargs not seen).",
        "If this happens at every call, save the recording and report it: JAX saw a difference that jitviz did not.",
        False,
    ),
    "treedef, a part that was None": (
        [
            miss(array("s[0]['w']"), nodes=[Node("s", "tuple", ("[0]", "[1]")), Node("s[0]", "dict", ("['w']",)), last])
            for last in (Node("s[1]", "NoneType"), Node("s[1]", "optax.EmptyState"))
        ],
        "`s[1]` changed from `None` to `EmptyState`.",
        "If the function returns `s[1]`, start with a value like the one that it returns. Otherwise "
        "replace None with a value that has no effect, unless you need both.",
        False,
    ),
    "treedef, a part in a container of another class": (
        [
            miss(
                *(array("s[0]['w']"), array("s[1][0]")),
                nodes=[
                    Node("s", "tuple", ("[0]", "[1]")),
                    Node("s[0]", "dict", ("['w']",)),
                    Node("s[1]", kind, ("[0]",)),
                ],
            )
            for kind in ("list", "tuple")
        ],
        "`s[1]` changed its class from a list of 1 item to a tuple of 1 item.",
        "Use the same class in every call, `list` or `tuple`.",
        False,
    ),
    "static_value, a decimal number as text": (
        of_leaf(static("rate", "0.25"), static("rate", "0.3333333333")),
        "`rate` is static and changed from `'0.25'` to `'0.3333333333'`.",
        "Nothing to fix if you need both: each value of a flag has its own program.",
        False,
    ),
    "unexplained, half seen": (
        [miss(static("price", made("decimal.Decimal", token, "value"))) for token in (1, 2)],
        "expected a hit, because `step` was compiled for the same arguments and settings before; observed: JAX traced "
        "it again; there may be more to `price` than jitviz can see.",
        "If this happens at every call, save the recording and report it: JAX saw a difference that jitviz did not.",
        False,
    ),
    "unexplained, warm": (
        [miss(array("x"), is_warm=True)],
        "`step` was compiled before jitviz started to watch, so what changed since then is not known.",
        "To see the reason, load jitviz, or begin to `record` or `watch`, before the first call.",
        False,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_reason_in_words(case: str) -> None:
    misses, *expected = CASES[case]
    reason = reasons(*misses)[0]
    assert (reason.kind, reason.summary, reason.advice, reason.inherent) == (case.partition(",")[0], *expected)


def test_keys_of_another_kind_are_counted_without_what_the_older_kind_is_made_of() -> None:
    kind, shape = reasons(*of_leaf(array("key", (2,), "uint32"), array("key", (4,), "key<fry>")))
    assert (kind.kind, shape.kind, shape.before, shape.after) == ("prng_key_type", "shape", "u32[2]", "key<fry>[4]")
    assert shape.advice == "Use one rank in every call: always a single key, or always an array of keys."


def test_every_kind_has_words_and_a_place_in_the_order() -> None:
    of_one_file = {file.stem.removeprefix("test_") for file in Path(__file__).parent.glob("kinds/test_*.py")}
    assert {case.partition(",")[0] for case in CASES} | of_one_file == set(KINDS)


@pytest.mark.parametrize(
    ("before", "after", "sides"),
    [
        (function(1), function(2), ("<function act at train.py:7>", "a new function")),
        (made("my.Config", 1, a=1), made("my.Config", 2, a=1), ("Config(a=1)", "a new Config")),
        (function(1), function(2, "f00d", "tanh"), ("<function act at train.py:7>", "<function tanh at train.py:7>")),
    ],
)
def test_two_sides_that_would_print_alike_are_distinguished(before: Any, after: Any, sides: tuple[str, str]) -> None:
    (reason,) = reasons(*of_leaf(static("act", before), static("act", after)))
    assert (reason.before, reason.after) == sides


def test_private_metadata_follows_the_leaves_that_it_is_computed_from() -> None:
    def prior(size: int) -> Miss:
        return miss(array("d.loc", (size,)), static("d._batch_shape", (size,), is_metadata=True))

    assert [reason.path for reason in reasons(prior(2), prior(3))] == ["d.loc", "d._batch_shape[0]"]


def test_metadata_that_is_not_private_comes_before_a_weak_type() -> None:
    def net(width: int, is_weak: bool) -> Miss:
        return miss(array("rate", (), weak_type=is_weak), static("net.width", width, is_metadata=True))

    assert [reason.path for reason in reasons(net(2, False), net(3, True))] == ["net.width", "rate"]


def test_metadata_of_the_outer_object_comes_before_that_of_the_objects_inside() -> None:
    def model(width: int) -> Miss:
        places = ("m.layers[0].out_features", "m.layers[1].in_features", "m.width", "n.layers[0].out_features")
        return miss(*(static(place, width, is_metadata=True) for place in places))

    assert [reason.path for reason in reasons(model(4), model(8))] == [
        "m.width",
        "n.layers[0].out_features",
        "m.layers[0].out_features",
        "m.layers[1].in_features",
    ]


def test_of_things_created_again_the_one_that_differs_inside_comes_first() -> None:
    def step(token: int, rate: float) -> Miss:
        return miss(static("opt.init", function(token)), static("opt.update", function(token + 1, "beef", rate=rate)))

    assert [reason.path for reason in reasons(step(1, 0.1), step(3, 0.2))] == ["opt.update", "opt.init"]
    assert [reason.path for reason in reasons(step(1, 0.1), step(3, 0.1))] == ["opt.init", "opt.update"]


def test_values_of_arrays_inside_are_not_claimed_to_be_the_same() -> None:
    def config(token: int) -> Miss:
        return miss(static("config", made("Config", token, table=made("jax.Array", token + 10))))

    assert reasons(config(1), config(2))[0].summary == (
        "`config` changed to a new Config that looks the same, and JAX compares such objects by identity."
    )


def test_of_many_times_what_differs_inside_is_another_one_each_time() -> None:
    (one,) = reasons(*of_leaf(static("act", function(1, lr=0.1)), static("act", function(2, lr=0.2))))
    assert one.often == (
        "`act` changed to a new function with the same code (defined at train.py:7), and JAX compares such objects "
        "by identity; inside it, `lr` is different each time."
    )
    (alike,) = reasons(*of_leaf(static("act", function(1, lr=0.1)), static("act", function(2, lr=0.1))))
    assert alike.often == ""


@pytest.mark.parametrize(
    ("path", "where", "named"),
    [
        ("event.cond_fn", "diffrax/_event.py:142", "event"),
        ("event.cond_fn", "train.py:9", "event.cond_fn"),
        ("solver._model.act", "train.py:9", "solver"),
        ("body.keywords['sampler']._model", "train.py:9", "body"),
        ("act", "jax/nn.py:9", "act"),
    ],
)
def test_what_is_to_be_created_once_is_what_the_user_creates(path: str, where: str, named: str) -> None:
    before, after = (static(path, function(token, origin=where)) for token in (1, 2))
    (reason,) = reasons(*of_leaf(before, after))
    assert reason.advice == f"Create `{named}` once, outside the loop, and pass the same object to every call."


def test_an_object_whose_hash_follows_its_fields_is_compared_by_them() -> None:
    def point(token: int, a: int) -> Miss:
        return miss(static("self", made("my.Point", token, "hash_only", a=a)))

    explainer = explained(point(1, 1), point(1, 2), point(2, 1), point(2, 2))
    found = [[(one.kind, one.path) for one in explainer.reasons(number)] for number in range(1, 4)]
    assert found == [[("static_value", "self.a")], [("static_eq", "self")], [("static_value", "self.a")]]
