"""Static values: in what two of them differ, and whether they are another value or the same one made anew.

In: two descriptions at the same path.  Out: changes of the kinds static_value, static_identity, static_eq.
Must never: guess how a user's `__eq__` decides. Two objects that look the same and compare by code of the user's count
as equal here; `suspects` names them once nothing else explains a recompile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from ..model import Description, Leaf, Signature
from .change import Change, Facts, Inside, Same
from .equals import are_alike, is_number, is_one_dtype, type_of

_CONTAINERS = ("tuple", "list", "dict", "set", "frozenset")
# These are the mapping that they hold, and compare as it does: people know their keys, and not their attributes.
_MAPPINGS = frozenset({"flax.core.frozen_dict.FrozenDict"})
CLOSURE = "<closure "
AUX_DATA = ".<aux_data>"  # metadata that no attribute was found for: the node itself is to blame


def compare_statics(before: Leaf, after: Leaf) -> Iterator[Change]:
    """Every difference for which JAX takes the two static leaves as unequal."""
    return _at_leaf(_differences(described(before), described(after), "", is_sure=True), after)


def suspects(before: Leaf, after: Leaf) -> Iterator[Change]:
    """Differences that a user's own `__eq__` may or may not have seen."""
    return _at_leaf(_differences(described(before), described(after), "", is_sure=False), after)


def key_of(description: Description) -> object:
    """Equal for two descriptions only if `compare_statics` finds no difference between them, NaN aside.

    The reverse holds too, but for objects with an `__eq__` of the user's that were changed in place.
    """
    if description.equality in ("identity", "hash_only") and description.token is not None:
        return description.token
    fields = sorted(_fields(held(description)), key=lambda field: field[0])
    parts = tuple((label, key_of(part)) for label, part in fields)
    text = None if parts else description.text
    return description.type, description.type_token, text, description.code, description.rest, parts


def marks_of(description: Description, place: str = "") -> Iterator[object]:
    """One mark per property of a value, of what it holds and of what that holds, for counting changes.

    The type is part of every place, so that nothing inside a value of another type counts as unchanged.
    """
    place += description.type
    is_one_object = description.equality in ("identity", "hash_only") and description.token is not None
    if is_one_object:
        yield place, description.token
    if description.fields or description.code is not None:
        yield place, description.type_token, description.code, description.rest
    elif not is_one_object:
        yield place, description.type_token, description.text, description.rest
    for label, part in description.fields:
        yield from marks_of(part, place + label)


def described(leaf: Leaf) -> Description:
    """The description of a static leaf."""
    return leaf.static or Description(leaf.type, leaf.repr)


def is_flag(description: Description) -> bool:
    """Whether it may be a value out of few: bool, None, string, enum member."""
    if description.type in ("bool", "NoneType", "str"):
        return True
    name = re.escape(description.type.rpartition(".")[2])
    return description.token is None and re.fullmatch(rf"{name}\.\w+(\|\w+)*", description.text) is not None


def words_of(*descriptions: Description) -> frozenset[str]:
    """The strings among values that may be flags: how many there are decides whether it is one."""
    return frozenset(part.rest or part.text for part in descriptions if part.type == "str")


def has_hidden(description: Description) -> bool:
    """Whether there is more to a value than its description tells: array values, what was cut, what has no fields."""
    is_named = description.code is not None or description.type in ("type", *_CONTAINERS)
    is_opaque = description.token is not None and not description.fields and not is_named
    if description.same_as is not None:  # what it holds is told elsewhere
        return False
    is_cut = description.is_cut and description.rest is None
    return is_cut or is_opaque or any(has_hidden(part) for _, part in description.fields)


def may_differ_unseen(before: Signature, after: Signature) -> bool:
    """Whether static values that look the same may be unequal, in what is not told of them.

    A value is not when it is the very object that it was; of functions and other objects that are compared by identity,
    what is inside does not count.
    """
    known = {(leaf.path, leaf.is_metadata): described(leaf) for leaf in before.static}
    for leaf in after.static:
        now, then = described(leaf), known.get((leaf.path, leaf.is_metadata))
        is_same = now == then and now.token is not None
        if not is_same and has_hidden(_by_value(now)):
            return True
    return False


def _by_value(description: Description) -> Description:
    """A value without what is inside of its parts that are compared by identity."""
    if description.equality in ("identity", "hash_only") and description.token is not None:
        return Description(description.type, description.text)
    return replace(description, fields=tuple((label, _by_value(part)) for label, part in description.fields))


def held(description: Description) -> Description:
    """The dict that stands for a mapping of a known type, else the value itself."""
    if description.type not in _MAPPINGS:
        return description
    return next((part for label, part in description.fields if label[0] == "." and part.type == "dict"), description)


def has_own_equals(description: Description) -> bool:
    """Whether code of the user's decides what equals this value, or a part of it."""
    description = held(description)
    return description.equality == "custom" or any(has_own_equals(part) for _, part in description.fields)


def is_redefined(before: Description, after: Description) -> bool:
    """Whether the class was defined anew under the same name: its instances are equal to none of the old one."""
    return before.type_token != after.type_token and None not in (before.type_token, after.type_token)


def first_inside(before: Description, after: Description, path: str = "") -> Inside | None:
    """The first place inside two things made alike where they differ.

    It looks into closures, defaults and attributes, whatever they compare by; places that only hold another object with
    the same content are passed over.
    """
    if _is_told_elsewhere(before, after):
        return None
    old, new = dict(held(before).fields), dict(held(after).fields)
    if before.type != after.type or before.code != after.code or old.keys() != new.keys():
        return Inside(path, before.text, after.text)
    if not new:
        is_other = before.text != after.text and after.code is None
        return Inside(path, before.text, after.text) if is_other else None
    for label, part in new.items():
        found = first_inside(old[label], part, path + label)
        if found is not None:
            return found
    return None


def _at_leaf(changes: Iterator[Change], leaf: Leaf) -> Iterator[Change]:
    for change in changes:
        path = (leaf.path + change.path).partition(AUX_DATA)[0]
        facts = replace(
            change.facts, is_metadata=leaf.is_metadata, leaf=leaf.path if change.path or path != leaf.path else ""
        )
        yield replace(change, path=path, facts=facts)


def _differences(before: Description, after: Description, path: str, *, is_sure: bool) -> Iterator[Change]:
    """Changes at `path`, which is a path inside the leaf."""
    if is_sure and are_alike(before, after):
        return  # JAX looks at the types of some values only
    if before.type != after.type or before.equality != after.equality:
        yield another_value(path, before, after)
    elif is_redefined(before, after):
        yield _made_anew("static_identity", path, before, after)
    elif before.type in _MAPPINGS:
        yield from _inside(held(before), held(after), path, is_sure=is_sure)
    elif after.equality == "never":
        yield _made_anew("static_eq", path, before, after)
    elif after.equality == "value":
        yield from _inside(before, after, path, is_sure=is_sure)
    elif after.equality == "custom":
        yield from _inside_custom(before, after, path, is_sure=is_sure)
    elif before.token != after.token and not is_sure and is_array(after.type):
        yield another_value(path, before, after)  # whoever compares arrays looks into them
    elif before.token != after.token:
        yield from _another_object(before, after, path)


def is_array(kind: str) -> bool:
    """Whether values of this type are arrays, of which only shape and dtype are told."""
    return kind.rpartition(".")[2] in ("ndarray", "ArrayImpl")


def _inside_custom(before: Description, after: Description, path: str, *, is_sure: bool) -> Iterator[Change]:
    """A user's `__eq__` looks at plain values; whether it looks at objects that were made anew cannot be known.

    Nor can it for what was put into one and the same object since: a cache that it fills, or a new value.
    """
    found = list(_inside(before, after, path, is_sure=is_sure))
    if is_sure:
        yield from _values(found) if before.token != after.token else ()
    elif found or before.token == after.token:
        yield from found
    else:
        yield _made_anew("static_eq", path, before, after)


def _another_object(before: Description, after: Description, path: str) -> Iterator[Change]:
    """Two objects that compare by identity: another value, or the same one made anew?"""
    if before.code != after.code:
        yield another_value(path, before, after)
        return
    # what a function closes over is no part of its value: it is the same function made anew, whatever it holds
    values = list(_values(_inside(before, after, path, is_sure=True))) if after.code is None else []
    kind: Literal["static_eq", "static_identity"] = "static_eq" if after.equality == "hash_only" else "static_identity"
    yield from values or [_made_anew(kind, path, before, after)]


def _values(changes: Iterator[Change] | list[Change]) -> Iterator[Change]:
    return (change for change in changes if change.kind == "static_value")


def _inside(before: Description, after: Description, path: str, *, is_sure: bool) -> Iterator[Change]:
    """Differences of the fields; of the whole where the fields do not tell."""
    if _is_told_elsewhere(before, after):
        return
    old, new = dict(_fields(before)), dict(_fields(after))
    has_other_text = not (old or new) and before.text != after.text and after.code is None
    has_other_fields = old.keys() != new.keys() and not _is_shorter_look(before, after)
    if has_other_fields or before.code != after.code or has_other_text:
        yield another_value(path, before, after)
        return
    found = False
    for label in (label for label in new if label in old):
        # items of a set have no place that a person could name
        step = label if label[0] in ".[<" else ""
        for change in _differences(old[label], new[label], path + step, is_sure=is_sure):
            found = True
            yield change
    if before.rest != after.rest and not found and not _is_shorter_look(before, after):
        yield another_value(path, before, after)


def _is_shorter_look(before: Description, after: Description) -> bool:
    """Whether one was looked at less far than the other, and as far as that they have the same fields."""
    shorter, longer = sorted((before, after), key=lambda one: len(one.fields))
    labels = [label for label, _ in longer.fields[: len(shorter.fields)]]
    is_open = shorter.is_cut and shorter.rest is None and bool(shorter.fields)
    return is_open and labels == [label for label, _ in shorter.fields]


def _is_told_elsewhere(before: Description, after: Description) -> bool:
    """Whether the fields of one of two objects of a class stand at another place, where they are compared."""
    return before.type == after.type and (before.same_as, after.same_as) != (None, None)


def _fields(description: Description) -> Iterator[tuple[str, Description]]:
    """The fields, each with the equality that decides here: two methods are equal only of one and the same object."""
    is_method = description.type == "method"
    for label, part in description.fields:
        is_owner = is_method and label == ".__self__" and part.token is not None
        yield label, replace(part, equality="identity") if is_owner else part


def closed_over(description: Description) -> Iterator[tuple[str, Description]]:
    """The names that a function closes over, each with what it stands for."""
    for label, part in description.fields:
        if label.startswith(CLOSURE):
            yield label[len(CLOSURE) : -1], part


def of_text(text: str, other: str) -> Description:
    """A plain value of which only the text is known; of which type, if it tells: else the `other` one's."""
    kind = {"True": "bool", "False": "bool", "None": "NoneType"}.get(text, "str" if text[:1] in ("'", '"') else other)
    return Description(kind, text)


def another_value(path: str, before: Description, after: Description) -> Change:
    """The change of a static value."""
    was, now = before.text, after.text
    if was == now and before.type != after.type:
        was, now = f"{was} ({before.type})", f"{now} ({after.type})"
    same: Same | None = "value" if are_alike(before, after) else "dtype" if is_one_dtype(before, after) else None
    facts = Facts(
        type_before=type_of(before),
        type=type_of(after),
        same=same,
        flag="yes" if is_flag(before) and is_flag(after) and same is None else "no",
        words=words_of(before, after),
        numbers=_numbers_of(before.type, after.type),
    )
    return Change("static_value", path, was, now, facts)


def _numbers_of(*types: str) -> Literal["none", "one", "both"]:
    """Which of two values are numbers: both (those of NumPy and truth values count), or one beside None."""
    if all(map(is_number, types)):
        return "both"
    return "one" if {*types} & {"int", "float", "complex"} and "NoneType" in types else "none"


def _made_anew(
    kind: Literal["static_eq", "static_identity"], path: str, before: Description, after: Description
) -> Change:
    facts = Facts(
        type=after.type,
        equality=after.equality,
        where=after.origin or "",
        maker=after.maker,
        closes_over=tuple(name for name, _ in closed_over(after)),
        same=_what_is_same(before, after),
        inside=first_inside(before, after),
    )
    return Change(kind, path, before.text, after.text, facts)


def _what_is_same(before: Description, after: Description) -> Same:
    if is_redefined(before, after) or after.type == "type":
        return "name"
    if after.code is not None:
        return "code"
    return "looks" if has_hidden(before) or has_hidden(after) else "content"
