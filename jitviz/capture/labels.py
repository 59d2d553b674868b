"""File names inside program texts, replaced by what people call the files.

In: StableHLO with locations, or optimised HLO.  Out: the same text, with "train.py" or "In [3]" for a path.
Must never: leave a path of the user's home in, or change anything else.
"""

from __future__ import annotations

import re

from .sources import file_label

_QUOTED = r'"((?:[^"\\\n]|\\.)*)"'
_LOCATION = re.compile(_QUOTED + r"(?=:\d+:\d)")  # "train.py":12:4 to :10
_METADATA = re.compile(r"(?<=source_file=)" + _QUOTED)
_ROW = re.compile(r"(?m)(?<=^)(\d+ )" + _QUOTED + "$")  # 1 "train.py"
_TABLE, _TABLE_END = "\nFileNames\n", "\n\n"


def label_stablehlo(text: str) -> str:
    """StableHLO as `get_asm(enable_debug_info=True)` gives it, with labels for files."""
    return _LOCATION.sub(_label, text)


def label_hlo(text: str) -> str:
    """Optimised HLO with labels for files: in the table at its head, or beside operations if XLA has them there."""
    head, table, rest = text.partition(_TABLE)
    rows, end, body = rest.partition(_TABLE_END)
    text = head + table + _ROW.sub(lambda row: row[1] + _quote(file_label(_plain(row[2]))), rows) + end + body
    return _METADATA.sub(_label, text) if "source_file=" in text else text


def _label(found: re.Match[str]) -> str:
    return _quote(file_label(_plain(found[1])))


def _plain(quoted: str) -> str:
    return quoted.replace('\\"', '"').replace("\\\\", "\\")


def _quote(label: str) -> str:
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'
