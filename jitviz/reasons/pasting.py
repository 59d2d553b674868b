"""Rewritten calls: the code to paste, and where.

In: versions with the calls that they were compiled for, and the changes to make.  Out: `Paste`, None if a call is not
known word for word.

Every name in it appears in the call or is imported, and a container of a leaf (a frozen dataclass, a NamedTuple, a
library's module) is rebuilt by JAX, never assigned to.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..model import Compile, Leaf, count, last_name, root_of
from .call_text import Rewrite, template, written_call

_MOST_CALLS = 3  # that are rewritten
JNP, TREE = "import jax.numpy as jnp", "import jax"


@dataclass(frozen=True)
class Paste:
    """Code to paste: `calls` in place of others, each with its line, the old text and the new one; `code` below what
    `name` defines, with `where` that is in words. `check` are lines that may have to change as well."""

    calls: tuple[tuple[str, str, str], ...] = ()
    imports: tuple[str, ...] = ()
    helper: str = ""
    where: str = ""
    name: str = ""
    code: str = ""
    check: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = [f"# in place of `{old}` at {place}:\n{new}\n" for place, old, new in self.calls]
        shown += [f"# {self.where}:\n{self.code}"] * bool(self.name)
        parts = ["".join(f"{name}\n" for name in self.imports), f"\n{self.helper}" * bool(self.helper), *shown]
        more = f" and {count(n, 'more line')}" if (n := len(self.check) - _MOST_CALLS) > 0 else ""
        parts += [f"# also check {', '.join(self.check[:_MOST_CALLS])}{more}\n"] * bool(self.check and self.calls)
        return "\n".join(filter(None, parts))


def at_leaves(
    rows: Sequence[Compile], wanted: Mapping[str, str], change: str, imports: str, among: Sequence[Compile] = ()
) -> Paste | None:
    """The calls of `rows` with the leaves at the paths of `wanted` changed, in whatever container they are.

    `change` is a template for the text of a leaf and for what `wanted` has for it. One that has the text twice needs a
    name for the leaf. If it does nothing to the other leaves of an argument, in no version `among` these, it is made to
    all of them, in a line.
    """
    places: dict[str, str] = {}  # path in the argument, as JAX writes it -> what `wanted` has for it
    name = "mend_" + re.sub(r"\W+", "_", last_name(next(iter(wanted), ""))).strip("_")

    def of_root(root: str) -> Rewrite:
        inside = {_in_jax(path, rows).removeprefix(root): to for path, to in wanted.items() if root_of(path) == root}

        def write(text: str, start: str) -> str:
            is_short = change.count("{0}") == 1 or text.isidentifier() or text.replace(".", "", 1).isdecimal()
            if list(inside) == [""] and not start and is_short:
                return change.format(text, inside[""])
            each = _each_leaf(rows, among, wanted, change, "" if start else root)
            if each:
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
        return paste(calls, *[TREE] * is_mapped, imports)
    if are_changed_in_place(rows):
        return None
    changed = change.format("leaf", "places[place]")
    helper = template("at_places").format(
        name=name,
        places="{"
        + ", ".join(f"{place!r}: {to}" if "{1}" in change else repr(place) for place, to in places.items())
        + "}",
        change=f"({changed})" if " else " in changed else changed,
    )
    return paste(calls, TREE, imports, helper=helper)


def _each_leaf(
    rows: Sequence[Compile], among: Sequence[Compile], wanted: Mapping[str, str], change: str, root: str
) -> str:
    """A function that may be called with each leaf of an argument, or of all of them, and changes no other; or ""."""
    if are_changed_in_place([*rows, *among]):
        return ""
    inside = [
        [leaf for row in some for leaf in row.signature.leaves if root in ("", root_of(leaf.path))]
        for some in (rows, among)
    ]
    function = change.removesuffix("({0})")  # which keeps arrays as they are
    if function != change and all(leaf.path in wanted or leaf.role == "traced" for leaf in inside[0]):
        return function
    leaves = inside[1]
    is_weak = any(leaf.weak_type and leaf.path not in wanted for leaf in leaves)
    if not leaves or is_weak or any(leaf.role == "static" or (leaf.dtype or "key<")[:4] == "key<" for leaf in leaves):
        return ""
    dtypes = [(wanted.get(leaf.path, f"jnp.{leaf.dtype}"), leaf) for leaf in leaves]
    dtype = dtypes[0][0]
    if len({dtype for dtype, _ in dtypes}) > 1:
        if any(dtype != f"jnp.{leaf.dtype}" for dtype, leaf in dtypes):
            return ""
        has_numbers = any(leaf.type in ("int", "float", "complex") for leaf in leaves)
        dtype = "jnp.result_type(leaf)" if has_numbers else "leaf.dtype"
    return f"lambda leaf: {change.format('leaf', dtype)}"


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


def whole(template: str) -> Rewrite:
    """A change that puts the text of a whole argument into a template."""
    return lambda text, start: "" if start else template.format(text)


def at_calls(rows: Sequence[Compile], changes: Mapping[str, Rewrite], *imports: str) -> Paste | None:
    return paste([(row, rewritten(row, changes)) for row in rows], *imports)


def rewritten(row: Compile, changes: Mapping[str, Rewrite]) -> str | None:
    """The call of a version with the arguments for some parameters changed; None if it is not known word for word."""
    for root, change in changes.items():
        written = written_call(row)
        text = written.with_argument(root, change) if written is not None else None
        if text is None:
            return None
        row = replace(row, written=text)
    return row.written


def paste(calls: Sequence[tuple[Compile, str | None]], *imports: str, helper: str = "") -> Paste | None:
    """The versions, each with its changed call; None if one is unknown."""
    new = {(row.source, " ".join(row.written.split())): text for row, text in calls if text and row.source}
    if not all(text and row.source for row, text in calls) or not 0 < len(new) <= _MOST_CALLS:
        return None
    changed = tuple((source, old, text) for (source, old), text in new.items())
    return Paste(changed, tuple(dict.fromkeys(imports)), helper)


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
