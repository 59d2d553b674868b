"""Where an array is, in one text that tells all that the cache key holds of it."""

from types import SimpleNamespace
from typing import Any

import pytest

from jitviz.capture.arguments import arrays


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        ([0, 1, 2, 3], "cpu:0…cpu:3 (4)"),
        ([0, 2, 1, 3], "cpu:0, cpu:2, cpu:1, cpu:3"),
        ([*range(16), 17], "cpu:0…cpu:17 (17) in the order dbf463"),
    ],
)
def test_the_order_of_devices_is_told(ids: list[int], text: str) -> None:
    sharding: Any = SimpleNamespace(_device_assignment=[SimpleNamespace(platform="cpu", id=number) for number in ids])
    assert arrays._devices_text(sharding) == text
