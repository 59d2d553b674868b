"""Python source as a syntax tree.

In: source text.  Out: its tree; None for what is not Python.

Python's parser warns of each unknown escape ("\\d"), and the user saw that warning when the source was compiled.
Warning filters belong to the whole process, so they stay as they are: a mark stands for such a backslash while the text
is parsed.
"""

import ast
import gc
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any, Literal, TypeVar, overload

from . import system

_Node = TypeVar("_Node", bound=ast.AST)

# A backslash at the end of a line continues the line; it is not an escape. Octal numbers above 377 are unknown too.
_ESCAPE = re.compile(r"(\\(?:[\\'\"abfnrtvxuUN]|(?![4-7][0-7]{2})[0-7]))|\\(?=[^\r\n])")
_MARK = "\x01"
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError)  # what the parser raises

# In these versions, a thread that parses while another one does breaks the other's parse, such as that of a traceback:
# https://github.com/python/cpython/issues/106905
_IS_ALONE = sys.version_info < (3, 11, 8) or (3, 12) <= sys.version_info < (3, 12, 1)
_PATIENCE = 500  # times a millisecond
_frames = sys._current_frames  # noqa: SLF001  # it has no other name
_PARSERS = (("parse", "ast.py"), ("ast_parse", "compilerop.py"))  # of Python and IPython


def parse(text: str) -> ast.Module | None:
    """The tree of `text`, with its lines and columns; None if it is not Python."""
    try:
        return _parse(text, "exec")
    except NOT_PYTHON:
        return None


def expression(text: str) -> ast.expr:
    """The tree of an expression.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError, SystemError: it is none (`NOT_PYTHON`).
    """
    return _parse(text, "eval").body


def copied(node: _Node) -> _Node:
    """A copy of a tree. (`copy.deepcopy` follows what other libraries put on nodes: IPython's traceback gives parents
    to those that all trees share, such as `ast.Load()`.)"""
    return ast.copy_location(type(node)(**{name: _copied_value(value) for name, value in ast.iter_fields(node)}), node)


def _copied_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied_value(each) for each in value]
    return copied(value) if isinstance(value, ast.AST) else value


@overload
def _parse(text: str, mode: Literal["exec"]) -> ast.Module: ...
@overload
def _parse(text: str, mode: Literal["eval"]) -> ast.Expression: ...
def _parse(text: str, mode: str) -> Any:
    plain = _ESCAPE.sub(lambda escape: escape[1] or _MARK, text)
    with _alone() if _IS_ALONE else nullcontext():
        tree: Any = ast.parse(plain, mode=mode)
    if plain != text:
        _put_backslashes(tree)
    return tree


def _put_backslashes(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = node.value.replace(_MARK, "\\")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            node.value = node.value.replace(_MARK.encode(), b"\\")


@contextmanager
def _alone() -> Iterator[None]:
    """While no other thread parses. One that does is only interrupted where the collector calls Python, as JAX has it
    do."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(_PATIENCE):
            if not _is_parsed_elsewhere():
                break
            system.sleep(0.001)
        yield
    finally:
        if was_enabled:
            gc.enable()


def _is_parsed_elsewhere() -> bool:
    """Whether another thread is inside a parser of Python, be it below a callback of the collector or a finalizer."""
    own = system.get_ident()
    return any(_is_parser(frame) for thread, frame in _frames().items() if thread != own)


def _is_parser(innermost: FrameType | None) -> bool:
    frame = innermost
    while frame is not None:
        if (frame.f_code.co_name, system.basename(frame.f_code.co_filename)) in _PARSERS:
            return True
        frame = frame.f_back
    return False
