"""Reasons: each change in one sentence that a newcomer understands.

In: the changes of one miss, the cause first.  Out: reasons.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial

from ..model import Judgement, Kind, Miss, Reason, listed
from ..model.reason import told_when_read
from .advice import advise
from .change import Change, Same
from .placements import NOWHERE
from .subject import Subject, Subjects, quote

_MOST_HIDDEN = 3
_CONTAINER = re.compile(r"(dict|list|tuple) of \d+ ")


def tell(changes: Sequence[Change], miss: Miss, judged: Callable[[], Judgement]) -> tuple[Reason, ...]:
    """One reason per change, in the same order. Its words are made when they are read: few reasons of many are shown.
    `judged` says whether the miss was avoidable, for which programs may have to be compared."""
    subjects = Subjects(changes, miss, judged)
    return tuple(
        told_when_read(
            partial(_word, subjects, place),
            kind=change.kind,
            path=change.path,
            before=change.before,
            after=_after(change),
            shape_before=change.shape_before,
            shape=change.shape,
        )
        for place, change in enumerate(changes)
    )


def _word(subjects: Subjects, place: int, name: str) -> object:
    return _WORDS[name](subjects[place])


def _advise(change: Subject) -> str:
    """Not about what was compiled ahead of time, as intended."""
    return "" if change.miss.stage != "call" or change.is_mended else advise(change)


def _is_expected(change: Subject) -> bool:
    return change.kind != "first" and change.judgement.verdict == "expected"


def _say(change: Subject) -> str:
    sentence = _SENTENCES[change.kind]
    said = sentence.format_map(vars(change)) if isinstance(sentence, str) else sentence(change)
    hidden = listed([quote(path) for path in change.outdated[:_MOST_HIDDEN]])
    return f"{said}; {hidden} changed as well, so the recompile was needed." if hidden else f"{said}."


def _after(change: Change) -> str:
    """The newer side; "a new Config" for an object that prints like the older one."""
    is_alike = change.kind == "static_identity" and change.before == change.after
    return f"a new {change.class_name}" if is_alike else change.after


def _often(change: Subject) -> str:
    """The sentence for many such changes: only the name of what differs inside the object, without its values."""
    once, inside = _say(change), _inside(change)
    if not inside or not once.endswith(f"{inside}."):
        return ""
    return f"{once.removesuffix(f'{inside}.')}; inside it, {quote(change.inside_name)} is different each time."


_WORDS: dict[str, Callable[[Subject], object]] = {
    "summary": _say,
    "advice": _advise,
    "inherent": _is_expected,
    "often": _often,
}


def _sides(change: Subject) -> str:
    return f"from {_occupant(change.before)} to {_occupant(change.after)}"


def _occupant(text: str) -> str:
    """Code in backquotes; a container in words."""
    return f"a {text}" if _CONTAINER.match(text) else quote(text)


def _first(change: Subject) -> str:
    if change.miss.is_retry:
        return f"{quote(change.function)} has no compiled version yet: the previous attempt failed"
    if change.miss.stage != "call":
        return f"{quote(change.function)} had no compiled version yet, and was requested ahead of time"
    return f"{quote(change.function)} was compiled for the first time"


def _weak_type(change: Subject) -> str:
    weak = "weakly typed, like a Python number"
    was, now = ("strongly typed", weak) if change.is_weak else (weak, "strongly typed")
    return f"{quote(change.path)} changed from {change.before} ({was}) to {change.after} ({now})"


def _leaf_kind(change: Subject) -> str:
    kinds = "a static value to an array" if change.is_traced else "an array to a static value"
    return f"{quote(change.path)} changed from {kinds}: {_sides(change)}"


_ANOTHER: dict[Same, str] = {
    "value": "equal but has another type: {type_before} → {type}",
    "dtype": "the same dtype in another form: {type_before} → {type}",
    "entry": "often another way to write the same, but not to JAX",
    "order": "the same entries in another order",
}


def _static_value(change: Subject) -> str:
    what = f"{quote(change.path)} is {'static metadata' if change.is_metadata else 'static'} and changed"
    if change.same:
        return f"{what} {_sides(change)}, which is {_ANOTHER[change.same].format_map(vars(change))}"
    if change.is_other_array:
        return f"{what} to another array {quote(change.after)}"
    is_shown = change.before != change.after
    sides = _sides(change) if is_shown else f"in a part of {quote(change.after)} that is not shown"
    doubt = ", which may or may not count: only the `__eq__` of the values can tell" if change.is_doubtful else ""
    return f"{what} {sides}{doubt}"


_LIKENESS: dict[Same | None, str] = {
    "code": "with the same code",
    "content": "with the same content",
    "looks": "that looks the same",
}


def _static_identity(change: Subject) -> str:
    owner, where = _owner(change), _where(change)
    if change.type == "type":
        return f"{owner} changed to a new class of the same name, and JAX compares classes by identity"
    if change.same == "name":
        return f"{owner} changed its class: it was redefined under the same name"
    because = "JAX compares such objects by identity"
    if change.is_owner:
        because = "methods are equal only if they belong to the same object"
    likeness = _LIKENESS[change.same]
    return f"{owner} changed to a new {change.class_name} {likeness}{where}, and {because}{_inside(change)}"


def _static_eq(change: Subject) -> str:
    kind = quote(change.class_name)
    if change.equality == "never":
        return f"{quote(change.path)} is static and NaN, and NaN equals nothing, not even itself"
    changed = f"{_owner(change)} changed to a new {kind} with the same content"
    if change.equality == "hash_only":
        return f"{changed}, and {kind} has `__hash__` but no `__eq__`: no two instances are equal"
    return f"{changed}, but the `__eq__` of {kind} does not treat them as equal"


def _owner(change: Subject) -> str:
    """The object that was created again."""
    return f"the object that the method {quote(change.holder)} belongs to" if change.is_owner else quote(change.path)


def _where(change: Subject) -> str:
    return f" (defined at {change.where})" if change.where else ""


def _inside(change: Subject) -> str:
    inside = change.inside
    if inside is None or not change.inside_name:
        return ""
    if inside.before == inside.after:
        return f"; inside it, {quote(change.inside_name)} is another {quote(inside.after)}"
    return f"; inside it, {quote(change.inside_name)} went from {quote(inside.before)} to {quote(inside.after)}"


def _treedef(change: Subject) -> str:
    path, holder, event = quote(change.path), change.parent, change.event
    if event == "came":
        return f"{path} is {f'new in {quote(holder)}' if holder else 'a new argument'}: {_occupant(change.after)}"
    if event == "went":
        gone = f"gone from {quote(holder)}" if holder else "no longer passed"
        return f"{path} is {gone}: it was {_occupant(change.before)}"
    if event == "redefined":
        name = change.after.partition(" ")[0]
        return f"{path} changed its class: {quote(name)} was redefined under the same name"
    if event == "attribute":
        what = f"the attribute {quote(change.attribute)}, which" if change.attribute else "an attribute that"
        return f"{path} {'lost' if change.after == 'fields' else 'gained'} {what} is not a field"
    if event == "order":
        return f"{path} changed the order of its entries"
    what = {"keys": "the type of its keys ", "class": "its class "}.get(event or "", "")
    return f"{path} changed {what}{_sides(change)}"


def _kwargs_vs_args(change: Subject) -> str:
    other = "which is a different argument list to JAX"
    if change.before == "default":
        return f"{quote(change.path)} was left at its default and is now passed, {other}"
    if change.after == "default":
        return f"{quote(change.path)} was passed and is now left at its default, {other}"
    return f"{quote(change.path)} changed from a {change.before} argument to a {change.after} one"


def _new_function(change: Subject) -> str:
    name, event, where = quote(change.function), change.event, _where(change)
    if event == "options":
        return f"{name} was jitted again, and {quote(change.option)} changed {_sides(change)}"
    if change.is_rerun:
        code = "its code was edited" if event == "edited" else "its code is the same"
        return f"{name} changed to a new function: a cell has defined it again{where}, and {code}"
    if event == "edited":
        return f"{name} changed to a new function with different code{where}"
    if event == "remade":
        inner = "a function that it runs (a condition, a branch, one derived by JAX)"
        return f"{name} itself is the same function, but {inner} is a new object"
    if event == "rewrapped":
        return f"{name} itself is the same function, but its wrapper, such as `jax.grad`, changed to a new object"
    subject = f"the {change.class_name} that {name} runs" if change.wrapper.is_loop else name
    because = f"and JAX caches per function object{_inside(change)}"
    return f"{subject} changed to a new object with the same code{where}, {because}"


def _committed(change: Subject) -> str:
    where = f" (on {quote(change.where)})" if change.where else ""
    changed = f"{quote(change.path)} changed from {change.before} to {change.after}{where}"
    return f"{changed}, and JAX compiles a version for each"


def _sharding(change: Subject) -> str:
    sides = change.before, change.after
    was, now = ("none, as it was not placed," if side == NOWHERE else quote(side) for side in sides)
    return f"{quote(change.path)} changed its sharding from {was} to {now.replace('was', 'is').rstrip(',')}"


_TRANSFORMS = {
    "jvp": "its program for directional derivatives",
    "linearize": "its forward program for differentiation",
    "jax.linearize": "its forward program for `jax.linearize`",
    "linearized": "its linear program",
    "transpose": "its backward program",
    "vmap": "its batched program",
    "call": "its plain program",
}


def _transform(change: Subject) -> str:
    words, _, arguments = change.after.partition(", by ")
    program = _TRANSFORMS.get(words, f"its program for {quote(words)}")
    program += f" by {' and '.join(map(quote, arguments.split(' and ')))}" if arguments else ""
    if change.after == "call":
        return f"{quote(change.function)} was called by itself, and {program} was compiled for the first time"
    what = "created again, as at every such call" if change.event == "anew" else "compiled for the first time"
    return f"{quote(change.function)} was transformed from outside, and {program} was {what}"


def _cache_cleared(change: Subject) -> str:
    what = "`clear_cache()` has been called" if change.miss.cleared == "function" else "JAX's caches have been cleared"
    return f"{quote(change.function)} was compiled for the same arguments before, but {what} since"


def _unexplained(change: Subject) -> str:
    name = quote(change.function)
    if change.is_unwatched:
        return f"{name} was compiled before jitviz started to watch, so what changed since then is not known"
    hidden = ", ".join(change.hidden)
    more = f"; there may be more to {quote(hidden)} than jitviz can see" if hidden else ""
    note = f" ({change.miss.signature.note})" if change.miss.signature.note else ""
    expected = f"expected a hit, because {name} was compiled for the same arguments and settings before"
    return f"{expected}; observed: {change.after}{more}{note}"


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
    "sharding": _sharding,
    "config_context": "the setting `{path}` changed from `{before}` to `{after}`",
    "transform": _transform,
    "cache_cleared": _cache_cleared,
    "unexplained": _unexplained,
}
