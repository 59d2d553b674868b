"""One thing to do about a change, in words.

In: a `Subject`.  Out: one or two sentences, "" where there is nothing to do.
Must never: give code, for which one miss knows too little: the finding of its cause gives it where it is safe. Nor
advise what changes the program's result without saying so.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..model import Kind
from ..model.paths import last_name
from .subject import Subject, jnp_dtype, quote
from .values import AUX_DATA

_MANY = 2  # other leaves of one argument, from which on they are told as one
_IF_BOTH = "Nothing, if you need both"
_FEW_VALUES = "keep the number of different values small"
_MANY_WORDS = (
    "If only the caller needs it (a path, a name, a time), do not pass it to the jitted function: it gets new values "
    "again and again, and each has its own program."
)
_BUILDERS = ("__init__", "__post_init__", "setup")  # a module is made anew for good reasons, what it is made of not
_MOST_NAMED = 3  # things that a function closes over
_LOOPS = {
    "scan": "`scan` (`fori_loop` and `map` run one too)",
    "while": "`while_loop` or `fori_loop`",
    "cond": "`cond` or `switch`",
}
_LITERAL = re.compile(r"True|False|None|[\d.]+|'[^']*'")


def advise(found: Subject) -> str:
    """What to do about a change."""
    write = _ADVICE.get(found.kind)
    return write(found) if write else ""


def _shape(found: Subject) -> str:
    if found.facts.is_own:
        return f"{_IF_BOTH}: each of these lines has one shape of its own."
    was, now = found.facts.shape_before, found.facts.shape
    if "key<" in (found.facts.dtype[:4], found.facts.dtype_before[:4]):
        if len(was) != len(now):
            return "Use one rank everywhere: pass a single key, or always an array of keys."
        return "Split into one number of keys in every call, and leave out those that you do not need."
    if len(was) != len(now):
        return "Use one rank in every call."
    return "Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding."


def _dtype(found: Subject) -> str:
    was, now = jnp_dtype(found.facts.dtype_before), jnp_dtype(found.facts.dtype)
    return f"Use one dtype in every call, {quote(was)} or {quote(now)}: the results may have it too."


def _weak_type(found: Subject) -> str:
    dtype = quote(jnp_dtype(found.facts.dtype))
    if found.facts.is_weak:
        return f"Pass an array that has the dtype {dtype}, instead of a Python number or what was made of one."
    if found.beside >= _MANY:
        return f"Give all leaves of {quote(found.root)} a dtype of their own before the first call."
    return f"Give it the dtype {dtype} where you create it."


def _prng_key_type(found: Subject) -> str:
    if "uint32" in (found.facts.dtype_before, found.facts.dtype):
        return "Make every key with `jax.random.key(seed)`; `jax.random.PRNGKey(seed)` makes the older kind."
    return "Make every key with the same implementation: `jax.random.key(seed, impl=...)`."


def _static_value(found: Subject) -> str:
    if found.facts.flag == "yes":
        return f"{_IF_BOTH}: each value of a flag has its own program."
    if found.facts.flag == "many":
        return _MANY_WORDS
    if found.facts.same == "dtype":
        return "Give it one form in every call: JAX tells the forms of a dtype apart."
    if found.facts.same == "value":
        return "Give it one type in every call: JAX tells equal values of two types apart."
    if found.path in ("lower", "upper") and found.wrapper.is_loop:
        return f"{_FEW_VALUES.capitalize()}; with arrays as bounds, `fori_loop` compiles once."
    if found.is_other_array:
        return (
            f"If it holds the same values each time, make {quote(found.root)} once and pass the same one; else pass "
            "the array as an argument of its own, traced."
        )
    if not found.could_be_traced:
        return f"{_FEW_VALUES.capitalize()}: each has its own program."
    return f"{_trace(found)}; if it decides a loop, a branch or a shape, {_FEW_VALUES}."


def _trace(found: Subject) -> str:
    """How to pass a number as an array, which depends on what holds it."""
    name, holder, root = quote(found.name), quote(found.facts.leaf), quote(found.root)
    only = "If it is only used in arithmetic"
    if found.facts.leaf.endswith(AUX_DATA):
        return f"{only}, make it a child in the `tree_flatten` of its class, and no metadata"
    if found.facts.leaf and found.facts.leaf != found.path:
        return f"{only}, pass {name} as an argument of its own: {holder} is static as a whole"
    if found.facts.is_metadata:
        return f"{only} and the class is yours, make {name} a field that holds an array and is not static"
    if found.wrapper.is_static_by_leaf:
        return f"{only}, make {name} an array, which is traced, where it comes from"
    return f"{only}, leave {root} out of `static_argnums` and `static_argnames`"


def _static_identity(found: Subject) -> str:
    # several parts of one thing, or an equation list: it is the whole that was made anew
    is_part = found.beside or "jaxpr" in found.class_name.lower()
    once = f"{quote(found.holder if is_part else found.path)} once, outside the loop,"
    if found.is_owner or found.name == "self":
        once = "the object once, outside the loop,"
    if found.is_given_inside:
        if found.facts.where.startswith("optax/"):
            return f"Make {once} with `optax.inject_hyperparams`, which keeps its numbers in the state, traced."
        return f"Make {once} and pass `{found.inside}` as an argument of its own."
    if found.facts.same == "name":
        return "Define the class once, and build the object again after you change the class."
    owner, _, method = found.facts.maker.rpartition(".")
    if owner and method in _BUILDERS:
        if found.facts.closes_over:
            fields = " and ".join(quote(f"self.{name}") for name in found.facts.closes_over if name != "self")
            return f"Make it a method of {quote(owner)}{fields and f' that uses {fields}'}."
        return f"Define it outside of {quote(found.facts.maker)}, so that every {quote(owner)} has the same one."
    is_own = found.facts.type.rpartition(".")[0] == found.miss.function.module
    is_plain = is_own and found.facts.same == "content" and found.facts.equality == "identity" and not found.is_owner
    or_equal = f", or give `{found.class_name}` an `__eq__` and a `__hash__` of what it holds" if is_plain else ""
    return f"Make {once} and pass the same one to each call{or_equal}."


def _static_eq(found: Subject) -> str:
    if found.facts.equality == "never":
        return f"Do not use NaN as a static value: use None for `{found.name}`, or pass `jnp.nan` as an array."
    if found.facts.equality == "hash_only":
        return f"Define `__eq__` next to `__hash__` in `{found.class_name}`, comparing the same fields as the hash."
    return f"Make `{found.class_name}.__eq__` return True for equal content, and `__hash__` agree with it."


def _treedef(found: Subject) -> str:
    path, what, parent = found.path, found.facts.event, found.facts.parent
    if what == "redefined":
        return f"Build `{found.root}` again after you redefine its class, or define the class only once."
    if what == "class":
        was, now = found.before.partition(" ")[0], found.after.partition(" ")[0]
        if was == now:
            return "Use one class in every call: two of one name are two to JAX."
        return f"Use one class in every call, {quote(was)} or {quote(now)}."
    if what == "order":
        return f"Build `{path}` with its entries in the same order each time."
    if what == "swapped":
        return _swapped(found)
    if not parent:
        return f"Pass `{path}` in every call, or in none."
    if found.facts.parent_type in ("list", "tuple"):
        return f"Keep the length of `{parent}` the same; entries of one shape can be stacked into one array and masked."
    entry = f"{quote(path)} with a placeholder that changes nothing"
    return f"Give `{parent}` all its entries from the first call on, {entry}."


def _swapped(found: Subject) -> str:
    path = found.path
    if found.facts.flag == "yes":
        return f"{_IF_BOTH}: each has its own program."
    if found.facts.flag == "many":
        return _MANY_WORDS
    if found.after == "None" and found.twin:
        return (
            "Initialise the state with the leaves that have gradients only: "
            f"`init(eqx.filter({found.twin}, eqx.is_inexact_array))` of the optimiser."
        )
    if "None" in (found.before, found.after):
        return (
            f"If the function returns {quote(path)}, begin with what it returns; else, unless you need both, pass a "
            "value in every call, one that changes nothing."
        )
    return f"Keep `{path}` the same kind in every call: either `{found.before}` or `{found.after}`."


def _kwargs_vs_args(found: Subject) -> str:
    if "default" in (found.before, found.after):
        return "Pass it in every call, or in none."
    return "Give it by keyword in every call."


def _new_function(found: Subject) -> str:
    api, what = found.wrapper.name, found.facts.event
    once = f"Apply {quote(api)} once, outside the loop or the function that does it now, and reuse the result"
    if what == "options":
        return f"{_IF_BOTH}; otherwise jit it once, with one set of options."
    if what == "edited":
        return f"{_IF_BOTH}: different code needs a different program."
    if found.wrapper.is_loop and not found.facts.is_rerun:
        names = ", ".join(map(quote, found.facts.closes_over[:_MOST_NAMED]))
        passed = f", with {names} passed in instead of closed over" if names else ""
        return (
            f"Jit the function that calls {_LOOPS.get(found.function, quote(found.function))}; what decides a length "
            f"or a branch there has to be static. Or define what it runs once, outside{passed}."
        )
    if found.miss.function.module.partition(".")[0] == "jax" and what == "anew" and found.facts.type.startswith("jax."):
        return (
            "It holds what was computed for one input, so that each is another function: jit a function that calls "
            "`jax.vjp` or `jax.linearize` itself."
        )
    if found.facts.is_rerun:
        return "Re-run the cell that defines it only after its code changes."
    if found.facts.type == "method":
        return f"{once}; if every object jits its own method, make the object once."
    if found.is_given_inside:
        return f"{once}, with `{found.inside}` as an argument of its own."
    return f"{once}."


def _sharding(found: Subject) -> str:
    return (
        f"Place it as {quote(found.after)} before the first call, with `jax.device_put`, or have the function return "
        f"it as {quote(found.before)}, with `out_shardings`."
    )


def _config_context(found: Subject) -> str:
    if found.path == "mesh":
        return f"{_IF_BOTH}; otherwise make every call inside the same mesh context."
    if found.path.startswith("jax_") and _LITERAL.fullmatch(found.after):
        return f"{_IF_BOTH}; otherwise set it once at the start: `jax.config.update({found.path!r}, {found.after})`."
    return f"{_IF_BOTH}; otherwise make every call in the same context."


_OUTSIDE = {"vmap": "jax.vmap", "jvp": "jax.jvp", "linearize": "jax.grad", "transpose": "jax.grad"}


def _transform(found: Subject) -> str:
    around = _OUTSIDE.get(found.after.partition(",")[0])
    if found.after == "call":
        return "Nothing: the plain program differs from those of its transforms."
    if around is None:
        return "Nothing, or put `jax.jit` round the outermost transformation, for one program of all of it."
    inside = f"{around}({last_name(found.function)})"
    return f"Nothing, or jit outside the transform to get one program: `jax.jit({inside})`."


def _cache_cleared(found: Subject) -> str:
    name = last_name(found.function)
    call = f"{name}.clear_cache()" if found.miss.cleared == "function" else "jax.clear_caches()"
    return f"Don't call {quote(call)} in code that runs repeatedly."


def _unexplained(found: Subject) -> str:
    if found.facts.is_unwatched:
        return "To see the reason, load jitviz before the first call."
    return "If it happens at every call, save the recording and report it: JAX saw a difference that jitviz does not."


_ADVICE: dict[Kind, Callable[[Subject], str]] = {
    "shape": _shape,
    "dtype": _dtype,
    "weak_type": _weak_type,
    "prng_key_type": _prng_key_type,
    "leaf_kind": lambda _: "Make it an array in every call.",
    "static_value": _static_value,
    "static_identity": _static_identity,
    "static_eq": _static_eq,
    "treedef": _treedef,
    "kwargs_vs_args": _kwargs_vs_args,
    "new_function": _new_function,
    "committed": lambda _: "Place it the same way before every call, including the first, with `jax.device_put`.",
    "sharding": _sharding,
    "config_context": _config_context,
    "transform": _transform,
    "cache_cleared": _cache_cleared,
    "unexplained": _unexplained,
}
