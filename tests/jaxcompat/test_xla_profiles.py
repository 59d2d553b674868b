"""What `jax.profiler` writes is read by XLA's own names."""

import warnings
from pathlib import Path

import jax
import numpy as np
import pytest

from jitviz.jaxcompat import xla_profiles


def test_a_session_has_the_spans_of_the_compile(tmp_path: Path) -> None:
    xla_profiles.start(tmp_path)
    with pytest.raises(RuntimeError):
        xla_profiles.start(tmp_path)
    jax.jit(lambda x: x * 2 + 1)(np.ones(3))
    found = xla_profiles.spans(xla_profiles.stop(tmp_path))
    assert [span.name for span in found].count("backend_compile_and_load") == 1
    assert all(span.parent is None or span.parent < number for number, span in enumerate(found))
    assert all(span.duration_s > 0 for span in found)


def test_python_remembers_which_warnings_it_has_shown(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        filters = list(warnings.filters)
        for _ in range(2):
            warnings.warn("of the user's", stacklevel=1)
            xla_profiles.start(tmp_path)
            xla_profiles.spans(xla_profiles.stop(tmp_path))
        assert warnings.filters == filters
    assert [str(one.message) for one in shown] == ["of the user's"]
