"""Any program composed of JAX's transformations behaves the same with and without jitviz."""

import gc
import os
from collections.abc import Iterator
from typing import Any

import jax
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jitviz import capture

from . import generated
from .observe import observed
from .test_differential import left_more

# The suite tries a few; `JITVIZ_PROGRAMS=500` tries many others.
MANY = int(os.environ.get("JITVIZ_PROGRAMS", "0"))


@pytest.fixture(autouse=True)
def fill_caches() -> Iterator[None]:
    observe(["jax.jit"], "as it is", [3], is_recorded=True)
    yield
    gc.unfreeze()


def observe(wrappers: list[str], manner: str, sizes: list[int], *, is_recorded: bool) -> dict[str, Any]:
    jax.clear_caches()
    program = generated.program(wrappers, manner, sizes)
    return observed(program, generated.__file__, is_recorded=is_recorded)


@pytest.mark.timeout(0 if MANY else 600)
@settings(
    max_examples=MANY or 12,
    derandomize=not MANY,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.lists(st.sampled_from(list(generated.WRAPPERS)), min_size=1, max_size=5),
    st.sampled_from(list(generated.MANNERS)),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
)
def test_a_generated_program_behaves_the_same_with_and_without_jitviz(
    wrappers: list[str], manner: str, sizes: list[int]
) -> None:
    capture.unwatch()
    observe(wrappers, manner, sizes, is_recorded=False)  # fills caches, and shows warnings that are shown once
    for _ in range(2):
        plain, recorded = (observe(wrappers, manner, sizes, is_recorded=is_recorded) for is_recorded in (False, True))
        more = left_more(plain, recorded)
        assert recorded == plain
        if not more:
            break
    assert more == {}
