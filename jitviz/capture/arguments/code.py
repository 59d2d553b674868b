"""Digests of bytecode.

In: a code object.  Out: 12 hex digits, equal for functions compiled from the same source text.
Must never: depend on the file, line or name of the code, which change when a cell is run again.
"""

import hashlib
from functools import lru_cache
from types import CodeType
from typing import Any


@lru_cache(maxsize=4096)  # code objects compare by content; constants are the only user data in them
def code_digest(code: CodeType, wrapped: str | None = None) -> str:
    """A digest of the bytecode, constants and names of a function, its nested functions and a wrapped function."""
    summary = (code.co_code, code.co_names, code.co_varnames, code.co_freevars, _constants(code.co_consts), wrapped)
    return hashlib.blake2b(repr(summary).encode(), digest_size=6).hexdigest()


def _constants(constants: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(code_digest(part) if isinstance(part, CodeType) else _text(part) for part in constants)


def _text(constant: Any) -> str:
    if isinstance(constant, frozenset):  # its order differs between processes
        return "frozenset" + repr(sorted(map(repr, constant)))
    if isinstance(constant, tuple):
        return "tuple" + repr(_constants(constant))
    return repr(constant)
