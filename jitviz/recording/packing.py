"""Compressing the texts of programs.

In: a text, or its compressed form.  Out: the other.
"""

import zlib

MOST = 2**28  # bytes of one text


def pack(text: str) -> bytes:
    """Compress a text lightly: there are many long texts, and most are never read."""
    return zlib.compress(text.encode(errors="surrogatepass"), 1)


def unpack(packed: bytes) -> str:
    """Return the text; a ValueError says that it is damaged, or longer than `MOST`."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(packed, MOST).decode(errors="surrogatepass")
    except (zlib.error, UnicodeError) as error:
        raise ValueError(f"a text is damaged: {error}") from None
    if not unpacking.eof:
        raise ValueError(f"a text is cut off, or longer than {MOST} bytes")
    return text
