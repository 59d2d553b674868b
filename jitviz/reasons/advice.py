"""One thing to do about a change, with code that fits the user's names where it can.

In: a finding.  Out: one or two sentences, "" where there is nothing to do.
Must never: advise what changes the program's result without saying so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from ..model import Kind
from .finding import Finding, jnp_dtype, last_name, quote
from .flags import FEW

_MANY = 2  # other leaves of one argument, from which on one line of code for all of them is better
_IF_BOTH = "Nothing, if you need both"
_MANY_WORDS = (
    f"If only the caller needs it (a path, a name, a time), do not pass it to the jitted function: it has had more "
    f"than {FEW} values, and each has its own program."
)
_PLAIN = ("str", "complex", "float", "int", "bool")
_LITERAL = re.compile(r"True|False|None|[\d.]+|'[^']*'")


def advise(found: Finding) -> str:
    """What to do about a change."""
    write = _ADVICE.get(found.change.kind)
    return write(found) if write else ""


def _shape(found: Finding) -> str:
    path = found.path
    was, now = found.facts.shape_before, found.facts.shape
    if "key<" in (found.facts.dtype[:4], found.facts.dtype_before[:4]) and len(was) != len(now):
        return f"Use one rank everywhere: with several keys, `{found.name}[0]` is a single key."
    if len(was) != len(now):
        is_as_long = math.prod(was) == math.prod(now)
        example = f": `{found.name} = jnp.reshape({found.name}, {_tuple(now)})`" if is_as_long else ""
        return f"Use one rank in every call{example}."
    sizes = enumerate(zip(was, now, strict=True))
    widths = [f"(0, size - {path}.shape[{axis}])" if old != new else "(0, 0)" for axis, (old, new) in sizes]
    comma = "," if len(now) == 1 else ""
    return f"Pad it to one fixed size, and mask what was added: `jnp.pad({path}, ({', '.join(widths)}{comma}))`."


def _dtype(found: Finding) -> str:
    dtype = jnp_dtype(found.facts.dtype_before)
    return f"Use one dtype everywhere: `jnp.asarray({found.path}, dtype={dtype})`."


def _weak_type(found: Finding) -> str:
    dtype, root, name = jnp_dtype(found.facts.dtype), found.root, found.name
    if found.facts.is_weak:
        return f"Keep its dtype instead of passing a Python number: `jnp.asarray({found.path}, dtype={dtype})`."
    if found.beside >= _MANY:
        return (
            "Give all its leaves a strong type before the first call: "
            f"`{root} = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.result_type(leaf)), {root})`."
        )
    return f"Give it a dtype where you create it: `{name} = jnp.asarray({name}, dtype={dtype})`."


def _prng_key_type(found: Finding) -> str:
    if "uint32" in (found.facts.dtype_before, found.facts.dtype):
        return "Make every key with `jax.random.key(seed)`; `jax.random.PRNGKey(seed)` makes the older kind."
    return "Make every key with the same implementation: `jax.random.key(seed, impl=...)`."


def _leaf_kind(found: Finding) -> str:
    dtype = f", dtype={jnp_dtype(found.facts.dtype)}" if found.facts.dtype else ""
    return f"Make it an array from the first call on: `{found.name} = jnp.asarray({found.name}{dtype})`."


def _static_value(found: Finding) -> str:
    name = found.name
    if found.facts.flag == "yes":
        return f"{_IF_BOTH}: each value of a flag has its own program."
    if found.facts.flag == "many":
        return _MANY_WORDS
    if one_form := _one_form(found):
        return f"Give it one {one_form}"
    if found.wrapper.is_loop:
        return "Keep the number of different values small; with arrays as bounds, `fori_loop` compiles once."
    if found.facts.numbers == "none":
        return "Keep the number of different values small: each has its own program."
    if found.facts.is_metadata:
        return f"If you only compute with it, make `{name}` a field that is an array, and not static metadata."
    if found.wrapper.is_static_by_leaf and found.facts.leaf:
        holder = quote(found.facts.leaf)
        return (
            f"If you only compute with it, make {holder} a tree, for example a module or a `jax.tree_util.Partial`, "
            f"that holds it as an array; {holder} is one static leaf now."
        )
    if found.wrapper.is_static_by_leaf:
        return f"If you only compute with it, pass an array, which is traced: `{name} = jnp.asarray({name})`."
    return (
        f"If you only compute with it, leave `{found.root}` out of `static_argnums` and `static_argnames`; if it "
        "decides a shape, keep the number of different values small."
    )


def _one_form(found: Finding) -> str:
    """How to give a value that is the same in another form; "" for another value."""
    name, types = found.name, (found.facts.type_before, found.facts.type)
    if found.facts.same == "dtype":
        return f"form in every call, for example `{name} = jnp.dtype({name})`; JAX tells the forms apart."
    are_numbers = found.facts.numbers == "both" and types[0] != types[1]
    if found.facts.same != "value" and not are_numbers:
        return ""
    # the widest, which loses nothing
    plain = next((kind for kind in _PLAIN if any(name.removeprefix("numpy.").startswith(kind) for name in types)), "")
    example = f", for example `{name} = {plain}({name})`" if plain else ""
    return f"type in every call{example}; JAX distinguishes the types."


def _static_identity(found: Finding) -> str:
    # several parts of one thing, or an equation list: it is the whole that was made anew
    is_part = found.beside or "jaxpr" in found.class_name.lower()
    once = f"{quote(found.holder if is_part else found.path)} once, outside the loop,"
    if found.is_self:
        once = "the object once, outside the loop,"
    if found.facts.inside is not None and found.facts.inside.path.startswith("<closure "):
        return f"Make {once} and pass `{found.inside}` as an argument instead of closing over it."
    if found.facts.same == "name":
        return "Define the class once, and build the object again after you change the class."
    is_owner = found.name == "__self__"  # methods of equal objects are unequal all the same
    if found.facts.same in ("content", "looks") and found.class_name[:1].isupper() and not is_owner:
        define = f"`@dataclass(frozen=True)` on `{found.class_name}`"
        return f"Make equal content compare equal, with {define}; or make {once} and pass the same one to each call."
    return f"Make {once} and pass the same one to each call."


def _static_eq(found: Finding) -> str:
    if found.facts.equality == "never":
        return f"Do not use NaN as a static value: use None for `{found.name}`, or pass `jnp.nan` as an array."
    if found.facts.equality == "hash_only":
        return f"Define `__eq__` next to `__hash__` in `{found.class_name}`, comparing the same fields as the hash."
    return f"Make `{found.class_name}.__eq__` return True for equal content, and `__hash__` agree with it."


def _treedef(found: Finding) -> str:
    path, what, parent = found.path, found.facts.event, found.facts.parent
    if what == "redefined":
        return f"Build `{found.root}` again after you redefine its class, or define the class only once."
    if what == "class":
        kind = found.after.partition(" ")[0]
        return f"Use one class everywhere, from the first call on: make `{path}` a `{kind}`."
    if what == "order":
        return f"Build `{path}` with its entries in the same order each time."
    if what == "swapped":
        return _swapped(found)
    if not parent:
        return f"Pass `{path}` in every call, or in none."
    if found.facts.parent_type in ("list", "tuple"):
        return f"Keep the length of `{parent}` the same; entries of one shape can be stacked into one array and masked."
    return f"Give `{parent}` all its entries from the first call on: `{path} = {_zeros(found)}`."


def _swapped(found: Finding) -> str:
    path = found.path
    if found.facts.flag == "yes":
        return f"{_IF_BOTH}: each has its own program."
    if found.facts.flag == "many":
        return _MANY_WORDS
    if found.after == "None" and found.twin:
        state = f"{found.root} = {found.names.optimiser}.init(eqx.filter({found.twin}, eqx.is_inexact_array))"
        return f"Initialise the state only with leaves that have gradients: `{state}`."
    if found.before == "None" and found.facts.dtype:
        return f"Make it an array from the first call on, one that has no effect: `{path} = {_zeros(found)}`."
    return f"Keep `{path}` the same kind in every call: either `{found.before}` or `{found.after}`."


def _zeros(found: Finding) -> str:
    dtype = found.facts.dtype
    is_number = bool(dtype) and not dtype.startswith("key<")
    return f"jnp.zeros({_tuple(found.facts.shape)}, {jnp_dtype(dtype)})" if is_number else "..."


def _tuple(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _kwargs_vs_args(found: Finding) -> str:
    name = found.path
    if "default" in (found.before, found.after):
        return f"Pass it in every call, or in none: `{found.function}(..., {name}={name})`."
    if found.before == "keyword":
        return f"Pass it by keyword in every call: `{found.function}(..., {name}={name})`."
    return f"Pass it by position in every call: `{found.function}(..., {name})`."


def _new_function(found: Finding) -> str:
    name, api, what = last_name(found.function), found.wrapper.name, found.facts.event
    if what == "options":
        return f"{_IF_BOTH}; otherwise jit it once, with one set of options."
    if what == "edited":
        return f"{_IF_BOTH}: different code needs a different program."
    if found.wrapper.is_loop and not found.facts.is_rerun:
        return "Jit the function that contains the loop, or define what the loop runs once, outside."
    if what == "rewrapped":
        return f"Wrap and jit it once, outside the loop: `f = {api}(...)`, and call `f`."
    if found.facts.is_rerun:
        return "Re-run the cell that defines it only after its code changes."
    if found.facts.type == "method":
        return f"Jit the method once, outside the loop or in `__init__`: `self.{name} = {api}(self.{name})`."
    if name == "<lambda>":
        return f"Jit it once, outside the loop: `f = {api}(lambda ...: ...)`, and call `f`."
    if found.facts.type != "function":  # a partial, an object with a `__call__`
        return f"Make it and jit it once, outside the loop: `f = {api}(...)`, and call `f`."
    return f"Define and jit it once, outside the loop or function that calls it: `{name} = {api}({name})`."


def _committed(found: Finding) -> str:
    path = found.path
    return f"Place it the same way before every call, including the first: `{path} = jax.device_put({path}, sharding)`."


def _sharding(found: Finding) -> str:
    put = f"{found.path} = jax.device_put({found.path}, sharding)"
    return f"Give it that sharding before the first call, `{put}`, or fix the output with `out_shardings`."


def _config_context(found: Finding) -> str:
    if found.path == "mesh":
        return f"{_IF_BOTH}; otherwise make every call inside the same mesh context."
    if found.path.startswith("jax_") and _LITERAL.fullmatch(found.after):
        return f"{_IF_BOTH}; otherwise set it once at the start: `jax.config.update({found.path!r}, {found.after})`."
    return f"{_IF_BOTH}; otherwise make every call in the same context."


_OUTSIDE = {"vmap": "jax.vmap", "jvp": "jax.jvp", "linearize": "jax.grad", "transpose": "jax.grad"}


def _transform(found: Finding) -> str:
    around = _OUTSIDE.get(found.after.partition(",")[0])
    if found.after == "call":
        return "Nothing: the plain program differs from those of its transforms."
    if around is None:
        return "Nothing, or put `jax.jit` round the outermost transformation, for one program of all of it."
    inside = f"{around}({last_name(found.function)})"
    return f"Nothing, or jit outside the transform to get one program: `jax.jit({inside})`."


def _cache_cleared(found: Finding) -> str:
    name = last_name(found.function)
    call = f"{name}.clear_cache()" if found.miss.cleared == "function" else "jax.clear_caches()"
    return f"Don't call {quote(call)} in code that runs repeatedly."


def _unexplained(found: Finding) -> str:
    if found.facts.is_unwatched:
        return "To see the reason, load jitviz before the first call."
    return "If it happens at every call, save the recording and report it: JAX saw a difference that jitviz does not."


_ADVICE: dict[Kind, Callable[[Finding], str]] = {
    "shape": _shape,
    "dtype": _dtype,
    "weak_type": _weak_type,
    "prng_key_type": _prng_key_type,
    "leaf_kind": _leaf_kind,
    "static_value": _static_value,
    "static_identity": _static_identity,
    "static_eq": _static_eq,
    "treedef": _treedef,
    "kwargs_vs_args": _kwargs_vs_args,
    "new_function": _new_function,
    "committed": _committed,
    "sharding": _sharding,
    "config_context": _config_context,
    "transform": _transform,
    "cache_cleared": _cache_cleared,
    "unexplained": _unexplained,
}
