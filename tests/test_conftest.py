import sys

import jax
import pytest
from jax._src.config import enable_x64  # public from jax 0.8 on

from .conftest import survivors, switched_on
from .jaxcompat.watching import listening


def listener(*args: object, **kwargs: object) -> None:
    pass


def test_a_leftover_listener_is_named() -> None:
    before = switched_on()
    with listening(listener, "event_duration_secs"):
        assert survivors(before, switched_on()) == ["_event_duration_secs_listeners"]
    assert survivors(before, switched_on()) == []


def test_a_leftover_patch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    before = switched_on()
    monkeypatch.setattr(jax, "clear_caches", listener)
    assert survivors(before, switched_on()) == ["jax: clear_caches"]


def test_a_leftover_setting_is_named() -> None:
    before = switched_on()
    with enable_x64(True):
        assert survivors(before, switched_on()) == ["settings of jax"]
    assert survivors(before, switched_on()) == []


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no sys.monitoring")
def test_a_leftover_monitoring_tool_is_named() -> None:
    before = switched_on()
    sys.monitoring.use_tool_id(4, "left over")
    try:
        assert survivors(before, switched_on()) == ["monitoring tools"]
    finally:
        sys.monitoring.free_tool_id(4)
