"""Python source as a syntax tree.

In: source text.  Out: its tree, in which the contents of strings are not reliable; None for what is not Python.

Python's parser warns of each unknown escape ("\\d"), and the user saw that warning when the source was compiled.
Warning filters belong to the whole process, so they stay as they are; the escapes are replaced before parsing instead.
"""

import ast
import re

# A backslash at the end of a line continues the line; it is not an escape.
_ESCAPE = re.compile(r"\\N\{[^}\n]*\}|\\[\\'\"]|\\(?=[^\r\n])")


def parse(text: str) -> ast.Module | None:
    """The tree of `text`, with its lines and columns; None if it is not Python."""
    try:
        return ast.parse(_ESCAPE.sub(lambda escaped: "x" * len(escaped[0]), text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
