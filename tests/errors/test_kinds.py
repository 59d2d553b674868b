"""Each kind's example raises and is recognised; what to write instead runs."""

import functools
import linecache
from collections.abc import Iterator
from importlib import import_module

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.errors import explained
from jitviz.errors.kinds import KINDS, NAMES
from jitviz.model import Raised

MODULES = {name: import_module(f"jitviz.errors.kinds.{name}") for name in NAMES}
# What depends on more than one device, on what is installed, or fills the memory has no example that runs anywhere.
WITHOUT = {"library", "checks", "devices", "memory"}


def run(name: str, code: str) -> BaseException | None:
    """What a text raises, as a file of the user's whose lines can be read."""
    file = f"/home/user/{name}.py"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    try:
        exec(compile(code, file, "exec"), {"jax": jax, "jnp": jnp, "np": np, "functools": functools})
    except Exception as error:  # noqa: BLE001  # whatever a program raises
        return error
    return None


@pytest.fixture(autouse=True)
def plain_lines() -> Iterator[None]:
    """No file of a test stays readable."""
    yield
    for file in [file for file in linecache.cache if file.startswith("/home/user/")]:
        del linecache.cache[file]


def test_every_kind_but_four_has_an_example() -> None:
    assert {name for name in NAMES if not hasattr(MODULES[name], "EXAMPLE")} == WITHOUT


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT])
def test_the_example_of_a_kind_is_recognised_at_its_line(name: str) -> None:
    error = run(name, MODULES[name].EXAMPLE)
    assert error is not None
    raised = explained(error)
    assert (raised.kind, raised.error) == (name, type(error).__name__)
    assert raised.line in [line.strip() for line in MODULES[name].EXAMPLE.splitlines()]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT])
def test_what_to_write_instead_runs(name: str) -> None:
    assert run(name, MODULES[name].INSTEAD) is None


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT])
def test_a_summary_has_at_most_20_words_and_something_to_write_follows(name: str) -> None:
    error = run(name, MODULES[name].EXAMPLE)
    assert error is not None
    raised = explained(error)
    assert 3 <= len(raised.summary.split()) <= 20
    assert raised.advice.endswith(".")


@pytest.mark.parametrize(
    ("condition", "advice"),
    [
        ("x > 1", "Say which is meant: `(x > 1).all()` or `(x > 1).any()`."),
        ("not x", "Say which is meant: `x.all()` or `x.any()`."),
        ("x > 1 and x < 3", "Say which is meant in each part of the `and`: `(x > 1).all()` or `(x > 1).any()`."),
    ],
)
def test_what_to_write_for_a_truth_test_runs_where_it_stood(condition: str, advice: str) -> None:
    error = run("truth", f"x = jnp.ones(3)\nif {condition}:\n    pass\n")
    assert error is not None
    assert explained(error).advice == advice


NOT_OF_JAX = (
    "1 / 0",
    "{}['missing']",
    "[].pop()",
    "int('x')",
    "None.shape",
    "raise ValueError('shapes')",
    "import json; json.loads('{')",
    "open('/nowhere/at/all')",
    "undefined",
    "(1, 2)[5]",
    "'a' + 1",
    "{}[[]]",
    "len(3)",
    "next(iter([]))",
    "assert False",
    "np.ones(3) @ np.ones(4)",
    "np.ones((2, 3)) + np.ones((4,))",
    "np.zeros(3).reshape(2, 2)",
    "float('nan ?')",
    "bool(np.ones(3) > 0)",
    "raise RuntimeError('Array is broken')",
)


@pytest.mark.parametrize("code", NOT_OF_JAX)
def test_an_exception_that_has_nothing_to_do_with_jax_is_repeated_as_it_is(code: str) -> None:
    error = run("plain", code)
    assert error is not None
    raised = explained(error)
    text = next((part.strip() for part in error.args if isinstance(part, str)), "")
    assert raised == Raised(error=type(error).__name__, message=text, source="plain.py:1", line=code)


def test_a_kind_that_fails_is_passed_over_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> Raised | None:
        raise RuntimeError("inside")

    monkeypatch.setitem(KINDS, "branch", fail)
    with jitviz.record() as rec:
        explanation = explained(ValueError("of the user"))
        jax.jit(lambda x: x)(1.0)
    assert (explanation.kind, explanation.message) == ("", "of the user")
    assert rec.facts.failures == ["error: RuntimeError: inside"]
