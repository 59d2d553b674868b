"""One static value: what its description says, and the marks that stand for it.

In: the description of a value.  Out: marks, answers to questions about it.
"""

import ast
import re
from collections.abc import Iterator

from ..model import Description, Leaf, Signature
from ..model.equality import equals_itself_only
from ..model.python_text import NOT_PYTHON, expression
from .change import Flag

CLOSURE = "<closure "
_IDENTIFIER = re.compile(
    r"""(?xi)
    ^['"] ([a-z]:|~|/[\w.-]+) [/\\]                                          # an absolute path
    | (?<![a-z\d]) [a-f\d]{8} (-[a-f\d]{4}){3} - [a-f\d]{12} (?![a-z\d])     # a UUID
    | (?<![a-z\d]) (?=[a-f]*\d) (?=\d*[a-f]) [a-f\d]{16,} (?![a-z\d])        # a digest
    | (?<!\d\.) (?<!\d) \d{10} | \d{8}[-_T]\d{4} | \d{4}-\d\d-\d\d[-_T ]+\d\d[-_:.h]?\d\d  # a time
    """
)
_OF_NUMPY = re.compile(r"np\.((?:float|u?int)\d+)\(.*\)")
_OF_MANY = ("pathlib.", "uuid.", "datetime.")
ATTRIBUTE = ".<attribute>"  # an attribute that is not a field, which is named in the leaf's text
AUX_DATA = ".<aux_data>"  # metadata without a known attribute name: changes are reported at the node itself


def described(leaf: Leaf) -> Description:
    """The description of a static leaf."""
    return leaf.static or Description(leaf.type, leaf.repr)


def marks_of(description: Description, place: str = "") -> Iterator[object]:
    """One mark per property of a value and of everything in it, for counting changes. The type is part of every place:
    nothing inside a value of another type counts as unchanged."""
    place += description.type
    is_one_object = equals_itself_only(description)
    if is_one_object:
        yield place, description.token
    if description.fields or description.code is not None:
        yield place, description.type_token, description.code, description.rest
    elif not is_one_object:
        yield place, description.type_token, description.equal_text or (description.text, description.rest)
    for label, part in description.fields:
        yield from marks_of(part, place + label)


def is_flag(description: Description) -> bool:
    """Whether this may be one of few values: a bool, None, a string or an enum member."""
    if description.type in ("bool", "NoneType", "str"):
        return True
    name = re.escape(description.type.rpartition(".")[2])
    return description.token is None and re.fullmatch(rf"{name}\.\w+(\|\w+)*", description.text) is not None


def flag_of(*descriptions: Description) -> Flag:
    """Whether these are values of a flag; "many" if one of them identifies a single thing, so that more will follow."""
    is_known = any(description.type == "str" and _IDENTIFIER.search(description.text) for description in descriptions)
    if is_known or any(description.type.startswith(_OF_MANY) for description in descriptions):
        return "many"
    return "yes" if all(map(is_flag, descriptions)) else "no"


def closed_over(description: Description) -> Iterator[tuple[str, Description]]:
    """The names that a function closes over, each with its value."""
    for label, part in description.fields:
        if label.startswith(CLOSURE):
            yield label[len(CLOSURE) : -1], part


def holds_code(description: Description) -> bool:
    """Whether a value is a function or has one inside, so that it is no argument of a program."""
    return description.code is not None or any(holds_code(part) for _, part in description.fields)


def holds_data(description: Description) -> bool:
    """Whether a function has values that could be arguments, in its closure or defaults or in those of functions there.
    Those of a library's function are not the user's."""
    parts = [part for label, part in description.fields if label[0] == "<" or description.code is None]
    is_users = description.code is not None and not description.is_of_library
    return any(map(holds_data, parts)) or (is_users and not all(map(holds_code, parts)))


def of_text(text: str, other: str) -> Description:
    """A plain value of which only the text is known; `other` is its type if the text does not show one."""
    kind = {"True": "bool", "False": "bool", "None": "NoneType"}.get(text, "str" if text[:1] in ("'", '"') else other)
    return Description(kind, text)


def default_leaves(signature: Signature, path: str) -> tuple[Leaf, ...]:
    """The number that a parameter was left at, as the leaf that it would be if it were passed: traced, and static."""
    text, is_wide = dict(signature.defaults).get(path, ""), ("jax_enable_x64", "True") in signature.context
    if of_numpy := _OF_NUMPY.fullmatch(text):
        kind, dtype = f"numpy.{of_numpy[1]}", of_numpy[1]
    else:
        try:
            kind = type(ast.literal_eval(expression(text))).__name__
        except NOT_PYTHON:
            return ()
        dtype = {"bool": "bool", "int": "int64", "float": "float64"}.get(kind, "")
    dtype, is_weak = dtype if is_wide else dtype.replace("64", "32"), not of_numpy and kind != "bool"
    traced = Leaf(path, "traced", kind, (), dtype, weak_type=is_weak)
    return (traced, Leaf(path, "static", kind, repr=text)) if dtype else ()
