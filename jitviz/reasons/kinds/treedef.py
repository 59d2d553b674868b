"""`treedef`: the structure of an argument changed. The path is the child that came or went, or the node that changed.

How two trees are compared is in `reasons.structure`.
"""

from ...model import last_name, root_of
from ...model.equality import is_number
from ..pasting import Paste, are_outputs_alike, at_calls, whole
from ..subject import Subject, occupant, only_for_the_caller
from .base import ReasonKind, Recompiles, Term

_CONTAINERS = (
    (frozenset({"list", "tuple"}), "tuple"),
    (frozenset({"dict", "OrderedDict", "defaultdict"}), "dict"),
    (frozenset({"dict", "FrozenDict"}), "flax.core.unfreeze"),
)
_IF_BOTH = "Nothing to fix if you need both: each has its own program."


class Treedef(ReasonKind):
    name = "treedef"
    may_decide = True
    undoes = "leaf"
    are_leaves_left = True
    has_values = True
    many = "came in {n:,} structures"
    term = Term(
        "The structure of a tree of arguments: containers, keys and classes, without the leaves. It is part of the "
        "cache key, so an array in place of None needs a different version.",
        """\
f = jitviz.filter_jit(lambda state: state)
f({"trace": None})  # compiles
f({"trace": jnp.ones(3)})  # compiles""",
        also=("tree structure",),
    )

    def say(self, change: Subject) -> str:
        path, holder = f"`{change.path}`", change.parent
        match change.event:
            case "came":
                where = f"new in `{holder}`" if holder else "a new argument"
                return f"{path} is {where}: {occupant(change.after)}"
            case "went":
                gone = f"gone from `{holder}`" if holder else "no longer passed"
                return f"{path} is {gone}: it was {occupant(change.before)}"
            case "redefined":
                return f"{path} changed its class: `{change.after.split()[0]}` was redefined under the same name"
            case "attribute":
                what = f"the attribute `{change.attribute}`, which" if change.attribute else "an attribute that"
                return f"{path} {'lost' if change.after == 'fields' else 'gained'} {what} is not a field"
            case "order":
                return f"{path} changed the order of its entries"
            case "keys":
                return f"{path} changed the type of its keys {change.sides}"
            case "class":
                return f"{path} changed its class {change.sides}"
        return f"{path} changed {change.sides}"

    def advise(self, change: Subject) -> str:
        was, now = change.before.partition(" ")[0], change.after.partition(" ")[0]
        if change.event == "redefined":
            return f"Create `{change.root}` again after you redefine its class, or define the class only once."
        if change.event == "class" and last_name(was) == last_name(now):
            return "Use the same class in every call: two classes with the same name are different to JAX."
        is_state = change.type.startswith("optax.")
        if (change.is_part or is_state) and "None" not in (change.before, change.after):
            return _same_parts(change, is_state=is_state)
        match change.event:
            case "class":
                return f"Use the same class in every call, `{was}` or `{now}`."
            case "order":
                return f"Build `{change.path}` with its entries in the same order each time."
            case "keys":
                return f"Use keys of one type in every call: JAX distinguishes `{change.before}` from `{change.after}`."
            case "attribute":
                return "If it is a `cached_property`, make it a plain `property`, or read it before every call."
            case "swapped":
                return _swapped(change)
        return _came_or_went(change)

    def paste(self, cause: Recompiles) -> Paste | None:
        """A list that is a tuple in other calls, or a dict of another class, converted."""
        path = cause.reason.path
        nodes = [(row, node) for row in cause.versions for node in row.signature.nodes if node.path == path]
        types = {row.version: node.type.rpartition(".")[2] for row, node in nodes}
        make = next((make for known, make in _CONTAINERS if known.issuperset(types.values())), None)
        if make is None or len(types) < len(cause.versions) or root_of(path) != path:
            return None
        if not are_outputs_alike(cause.rows):
            return None
        plain = "dict" if make == "flax.core.unfreeze" else make
        rows = [row for row in cause.versions if types[row.version] != plain]
        return at_calls(rows, {path: whole(f"{make}({{}})")}, *["import flax"] * (make != plain))


def _same_parts(change: Subject, *, is_state: bool) -> str:
    same = f"Build `{change.parent or change.path}` from the same parts in every call."
    if not is_state:
        return same
    return (
        f"{same} Another optimiser has another state: create it with that optimiser's `init`, and expect one more "
        "compile."
    )


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
        return only_for_the_caller(change)
    if change.after == "None" and change.twin:
        return (
            "Initialise the optimiser state with only the leaves that have gradients: "
            f"`optimiser.init(eqx.filter({change.twin}, eqx.is_inexact_array))`."
        )
    is_none = "None" in (change.before, change.after)
    if is_none and is_number(change.type) and change.flag == "no":
        return (
            "If it is only used in arithmetic, pass an array in every call, with a value that has no effect in place "
            "of None; if it controls a loop, a branch or a shape, keep the number of different values small."
        )
    if change.flag == "yes" or (is_none and change.is_static):
        return _IF_BOTH
    if is_none:
        return (
            f"If the function returns `{path}`, start with a value like the one that it returns. Otherwise "
            "replace None with a value that has no effect, unless you need both."
        )
    return f"Pass the same kind of `{path}` in every call, either `{change.before}` or `{change.after}`."


KIND = Treedef()
