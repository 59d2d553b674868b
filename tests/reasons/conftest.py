from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="session", autouse=True)
def hypothesis_is_warm() -> None:
    """Its first run adds a callback to the garbage collector for good: let that be before any test is watched."""

    @given(st.none())
    def run(_: Any) -> None: ...

    run()
