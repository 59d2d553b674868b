"""What the user's source says of JAX's own decorators.

In: source text.  Out: names.
"""

import ast

from ...model.python_text import parse


def given_by_nondiff(text: str, line: int) -> set[str]:
    """The names that the function at a line gives directly to functions of the text that have `nondiff_argnums`."""
    tree = parse(text) if "nondiff_argnums" in text else None
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)] if tree is not None else []
    made = {one.name for one in functions if any("nondiff_argnums" in ast.unparse(by) for by in one.decorator_list)}
    calls = (
        call
        for one in functions
        if line in (one.lineno, *(by.lineno for by in one.decorator_list))
        for call in ast.walk(one)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in made
    )
    given = (part for call in calls for part in (*call.args, *(keyword.value for keyword in call.keywords)))
    return {part.id for part in given if isinstance(part, ast.Name)}
