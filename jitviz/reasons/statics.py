"""Two static values: how they differ, and whether one is another value or the same value created again.

In: two descriptions at the same path.  Out: changes of the kinds static_value, static_identity, static_eq.

How a user's `__eq__` decides is never guessed. Two objects that look the same and that user code compares count as
equal here, unless nothing else explains a recompile (`is_sure=False`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from ..model import Description, Leaf, Signature, equality
from ..model.equality import is_array
from .change import Change
from .insides import is_compared_elsewhere, is_redefined
from .kinds.static_identity import made_anew
from .kinds.static_value import another_value, is_other_order
from .values import AUX_DATA, described


def compare_statics(before: Leaf, after: Leaf, *, is_sure: bool = True, is_typed: bool = False) -> Iterator[Change]:
    """Every difference for which JAX treats the two static leaves as unequal; with `is_typed`, also of equal values
    that have two types. What a user's `__eq__` may not have seen is marked as doubtful.

    Without `is_sure`, also the differences that look like none.
    """
    was, now = described(before), described(after)
    is_typed = is_typed and not after.is_metadata and equality.types_of(was) != equality.types_of(now)
    for change in _differences(was, now, "", is_sure=is_sure, is_typed=is_typed):
        path = (after.path + change.path).partition(AUX_DATA)[0]
        leaf = after.path if change.path or path != after.path else ""
        yield replace(change, path=path, is_metadata=after.is_metadata, leaf=leaf)


def differs_from_itself(leaf: Leaf) -> bool:
    """Whether a static value holds a NaN, which equals nothing."""
    return leaf.static is not None and leaf.static.holds_nan


def may_differ_unseen(before: Signature, after: Signature) -> bool:
    """Whether static values that look the same may be unequal, in parts that their descriptions leave out.

    A value cannot be if it is the same object as before. What is inside functions and other objects that compare by
    identity does not count.
    """
    known = {(leaf.path, leaf.is_metadata): described(leaf) for leaf in before.static}
    for leaf in after.static:
        now, then = described(leaf), known.get((leaf.path, leaf.is_metadata))
        is_same = now == then and now.token is not None
        if not is_same and equality.has_hidden(_by_value(now)):
            return True
    return False


def _by_value(description: Description) -> Description:
    """A value without the insides of the parts that compare by identity."""
    if equality.equals_itself_only(description):
        return Description(description.type, description.text)
    return replace(description, fields=tuple((label, _by_value(part)) for label, part in description.fields))


def _differences(
    before: Description, after: Description, path: str, *, is_sure: bool, is_typed: bool = False
) -> Iterator[Change]:
    """Changes at `path`, which is a path inside the leaf. With `is_typed`, the types are known to count."""
    if equality.are_equal(before, after) and not is_typed and (is_sure or before.type == after.type):
        return
    if before.type != after.type or before.equality != after.equality:
        yield replace(another_value(path, before, after), is_doubtful=not is_typed and _may_be_equal(before, after))
    elif is_redefined(before, after):
        yield made_anew("static_identity", path, before, after)
    elif after.equality == "never":
        if before.token is None or before.token != after.token:  # Python finds one and the same object equal
            yield made_anew("static_eq", path, before, after)
    elif after.equality == "value":
        yield from _inside(before, after, path, is_sure=is_sure)
    elif after.equality == "custom":
        yield from _inside_custom(before, after, path, is_sure=is_sure)
    elif before.token != after.token and not is_sure and is_array(after.type):
        yield another_value(path, before, after)  # user code that compares arrays compares their elements
    elif before.token != after.token or after.equality == "hash_only":
        yield from _another_object(before, after, path)


def _may_be_equal(before: Description, after: Description) -> bool:
    """Whether two values of different types may be equal: a user's `__eq__` decides, or they hold the same, as a named
    tuple and a tuple may."""
    is_custom = "custom" in (before.equality, after.equality)
    held = [
        [equality.key_of(part, is_sure=False) for _, part in equality.fields_of(value)] for value in (before, after)
    ]
    return is_custom or equality.is_one_dtype(before, after) or held[0] == held[1] != []


def _inside_custom(before: Description, after: Description, path: str, *, is_sure: bool) -> Iterator[Change]:
    """A user's `__eq__` compares plain values; whether it compares objects that were created again is unknown. So is
    whether it compares what one and the same object gained since, which may be a cache or a new value."""
    is_same = before.token is not None and before.token == after.token
    changes = [replace(change, is_doubtful=True) for change in _inside(before, after, path, is_sure=is_sure)]
    if is_sure:
        yield from () if is_same else _values(changes)
    elif changes or is_same:
        yield from changes
    else:
        yield made_anew("static_eq", path, before, after)


def _another_object(before: Description, after: Description, path: str) -> Iterator[Change]:
    """Two objects that compare by identity: another value, or the same value created again? One whose hash may follow
    its fields may have been changed in place."""
    if before.token == after.token:
        yield from (replace(change, is_doubtful=True) for change in _inside(before, after, path, is_sure=True))
        return
    if before.code != after.code:
        yield another_value(path, before, after)
        return
    # What a function closes over is not part of its value: with the same code it is the same function created again.
    values = list(_values(_inside(before, after, path, is_sure=True))) if after.code is None else []
    kind: Literal["static_eq", "static_identity"] = "static_eq" if after.equality == "hash_only" else "static_identity"
    yield from (replace(change, is_anew=True) for change in values)
    if not values:
        yield made_anew(kind, path, before, after)


def _values(changes: Iterable[Change]) -> Iterator[Change]:
    return (change for change in changes if change.kind == "static_value")


def _inside(before: Description, after: Description, path: str, *, is_sure: bool) -> Iterator[Change]:
    """Differences between the fields, or of the whole value if the fields do not show any."""
    if is_compared_elsewhere(before, after):
        return
    old, new = dict(equality.fields_of(before)), dict(equality.fields_of(after))
    has_other_text = not (old or new) and before.text != after.text and after.code is None
    has_other_fields = old.keys() != new.keys() and not _is_partly_described(before, after)
    if is_other_order(before, after) or has_other_fields or before.code != after.code or has_other_text:
        yield another_value(path, before, after)
        return
    has_changed = False
    for label in (label for label in new if label in old):
        # items of a set have no place that a person could name
        step = label if label[0] in ".[<" else ""
        for change in _differences(old[label], new[label], path + step, is_sure=is_sure):
            has_changed = True
            yield change
    if before.rest != after.rest and not has_changed and not _is_partly_described(before, after):
        yield another_value(path, before, after)


def _is_partly_described(before: Description, after: Description) -> bool:
    """Whether one description was cut earlier than the other, and both have the same fields up to there."""
    shorter, longer = sorted((before, after), key=lambda description: len(description.fields))
    labels = [label for label, _ in longer.fields[: len(shorter.fields)]]
    is_open = shorter.is_cut and shorter.rest is None and bool(shorter.fields)
    return is_open and labels == [label for label, _ in shorter.fields]
