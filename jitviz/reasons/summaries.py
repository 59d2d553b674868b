"""Reasons: each change in one sentence that a newcomer understands.

In: the changes of one miss, the cause first.  Out: reasons.
Must never: decide what the cause is; that was decided before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..model import Kind, Miss, Reason
from .advice import advise
from .change import Change, Same
from .inherent import is_inherent
from .subject import Subject, quote, subjects

_CONTAINER = re.compile(r"(dict|list|tuple) of \d+ ")


def tell(changes: Sequence[Change], miss: Miss) -> tuple[Reason, ...]:
    """One reason per change, in the same order; without advice for what was compiled ahead of time, as intended."""
    is_ahead = miss.stage != "call"
    return tuple(
        Reason(
            kind=found.kind,
            path=found.path,
            before=found.before,
            after=_after(found),
            summary=_say(found),
            advice="" if is_ahead or found.facts.is_mended else advise(found),
            inherent=is_inherent(found, miss),
            often=_often(found),
            could_be_traced=found.could_be_traced,
        )
        for found in subjects(changes, miss)
    )


def _say(found: Subject) -> str:
    sentence = _SENTENCES[found.kind]
    return (sentence.format_map(vars(found)) if isinstance(sentence, str) else sentence(found)) + "."


def _after(found: Subject) -> str:
    """The newer side; "a new Config" for an object that prints like the older one."""
    is_alike = found.kind == "static_identity" and found.before == found.after
    return f"a new {found.class_name}" if is_alike else found.after


def _often(found: Subject) -> str:
    """The sentence for many such changes: only the name of what differs inside the object, without its values."""
    once, inside = _say(found), _inside(found)
    if not inside or not once.endswith(f"{inside}."):
        return ""
    return f"{once.removesuffix(f'{inside}.')}; inside it, {quote(found.inside)} is different each time."


def _sides(found: Subject) -> str:
    return f"from {_occupant(found.before)} to {_occupant(found.after)}"


def _occupant(text: str) -> str:
    """Code in backquotes; a container in words."""
    return f"a {text}" if _CONTAINER.match(text) else quote(text)


def _first(found: Subject) -> str:
    if found.miss.is_retry:
        return f"{quote(found.function)} has no compiled version yet: the previous attempt failed"
    if found.miss.stage != "call":
        return f"{quote(found.function)} had no compiled version yet, and was requested ahead of time"
    return f"{quote(found.function)} was compiled for the first time"


def _weak_type(found: Subject) -> str:
    weak = "weakly typed, like a Python number"
    was, now = ("strongly typed", weak) if found.facts.is_weak else (weak, "strongly typed")
    return f"{quote(found.path)} changed from {found.before} ({was}) to {found.after} ({now})"


def _leaf_kind(found: Subject) -> str:
    kinds = "a static value to an array" if found.facts.is_traced else "an array to a static value"
    return f"{quote(found.path)} changed from {kinds}: {_sides(found)}"


def _static_value(found: Subject) -> str:
    what = "static metadata" if found.facts.is_metadata else "static"
    if found.facts.same:
        another = (
            "is equal but has another type" if found.facts.same == "value" else "is the same dtype in another form"
        )
        types = f"{found.facts.type_before} → {found.facts.type}"
        return f"{quote(found.path)} is {what} and changed {_sides(found)}, which {another}: {types}"
    if found.is_other_array:
        return f"{quote(found.path)} is {what} and changed to another array {quote(found.after)}"
    changed = _sides(found) if found.before != found.after else f"in a part of {quote(found.after)} that is not shown"
    doubt = ", which may or may not count: only the `__eq__` of the values can tell" if found.facts.is_doubtful else ""
    return f"{quote(found.path)} is {what} and changed {changed}{doubt}"


_SAME: dict[Same | None, str] = {
    "code": "a new {kind} with the same code",
    "content": "a new {kind} with the same content",
    "looks": "a new {kind} that looks the same",
}


def _static_identity(found: Subject) -> str:
    if found.facts.type == "type":
        return f"{_whose(found)} changed to a new class of the same name, and JAX compares classes by identity"
    if found.facts.same == "name":
        return f"{_whose(found)} changed its class: it was redefined under the same name"
    where = f" (defined at {found.facts.where})" if found.facts.where else ""
    what = _SAME[found.facts.same].format(kind=found.class_name)
    because = "JAX compares such objects by identity"
    if found.is_owner:
        because = "methods are equal only if they belong to the same object"
    return f"{_whose(found)} changed to {what}{where}, and {because}{_inside(found)}"


def _static_eq(found: Subject) -> str:
    kind = quote(found.class_name)
    if found.facts.equality == "never":
        return f"{quote(found.path)} is static and NaN, and NaN equals nothing, not even itself"
    if found.facts.equality == "hash_only":
        return (
            f"{_whose(found)} changed to a new {kind} with the same content, and {kind} has `__hash__` but no "
            "`__eq__`: no two instances are equal"
        )
    return (
        f"{_whose(found)} changed to a new {kind} with the same content, but the `__eq__` of {kind} does not "
        "treat them as equal"
    )


def _whose(found: Subject) -> str:
    if found.is_owner:
        return f"the object that the method {quote(found.holder)} belongs to"
    return quote(found.path)


def _inside(found: Subject) -> str:
    inside = found.facts.inside
    if inside is None or not found.inside:
        return ""
    if inside.before == inside.after:
        return f"; inside it, {quote(found.inside)} is another {quote(inside.after)}"
    return f"; inside it, {quote(found.inside)} went from {quote(inside.before)} to {quote(inside.after)}"


def _treedef(found: Subject) -> str:
    path, what, holder = quote(found.path), found.facts.event, found.facts.parent
    if what == "came":
        return f"{path} is {f'new in {quote(holder)}' if holder else 'a new argument'}: {_occupant(found.after)}"
    if what == "went":
        gone = f"gone from {quote(holder)}" if holder else "no longer given"
        return f"{path} is {gone}: it was {_occupant(found.before)}"
    if what == "redefined":
        return f"{path} changed its class: {quote(found.after.partition(' ')[0])} was redefined under the same name"
    if what == "order":
        return f"{path} changed the order of its entries"
    if what == "keys":
        return f"{path} changed the type of its keys {_sides(found)}"
    if what == "attribute":
        named = f"the attribute {quote(found.facts.attribute)}, which" if found.facts.attribute else "an attribute that"
        return f"{path} {'lost' if found.after == 'fields' else 'gained'} {named} is not a field"
    if what == "class":
        return f"{path} changed its class {_sides(found)}"
    return f"{path} changed {_sides(found)}"


def _kwargs_vs_args(found: Subject) -> str:
    other = "which is a different argument list to JAX"
    if found.before == "default":
        return f"{quote(found.path)} was left at its default and is now passed, {other}"
    if found.after == "default":
        return f"{quote(found.path)} was passed and is now left at its default, {other}"
    return f"{quote(found.path)} changed from a {found.before} argument to a {found.after} one"


def _new_function(found: Subject) -> str:
    name, what = quote(found.function), found.facts.event
    if what == "options":
        return f"{name} was jitted again, and {quote(found.facts.option)} changed {_sides(found)}"
    where = f" (defined at {found.facts.where})" if found.facts.where else ""
    if found.facts.is_rerun:
        code = "its code was edited" if what == "edited" else "its code is the same"
        return f"{name} changed to a new function: a cell has defined it again{where}, and {code}"
    if what == "edited":
        return f"{name} changed to a new function with different code{where}"
    if what == "remade":
        inner = "a function that it runs (a condition, a branch, one derived by JAX)"
        return f"{name} itself is the same function, but {inner} is a new object"
    if what == "rewrapped":
        return f"{name} itself is the same function, but its wrapper, such as `jax.grad`, changed to a new object"
    kind = found.class_name
    subject = f"the {kind} that {name} runs" if found.wrapper.is_loop else name
    because = f"and JAX caches per function object{_inside(found)}"
    return f"{subject} changed to a new object with the same code{where}, {because}"


def _committed(found: Subject) -> str:
    where = f" (on {quote(found.facts.where)})" if found.facts.where else ""
    return (
        f"{quote(found.path)} changed from {found.before} to {found.after}{where}, and JAX compiles a version for each"
    )


_TRANSFORMS = {
    "jvp": "its program for directional derivatives",
    "linearize": "its forward program for differentiation",
    "jax.linearize": "its forward program for `jax.linearize`",
    "linearized": "its linear program",
    "transpose": "its backward program",
    "vmap": "its batched program",
    "call": "its plain program",
}


def _transform(found: Subject) -> str:
    words, _, arguments = found.after.partition(", by ")
    program = _TRANSFORMS.get(words, f"its program for {quote(words)}")
    program += f" by {' and '.join(map(quote, arguments.split(' and ')))}" if arguments else ""
    if found.after == "call":
        return f"{quote(found.function)} was called by itself, and {program} was compiled for the first time"
    what = "created again, as at every such call" if found.facts.event == "anew" else "compiled for the first time"
    return f"{quote(found.function)} was transformed from outside, and {program} was {what}"


def _cache_cleared(found: Subject) -> str:
    what = "`clear_cache()` has been called" if found.miss.cleared == "function" else "JAX's caches have been cleared"
    return f"{quote(found.function)} was compiled for the same arguments before, but {what} since"


def _unexplained(found: Subject) -> str:
    name = quote(found.function)
    if found.facts.is_unwatched:
        return f"{name} was compiled before jitviz watched, so what changed since then is not known"
    hidden = ", ".join(found.facts.hidden)
    more = f"; there may be more to {quote(hidden)} than jitviz can see" if hidden else ""
    note = f" ({found.miss.signature.note})" if found.miss.signature.note else ""
    return (
        f"expected a hit, because {name} was compiled for the same arguments and settings before; observed: "
        f"{found.after}{more}{note}"
    )


# A string is a template for the fields of the change.
_SENTENCES: dict[Kind, str | Callable[[Subject], str]] = {
    "first": _first,
    "shape": "`{path}` changed its shape from {before} to {after}",
    "dtype": "`{path}` changed its dtype from {before} to {after}",
    "weak_type": _weak_type,
    "prng_key_type": "`{path}` changed its kind of PRNG key from `{before}` to `{after}`",
    "leaf_kind": _leaf_kind,
    "static_value": _static_value,
    "static_identity": _static_identity,
    "static_eq": _static_eq,
    "treedef": _treedef,
    "kwargs_vs_args": _kwargs_vs_args,
    "new_function": _new_function,
    "committed": _committed,
    "sharding": "`{path}` changed its sharding from `{before}` to `{after}`",
    "config_context": "the setting `{path}` changed from `{before}` to `{after}`",
    "transform": _transform,
    "cache_cleared": _cache_cleared,
    "unexplained": _unexplained,
}
