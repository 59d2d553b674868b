"""File names inside program texts, replaced by labels.

In: StableHLO with locations, or optimised HLO, and a function from paths to labels.  Out: the same text with a label,
such as "train.py" or "In [3]", in place of each path.
Must never: leave a path in, or change anything else.

MLIR escapes a special byte of a name as two hexadecimal digits, XLA as three octal ones. Labels escape only quotes and
backslashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_QUOTED = r'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"'
_LOCATION = re.compile(_QUOTED + r"(?=:\d+:\d)")  # "train.py":12:4 to :10
_INLINE = re.compile(r"(?<=\bsource_file=)" + _QUOTED)  # source_file="train.py" source_line=12
_ROW = re.compile(r"(?m)^(\d+ )" + _QUOTED + "$")  # 1 "train.py"
_HEXADECIMAL, _OCTAL = re.compile(rb"\\(?:([0-9A-F]{2})|(.))"), re.compile(rb"\\(?:([0-7]{3})|(.))")
_TABLE, _TABLE_END = "\nFileNames\n", "\n\n"


def label_stablehlo(text: str, label: Callable[[str], str]) -> str:
    """StableHLO from `get_asm(enable_debug_info=True)`, with labels for files."""
    return _LOCATION.sub(lambda found: _quote(label(_name(found[1], _HEXADECIMAL, 16))), text)


def label_hlo(text: str, label: Callable[[str], str]) -> str:
    """Optimised HLO with labels for files: in the table at its head, or up to jax 0.7 in every instruction."""

    def labelled(quoted: str) -> str:
        return _quote(label(_name(quoted, _OCTAL, 8)))

    if "source_file=" in text:
        text = _INLINE.sub(lambda found: labelled(found[1]), text)
    first = text.find(_TABLE) + len(_TABLE)
    last = text.find(_TABLE_END, first)
    if first < len(_TABLE) or last < 0:
        return text
    rows = _ROW.sub(lambda row: row[1] + labelled(row[2]), text[first:last])
    return "".join((text[:first], rows, text[last:]))


@lru_cache(maxsize=4096)
def _name(quoted: str, escape: re.Pattern[bytes], base: int) -> str:
    """A file name without the escapes of the compiler."""
    if "\\" not in quoted:
        return quoted
    plain = escape.sub(lambda found: bytes([int(found[1], base)]) if found[1] else found[2], quoted.encode())
    return plain.decode(errors="replace")


def _quote(label: str) -> str:
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'
