"""Two objects with the same code or class: the first place in which they differ inside.

In: two descriptions.  Out: `Inside`, None if nothing is known to differ.
"""

from dataclasses import replace

from ..model import Description
from ..model.equality import is_array
from .change import Inside


def first_inside(before: Description, after: Description, path: str = "") -> Inside | None:
    """The first place where two objects with the same code or class differ inside.

    It looks into closures, defaults and attributes, however they compare, and passes over places that only hold
    another object with the same content. The elements of an array are never read, so another array counts as different.
    """
    if is_compared_elsewhere(before, after):
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


def is_compared_elsewhere(before: Description, after: Description) -> bool:
    """Whether the fields of one of two objects of a class are described at another place, and compared there."""
    return before.type == after.type and (before.same_as, after.same_as) != (None, None)


def is_redefined(before: Description, after: Description) -> bool:
    """Whether the class was redefined under the same name: no new instance equals an old one."""
    return before.type_token != after.type_token and None not in (before.type_token, after.type_token)
