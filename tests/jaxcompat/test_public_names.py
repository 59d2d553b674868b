import inspect
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jitviz.jaxcompat import jax_frames, public_names

from .watching import at_end, fresh


@pytest.mark.parametrize(
    ("written", "run"),
    [
        ("jnp.median", lambda x: jnp.median(x)),
        ("jnp.linalg.norm", lambda x: jnp.linalg.norm(x)),
        ("jax.nn.softmax", lambda x: jax.nn.softmax(x)),
        ("x[...]", lambda x: x[1:]),
        ("x.at[...]", lambda x: x.at[0].set(1.0)),
    ],
)
def test_a_function_of_jax_is_named_as_it_is_written(written: str, run: Any) -> None:
    x = jnp.ones(3)
    jax.clear_caches()
    assert set(at_end("compile", lambda: run(x), lambda frame: called_below(frame))) == {written}


def called_below(frame: FrameType | None) -> str:
    """What the user called, looked for as jitviz does: from the innermost frame of JAX's."""
    while frame is not None and not jax_frames.is_jax_file(frame.f_code.co_filename):
        frame = frame.f_back
    return public_names.called_by_user(frame)


def test_the_name_of_a_program_leads_to_the_public_function() -> None:
    assert [public_names.of_program(name) for name in ("negative", "convert_element_type", "_where", "mine")] == [
        "jnp.negative",
        "jax.lax.convert_element_type",
        "_where",
        "mine",
    ]


def test_the_code_of_a_public_function_has_its_name() -> None:
    assert [public_names.of_code(code) for code in (inspect.unwrap(jnp.atleast_2d).__code__, fresh.__code__)] == [
        "jnp.atleast_2d",
        "",
    ]


def test_a_public_function_is_known_by_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    values = jax.nn.relu, jnp.tanh, jnp.abs, fresh, jnp.float32
    found = [public_names.of_value(value) for value in values]
    assert found == ["jax.nn.relu", "jnp.tanh", "jnp.abs", "", ""]
    monkeypatch.setattr(jax.nn, "relu", fresh)
    assert public_names.of_value(values[0]) == ""
