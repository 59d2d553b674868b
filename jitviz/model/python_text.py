"""Python source as a syntax tree.

In: source text.  Out: its tree, in which the contents of strings are not reliable; None for what is not Python.

Python's parser warns of each unknown escape ("\\d"), and the user saw that warning when the source was compiled.
Warning filters belong to the whole process, so they stay as they are; the escapes are replaced before parsing instead.
"""

import ast
import re
import sys
from types import FrameType

from . import system

# A backslash at the end of a line continues the line; it is not an escape.
_ESCAPE = re.compile(r"\\N\{[^}\n]*\}|\\[\\'\"]|\\(?=[^\r\n])")


# In these versions, a thread that parses while another one does breaks the other's parse, such as that of a traceback:
# https://github.com/python/cpython/issues/106905
_IS_ALONE = sys.version_info < (3, 11, 8) or (3, 12) <= sys.version_info < (3, 12, 1)
_PATIENCE = 500  # times a millisecond
_frames = sys._current_frames  # noqa: SLF001  # it has no other name
_PARSERS = (("parse", "ast.py"), ("ast_parse", "compilerop.py"))  # of Python and IPython


def parse(text: str) -> ast.Module | None:
    """The tree of `text`, with its lines and columns; None if it is not Python."""
    plain = _ESCAPE.sub(lambda escaped: "x" * len(escaped[0]), text)
    for _ in range(_PATIENCE if _IS_ALONE else 0):
        if not _is_parsed_elsewhere():
            break
        system.sleep(0.001)
    try:
        return ast.parse(plain)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return None


def _is_parsed_elsewhere() -> bool:
    """Whether another thread is inside a parser of Python."""
    own = system.get_ident()
    return any(_is_parser(frame) for thread, frame in _frames().items() if thread != own)


def _is_parser(frame: FrameType) -> bool:
    above = frame.f_back  # where the garbage collector has called something
    codes = [each.f_code for each in (frame, above) if each is not None]
    return any((code.co_name, system.basename(code.co_filename)) in _PARSERS for code in codes)
