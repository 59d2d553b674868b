import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="session", autouse=True)
def hypothesis_has_started() -> None:
    """At its first use hypothesis hangs a clock on the garbage collector, which is not for a test to clear up."""
    given(st.none())(lambda _: None)()
