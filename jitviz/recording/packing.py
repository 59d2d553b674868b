"""Texts of programs, compressed.

In: a text, or what was made of one.  Out: the other.
Must never: unpack more than a text may have, however little it is packed.
"""

from __future__ import annotations

import zlib

MOST = 2**28  # bytes of one text


def pack(text: str) -> bytes:
    """Compressed lightly: texts are many and long, and most are never looked at."""
    return zlib.compress(text.encode(errors="surrogatepass"), 1)


def unpack(packed: bytes) -> str:
    """The text.

    Raises:
        ValueError: it is damaged, or longer than `MOST`.
    """
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(packed, MOST).decode(errors="surrogatepass")
    except (zlib.error, UnicodeError) as error:
        raise ValueError(f"a text is damaged: {error}") from None
    if not unpacking.eof:
        raise ValueError(f"a text is cut off, or longer than {MOST} bytes")
    return text
