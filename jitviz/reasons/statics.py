"""Two static values: how they differ, and whether one is another value or the same value created again.

In: two descriptions at the same path.  Out: changes of the kinds static_value, static_identity, static_eq.
Must never: guess how a user's `__eq__` decides. Two objects that look the same and that user code compares count as
equal here, unless nothing else explains a recompile (`is_sure=False`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from ..model import Description, Leaf, Signature, equality
from .change import Change, Inside, Same
from .values import AUX_DATA, closed_over, described, flag_of, is_array


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


def _is_redefined(before: Description, after: Description) -> bool:
    """Whether the class was redefined under the same name: no new instance equals an old one."""
    return before.type_token != after.type_token and None not in (before.type_token, after.type_token)


def first_inside(before: Description, after: Description, path: str = "") -> Inside | None:
    """The first place where two objects with the same code or class differ inside.

    It looks into closures, defaults and attributes, however they compare, and passes over places that only hold
    another object with the same content. The elements of an array are never read, so another array counts as different.
    """
    if _is_compared_elsewhere(before, after):
        return None
    old, new = dict(before.fields), dict(after.fields)
    is_another = before.text != after.text or (is_array(after.type) and before.token != after.token)
    is_leaf = not new and is_another and after.code is None
    if before.type != after.type or before.code != after.code or old.keys() != new.keys() or is_leaf:
        return Inside(path, before.text, after.text)
    for label, part in new.items():
        if (inside := first_inside(old[label], part, path + label)) is not None:
            library = "?" if label.startswith("._") else ""
            if after.is_of_library and label.startswith("<"):
                library = (after.origin or "?").partition("/")[0]
            return replace(inside, library=library) if inside.path == path + label else inside
    return None


def _differences(
    before: Description, after: Description, path: str, *, is_sure: bool, is_typed: bool = False
) -> Iterator[Change]:
    """Changes at `path`, which is a path inside the leaf. With `is_typed`, the types are known to count."""
    if equality.are_equal(before, after) and not is_typed and (is_sure or before.type == after.type):
        return
    if before.type != after.type or before.equality != after.equality:
        yield replace(another_value(path, before, after), is_doubtful=not is_typed and _may_be_equal(before, after))
    elif _is_redefined(before, after):
        yield _made_anew("static_identity", path, before, after)
    elif after.equality == "never":
        if before.token is None or before.token != after.token:  # Python finds one and the same object equal
            yield _made_anew("static_eq", path, before, after)
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
        yield _made_anew("static_eq", path, before, after)


def _another_object(before: Description, after: Description, path: str) -> Iterator[Change]:
    """Two objects that compare by identity: another value, or the same value created again? One whose hash may follow
    its fields may have been changed in place."""
    if before.token == after.token:
        yield from (replace(one, is_doubtful=True) for one in _inside(before, after, path, is_sure=True))
        return
    if before.code != after.code:
        yield another_value(path, before, after)
        return
    # What a function closes over is not part of its value: with the same code it is the same function created again.
    values = list(_values(_inside(before, after, path, is_sure=True))) if after.code is None else []
    kind: Literal["static_eq", "static_identity"] = "static_eq" if after.equality == "hash_only" else "static_identity"
    yield from (replace(one, is_anew=True) for one in values)
    if not values:
        yield _made_anew(kind, path, before, after)


def _values(changes: Iterable[Change]) -> Iterator[Change]:
    return (change for change in changes if change.kind == "static_value")


def _inside(before: Description, after: Description, path: str, *, is_sure: bool) -> Iterator[Change]:
    """Differences between the fields, or of the whole value if the fields do not show any."""
    if _is_compared_elsewhere(before, after):
        return
    old, new = dict(equality.fields_of(before)), dict(equality.fields_of(after))
    has_other_text = not (old or new) and before.text != after.text and after.code is None
    has_other_fields = old.keys() != new.keys() and not _is_partly_described(before, after)
    if _same_entries(before, after) == "order" or has_other_fields or before.code != after.code or has_other_text:
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
    shorter, longer = sorted((before, after), key=lambda one: len(one.fields))
    labels = [label for label, _ in longer.fields[: len(shorter.fields)]]
    is_open = shorter.is_cut and shorter.rest is None and bool(shorter.fields)
    return is_open and labels == [label for label, _ in shorter.fields]


def _is_compared_elsewhere(before: Description, after: Description) -> bool:
    """Whether the fields of one of two objects of a class are described at another place, and compared there."""
    return before.type == after.type and (before.same_as, after.same_as) != (None, None)


def another_value(path: str, before: Description, after: Description) -> Change:
    """The change of a static value."""
    was, now = before.text, after.text
    if was == now and before.type != after.type:
        was, now = f"{was} ({before.type})", f"{now} ({after.type})"
    types, same = (before.type, after.type), _same_entries(before, after)
    if equality.are_equal(before, after):
        same = "value"
    elif equality.is_one_dtype(before, after):
        same = "dtype"
    are_numbers = all(map(equality.is_number, types))  # those of NumPy and truth values count
    return Change(
        "static_value",
        path,
        was,
        now,
        type_before=equality.type_of(before),
        type=equality.type_of(after),
        same=same,
        flag=flag_of(before, after) if same is None else "no",
        is_number=are_numbers or ("NoneType" in types and bool({*types} & {"int", "float", "complex"})),
    )


def _same_entries(before: Description, after: Description) -> Same | None:
    """Whether one is a tuple of only the other, as `(1,)` is of `1`, or both have the items of one dict."""
    for whole, part in ((before, after), (after, before)):
        if whole.type == "tuple" and not whole.is_cut and len(whole.fields) == 1:
            return "entry" if _text(whole.fields[0][1]) == _text(part) != "" else None
    was, now = _items(before), _items(after)
    return "order" if was != now and sorted(was) == sorted(now) else None


def _text(value: Description) -> str:
    return f"{value.type} {value.text}" if value.equality == "value" and value.rest is None else ""


def _items(value: Description) -> list[str]:
    """The texts of pairs that begin with a name, such as those of `tuple(config.items())`; none for anything else."""
    pairs = [part for _, part in value.fields] if value.type == "tuple" and not value.is_cut else []
    named = [[part for _, part in pair.fields] for pair in pairs if pair.type == "tuple"]
    is_dict = len(named) == len(pairs) and all(len(pair) == 2 and pair[0].type == "str" for pair in named)
    texts = [_text(pair) for pair in pairs] if is_dict else []
    return texts if len({pair[0].text for pair in named}) == len(texts) and all(texts) else []


def _made_anew(
    kind: Literal["static_eq", "static_identity"], path: str, before: Description, after: Description
) -> Change:
    return Change(
        kind,
        path,
        before.text,
        after.text,
        type=after.type,
        equality=after.equality,
        where=after.origin or "",
        is_of_library=after.is_of_library,
        maker=after.maker,
        closes_over=tuple(name for name, _ in closed_over(after)),
        same=_what_is_same(before, after),
        inside=first_inside(before, after),
    )


def _what_is_same(before: Description, after: Description) -> Same:
    if _is_redefined(before, after) or after.type == "type":
        return "name"
    if after.code is not None:
        return "code"
    return "looks" if equality.has_hidden(before) or equality.has_hidden(after) else "content"
