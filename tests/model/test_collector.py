from __future__ import annotations

import gc

import pytest

from jitviz.model.collector import resting_collector


def test_the_collector_rests_in_a_block_and_wakes_after_it() -> None:
    with resting_collector():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_wakes_after_a_block_that_fails() -> None:
    with pytest.raises(KeyError), resting_collector():
        raise KeyError
    assert gc.isenabled()


def test_a_collector_that_was_switched_off_stays_off() -> None:
    gc.disable()
    try:
        with resting_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
