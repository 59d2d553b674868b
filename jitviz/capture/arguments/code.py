"""What a function does, as a digest of its bytecode.

In: a code object.  Out: 12 hex digits, equal for functions compiled from the same source text.
Must never: depend on the file, the line or the name under which the code was compiled (a re-run cell has new ones).
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from types import CodeType
from typing import Any


@lru_cache(maxsize=4096)  # code objects compare by content, and hold no user data but constants
def code_digest(code: CodeType, wrapped: str | None = None) -> str:
    """A digest of bytecode, constants, and the names it uses; nested functions included, and what a decorator wraps."""
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
