"""The built front end: the bundle that every panel needs, and the parts that load when they are first needed.

In: the files in `static/`.  Out: their texts; the lazy parts packed.
Must never: read a file before it is needed, or pack one twice.
"""

import gzip
from base64 import b64encode
from functools import cache
from pathlib import Path

CHUNKS = ("code", "graphviz")  # see js/src/wire/chunk.ts

_STATIC = Path(__file__).with_name("static")


def pack_bytes(data: bytes, level: int = 9) -> bytes:
    """gzip, the same bytes each time: its header names no time and no operating system."""
    packed = gzip.compress(data, level, mtime=0)
    return packed[:9] + b"\xff" + packed[10:]


@cache
def read_text(name: str) -> str:
    """A file of the front end."""
    return (_STATIC / name).read_text(encoding="utf-8")


@cache
def pack_bundle() -> bytes:
    """The bundle as gzip, the same bytes each time."""
    return pack_bytes((_STATIC / "jitviz.js").read_bytes())


@cache
def write_bundle() -> str:
    """The bundle as a module that unpacks itself. Each page gets it once."""
    return f'const LETTERS="{to_letters(pack_bundle())}";\n{read_text("assets.js")}'


def read_chunk(name: str) -> str:
    """A lazy part.

    Raises:
        LookupError: there is no such part.
    """
    if name not in CHUNKS:
        raise LookupError("There is no such part of the panel.")
    return read_text(f"{name}.js")


@cache
def pack_chunk(name: str) -> bytes:
    """A lazy part as gzip, the same bytes each time."""
    return pack_bytes(read_chunk(name).encode())


@cache
def to_letters(packed: bytes) -> str:
    """Bytes as letters that are safe in any element."""
    return b64encode(packed).decode()
