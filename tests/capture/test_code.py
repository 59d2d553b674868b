import functools
from collections.abc import Callable
from typing import Any

import pytest

from jitviz.capture.arguments.describe import describe
from jitviz.capture.arguments.parts import code_digest


def defined(source: str, filename: str = "a.py") -> Any:
    """The function `f` that a text defines."""
    names: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), names)
    return names["f"].__code__


def test_the_same_text_has_the_same_digest_in_any_file() -> None:
    source = "def f(x):\n    return [y + 1 for y in x if y in {'a', 'b', 'c'}]"
    assert code_digest(defined(source)) == code_digest(defined("\n\n" + source, "In [7]"))


@pytest.mark.parametrize(
    "other",
    [
        "def f(x): return x + 2",
        "def f(x): return x - 1",
        "def f(y): return y + 1",
        "def f(x): return x + 1.0",
        "def f(x): return (lambda: x + 1)()",
    ],
)
def test_a_different_text_has_a_different_digest(other: str) -> None:
    assert code_digest(defined("def f(x): return x + 1")) != code_digest(defined(other))


def test_inner_functions_count() -> None:
    def outer(step: int) -> Callable[[int], int]:
        return lambda x: x + step

    assert code_digest(outer(1).__code__) == code_digest(outer(2).__code__)  # type: ignore[attr-defined]
    one, two = "def f(): return lambda x: x + 1", "def f(): return lambda x: x + 2"
    assert code_digest(defined(one)) != code_digest(defined(two))


def test_what_a_decorator_wraps_counts() -> None:
    def logged(function: Callable[[int], int]) -> Callable[[int], int]:
        return functools.wraps(function)(lambda x: function(x))

    def less(x: int) -> int:
        return x - 1

    def more(x: int) -> int:
        return x + 1

    def digest(function: Callable[[int], int]) -> str | None:
        return describe(function).code

    assert digest(logged(less)) == digest(logged(less)) != digest(less)
    assert digest(logged(less)) != digest(logged(more)) != digest(logged(logged(more)))
