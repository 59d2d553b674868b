"""Code that takes a cause away, to be pasted in place of the calls that it shows.

In: a cause, and all versions of its function.  Out: code, "" where none is known to be safe.
Must never: change a result. The outputs of the versions that become one have to be alike, every name stands in the call
that is replaced or is imported, and whatever holds a leaf (a frozen dataclass, a NamedTuple, a module of a library) is
built anew by JAX, and never assigned to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ..model import Compile, Description, Leaf, wrappers
from ..reasons.finding import last_name
from ..reasons.statics import described, has_hidden
from ..reasons.trees import root_of
from .causes import Cause, Lineage
from .words import count
from .written import Change, written_call

_MOST_CALLS = 3  # that are put into other words
_JNP, _TREE = "import jax.numpy as jnp", "import jax"
_DTYPE = re.compile(r"(uint|int|bfloat|float|complex)(\d+)")
_DEVICE = re.compile(r"(\w+):(\d+)")
_KEYS = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}
_AT_PLACES = '''\
def {name}(path, leaf):
    """One leaf, changed where its path is one of these."""
    places = {places}
    place = jax.tree_util.keystr(path)
    return {change} if place in places else leaf
'''
_CLASS = """\
# in the class `{name}`:
def _values(self):
    return [(type(value), value) for value in ({values})]

def __eq__(self, other):
    return type(other) is type(self) and self._values() == other._values()

def __hash__(self):
    return hash(tuple(self._values()))
"""

_Changed = dict[str, str]  # path -> the last argument of the change


def mend(cause: Cause, mine: Lineage) -> str:
    """The code."""
    write = _MENDS.get(cause.reason.kind)
    code = write(cause, mine) if write is not None else ""
    others = [line for line in mine.lines if line and line not in {row.source for row in mine.rows}]
    if not others or "# in place of " not in code:
        return code
    # what they pass is not known, and neither is which version they ran
    more = f" and {count(len(others) - _MOST_CALLS, 'more line')}" if len(others) > _MOST_CALLS else ""
    return f"{code}\n# look at {', '.join(others[:_MOST_CALLS])}{more} as well\n"


def _dtype(cause: Cause, mine: Lineage) -> str:
    wanted = {path: widest([leaf.dtype or "" for leaf in _at(mine.rows, path)]) for path in _paths(cause)}
    if None in wanted.values() or not _are_outputs_alike(cause.rows):
        return ""
    dtypes = {path: f"jnp.{dtype}" for path, dtype in wanted.items()}
    rows = [row for row in mine.rows if any(leaf.dtype != wanted[leaf.path] for leaf in _of(row, wanted))]
    return _at_leaves(rows, dtypes, "jnp.asarray({0}, dtype={1})", _JNP)


def _weak_type(cause: Cause, mine: Lineage) -> str:
    paths = _paths(cause)
    rows = [row for row in mine.rows if any(leaf.weak_type for leaf in _of(row, paths))]
    dtypes = {path: {leaf.dtype or "" for leaf in _at(mine.rows, path)} for path in paths}
    if any(len(found) > 1 for found in dtypes.values()) or not _are_outputs_alike(cause.rows):
        return ""
    return _at_leaves(
        rows, {path: f"jnp.{found.pop()}" for path, found in dtypes.items()}, "jnp.asarray({0}, dtype={1})", _JNP
    )


def _leaf_kind(cause: Cause, mine: Lineage) -> str:
    """A number that was an array at other calls; the program of those takes it as one."""
    wanted: _Changed = {}
    for path in _paths(cause):
        traced = [leaf for leaf in _at(mine.rows, path) if leaf.role == "traced"]
        types = {(leaf.dtype, leaf.weak_type, leaf.shape) for leaf in traced}
        if len(types) != 1 or traced[0].shape != ():
            return ""
        wanted[path] = "None" if traced[0].weak_type else f"jnp.{traced[0].dtype}"
    rows = [row for row in mine.rows if any(leaf.role == "static" for leaf in _of(row, wanted))]
    is_number = all(
        leaf.type in ("int", "float", "complex") and not leaf.is_metadata
        for row in rows
        for leaf in _of(row, wanted)
        if leaf.role == "static"
    )
    return _at_leaves(rows, wanted, "jnp.asarray({0}, dtype={1})", _JNP) if is_number else ""


def _rank(cause: Cause, mine: Lineage) -> str:
    """One element, or an axis of one, more or less."""
    shapes = {path: [leaf.shape or () for leaf in _at(cause.rows[-1:], path)] for path in _paths(cause)}
    if not all(shapes.values()) or not _are_outputs_alike(cause.rows):
        return ""
    wanted = {path: found[0] for path, found in shapes.items()}
    rows = [row for row in mine.rows if any(leaf.shape != wanted[leaf.path] for leaf in _of(row, wanted))]
    others = [leaf for row in rows for leaf in _of(row, wanted)]
    if any(_without_ones(leaf.shape or ()) != _without_ones(wanted[leaf.path]) for leaf in others):
        return ""
    return _at_leaves(rows, {path: str(shape) for path, shape in wanted.items()}, "jnp.reshape({0}, {1})", _JNP)


def _prng_key(cause: Cause, mine: Lineage) -> str:
    kinds = {leaf.dtype or "" for leaf in _at(mine.rows, cause.reason.path)}
    (typed,) = kinds - {"uint32"} if len(kinds - {"uint32"}) == 1 else ("",)
    if typed not in _KEYS or not _are_outputs_alike(cause.rows):
        return ""
    paths = _paths(cause)
    rows = [row for row in mine.rows if any(leaf.dtype == "uint32" for leaf in _of(row, paths))]
    change = 'jax.random.wrap_key_data({0}, impl={1}) if {0}.dtype == "uint32" else {0}'
    return _at_leaves(rows, dict.fromkeys(paths, repr(_KEYS[typed])), change, _TREE, is_for_any=False)


def _committed(cause: Cause, mine: Lineage) -> str:
    """All of each argument is put where the committed one is: what is left uncommitted would be the next cause."""
    paths = _paths(cause)
    rows = [row for row in mine.rows if any(not leaf.committed for leaf in _of(row, paths))]
    placed = {leaf.sharding or "" for row in mine.rows for leaf in row.signature.traced if leaf.committed}
    found = _DEVICE.fullmatch(placed.pop()) if len(placed) == 1 else None
    if found is None or _is_held_by_nnx(rows):
        return ""
    device = f'jax.devices("{found.group(1)}")[{found.group(2)}]'
    put, imports = f"jax.device_put({{}}, {device})", _TREE
    if any(wrappers.named(row.function_info.api).is_static_by_leaf for row in rows if row.function_info is not None):
        put = f"jax.tree.map(lambda leaf: jax.device_put(leaf, {device}) if hasattr(leaf, 'dtype') else leaf, {{}})"
    changes: dict[str, Change] = {
        root: lambda text, start: "" if start else put.format(text) for root in map(root_of, paths)
    }
    return _at_calls(rows, changes, imports)


def _container(cause: Cause, mine: Lineage) -> str:
    """A list that is a tuple at other calls, a dict of another class."""
    path = cause.reason.path
    types = {node.type for row in mine.rows for node in row.signature.nodes if node.path == path}
    make = next((make for known, make in _CONTAINERS if types <= known), None)
    if make is None or root_of(path) != path or not _are_outputs_alike(cause.rows):
        return ""
    plain = make.rpartition(".")[2]
    is_it = "dict" if plain == "unfreeze" else plain
    rows = [row for row in mine.rows if any(node.path == path and node.type != is_it for node in row.signature.nodes)]
    imports = "import flax" if plain == "unfreeze" else ""
    return _at_calls(rows, {path: lambda text, start: "" if start else f"{make}({text})"}, imports)


_CONTAINERS = (
    (frozenset({"list", "tuple"}), "tuple"),
    (frozenset({"dict", "collections.OrderedDict", "collections.defaultdict"}), "dict"),
    (frozenset({"dict", "flax.core.frozen_dict.FrozenDict"}), "flax.core.unfreeze"),
)


def _keyword(_: Cause, mine: Lineage) -> str:
    """Everything that is given by keyword somewhere is given so everywhere, a default as well."""
    forms = [dict(row.signature.form) for row in mine.rows]
    names = [
        name
        for name in dict.fromkeys(name for form in forms for name in form)
        if any(form.get(name) == "keyword" for form in forms) or any(name not in form for form in forms)
    ]
    told: list[tuple[Compile, str | None]] = []
    for row, form in zip(mine.rows, forms, strict=True):
        if all(form.get(name) == "keyword" for name in names):
            continue
        written = written_call(row)
        left = {name: dict(row.signature.defaults).get(name, "") for name in names if name not in form}
        told.append(
            (row, written.by_keyword(names, left) if written and all(map(_is_literal, left.values())) else None)
        )
    return _code(told, "")


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def _one_type(cause: Cause, mine: Lineage) -> str:
    """A number of NumPy's and Python's own number, which are equal: Python's."""
    path = cause.reason.path
    types = {leaf.type for leaf in _at(mine.rows, path)}
    plain = next((kind for kind, same in _PLAIN.items() if types <= same and kind in types), None)
    if plain is None or root_of(path) != path:
        return ""
    rows = [row for row in mine.rows if any(leaf.type != plain for leaf in _of(row, {path}))]
    return _at_calls(rows, {path: lambda text, start: "" if start else f"{plain}({text})"}, "")


_PLAIN = {
    "int": {"int", *(f"numpy.{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))},
    "float": {"float", "numpy.float64"},
    "bool": {"bool", "numpy.bool", "numpy.bool_"},
    "str": {"str", "numpy.str_"},
}


def _class(cause: Cause, mine: Lineage) -> str:
    """A class of the user's own whose objects hold plain values only: they can be compared by those."""
    rows, path = cause.rows, cause.reason.path
    found = [described(leaf) for leaf in _at((*rows, *mine.rows[:1]), path) if leaf.role == "static"]
    homes = {row.function_info.module for row in rows if row.function_info is not None}
    names = [tuple(label for label, _ in one.fields) for one in found]
    if not found or len({one.type for one in found}) > 1 or len(set(names)) > 1 or not all(map(_is_plain, found)):
        return ""
    home, _, name = found[0].type.rpartition(".")
    if not names[0] or homes != {home}:
        return ""
    return _CLASS.format(name=name, values="".join(f"self{label}, " for label in names[0]).rstrip())


def _is_plain(description: Description) -> bool:
    """Whether an object has attributes that are plain values, which can be hashed, and nothing else."""
    if description.equality not in ("identity", "hash_only") or description.code or has_hidden(description):
        return False
    return all(
        re.fullmatch(r"\.[a-zA-Z_]\w*", label) and part.equality == "value" and part.token is None and not part.fields
        for label, part in description.fields
    )


_MENDS: Mapping[str, Callable[[Cause, Lineage], str]] = {
    "dtype": _dtype,
    "weak_type": _weak_type,
    "leaf_kind": _leaf_kind,
    "shape": _rank,
    "prng_key_type": _prng_key,
    "committed": _committed,
    "treedef": _container,
    "kwargs_vs_args": _keyword,
    "static_value": _one_type,
    "static_identity": _class,
    "static_eq": _class,
}


def widest(dtypes: Iterable[str]) -> str | None:
    """The one among some dtypes that holds every value of the others; None where none does."""
    names = list(dict.fromkeys(dtypes))
    return next((name for name in names if all(_holds(name, other) for other in names)), None)


def _holds(dtype: str, other: str) -> bool:
    mine, its = _DTYPE.fullmatch(dtype), _DTYPE.fullmatch(other)
    if dtype == other:
        return mine is not None
    if mine is None or its is None:
        return False
    (kind, bits), (of, of_bits) = mine.groups(), its.groups()
    is_wider = int(bits) > int(of_bits)
    return is_wider and (kind == of or (kind, of) in (("int", "uint"), ("float", "bfloat")))


def _paths(cause: Cause) -> tuple[str, ...]:
    return cause.reason.path, *cause.also


def _of(row: Compile, paths: Iterable[str]) -> list[Leaf]:
    wanted = set(paths)
    return [leaf for leaf in row.signature.leaves if leaf.path in wanted]


def _at(rows: Iterable[Compile], path: str) -> list[Leaf]:
    return [leaf for row in rows for leaf in _of(row, {path})]


def _without_ones(shape: Sequence[int]) -> list[int]:
    return [size for size in shape if size != 1]


def _are_outputs_alike(rows: Iterable[Compile]) -> bool:
    """Whether each of these versions returns what the one that it is compared with does: dtypes and structure."""
    return all(row.compared_with is not None and _outputs(row) == _outputs(row.compared_with) for row in rows)


def _outputs(row: Compile) -> object:
    leaves = [(leaf.path, leaf.role, leaf.dtype, len(leaf.shape or ())) for leaf in row.outputs]
    return leaves, [(node.path, node.type) for node in row.output_nodes]


def _is_held_by_nnx(rows: Iterable[Compile]) -> bool:
    """Whether arguments are objects that the call is to change: to build them anew would lose that."""
    return any(row.function_info is not None and row.function_info.api == wrappers.NNX.name for row in rows)


def _at_leaves(rows: Sequence[Compile], wanted: _Changed, change: str, imports: str, *, is_for_any: bool = True) -> str:
    """The calls of `rows` with the leaves at the paths of `wanted` changed, inside whatever holds them.

    A change that is not for any value looks at it first, and needs a name for it.
    """
    places: _Changed = {}
    name = "mend_" + re.sub(r"\W+", "_", last_name(next(iter(wanted), ""))).strip("_")

    def of_root(root: str) -> Change:
        mine = {path.removeprefix(root): last for path, last in wanted.items() if root_of(path) == root}

        def write(text: str, start: str) -> str:
            if is_for_any and not start and list(mine) == [""]:
                return change.format(text, mine[""])
            places.update({(start or f"['{root}']") + below: last for below, last in mine.items()})
            if start:
                return f"jax.tree_util.tree_map_with_path({name}, tuple({text}))"
            return f'jax.tree_util.tree_map_with_path({name}, {{"{root}": {text}}})["{root}"]'

        return write

    told = [(row, _rewritten(row, {root: of_root(root) for root in map(root_of, wanted)})) for row in rows]
    if not places:
        return _code(told, imports)
    if _is_held_by_nnx(rows):
        return ""
    helper = _AT_PLACES.format(
        name=name, places=_table(places), change=_in_parentheses(change.format("leaf", "places[place]"))
    )
    return _code(told, "\n".join(dict.fromkeys((_TREE, imports))), helper)


def _in_parentheses(text: str) -> str:
    return f"({text})" if " else " in text else text


def _at_calls(rows: Sequence[Compile], changes: Mapping[str, Change], imports: str) -> str:
    return _code([(row, _rewritten(row, changes)) for row in rows], imports)


def _rewritten(row: Compile, changes: Mapping[str, Change]) -> str | None:
    for root, change in changes.items():
        written = written_call(row)
        text = written.with_argument(root, change) if written is not None else None
        if text is None:
            return None
        row = replace(row, written=text)
    return row.written


def _code(told: Sequence[tuple[Compile, str | None]], imports: str, helper: str = "") -> str:
    calls: dict[tuple[str, str], str] = {}
    for row, text in told:
        if not text or not row.source:
            return ""
        calls[row.source, _one_line(row.written)] = text
    if not calls or len(calls) > _MOST_CALLS:
        return ""
    shown = [f"# in place of `{written}` at {source}:\n{text}\n" for (source, written), text in calls.items()]
    parts = [f"{imports}\n"] * bool(imports) + ["\n" + helper] * bool(helper)
    return "\n".join([*parts, *shown])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _table(places: _Changed) -> str:
    return "{" + ", ".join(f"{place!r}: {last}" for place, last in places.items()) + "}"
