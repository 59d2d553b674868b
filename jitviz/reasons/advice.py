"""Advice: one thing to do about a change, in one or two sentences.

In: a `Subject`.  Out: sentences, "" if there is nothing to do.
Must never: give code to paste, since one miss does not show whether it is safe (the finding of its cause does), or
advise something that changes the program's results without saying so.
"""

import re
from collections.abc import Callable, Sequence

from ..model import Kind, last_name, listed, wider
from ..model.equality import is_number
from .avoidable import BOUNDS
from .placements import NOWHERE, beside, mesh_of, partition_of
from .subject import Subject, jnp_dtype, name_inside, quote
from .values import AUX_DATA

_MANY = 2  # with this many other such leaves in one argument, the advice is about the argument
_IF_BOTH = "Nothing to fix if you need both"
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
_INJECTED = "with `optax.inject_hyperparams`, which keeps its numbers in the state, traced."
_OLDER_KEY = "Create every key with `jax.random.key(seed)`; `jax.random.PRNGKey(seed)` creates the older kind."
_OTHER_KEY = "Create every key with the same implementation: `jax.random.key(seed, impl=...)`."
_LITERAL = re.compile(r"True|False|None|[\d.]+|'[^']*'")


def advise(change: Subject) -> str:
    """What to do about a change; "" if nothing."""
    if change.outdated:
        old = quote(change.outdated[0])
        return f"Nothing to fix: without this recompile, a program with the old {old} would have run."
    judgement, is_other_function = change.judgement, change.event in ("options", "edited")
    says_why = change.kind in ("transform", "config_context") or change.flag == "yes" or is_other_function
    if judgement.verdict == "expected" and judgement.words and not says_why:
        return f"{_IF_BOTH} ({judgement.words})."
    write = _ADVICE.get(change.kind)
    return write(change) if write else ""


def _shape(change: Subject) -> str:
    if change.is_only_shape:
        return f"{_IF_BOTH}: each of these lines always uses one shape."
    is_other_rank = len(change.shape_before) != len(change.shape)
    if change.dtype.startswith("key<") or change.dtype_before.startswith("key<"):
        if is_other_rank:
            return "Use one rank in every call: always a single key, or always an array of keys."
        return "Split into the same number of keys in every call, and leave out those that you do not need."
    if is_other_rank:
        return "Use the same rank in every call."
    return "Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding."


def _dtype(change: Subject) -> str:
    one = wider(change.dtype_before, change.dtype)
    named = f", {quote(jnp_dtype(one))}" if one else " that holds the values of both"
    return f"Use one dtype in every call{named}; this may change the dtype of the results."


def _weak_type(change: Subject) -> str:
    dtype = quote(jnp_dtype(change.dtype))
    if change.is_weak:
        return f"Pass an array of dtype {dtype} instead of a Python number or a result computed from one."
    if change.beside >= _MANY:
        return f"Give all leaves of {quote(change.root)} an explicit dtype before the first call."
    return f"Create it with the explicit dtype {dtype}."


def _static_value(change: Subject) -> str:
    root, difference = quote(change.root), change.judgement.difference
    if by_program := _by_program(change):
        return by_program
    if change.flag == "yes":
        return f"{_IF_BOTH}: each value of a flag has its own program."
    if change.flag == "many":
        return _only_for_the_caller(change)
    if change.same:
        return _in_one_way(change)
    if change.path in BOUNDS and change.wrapper.is_loop:
        few = _FEW_VALUES.capitalize()
        return f"{few}; in a jitted function that takes the bounds as arguments, `fori_loop` compiles once."
    if change.is_other_array:
        return (
            f"If it always holds the same values, create {root} once and pass the same object to every call; otherwise "
            "pass the array as a separate, traced argument."
        )
    if change.could_be_traced and change.is_metadata and change.owner == "library":
        of = change.holder_type.rpartition(".")[2]
        return f"{quote(of)} makes {quote(change.name)} static: {_FEW_VALUES}, since each has its own program."
    if not change.could_be_traced:
        return f"{_FEW_VALUES.capitalize()}: each has its own program."
    if difference is not None and difference.is_arithmetic:
        return f"Since the program only computes with it{_trace(change)}."
    return f"If it is only used in arithmetic{_trace(change)}; {_IF_STATIC}."


def _by_program(change: Subject) -> str:
    """What to do about a static value that the programs show to decide nothing, or only numbers; "" for others."""
    difference = change.judgement.difference
    if difference is None or change.same or change.wrapper.is_loop:
        return ""
    if difference.kind == "same":
        array = f"make {quote(change.name)} an array, which is traced, where you create it; or, "
        is_number_leaf = change.could_be_traced and change.wrapper.is_static_by_leaf and not change.is_metadata
        return (
            f"The program is the same for these values: {array * is_number_leaf}if it is for all, {_left_out(change)}; "
            "otherwise pass one of these."
        )
    if change.could_be_traced or not (change.is_avoidable and difference.is_arithmetic):
        return ""
    came = " and ".join(f"{was} → {now}" for was, now in difference.numbers[:2])
    return (
        f"If the program depends on it, then only for numbers ({came}): pass those as arguments instead, and "
        f"{_left_out(change)}."
    )


def _in_one_way(change: Subject) -> str:
    """Two values that mean the same, or may."""
    if change.same == "dtype":
        return "Write the dtype in the same form in every call: JAX distinguishes the forms of a dtype."
    if change.same == "value":
        return "Use the same type in every call: JAX distinguishes equal values of different types."
    if change.same == "entry":
        forms = " or ".join(map(quote, (change.before, change.after)))
        return f"If they mean the same to {quote(change.function)}, write it one way in every call, {forms}."
    return f"Write its entries in one order in every call, such as `tuple(sorted({change.name}.items()))` of a dict."


def _only_for_the_caller(change: Subject) -> str:
    return (
        f"If only the caller needs it (a path, a name, a time), {_left_out(change)}: it keeps getting new values, and "
        "each has its own program."
    )


def _left_out(change: Subject) -> str:
    is_argument = change.path == change.root
    return "do not pass it to the jitted function" if is_argument else f"keep it out of {quote(change.root)}"


def _trace(change: Subject) -> str:
    """How to pass a number as an array, which depends on what holds it."""
    name, leaf = quote(change.name), change.leaf
    if leaf.endswith(AUX_DATA):
        return ", return it from `tree_flatten` as a child, not as auxiliary data"
    if leaf and leaf != change.path and change.is_anew:
        once = "the object" if leaf == "self" else quote(leaf)
        return f", create {once} once, and pass {name} as a separate argument: each object has its own program"
    if leaf and leaf != change.path:
        return f", pass {name} as a separate argument: {quote(leaf)} is static as a whole"
    if change.is_metadata:
        is_yours = "" if change.owner == "user" else " and the class is yours"
        return f"{is_yours}, make {name} a non-static field (in `tree_flatten`, a child) that holds an array"
    if change.wrapper.is_static_by_leaf:
        return f", make {name} an array, which is traced, where you create it"
    return f", {change.wrapper.untie.format(quote(change.root))}"


def _object_of_library(change: Subject) -> str:
    """What to do about a static object that a library makes anew, or takes; "" if it is the user's."""
    if change.type == "type" or change.same == "name" or change.where.startswith("optax/"):
        return ""
    if change.is_inside_library:
        return (
            f"Create {quote(change.made)} once, outside the loop, and pass the same object to every call. What differs "
            "inside it is a library's: to trace that, create the object in the jitted function."
        )
    if not change.is_of_users_call:
        return ""
    return (
        f"Create once, outside the loop, what the call at {change.miss.source} passes as {quote(change.root)}; if the "
        "library creates it, jit a function of yours around this call."
    )


def _static_identity(change: Subject) -> str:
    inside = quote(change.inside_name)
    # several parts of one object, or a jaxpr inside it: the whole object was created again
    is_part = change.beside or "jaxpr" in change.class_name.lower()
    once = f"{quote(change.holder if is_part else change.made)} once, outside the loop,"
    if change.is_owner or change.name == "self":
        once = "the object once, outside the loop,"
    if change.inside_name and change.where.startswith("optax/"):
        return f"Create {once} {_INJECTED}"
    if change.is_of_jax:
        return _OF_ONE_INPUT
    if change.type == "type":
        return "Define the class once, and pass the same class to every call."
    if change.same == "name":
        return "Define the class once, and create the object again after you change the class."
    owner, _, method = change.maker.rpartition(".")
    if owner and method in _BUILDERS and change.closes_over:
        fields = " and ".join(quote(f"self.{name}") for name in change.closes_over if name != "self")
        return f"Make it a method of {quote(owner)}{fields and f' that uses {fields}'}."
    if owner and method in _BUILDERS:
        return f"Define it outside {quote(change.maker)}, so that every {quote(owner)} uses the same one."
    if change.inside and change.inside.before == change.inside.after:
        return (
            f"If {inside} always holds the same values, create {once} and pass the same object to every call; "
            f"otherwise pass {inside} as a separate argument."
        )
    if change.inside_name:  # one object for every call would change the results
        return f"Create {once} and pass {inside} as a separate argument."
    is_users = change.type.rpartition(".")[0] == change.miss.function_info.module and not change.is_owner
    is_plain = is_users and change.same == "content" and change.equality == "identity"
    by_fields = "based on its fields, as `@dataclass(frozen=True)` does"
    or_equal = f", or give `{change.class_name}` an `__eq__` and a `__hash__` {by_fields}" if is_plain else ""
    return f"Create {once} and pass the same object to every call{or_equal}."


def _static_eq(change: Subject) -> str:
    kind = change.class_name
    if change.equality == "never":
        once = (
            "Use None in place of it" if change.leaf else "Create the NaN once and pass the same object to every call"
        )
        return f"{once}, or make `{change.name}` traced and pass `jnp.asarray(jnp.nan)`."
    if change.equality == "hash_only":
        return f"Define `__eq__` in `{kind}` as well, comparing the same fields that `__hash__` uses."
    return f"Make `{kind}.__eq__` return True for equal content, and make `__hash__` consistent with it."


def _treedef(change: Subject) -> str:
    path = quote(change.path)
    if change.event == "redefined":
        return f"Create `{change.root}` again after you redefine its class, or define the class only once."
    was, now = change.before.partition(" ")[0], change.after.partition(" ")[0]
    if change.event == "class" and last_name(was) == last_name(now):
        return "Use the same class in every call: two classes with the same name are different to JAX."
    is_state = change.type.startswith("optax.")
    if (change.is_part or is_state) and "None" not in (change.before, change.after):
        other = " Another optimiser has another state: create it with that optimiser's `init`, and expect one more"
        same = f"Build {quote(change.parent or change.path)} from the same parts in every call."
        return f"{same}{other} compile." if is_state else same
    if change.event == "class":
        return f"Use the same class in every call, {quote(was)} or {quote(now)}."
    if change.event == "order":
        return f"Build {path} with its entries in the same order each time."
    if change.event == "keys":
        keys = f"{quote(change.before)} from {quote(change.after)}"
        return f"Use keys of one type in every call: JAX distinguishes {keys}."
    if change.event == "attribute":
        return "If it is a `cached_property`, make it a plain `property`, or read it before every call."
    return _swapped(change) if change.event == "swapped" else _came_or_went(change)


def _came_or_went(change: Subject) -> str:
    path, parent = change.path, change.parent
    if not parent:
        return f"Pass `{path}` in every call, or in none."
    if change.parent_type in ("list", "tuple"):
        return f"Keep the length of `{parent}` constant; entries of one shape can be stacked into one array and masked."
    if change.is_static:
        return f"Create `{parent}` with `{path}` before the first call: each of its values has its own program."
    like = "a placeholder of the same structure, shapes and dtypes"
    return f"Create `{parent}` with all its entries before the first call, with {like} for `{path}`."


def _swapped(change: Subject) -> str:
    path = change.path
    if change.flag == "many":
        return _only_for_the_caller(change)
    if change.after == "None" and change.twin:
        return (
            "Initialise the optimiser state with only the leaves that have gradients: "
            f"`optimiser.init(eqx.filter({change.twin}, eqx.is_inexact_array))`."
        )
    is_none = "None" in (change.before, change.after)
    if is_none and is_number(change.type) and change.flag == "no":
        return (
            "If it is only used in arithmetic, pass an array in every call, with a value that has no effect in place "
            f"of None; {_IF_STATIC}."
        )
    if change.flag == "yes" or (is_none and change.is_static):
        return f"{_IF_BOTH}: each has its own program."
    if is_none:
        return (
            f"If the function returns {quote(path)}, start with a value like the one that it returns; otherwise, "
            "unless you need both, replace None with a value that has no effect."
        )
    return f"Pass the same kind of `{path}` in every call, either `{change.before}` or `{change.after}`."


def _kwargs_vs_args(change: Subject) -> str:
    has_default = "default" in (change.before, change.after)
    return "Pass it in every call, or in none." if has_default else "Pass it by keyword in every call."


def _function_of_library(change: Subject) -> str:
    """What to do about a function that a library defines anew; "" if it is the user's."""
    is_made = change.event == "anew" and change.type in ("function", "method") and change.miss.source
    if not (change.is_of_library and is_made):
        return ""
    name = "what differs" if change.is_inside_library else quote(change.inside_name)
    passed = f", with {name} as an argument" if change.inside_name else ""
    static = "; what decides a length or a branch there must be static" if change.wrapper.is_loop else ""
    what = "what runs" if change.wrapper.is_loop else quote(change.function)
    return (
        f"Jit a function of yours around the call at {change.miss.source} instead{passed}"
        f"{static}: {what} belongs to a library, whose author could define it once, at {change.where}."
    )


def _there(names: Sequence[str]) -> str:
    """What a function closes over, where it is defined once."""
    named = listed([*map(quote, names)]) if len(names) <= _MOST_NAMED else "all that it closes over"
    return f"{named} passed in or defined there"


def _new_function(change: Subject) -> str:
    if change.event == "options":
        return f"{_IF_BOTH}; otherwise jit it once, with one set of options."
    if change.event == "edited":
        return f"{_IF_BOTH}: different code needs a different program."
    if change.is_rerun:
        return "Rerun the cell that defines it only when its code has changed."
    if change.wrapper.is_loop:
        return _loop(change)
    is_of_jax = change.miss.function_info.module.partition(".")[0] == "jax" and change.type.startswith("jax.")
    return _OF_ONE_INPUT if is_of_jax and change.event == "anew" else _jit_once(change)


def _loop(change: Subject) -> str:
    runs, passed = "the function that it runs", ""
    if change.function in ("while", "cond"):  # it runs several, and one is described
        runs, passed = "all functions that it runs", ", with what they close over passed in or defined there"
    elif change.closes_over:
        passed = f", with {_there(change.closes_over)} instead of closed over"
    return (
        f"Jit the function that calls {_LOOPS.get(change.function, quote(change.function))}; what decides a length "
        f"or a branch there must be static. Or define {runs} once, outside{passed}."
    )


def _jit_once(change: Subject) -> str:
    api, closes_over = quote(change.wrapper.name), change.closes_over
    once = f"Apply {api} once, outside the loop or function that applies it now, and reuse the result"
    if change.is_inside_library and change.held_in:
        return f"{once}. {_held(change)}"
    if change.inside_name:
        # which attributes the function reads is not known
        names = dict.fromkeys(filter(None, (change.inside_name, *map(name_inside, change.also_inside))))
        roots = [(name, name.partition(".")[0]) for name in names]
        told = (quote(name) if name == root else f"what it reads of {quote(root)}" for name, root in roots)
        what = [*dict.fromkeys(told)]
        as_what = "as separate arguments" if len(what) > 1 else "as a separate argument"
        others = [name for name in closes_over if name not in dict(roots).values()]
        return f"{once}, with {listed(what)} {as_what}{f', and {_there(others)}' if others else ''}."
    if change.type == "method" or "self" in closes_over:
        return f"{once}; if every object jits its own method, create the object once."
    return f"{once}{f', with {_there(closes_over)}' if closes_over else ''}."


def _held(change: Subject) -> str:
    """What to do about an object of a library's that a function closes over, and inside which something differs."""
    name = quote(change.held_in)
    if change.inside is not None and change.inside.library == "optax":
        return f"Create {name} once {_INJECTED}"
    return f"What differs inside {name} is a library's: to trace that, create {name} in the jitted function."


def _sharding(change: Subject) -> str:
    put = "with `jax.device_put`"
    side, other = beside(change.miss.signature.traced, change.moved, change.before, change.after)
    if other:
        when = "Before the first call" if change.is_returned and side == change.after else "In every call"
        return f"{when}, place it as {quote(partition_of(side))} on the mesh of {quote(other)}, {put}."
    was, now = quote(change.before), quote(change.after)
    if change.is_returned and mesh_of(change.before) == mesh_of(change.after) != "":
        was = quote(partition_of(change.before))
        return (
            f"If the function returns it, set its `out_shardings` to {was}; otherwise place it as {was} in every call, "
            f"{put}."
        )
    if change.is_returned and not mesh_of(change.before):
        return f"If the function returns it, place it as {now} before the first call, {put}; otherwise in every call."
    where = " or as ".join(quote(one) for one in (change.before, change.after) if one != NOWHERE)
    if change.is_avoidable or NOWHERE in (change.before, change.after):
        return f"In every call, place it as {where}, {put}."
    return f"{_IF_BOTH}; otherwise place it as {where} in every call, {put}."


def _config_context(change: Subject) -> str:
    what = "make every call in the same context"
    if change.path == "mesh":
        what = "make every call inside the same mesh context"
    elif change.path.startswith("jax_") and _LITERAL.fullmatch(change.after):
        around = "do not change it around this call, or " if change.is_avoidable else ""
        what = f"{around}set it once at the start: `jax.config.update({change.path!r}, {change.after})`"
    return f"The program is the same for both: {what}." if change.is_avoidable else f"{_IF_BOTH}; otherwise {what}."


_OUTSIDE = {"vmap": "jax.vmap", "jvp": "jax.jvp", "linearize": "jax.grad", "transpose": "jax.grad"}


def _transform(change: Subject) -> str:
    around = _OUTSIDE.get(change.after.partition(",")[0])
    if change.after == "call":
        return "Nothing to fix: the plain program differs from those of its transforms."
    fine = "" if change.is_avoidable else "Nothing to fix. "
    if around is None:
        return f"{fine}To get one program for all of it, apply `jax.jit` around the outermost transformation."
    inside = f"{around}({last_name(change.function)})"
    return f"{fine}To get one program, jit outside the transform: `jax.jit({inside})`."


def _cache_cleared(change: Subject) -> str:
    is_own = change.miss.cleared == "function"
    call = f"{last_name(change.function)}.clear_cache()" if is_own else "jax.clear_caches()"
    return f"Don't call {quote(call)} in code that runs repeatedly."


def _unexplained(change: Subject) -> str:
    if change.is_unwatched:
        return "To see the reason, load jitviz, or begin to `record` or `watch`, before the first call."
    return "If this happens at every call, save the recording and report it: JAX saw a difference that jitviz did not."


_ADVICE: dict[Kind, Callable[[Subject], str]] = {
    "shape": _shape,
    "dtype": _dtype,
    "weak_type": _weak_type,
    "prng_key_type": lambda change: _OLDER_KEY if "uint32" in (change.dtype_before, change.dtype) else _OTHER_KEY,
    "leaf_kind": lambda _: "Make it an array in every call.",
    "static_value": _static_value,
    "static_identity": lambda change: _object_of_library(change) or _static_identity(change),
    "static_eq": _static_eq,
    "treedef": _treedef,
    "kwargs_vs_args": _kwargs_vs_args,
    "new_function": lambda change: _function_of_library(change) or _new_function(change),
    "committed": lambda _: "Place it the same way before every call, including the first, with `jax.device_put`.",
    "sharding": _sharding,
    "config_context": _config_context,
    "transform": _transform,
    "cache_cleared": _cache_cleared,
    "unexplained": _unexplained,
}
