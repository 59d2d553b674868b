"""Advice: one thing to do about a change, in one or two sentences.

In: a `Subject`.  Out: sentences, "" if there is nothing to do.
Must never: give code to paste, since one miss does not show whether it is safe (the finding of its cause does), or
advise something that changes the program's results without saying so.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..model import Kind
from ..model.equality import is_number
from ..model.paths import last_name
from .subject import Subject, jnp_dtype, quote
from .values import AUX_DATA

_MANY = 2  # with this many other such leaves in one argument, the advice is about the argument
_IF_BOTH = "Nothing, if you need both"
_FEW_VALUES = "keep the number of different values small"
_IF_STATIC = f"if it controls a loop, a branch or a shape, {_FEW_VALUES}"
_BUILDERS = ("__init__", "__post_init__", "setup")  # there is good reason to create a module again, but not its parts
_MOST_NAMED = 3  # names that a function closes over
_LOOPS = {
    "scan": "`scan` (or `fori_loop` or `map`, which use it)",
    "while": "`while_loop` or `fori_loop`",
    "cond": "`cond` or `switch`",
}
_OF_ONE_INPUT = (
    "It holds values computed for one input, so each one is a different function: jit a function that calls `jax.vjp` "
    "or `jax.linearize` itself."
)
_LITERAL = re.compile(r"True|False|None|[\d.]+|'[^']*'")


def advise(found: Subject) -> str:
    """What to do about a change; "" if nothing."""
    write = _ADVICE.get(found.kind)
    return write(found) if write else ""


def _shape(found: Subject) -> str:
    if found.facts.is_own:
        return f"{_IF_BOTH}: each of these lines always uses one shape."
    was, now = found.facts.shape_before, found.facts.shape
    if "key<" in (found.facts.dtype[:4], found.facts.dtype_before[:4]):
        if len(was) != len(now):
            return "Use one rank in every call: always a single key, or always an array of keys."
        return "Split into the same number of keys in every call, and leave out those that you do not need."
    if len(was) != len(now):
        return "Use the same rank in every call."
    return "Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding."


def _dtype(found: Subject) -> str:
    was, now = jnp_dtype(found.facts.dtype_before), jnp_dtype(found.facts.dtype)
    return f"Use one dtype in every call, {quote(was)} or {quote(now)}; this may change the dtype of the results."


def _weak_type(found: Subject) -> str:
    dtype = quote(jnp_dtype(found.facts.dtype))
    if found.facts.is_weak:
        return f"Pass an array of dtype {dtype} instead of a Python number or a result computed from one."
    if found.beside >= _MANY:
        return f"Give all leaves of {quote(found.root)} an explicit dtype before the first call."
    return f"Create it with the explicit dtype {dtype}."


def _prng_key_type(found: Subject) -> str:
    if "uint32" in (found.facts.dtype_before, found.facts.dtype):
        return "Create every key with `jax.random.key(seed)`; `jax.random.PRNGKey(seed)` creates the older kind."
    return "Create every key with the same implementation: `jax.random.key(seed, impl=...)`."


def _static_value(found: Subject) -> str:
    if found.facts.flag == "yes":
        return f"{_IF_BOTH}: each value of a flag has its own program."
    if found.facts.flag == "many":
        return _many_words(found)
    if found.facts.same == "dtype":
        return "Use the same form in every call: JAX distinguishes the forms of a dtype."
    if found.facts.same == "value":
        return "Use the same type in every call: JAX distinguishes equal values of different types."
    if found.path in ("lower", "upper") and found.wrapper.is_loop:
        return (
            f"{_FEW_VALUES.capitalize()}; in a jitted function that takes the bounds as arguments, `fori_loop` "
            "compiles once."
        )
    if found.is_other_array:
        return (
            f"If it always holds the same values, create {quote(found.root)} once and pass the same object to every "
            "call; otherwise pass the array as a separate, traced argument."
        )
    if not found.could_be_traced:
        return f"{_FEW_VALUES.capitalize()}: each has its own program."
    return f"{_trace(found)}; {_IF_STATIC}."


def _many_words(found: Subject) -> str:
    leave = (
        "do not pass it to the jitted function" if found.path == found.root else f"keep it out of {quote(found.root)}"
    )
    return (
        f"If only the caller needs it (a path, a name, a time), {leave}: it keeps getting new values, and each has its "
        "own program."
    )


def _trace(found: Subject) -> str:
    """How to pass a number as an array, which depends on what holds it."""
    name, holder, root = quote(found.name), quote(found.facts.leaf), quote(found.root)
    only = "If it is only used in arithmetic"
    if found.facts.leaf.endswith(AUX_DATA):
        return f"{only}, return it from `tree_flatten` as a child, not as auxiliary data"
    if found.facts.leaf and found.facts.leaf != found.path:
        return f"{only}, pass {name} as a separate argument: {holder} is static as a whole"
    if found.facts.is_metadata:
        return (
            f"{only} and the class is yours, make {name} a non-static field (in `tree_flatten`, a child) that holds an "
            "array"
        )
    if found.wrapper.is_static_by_leaf:
        return f"{only}, make {name} an array, which is traced, where you create it"
    return f"{only}, {found.wrapper.untie.format(root)}"


def _static_identity(found: Subject) -> str:
    # several parts of one object, or a jaxpr inside it: the whole object was created again
    is_part = found.beside or "jaxpr" in found.class_name.lower()
    once = f"{quote(found.holder if is_part else found.path)} once, outside the loop,"
    if found.is_owner or found.name == "self":
        once = "the object once, outside the loop,"
    if found.inside and found.facts.where.startswith("optax/"):
        return f"Create {once} with `optax.inject_hyperparams`, which keeps its numbers in the state, traced."
    if found.is_of_jax:
        return _OF_ONE_INPUT
    if found.facts.type == "type":
        return "Define the class once, and pass the same class to every call."
    if found.facts.same == "name":
        return "Define the class once, and create the object again after you change the class."
    owner, _, method = found.facts.maker.rpartition(".")
    if owner and method in _BUILDERS:
        if found.facts.closes_over:
            fields = " and ".join(quote(f"self.{name}") for name in found.facts.closes_over if name != "self")
            return f"Make it a method of {quote(owner)}{fields and f' that uses {fields}'}."
        return f"Define it outside {quote(found.facts.maker)}, so that every {quote(owner)} uses the same one."
    if found.facts.inside and found.facts.inside.before == found.facts.inside.after:
        return (
            f"If {quote(found.inside)} always holds the same values, create {once} and pass the same object to every "
            f"call; otherwise pass {quote(found.inside)} as a separate argument."
        )
    if found.inside:  # one object for every call would change the results
        return f"Create {once} and pass {quote(found.inside)} as a separate argument."
    is_own = found.facts.type.rpartition(".")[0] == found.miss.function.module
    is_plain = is_own and found.facts.same == "content" and found.facts.equality == "identity" and not found.is_owner
    or_equal = f", or give `{found.class_name}` an `__eq__` and a `__hash__` based on its fields" if is_plain else ""
    return f"Create {once} and pass the same object to every call{or_equal}."


def _static_eq(found: Subject) -> str:
    if found.facts.equality == "never":
        return (
            f"Do not use NaN as a static value: use None for `{found.name}`, or make it traced and pass "
            "`jnp.asarray(jnp.nan)`."
        )
    if found.facts.equality == "hash_only":
        return f"Define `__eq__` in `{found.class_name}` as well, comparing the same fields that `__hash__` uses."
    return f"Make `{found.class_name}.__eq__` return True for equal content, and make `__hash__` consistent with it."


def _treedef(found: Subject) -> str:
    path, what, parent = found.path, found.facts.event, found.facts.parent
    if what == "redefined":
        return f"Create `{found.root}` again after you redefine its class, or define the class only once."
    is_state = found.facts.type.startswith("optax.")
    if (found.facts.is_part or is_state) and "None" not in (found.before, found.after):
        other = (
            " Another optimiser has another state: create it with that optimiser's `init`, and expect one more compile."
        )
        return f"Build {quote(parent or path)} from the same parts in every call.{other if is_state else ''}"
    if what == "class":
        was, now = found.before.partition(" ")[0], found.after.partition(" ")[0]
        if was == now:
            return "Use the same class in every call: two classes with the same name are different to JAX."
        return f"Use the same class in every call, {quote(was)} or {quote(now)}."
    if what == "order":
        return f"Build `{path}` with its entries in the same order each time."
    if what == "keys":
        return f"Use keys of one type in every call: JAX distinguishes {quote(found.before)} from {quote(found.after)}."
    if what == "attribute":
        return "If it is a `cached_property`, make it a plain `property`, or read it before every call."
    return _swapped(found) if what == "swapped" else _came_or_went(found)


def _came_or_went(found: Subject) -> str:
    path, parent = found.path, found.facts.parent
    if not parent:
        return f"Pass `{path}` in every call, or in none."
    if found.facts.parent_type in ("list", "tuple"):
        return f"Keep the length of `{parent}` constant; entries of one shape can be stacked into one array and masked."
    if found.facts.is_static:
        return f"Create `{parent}` with `{path}` before the first call: each of its values has its own program."
    return f"Create `{parent}` with all its entries before the first call, with a neutral placeholder for `{path}`."


def _swapped(found: Subject) -> str:
    path = found.path
    if found.facts.flag == "yes":
        return f"{_IF_BOTH}: each has its own program."
    if found.facts.flag == "many":
        return _many_words(found)
    if found.after == "None" and found.twin:
        return (
            "Initialise the optimiser state with only the leaves that have gradients: "
            f"`optimiser.init(eqx.filter({found.twin}, eqx.is_inexact_array))`."
        )
    is_none = "None" in (found.before, found.after)
    if is_none and is_number(found.facts.type):
        return (
            "If it is only used in arithmetic, pass an array in every call, with a value that has no effect in place "
            f"of None; {_IF_STATIC}."
        )
    if is_none and found.facts.is_static:
        return f"{_IF_BOTH}: each has its own program."
    if is_none:
        return (
            f"If the function returns {quote(path)}, start with a value like the one that it returns; otherwise, "
            "unless you need both, replace None with a value that has no effect."
        )
    return f"Pass the same kind of `{path}` in every call, either `{found.before}` or `{found.after}`."


def _kwargs_vs_args(found: Subject) -> str:
    if "default" in (found.before, found.after):
        return "Pass it in every call, or in none."
    return "Pass it by keyword in every call."


def _new_function(found: Subject) -> str:
    api, what = found.wrapper.name, found.facts.event
    once = f"Apply {quote(api)} once, outside the loop or function that applies it now, and reuse the result"
    if what == "options":
        return f"{_IF_BOTH}; otherwise jit it once, with one set of options."
    if what == "edited":
        return f"{_IF_BOTH}: different code needs a different program."
    if found.wrapper.is_loop and not found.facts.is_rerun:
        names = ", ".join(map(quote, found.facts.closes_over[:_MOST_NAMED]))
        passed = f", with {names} passed in instead of closed over" if names else ""
        return (
            f"Jit the function that calls {_LOOPS.get(found.function, quote(found.function))}; what decides a length "
            f"or a branch there must be static. Or define the function that it runs once, outside{passed}."
        )
    if found.miss.function.module.partition(".")[0] == "jax" and what == "anew" and found.facts.type.startswith("jax."):
        return _OF_ONE_INPUT
    if found.facts.is_rerun:
        return "Run a cell that defines it only when its code has changed."
    if found.inside:
        return f"{once}, with `{found.inside}` as a separate argument."
    if found.facts.type == "method":
        return f"{once}; if every object jits its own method, create the object once."
    return f"{once}."


def _sharding(found: Subject) -> str:
    return (
        f"Before the first call, place it as {quote(found.after)} with `jax.device_put`, or make the function return "
        f"it as {quote(found.before)} with `out_shardings`."
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
        return "Nothing, or apply `jax.jit` around the outermost transformation to get one program for all of it."
    inside = f"{around}({last_name(found.function)})"
    return f"Nothing, or jit outside the transform to get one program: `jax.jit({inside})`."


def _cache_cleared(found: Subject) -> str:
    name = last_name(found.function)
    call = f"{name}.clear_cache()" if found.miss.cleared == "function" else "jax.clear_caches()"
    return f"Don't call {quote(call)} in code that runs repeatedly."


def _unexplained(found: Subject) -> str:
    if found.facts.is_unwatched:
        return "To see the reason, load jitviz, or begin to `record` or `watch`, before the first call."
    return "If this happens at every call, save the recording and report it: JAX saw a difference that jitviz did not."


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
