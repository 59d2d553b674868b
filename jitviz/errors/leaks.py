"""What a statement stores to.

In: a `Spot`.  Out: text.
"""

import ast

from .syntax import Spot


def store_in(spot: Spot | None) -> str:
    """The target of the assignment at a spot: "model.kernel.value"; "" for other statements."""
    statement = spot.statement if spot is not None else None
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0])
    return ast.unparse(statement.target) if isinstance(statement, ast.AugAssign | ast.AnnAssign) else ""
