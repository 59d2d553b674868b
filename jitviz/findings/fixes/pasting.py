"""Rewritten calls: the code to paste, and where.

In: versions with the calls that they were compiled for, and the changes to make.  Out: code, "" if a call is not known
word for word.
Must never: use a name that does not appear in the call, or assign to the container of a leaf.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...model import Compile
from ...model.paths import last_name, root_of
from ..call_text import Change, written_call

MOST_CALLS = 3  # that are rewritten
JNP, TREE = "import jax.numpy as jnp", "import jax"
_AT_PLACES = '''\
def {name}(path, leaf):
    """The leaf, changed if its path is one of these."""
    places = {places}
    place = jax.tree_util.keystr(path)
    return {change} if place in places else leaf
'''
Changed = dict[str, str]  # path -> the last argument of the change


def at_leaves(rows: Sequence[Compile], wanted: Changed, change: str, imports: str, *, is_for_any: bool = True) -> str:
    """The calls of `rows` with the leaves at the paths of `wanted` changed, in whatever container they are.

    `is_for_any` says that the change applies to any value. Otherwise it tests the value first and needs a name for it.
    """
    places: Changed = {}
    name = "mend_" + re.sub(r"\W+", "_", last_name(next(iter(wanted), ""))).strip("_")

    def of_root(root: str) -> Change:
        mine = {_in_jax(path, rows).removeprefix(root): last for path, last in wanted.items() if root_of(path) == root}

        def write(text: str, start: str) -> str:
            if is_for_any and not start and list(mine) == [""]:
                return change.format(text, mine[""])
            places.update({(start or f"['{root}']") + below: last for below, last in mine.items()})
            if start:
                return f"jax.tree_util.tree_map_with_path({name}, tuple({text}))"
            return f'jax.tree_util.tree_map_with_path({name}, {{"{root}": {text}}})["{root}"]'

        return write

    told = [(row, rewritten(row, {root: of_root(root) for root in map(root_of, wanted)})) for row in rows]
    if not places:
        return code_of(told, imports)
    if are_changed_in_place(rows):
        return ""
    changed = change.format("leaf", "places[place]")
    helper = _AT_PLACES.format(
        name=name,
        places="{" + ", ".join(f"{place!r}: {last}" for place, last in places.items()) + "}",
        change=f"({changed})" if " else " in changed else changed,
    )
    return code_of(told, "\n".join(dict.fromkeys((TREE, imports))), helper)


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


def code_of(told: Sequence[tuple[Compile, str | None]], imports: str, helper: str = "") -> str:
    calls: dict[tuple[str, str], str] = {}
    for row, text in told:
        if not text or not row.source:
            return ""
        calls[row.source, " ".join(row.written.split())] = text
    if not calls or len(calls) > MOST_CALLS:
        return ""
    shown = [f"# in place of `{written}` at {source}:\n{text}\n" for (source, written), text in calls.items()]
    parts = [f"{imports}\n"] * bool(imports) + ["\n" + helper] * bool(helper)
    return "\n".join([*parts, *shown])


def are_changed_in_place(rows: Iterable[Compile]) -> bool:
    """Whether the call may change its arguments, so that it must not get rebuilt ones."""
    return any(row.function_info.wrapper.changes_arguments for row in rows)
