"""The user's source as a syntax tree.

In: source text.  Out: its tree, in which the contents of strings are not reliable.
Must never: raise over text that is not Python, or make Python repeat a warning about it.

Python's parser warns of each unknown escape ("\\d"), and the user saw that warning when the source was compiled.
Warning filters belong to the whole process, so they stay as they are; the escapes are replaced before parsing instead.
"""

import ast
import re

# A backslash at the end of a line continues the line; it is not an escape.
_ESCAPE = re.compile(r"\\N\{[^}\n]*\}|\\[\\'\"]|\\(?=[^\r\n])")


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


def parse(text: str) -> ast.Module | None:
    """The tree of `text`, with its lines and columns; None if it is not Python."""
    try:
        return ast.parse(_ESCAPE.sub(lambda escaped: "x" * len(escaped[0]), text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
