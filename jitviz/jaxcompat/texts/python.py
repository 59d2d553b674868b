"""The user's source as a syntax tree.

In: the text of a stretch of source.  Out: its tree, in which what strings say is not to be relied on.
Must never: raise over source that is no Python, or have Python warn of it once more.

The parser warns of each unknown escape ("\\d") to whoever shows warnings or makes errors of them; the user has been
warned when the source was compiled. Filters are the whole process' and no place to silence it: without their
backslashes, strings have no escapes.
"""

from __future__ import annotations

import ast
import re

# A backslash at the end of a line goes on with the line, and is none of an escape.
_ESCAPE = re.compile(r"\\N\{[^}\n]*\}|\\[\\'\"]|\\(?=[^\r\n])")


def parse(text: str) -> ast.Module | None:
    """The tree of `text`, every line and column where it is in it; None where there is none."""
    try:
        return ast.parse(_ESCAPE.sub(lambda found: "x" * len(found[0]), text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
