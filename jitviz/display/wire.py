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

from ..views.schema import Panel

_INT32, _FLOAT64 = "i", "d"
_CODES = {tuple[int, ...]: _INT32, tuple[float, ...]: _FLOAT64}
_DIGITS = 6
_FEW = 8  # numbers; fewer take less room as JSON than as a named buffer


def pack_panel(panel: Panel) -> dict[str, Any]:
    """The trait `view`: a panel as JSON, with the columns of its timeline as little-endian bytes.

    In the parts of the panel, fields with their default value are left out.
    """
    packed = {name: _brief(value) for name, value in vars(panel).items() if name != "timeline"}
    packed["timeline"] = {
        name: _brief(column) if code is None or len(column) < _FEW else _bytes(column, code)
        for name, column, code in _columns(panel.timeline)
    }
    return packed


def _columns(table: Any) -> list[tuple[str, Any, str | None]]:
    """(name, value, type code) of each field; the code is None unless it is a column of numbers."""
    kind: Any = type(table)
    codes = _codes(kind)
    return [(name, value, codes.get(name)) for name, value in vars(table).items()]


@cache
def _codes(table: type) -> dict[str, str]:
    return {name: _CODES[hint] for name, hint in get_type_hints(table).items() if hint in _CODES}


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
