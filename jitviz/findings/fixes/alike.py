"""What versions have in common.

In: versions.  Out: leaves and lines, and whether outputs are alike.
Must never: look at more than signatures.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...model import Compile, Leaf
from ..causes import Lineage


def unknown_lines(mine: Lineage) -> list[str]:
    """Lines whose calls were all hits: neither their arguments nor the versions that they ran are known."""
    known = {row.source for row in mine.rows}
    return [line for line in mine.lines if line and line not in known]


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
