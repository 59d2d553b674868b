"""Rewritten calls: the code to paste, and where.

In: versions with the calls that they were compiled for, and the changes to make.  Out: code, "" if a call is not known
word for word.
Must never: use a name that does not appear in the call, or assign to the container of a leaf.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...model import Compile, Leaf
from ...model.paths import last_name, root_of
from ..call_text import Change, written_call
from ..causes import Lineage

MOST_CALLS = 3  # that are rewritten
JNP, TREE = "import jax.numpy as jnp", "import jax"
_AT_PLACES = '''\
def {name}(path, leaf):
    """The leaf, changed if its path is one of these."""
    places = {places}
    place = jax.tree_util.keystr(path)
    return {change} if place in places else leaf
'''


def at_leaves(
    rows: Sequence[Compile], wanted: Mapping[str, str], change: str, imports: str, among: Sequence[Compile] = ()
) -> str:
    """The calls of `rows` with the leaves at the paths of `wanted` changed, in whatever container they are.

    `change` is a template for the text of a leaf and for what `wanted` has for it. One that has the text twice needs a
    name for the leaf. If it does nothing to the other leaves of an argument, in no version `among` these, it is made to
    all of them, in a line.
    """
    places: dict[str, str] = {}  # path in the argument, as JAX writes it -> what `wanted` has for it
    name = "mend_" + re.sub(r"\W+", "_", last_name(next(iter(wanted), ""))).strip("_")

    def of_root(root: str) -> Change:
        inside = {_in_jax(path, rows).removeprefix(root): to for path, to in wanted.items() if root_of(path) == root}

        def write(text: str, start: str) -> str:
            if list(inside) == [""] and not start and (change.count("{0}") == 1 or text.isidentifier()):
                return change.format(text, inside[""])
            each = _each_leaf(rows, wanted, change, "" if start else root)
            if each or (dtype := _one_for_all(among, wanted, "" if start else root)):
                each = each or f"lambda leaf: {change.format('leaf', dtype)}"
                new = f"jax.tree.map({each}, {f'tuple({text})' if start else text})"
                return text if text.startswith("jax.tree.map(") else new
            places.update({(start or f"['{root}']") + below: to for below, to in inside.items()})
            if start:
                return f"jax.tree_util.tree_map_with_path({name}, tuple({text}))"
            return f'jax.tree_util.tree_map_with_path({name}, {{"{root}": {text}}})["{root}"]'

        return write

    calls = [(row, rewritten(row, {root: of_root(root) for root in map(root_of, wanted)})) for row in rows]
    if not places:
        is_mapped = any("jax.tree.map(" in (text or "") for _, text in calls)
        return code_of(calls, "\n".join(dict.fromkeys((TREE, imports))) if is_mapped else imports)
    if are_changed_in_place(rows):
        return ""
    changed = change.format("leaf", "places[place]")
    helper = _AT_PLACES.format(
        name=name,
        places="{" + ", ".join(f"{place!r}: {to}" for place, to in places.items()) + "}",
        change=f"({changed})" if " else " in changed else changed,
    )
    return code_of(calls, "\n".join(dict.fromkeys((TREE, imports))), helper)


def _each_leaf(rows: Sequence[Compile], wanted: Iterable[str], change: str, root: str) -> str:
    """What may be called with each leaf of an argument, or of all of them, which keeps arrays as they are; or ""."""
    function = change.removesuffix("({0})")
    leaves = [leaf for row in rows for leaf in row.signature.leaves if root in ("", root_of(leaf.path))]
    are_arrays = all(leaf.path in wanted or leaf.role == "traced" for leaf in leaves)
    return function if function != change and are_arrays and not are_changed_in_place(rows) else ""


def _one_for_all(rows: Sequence[Compile], wanted: Mapping[str, str], root: str) -> str:
    """The dtype that all leaves of an argument, or of all of them, may be cast to: that of `wanted` there, their own
    elsewhere; "" if there is none."""
    leaves = [leaf for row in rows for leaf in row.signature.leaves if root in ("", root_of(leaf.path))]
    if not leaves or any(leaf.role == "static" or (leaf.dtype or "key<").startswith("key<") for leaf in leaves):
        return ""
    if any(leaf.weak_type and leaf.path not in wanted for leaf in leaves) or are_changed_in_place(rows):
        return ""
    dtypes = [(wanted.get(leaf.path, f"jnp.{leaf.dtype}"), leaf) for leaf in leaves]
    if len({dtype for dtype, _ in dtypes}) == 1:
        return dtypes[0][0]
    if any(dtype != f"jnp.{leaf.dtype}" for dtype, leaf in dtypes):
        return ""
    has_numbers = any(leaf.type in ("int", "float", "complex") for leaf in leaves)
    return "jnp.result_type(leaf)" if has_numbers else "leaf.dtype"


def _in_jax(path: str, rows: Sequence[Compile]) -> str:
    """A path as `keystr` writes it: JAX knows the children of some classes only by number."""
    nodes = {node.path: node for row in rows for node in row.signature.nodes if not node.is_named}
    for node in sorted(nodes.values(), key=lambda node: -len(node.path)):
        for number, key in enumerate(node.keys):
            rest = path.removeprefix(node.path + key)
            if rest != path and rest[:1] in ("", ".", "["):
                path = f"{node.path}[<flat index {number}>]{rest}"
                break
    return path


def whole(template: str) -> Change:
    """A change that puts the text of a whole argument into a template."""
    return lambda text, start: "" if start else template.format(text)


def at_calls(rows: Sequence[Compile], changes: Mapping[str, Change], imports: str) -> str:
    return code_of([(row, rewritten(row, changes)) for row in rows], imports)


def rewritten(row: Compile, changes: Mapping[str, Change]) -> str | None:
    """The call of a version with the arguments for some parameters changed; None if it is not known word for word."""
    for root, change in changes.items():
        written = written_call(row)
        text = written.with_argument(root, change) if written is not None else None
        if text is None:
            return None
        row = replace(row, written=text)
    return row.written


def code_of(calls: Sequence[tuple[Compile, str | None]], imports: str, helper: str = "") -> str:
    """The code for versions, each with its changed call; "" if one is unknown."""
    if not all(text and row.source for row, text in calls):
        return ""
    new = {(row.source, " ".join(row.written.split())): text for row, text in calls}
    if not 0 < len(new) <= MOST_CALLS:
        return ""
    shown = [f"# in place of `{old}` at {source}:\n{text}\n" for (source, old), text in new.items()]
    parts = [f"{imports}\n"] * bool(imports) + ["\n" + helper] * bool(helper)
    return "\n".join([*parts, *shown])


def unknown_lines(lineage: Lineage) -> list[str]:
    """Lines whose calls were all hits: neither their arguments nor the versions that they ran are known."""
    known = {row.source for row in lineage.rows}
    return [line for line in lineage.lines if line and line not in known]


def leaves_of(row: Compile, paths: Iterable[str]) -> list[Leaf]:
    wanted = set(paths)
    return [leaf for leaf in row.signature.leaves if leaf.path in wanted]


def leaves_at(rows: Iterable[Compile], path: str) -> list[Leaf]:
    return [leaf for row in rows for leaf in leaves_of(row, {path})]


def are_outputs_alike(rows: Iterable[Compile]) -> bool:
    """Whether each version returns the same dtypes and structure as the version that it is compared with."""
    return all(row.compared_with is not None and _outputs(row) == _outputs(row.compared_with) for row in rows)


def _outputs(row: Compile) -> object:
    leaves = [(leaf.path, leaf.role, leaf.dtype, len(leaf.shape or ())) for leaf in row.outputs]
    return leaves, [(node.path, node.type) for node in row.output_nodes]


def are_changed_in_place(rows: Iterable[Compile]) -> bool:
    """Whether the call may change its arguments, so that it must not get rebuilt ones."""
    return any(row.function_info.wrapper.changes_arguments for row in rows)
