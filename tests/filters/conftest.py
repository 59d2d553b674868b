import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="session", autouse=True)
def hypothesis_has_started() -> None:
    """Use hypothesis once. At its first use it adds a garbage collection callback, which is no leftover of a test."""
    given(st.none())(lambda _: None)()
