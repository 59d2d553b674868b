from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from jitviz.display.widget import pack_panel
from jitviz.views import PANEL, Panel, shape_panel
from tests.display import samples


def restored(hint: Any, packed: Any) -> Any:
    """The unpacked value of a type of the schema, with the defaults of fields that were not sent."""
    origin, inner = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return hint(**{name: restored(hints[name], value) for name, value in packed.items()})
    if isinstance(packed, bytes):
        return tuple(array({int: "i", float: "d"}[inner[0]], packed))
    if origin is tuple:
        return tuple(restored(inner[0], item) for item in packed)
    if origin is UnionType:
        return None if packed is None else restored(inner[0], packed)
    return packed


def to_microseconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: to_microseconds(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_microseconds(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value


@pytest.mark.parametrize("story", samples.ALL, ids=lambda story: story.__name__)
def test_a_panel_is_the_same_once_it_is_unpacked(story: Callable[[], samples.Sample]) -> None:
    panel = shape_panel(story(), PANEL)
    packed = pack_panel(panel)
    columns = {name for name, value in packed["timeline"].items() if isinstance(value, bytes)}
    timeline = vars(panel.timeline)
    assert columns == {name for name in timeline if name.startswith(("call_", "phase_")) and len(timeline[name]) >= 8}
    assert to_microseconds(asdict(restored(Panel, packed))) == to_microseconds(asdict(panel))


def test_default_values_are_not_sent() -> None:
    packed = pack_panel(shape_panel(samples.recompile_by_treedef(), PANEL))
    (function,) = packed["functions"]
    assert function["versions"][0]["inputs"]["rows"][-1] == {
        "kind": "leaf",
        "depth": 0,
        "name": "lr",
        "path": "lr",
        "type": "float",
        "role": "static",
        "value": "0.001",
        "static": 1,
    }
