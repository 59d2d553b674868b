"""Arguments given in one way: with one dtype, placed on one device, in one container, by keyword, of one type.

In: a cause, and all versions of its function.  Out: what to paste; None if a result could change, or if it is unknown
what the call passes.
"""

import ast
import re
from collections.abc import Sequence
from itertools import chain

from ...model import Compile, Description, root_of, widest
from ...model.equality import has_hidden
from ...reasons.placements import beside, may_be_returned, partition_of
from ...reasons.values import described
from ..call_text import template, written_call
from ..causes import Cause, Lineage
from .pasting import (
    JNP,
    TREE,
    Paste,
    are_changed_in_place,
    are_outputs_alike,
    at_calls,
    at_leaves,
    leaves_at,
    leaves_of,
    paste,
    rewritten,
    unknown_lines,
    whole,
)

_PATH = re.compile(r"[A-Za-z_]\w*(\.\w+|\[[^\[\]{}]+\])*")
_DEVICE = re.compile(r"(\w+):(\d+)")
KEYS = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}
_PLAIN = {
    "int": {"int", *(f"numpy.{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))},
    "float": {"float", "numpy.float64"},
    "bool": {"bool", "numpy.bool", "numpy.bool_"},
    "str": {"str", "numpy.str_"},
}
_CONTAINERS = (
    (frozenset({"list", "tuple"}), "tuple"),
    (frozenset({"dict", "OrderedDict", "defaultdict"}), "dict"),
    (frozenset({"dict", "FrozenDict"}), "flax.core.unfreeze"),
)


def one_dtype(cause: Cause, lineage: Lineage) -> Paste | None:
    """One snippet for all causes of the kind, since they may be at one call; or else for this one alone."""
    alike = [one for one in lineage.causes if one.reason.kind == cause.reason.kind]
    return _one_dtype(alike, lineage) or _one_dtype([cause], lineage)


def _one_dtype(causes: Sequence[Cause], lineage: Lineage) -> Paste | None:
    paths = dict.fromkeys(path for cause in causes for path in (cause.reason.path, *cause.also))
    wanted = {path: widest([leaf.dtype or "" for leaf in leaves_at(lineage.rows, path)]) for path in paths}
    if None in wanted.values() or not are_outputs_alike([row for cause in causes for row in cause.rows]):
        return None
    rows = [
        row
        for row in lineage.rows
        if any(leaf.dtype != wanted[leaf.path] or leaf.weak_type for leaf in leaves_of(row, wanted))
    ]
    dtypes = {path: f"jnp.{dtype}" for path, dtype in wanted.items()}
    return at_leaves(rows, dtypes, "jnp.asarray({0}, dtype={1})", JNP, lineage.rows)


def strong(cause: Cause, lineage: Lineage) -> Paste | None:
    """The dtype that the leaves always have, made strong."""
    has_one = all(len({leaf.dtype for leaf in leaves_at(lineage.rows, path)}) == 1 for path in cause.paths)
    return one_dtype(cause, lineage) if has_one else None


def array(cause: Cause, lineage: Lineage) -> Paste | None:
    """A number that is an array in other calls, converted."""
    wanted: dict[str, str] = {}
    for path in cause.paths:
        traced = [leaf for leaf in leaves_at(lineage.rows, path) if leaf.role == "traced"]
        types = {(leaf.dtype, leaf.weak_type, leaf.shape) for leaf in traced}
        if len(types) != 1 or traced[0].shape != ():
            return None
        wanted[path] = "None" if traced[0].weak_type else f"jnp.{traced[0].dtype}"
    static = [leaf for row in lineage.rows for leaf in leaves_of(row, wanted) if leaf.role == "static"]
    if any(leaf.type not in ("int", "float", "complex") or leaf.is_metadata for leaf in static):
        return None
    rows = [row for row in lineage.rows if any(leaf.role == "static" for leaf in leaves_of(row, wanted))]
    has_dtype = {*wanted.values()} != {"None"}
    return at_leaves(rows, wanted, "jnp.asarray({0}, dtype={1})" if has_dtype else "jnp.asarray({0})", JNP)


def one_rank(cause: Cause, lineage: Lineage) -> Paste | None:
    """Axes of size one, added or removed."""
    shapes = {path: [leaf.shape or () for leaf in leaves_at(cause.rows[-1:], path)] for path in cause.paths}
    if not all(shapes.values()) or not are_outputs_alike(cause.rows):
        return None
    wanted = {path: of_leaf[0] for path, of_leaf in shapes.items()}
    rows = [row for row in lineage.rows if any(leaf.shape != wanted[leaf.path] for leaf in leaves_of(row, wanted))]
    pairs = [(leaf.shape or (), wanted[leaf.path]) for row in rows for leaf in leaves_of(row, wanted)]
    if any([n for n in shape if n != 1] != [n for n in other if n != 1] for shape, other in pairs):
        return None
    return at_leaves(rows, {path: str(shape) for path, shape in wanted.items()}, "jnp.reshape({0}, {1})", JNP)


def typed_key(cause: Cause, lineage: Lineage) -> Paste | None:
    kinds = {leaf.dtype or "" for leaf in leaves_at(lineage.rows, cause.reason.path)}
    (typed,) = kinds - {"uint32"} if len(kinds - {"uint32"}) == 1 else ("",)
    if typed not in KEYS or not are_outputs_alike(cause.rows):
        return None
    rows = [row for row in lineage.rows if any(leaf.dtype == "uint32" for leaf in leaves_of(row, cause.paths))]
    change = 'jax.random.wrap_key_data({0}, impl={1}) if {0}.dtype == "uint32" else {0}'
    return at_leaves(rows, dict.fromkeys(cause.paths, repr(KEYS[typed])), change, TREE)


def committed(cause: Cause, lineage: Lineage) -> Paste | None:
    """Each whole argument put where the committed array is, since a leaf left uncommitted would be the next cause."""
    rows = [row for row in lineage.rows if any(not leaf.committed for leaf in leaves_of(row, cause.paths))]
    placed = {leaf.sharding or "" for row in lineage.rows for leaf in row.signature.traced if leaf.committed}
    device = _DEVICE.fullmatch(placed.pop()) if len(placed) == 1 else None
    if device is None or are_changed_in_place(rows):
        return None
    at = f'jax.devices("{device[1]}")[{device[2]}]'
    put = f"jax.device_put({{}}, {at})"
    if any(row.function_info.wrapper.is_static_by_leaf for row in rows):
        put = f"jax.tree.map(lambda leaf: jax.device_put(leaf, {at}) if hasattr(leaf, 'dtype') else leaf, {{}})"
    return at_calls(rows, dict.fromkeys(map(root_of, cause.paths), whole(put)), TREE)


def placed(cause: Cause, _: Lineage) -> Paste | None:
    """Inputs that are no outputs, put on the mesh that another argument is on."""
    calls: list[tuple[Compile, str | None]] = []
    sides = cause.reason.before, cause.reason.after
    for row in (row for row in (cause.rows[-1].compared_with, *cause.rows) if row is not None):
        leaves = leaves_of(row, cause.paths)
        side, other = beside(row.signature.traced, cause.paths, *sides)
        roots = {root_of(leaf.path) for leaf in leaves}
        is_whole = all(leaf.path in cause.paths for leaf in row.signature.traced if root_of(leaf.path) in roots)
        call, root = written_call(row), root_of(other)
        name = (call.argument(root) if call is not None else "") + other.removeprefix(root)
        if not is_whole or not _PATH.fullmatch(name) or any(may_be_returned(row.outputs, leaf) for leaf in leaves):
            return None
        if any(leaf.sharding != side for leaf in leaves):
            spec = f"jax.sharding.PartitionSpec{partition_of(side).removeprefix('P')}"
            put = f"jax.device_put({{}}, jax.sharding.NamedSharding({name}.sharding.mesh, {spec}))"
            calls.append((row, rewritten(row, dict.fromkeys(roots, whole(put)))))
    return paste(calls, TREE)


def one_container(cause: Cause, lineage: Lineage) -> Paste | None:
    """A list that is a tuple in other calls, or a dict of another class, converted."""
    path = cause.reason.path
    nodes = [(row, node) for row in lineage.rows for node in row.signature.nodes if node.path == path]
    types = {row.version: node.type.rpartition(".")[2] for row, node in nodes}
    make = next((make for known, make in _CONTAINERS if known.issuperset(types.values())), None)
    if make is None or len(types) < len(lineage.rows) or root_of(path) != path or not are_outputs_alike(cause.rows):
        return None
    plain = "dict" if make == "flax.core.unfreeze" else make
    rows = [row for row in lineage.rows if types[row.version] != plain]
    return at_calls(rows, {path: whole(f"{make}({{}})")}, *["import flax"] * (make != plain))


def by_keyword(_: Cause, lineage: Lineage) -> Paste | None:
    """Passed by keyword everywhere: what some call passes by keyword or leaves at its default. If not every call is
    known word for word, the function is wrapped, so that it is called in one form."""
    forms = [dict(row.signature.form) for row in lineage.rows]
    names = [
        name for name in dict.fromkeys(chain(*forms)) if any(form.get(name, "keyword") == "keyword" for form in forms)
    ]
    calls: list[tuple[Compile, str | None]] = []
    for row, form in zip(lineage.rows, forms, strict=True):
        if any(form.get(name) != "keyword" for name in names):
            call = written_call(row)
            defaults = {name: dict(row.signature.defaults).get(name, "") for name in names if name not in form}
            is_known = call is not None and all(map(_is_literal, defaults.values()))
            calls.append((row, call.by_keyword(names, defaults) if call is not None and is_known else None))
    found, info = paste(calls), lineage.rows[-1].function_info
    are_known = lineage.rows[-1].recording.hits_seen != "none" and not unknown_lines(lineage)
    is_called = all(row.written.partition("(")[0] in ("", info.qualname) for row in lineage.rows)
    # not a method, a function inside another, or one that is jitted under another name
    if (found and are_known) or not info.qualname.isidentifier() or not is_called:
        return found
    where = f"below the definition of `{info.qualname}`{f' at {info.defined_at}' * bool(info.defined_at)}"
    code = f"{info.qualname} = in_one_form({info.qualname})\n"
    return Paste((), ("import functools", "import inspect"), template("in_one_form"), where, info.qualname, code)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def one_type(cause: Cause, lineage: Lineage) -> Paste | None:
    """A NumPy number, converted to the equal Python number."""
    path = cause.reason.path
    types = {leaf.type for leaf in leaves_at(lineage.rows, path)}
    plain = next((kind for kind, same in _PLAIN.items() if types <= same and kind in types), None)
    if plain is None or root_of(path) != path:
        return None
    rows = [row for row in lineage.rows if any(leaf.type != plain for leaf in leaves_of(row, {path}))]
    return at_calls(rows, {path: whole(f"{plain}({{}})")})


def compared_by_content(cause: Cause, lineage: Lineage) -> Paste | None:
    """An `__eq__` and a `__hash__` for a user's class whose objects hold only plain values."""
    rows = (*cause.rows, *lineage.rows[:1])
    objects = [described(leaf) for leaf in leaves_at(rows, cause.reason.path) if leaf.role == "static"]
    names = {tuple(label for label, _ in one.fields) for one in objects}
    if len({one.type for one in objects}) != 1 or len(names) != 1 or not all(map(_has_plain_fields, objects)):
        return None
    home, _, name = objects[0].type.rpartition(".")
    if not objects[0].fields or {row.function_info.module for row in cause.rows} != {home}:
        return None
    values = "".join(f"self{label}, " for label, _ in objects[0].fields).rstrip()
    return Paste(where=f"in the class `{name}`", name=name, code=template("by_content").format(values=values))


def _has_plain_fields(description: Description) -> bool:
    if description.equality not in ("identity", "hash_only") or description.code or has_hidden(description):
        return False
    return all(
        re.fullmatch(r"\.[a-zA-Z_]\w*", label) and part.equality == "value" and part.token is None and not part.fields
        for label, part in description.fields
    )
