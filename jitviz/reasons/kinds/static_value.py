"""`static_value`: a static leaf, or something in it, has another value.

`reasons.statics` finds the places where two static values differ; here is what another value is, and what it means.
"""

from ...model import Description, equality, root_of
from ..change import Change, Same
from ..pasting import Paste, at_calls, leaves_at, leaves_of, whole
from ..subject import Subject, left_out, only_for_the_caller
from ..values import AUX_DATA, flag_of
from .base import ReasonKind, Recompiles, Term

BOUNDS = ("lower", "upper")  # of an eager `fori_loop`
UNLESS = " If something in the program needs its value (a branch, a static parameter), keep it static."
_FEW_VALUES = "keep the number of different values small"
_ANOTHER: dict[Same, str] = {
    "value": "equal but has another type: {type_before} → {type}",
    "dtype": "the same dtype in another form: {type_before} → {type}",
    "entry": "often another way to write the same, but not to JAX",
    "order": "the same entries in another order",
}
_PLAIN = {
    "int": {"int", *(f"numpy.{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))},
    "float": {"float", "numpy.float64"},
    "bool": {"bool", "numpy.bool", "numpy.bool_"},
    "str": {"str", "numpy.str_"},
}


class StaticValue(ReasonKind):
    name = "static_value"
    is_static = True
    may_decide = True
    undoes = "leaf"
    has_values = True
    many = "is static and had {n:,} values"
    term = Term(
        "A static leaf has a value that no earlier version had, by hash and ==. Make it an array if the function only "
        "computes with it.",
        """\
f = jitviz.filter_jit(lambda x, n: x * n)
f(jnp.ones(3), 2)  # compiles
f(jnp.ones(3), 3)  # compiles""",
    )

    def say(self, change: Subject) -> str:
        what = f"`{change.path}` is {'static metadata' if change.is_metadata else 'static'} and changed"
        if change.same:
            return f"{what} {change.sides}, which is {_ANOTHER[change.same].format_map(vars(change))}"
        if change.is_other_array:
            return f"{what} to another array `{change.after}`"
        is_shown = change.before != change.after
        sides = change.sides if is_shown else f"in a part of `{change.after}` that is not shown"
        doubt = ", which may or may not count: only the `__eq__` of the values can tell" if change.is_doubtful else ""
        return f"{what} {sides}{doubt}"

    def advise(self, change: Subject) -> str:
        difference = change.judgement.difference
        if by_program := _by_program(change):
            return by_program
        if change.flag == "yes":
            return "Nothing to fix if you need both: each value of a flag has its own program."
        if change.flag == "many":
            return only_for_the_caller(change)
        if change.same:
            return _in_one_way(change)
        few = _FEW_VALUES.capitalize()
        if change.path in BOUNDS and change.wrapper.is_loop:
            return f"{few}; in a jitted function that takes the bounds as arguments, `fori_loop` compiles once."
        if change.is_other_array:
            return (
                f"If it always holds the same values, create `{change.root}` once and pass the same object to every "
                "call; otherwise pass the array as a separate, traced argument."
            )
        if change.could_be_traced and change.is_metadata and change.owner == "library":
            of = change.holder_type.rpartition(".")[2]
            return f"`{of}` makes `{change.name}` static: {_FEW_VALUES}, since each has its own program."
        if not change.could_be_traced:
            return f"{few}: each has its own program."
        if difference is not None and difference.is_arithmetic:
            return f"Since the program only computes with it{_trace(change)}.{UNLESS}"
        if_static = f"if it controls a loop, a branch or a shape, {_FEW_VALUES}"
        return f"If it is only used in arithmetic{_trace(change)}; {if_static}."

    def paste(self, cause: Recompiles) -> Paste | None:
        """A NumPy number, converted to the equal Python number."""
        path = cause.reason.path
        types = {leaf.type for leaf in leaves_at(cause.versions, path)}
        plain = next((kind for kind, same in _PLAIN.items() if types <= same and kind in types), None)
        if plain is None or root_of(path) != path:
            return None
        rows = [row for row in cause.versions if any(leaf.type != plain for leaf in leaves_of(row, {path}))]
        return at_calls(rows, {path: whole(f"{plain}({{}})")})


def another_value(path: str, before: Description, after: Description) -> Change:
    """The change of a static value at a path."""
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
    for whole_value, part in ((before, after), (after, before)):
        if whole_value.type == "tuple" and not whole_value.is_cut and len(whole_value.fields) == 1:
            return "entry" if _text(whole_value.fields[0][1]) == _text(part) != "" else None
    return "order" if is_other_order(before, after) else None


def is_other_order(before: Description, after: Description) -> bool:
    """Whether two tuples have the items of one dict in two orders."""
    was, now = _items(before), _items(after)
    return was != now and sorted(was) == sorted(now)


def _text(value: Description) -> str:
    return f"{value.type} {value.text}" if value.equality == "value" and value.rest is None else ""


def _items(value: Description) -> list[str]:
    """The texts of pairs that begin with a name, such as those of `tuple(config.items())`; none for anything else."""
    pairs = [part for _, part in value.fields] if value.type == "tuple" and not value.is_cut else []
    named = [[part for _, part in pair.fields] for pair in pairs if pair.type == "tuple"]
    is_dict = len(named) == len(pairs) and all(len(pair) == 2 and pair[0].type == "str" for pair in named)
    texts = [_text(pair) for pair in pairs] if is_dict else []
    return texts if len({pair[0].text for pair in named}) == len(texts) and all(texts) else []


def _by_program(change: Subject) -> str:
    """What to do about a static value that the programs show to decide nothing, or only numbers; "" for others."""
    difference = change.judgement.difference
    if difference is None or change.same or change.wrapper.is_loop:
        return ""
    if difference.kind == "same":
        is_number_leaf = change.could_be_traced and change.wrapper.is_static_by_leaf and not change.is_metadata
        array = f"create `{change.name}` as an array, which is traced; or, " if is_number_leaf else ""
        return (
            f"The program is the same for these values: {array}if it is for all, {left_out(change)}; otherwise pass "
            "one of these."
        )
    if change.could_be_traced or not (change.is_avoidable and difference.is_arithmetic):
        return ""
    came = " and ".join(f"{was} → {now}" for was, now in difference.numbers[:2])
    return f"The programs differ only in numbers ({came}): pass those as arguments instead, and {left_out(change)}."


def _in_one_way(change: Subject) -> str:
    """Two values that mean the same, or may."""
    if change.same == "dtype":
        return "Write the dtype in the same form in every call: JAX distinguishes the forms of a dtype."
    if change.same == "value":
        return "Use the same type in every call: JAX distinguishes equal values of different types."
    if change.same == "entry":
        forms = f"`{change.before}` or `{change.after}`"
        return f"If they mean the same to `{change.function}`, write it one way in every call, {forms}."
    return f"Write its entries in one order in every call, such as `tuple(sorted({change.name}.items()))` of a dict."


def _trace(change: Subject) -> str:
    """How to pass a number as an array, which depends on what holds it."""
    name, leaf = f"`{change.name}`", change.leaf
    if leaf.endswith(AUX_DATA):
        return ", return it from `tree_flatten` as a child, not as auxiliary data"
    if leaf and leaf != change.path and change.is_anew:
        once = "the object" if leaf == "self" else f"`{leaf}`"
        return f", create {once} once, and pass {name} as a separate argument: each object has its own program"
    if leaf and leaf != change.path:
        return f", pass {name} as a separate argument: `{leaf}` is static as a whole"
    if change.is_metadata:
        is_yours = "" if change.owner == "user" else " and the class is yours"
        return f"{is_yours}, make {name} a non-static field (in `tree_flatten`, a child) that holds an array"
    if change.wrapper.is_static_by_leaf:
        return f", create {name} as an array, which is traced"
    return f", remove `{change.root}` from `static_argnums` and `static_argnames`"


KIND = StaticValue()
