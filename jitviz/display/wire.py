"""A view as a kernel sends it again and again: JSON, with long columns as bytes.

In: a `Panel`.  Out: what `js/src/wire/messages.ts` reads.
Must never: send a column that may have a hundred thousand entries as JSON.
"""

import sys
from array import array
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_type_hints

from ..views.schema import Panel, Timeline

_INT32, _FLOAT64 = "i", "d"
_CODES = {tuple[int, ...]: _INT32, tuple[float, ...]: _FLOAT64}
_DIGITS = 6
_FEW = 8  # numbers; fewer take less room as JSON than as a named buffer


def pack_panel(panel: Panel) -> dict[str, Any]:
    """The trait `view`: a panel as JSON, with the columns of its timeline as little-endian bytes. In the parts of the
    panel, fields with their default value are left out."""
    packed = {name: _brief(value) for name, value in vars(panel).items() if name != "timeline"}
    codes = _codes()
    packed["timeline"] = {
        name: _bytes(column, codes[name]) if name in codes and len(column) >= _FEW else _brief(column)
        for name, column in vars(panel.timeline).items()
    }
    return packed


@cache
def _codes() -> dict[str, str]:
    """The type code of each column of numbers."""
    return {name: _CODES[hint] for name, hint in get_type_hints(Timeline).items() if hint in _CODES}


def _bytes(column: Sequence[float], code: str) -> bytes:
    packed = array(code, column)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _brief(value: Any) -> Any:
    """JSON without the fields that have their default value, as most fields of a row do, and with rounded seconds."""
    if is_dataclass(value):
        items = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: _brief(item) for field, item in items if item != field.default}
    if isinstance(value, tuple | list):
        return [_brief(item) for item in value]
    return round(value, _DIGITS) if isinstance(value, float) else value
