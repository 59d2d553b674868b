from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from jitviz.display.answers import answer
from jitviz.display.wire import pack_answer, pack_panel
from jitviz.views import PANEL, Panel, shape_panel
from jitviz.views.schema import Frames, LineWork, Links, Origins, SourceBlock, Stacks
from tests.display import samples


def unpacked(packed: Any, buffers: list[bytes]) -> Any:
    """Packed data with lists instead of buffers."""
    if isinstance(packed, list):
        return [unpacked(item, buffers) for item in packed]
    if not isinstance(packed, dict):
        return packed
    if set(packed) == {"column", "buffer"}:
        code = {"int32": "i", "float64": "d"}[packed["column"]]
        return list(array(code, buffers[packed["buffer"]]))
    return {name: unpacked(item, buffers) for name, item in packed.items()}


def as_json(value: Any) -> Any:
    """The value with lists instead of tuples."""
    return json.loads(json.dumps(value))


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


@pytest.mark.parametrize("story", [samples.recompile_by_treedef, samples.huge, samples.nasty])
def test_a_tree_is_the_same_once_its_columns_are_unpacked(story: Callable[[], samples.Sample]) -> None:
    detail: Any = answer(story(), "partition", {"compile": 0})
    body, buffers = pack_answer(detail)
    assert unpacked(as_json(body), buffers) == as_json(asdict(detail))


def test_of_a_tree_only_texts_and_marks_are_json() -> None:
    body, buffers = pack_answer(answer(samples.huge(), "partition", {"compile": 1}))
    rows = body["inputs"]["rows"]
    assert [name for name, value in rows.items() if isinstance(value, list)] == ["marks", "texts"]
    assert len(buffers) == len([value for value in rows.values() if "buffer" in value]) == 14


def test_a_short_text_needs_no_buffer() -> None:
    assert pack_answer({"text": "{ lambda ; . let in () }"}) == ({"text": "{ lambda ; . let in () }"}, [])


def test_a_long_text_and_bytes_are_sent_as_buffers() -> None:
    text = "λ" * 2_001
    body, buffers = pack_answer({"text": text, "code": b"\x1f\x8b"})
    assert body == {"text": {"column": "utf8", "buffer": 0}, "code": {"column": "bytes", "buffer": 1}}
    assert buffers == [text.encode(), b"\x1f\x8b"]


def test_columns_of_links_are_sent_as_buffers() -> None:
    links = Links(
        files=("In [3]",), functions=("loss",), names=(), sources=(SourceBlock(0, 1, "x = 1"),),
        frames=Frames((0,), (0,), (1,), (0,), (1,), (4,)), stacks=Stacks((0,), (-1,), (2,), (0,), (1,), (8.0,), (4.0,)),
        jaxpr=Origins((1, 2), (0, 0), (0, 1), (0, 0)), stablehlo=Origins(), hlo=Origins(), lines=LineWork(),
    )  # fmt: skip
    body, buffers = pack_answer(links)
    assert body["stacks"]["flops"] == {"column": "float64", "buffer": 11}
    assert body["sources"] == [{"file": 0, "first": 1, "text": "x = 1"}]
    assert unpacked(as_json(body), buffers) == as_json(asdict(links))
