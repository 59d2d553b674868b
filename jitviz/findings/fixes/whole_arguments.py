"""Arguments given in one way: placed on one device, in one container, by keyword, of one type.

In: a cause, and all versions of its function.  Out: code, "" if it is unknown what the call passes.
"""

import ast
from itertools import chain

from ...model import Compile
from ...model.paths import root_of
from ...model.patterns import pattern
from ...reasons.placements import beside, may_be_returned, partition_of
from ..call_text import written_call
from ..causes import Cause, Lineage
from .pasting import (
    TREE,
    are_changed_in_place,
    are_outputs_alike,
    at_calls,
    code_of,
    leaves_at,
    leaves_of,
    rewritten,
    unknown_lines,
    whole,
)

_IN_ONE_FORM = '''\
import functools
import inspect


def in_one_form(jitted):
    """Call `jitted` in one form, whether arguments are given by position, by keyword or as defaults."""
    signature = inspect.signature(jitted)

    @functools.wraps(jitted)
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return jitted(*bound.args, **bound.kwargs)

    return call


# below the definition of `{name}`{where}:
{name} = in_one_form({name})
'''
_PATH = pattern(r"[A-Za-z_]\w*(\.\w+|\[[^\[\]{}]+\])*")
_DEVICE = pattern(r"(\w+):(\d+)")
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


def committed(cause: Cause, lineage: Lineage) -> str:
    """Put each whole argument where the committed array is, since a leaf left uncommitted would be the next cause."""
    rows = [row for row in lineage.rows if any(not leaf.committed for leaf in leaves_of(row, cause.paths))]
    placed = {leaf.sharding or "" for row in lineage.rows for leaf in row.signature.traced if leaf.committed}
    device = _DEVICE.fullmatch(placed.pop()) if len(placed) == 1 else None
    if device is None or are_changed_in_place(rows):
        return ""
    at = f'jax.devices("{device[1]}")[{device[2]}]'
    put = f"jax.device_put({{}}, {at})"
    if any(row.function_info.wrapper.is_static_by_leaf for row in rows):
        put = f"jax.tree.map(lambda leaf: jax.device_put(leaf, {at}) if hasattr(leaf, 'dtype') else leaf, {{}})"
    return at_calls(rows, dict.fromkeys(map(root_of, cause.paths), whole(put)), TREE)


def placed(cause: Cause, _: Lineage) -> str:
    """Put inputs that are no outputs on the mesh that another argument is on."""
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
            return ""
        if any(leaf.sharding != side for leaf in leaves):
            spec = f"jax.sharding.PartitionSpec{partition_of(side).removeprefix('P')}"
            put = f"jax.device_put({{}}, jax.sharding.NamedSharding({name}.sharding.mesh, {spec}))"
            calls.append((row, rewritten(row, dict.fromkeys(roots, whole(put)))))
    return code_of(calls, TREE)


def one_container(cause: Cause, lineage: Lineage) -> str:
    """Convert a list that is a tuple in other calls, or a dict of another class."""
    path = cause.reason.path
    nodes = [(row, node) for row in lineage.rows for node in row.signature.nodes if node.path == path]
    types = {row.version: node.type.rpartition(".")[2] for row, node in nodes}
    make = next((make for known, make in _CONTAINERS if known.issuperset(types.values())), None)
    if make is None or len(types) < len(lineage.rows) or root_of(path) != path or not are_outputs_alike(cause.rows):
        return ""
    plain = "dict" if make == "flax.core.unfreeze" else make
    rows = [row for row in lineage.rows if types[row.version] != plain]
    return at_calls(rows, {path: whole(f"{make}({{}})")}, "import flax" if make != plain else "")


def by_keyword(_: Cause, lineage: Lineage) -> str:
    """Pass by keyword everywhere what some call passes by keyword or leaves at its default."""
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
    code = code_of(calls, "")
    are_known = lineage.rows[-1].recording.hits_seen != "none" and not unknown_lines(lineage)
    return (code if are_known else "") or _at_definition(lineage) or code


def _at_definition(lineage: Lineage) -> str:
    """If not every call is known word for word: wrap the function, so that it is called in one form."""
    info = lineage.rows[-1].function_info
    if not info.qualname.isidentifier():  # a method, or a function inside another
        return ""
    where = f" at {info.defined_at}" if info.defined_at else ""
    return _IN_ONE_FORM.format(name=info.qualname, where=where)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def one_type(cause: Cause, lineage: Lineage) -> str:
    """Convert a NumPy number to the equal Python number."""
    path = cause.reason.path
    types = {leaf.type for leaf in leaves_at(lineage.rows, path)}
    plain = next((kind for kind, same in _PLAIN.items() if types <= same and kind in types), None)
    if plain is None or root_of(path) != path:
        return ""
    rows = [row for row in lineage.rows if any(leaf.type != plain for leaf in leaves_of(row, {path}))]
    return at_calls(rows, {path: whole(f"{plain}({{}})")}, "")
