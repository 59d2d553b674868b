"""What the user's source says of JAX's own decorators.

In: source text.  Out: names.
"""

import ast

from ...model.python_text import parse


def given_by_nondiff(text: str, line: int) -> set[str]:
    """The names that the function at a line gives directly to functions of the text that have `nondiff_argnums`."""
    tree = parse(text) if "nondiff_argnums" in text else None
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] if tree is not None else []
    made = {node.name for node in functions if any("nondiff_argnums" in ast.unparse(by) for by in node.decorator_list)}
    calls = (
        call
        for node in functions
        if line in (node.lineno, *(by.lineno for by in node.decorator_list))
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in made
    )
    given = (part for call in calls for part in (*call.args, *(keyword.value for keyword in call.keywords)))
    return {part.id for part in given if isinstance(part, ast.Name)}
