"""User-defined classes whose objects should compare by content.

In: a cause, and all versions of its function.  Out: methods for the class, "" if its objects hold more than values.
Must never: change a class of a library.
"""

import re

from ...model import Description
from ...model.equality import has_hidden
from ...reasons.values import described
from ..causes import Cause, Lineage
from .pasting import leaves_at

_CLASS = """\
# in the class `{name}`:
def _values(self):
    return [(type(value), value) for value in ({values})]

def __eq__(self, other):
    return type(other) is type(self) and self._values() == other._values()

def __hash__(self):
    return hash(tuple(self._values()))
"""


def compared_by_content(cause: Cause, lineage: Lineage) -> str:
    """An `__eq__` and a `__hash__` for a user-defined class whose objects hold only plain values."""
    rows, path = cause.rows, cause.reason.path
    objects = [described(leaf) for leaf in leaves_at((*rows, *lineage.rows[:1]), path) if leaf.role == "static"]
    homes = {row.function_info.module for row in rows}
    names = [tuple(label for label, _ in one.fields) for one in objects]
    if not objects or len({one.type for one in objects}) > 1 or len(set(names)) > 1 or not all(map(_is_plain, objects)):
        return ""
    home, _, name = objects[0].type.rpartition(".")
    if not names[0] or homes != {home}:
        return ""
    return _CLASS.format(name=name, values="".join(f"self{label}, " for label in names[0]).rstrip())


def _is_plain(description: Description) -> bool:
    """Whether all that an object holds are attributes with plain, hashable values."""
    if description.equality not in ("identity", "hash_only") or description.code or has_hidden(description):
        return False
    return all(
        re.fullmatch(r"\.[a-zA-Z_]\w*", label) and part.equality == "value" and part.token is None and not part.fields
        for label, part in description.fields
    )
