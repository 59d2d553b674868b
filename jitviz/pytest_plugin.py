"""The pytest plugin: a marker, a fixture, and four options.

In: pytest's hooks.  Out: limits on tests; a report of what compiled at the end of the run.
Must never: change anything, or import jax, where none of these is used.
"""

import contextlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

_MARKER = (
    "max_traces(n, fresh=True): fail the test at the call that traces a jitted function more than n times. JAX's "
    "caches are cleared first, so that earlier tests make no difference; fresh=False leaves them."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the report."""
    group = parser.getgroup("jitviz")
    text = "list the functions that took longest to compile, and the tests with avoidable recompiles"
    group.addoption("--jitviz", action="store_true", help=text)
    group.addoption("--jitviz-html", type=Path, metavar="PATH", help="write a page of all calls of jitted functions")
    text = "write to compiles.lock what the jitted functions compile in the tests; for --jitviz-locked"
    group.addoption("--jitviz-lock", action="store_true", help=text)
    text = "fail if a jitted function compiles a version that compiles.lock does not have, and name it"
    group.addoption("--jitviz-locked", action="store_true", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and the report if an option asks for it."""
    config.addinivalue_line("markers", _MARKER)
    if any(map(config.getoption, ("--jitviz", "--jitviz-html", "--jitviz-lock", "--jitviz-locked"))):
        from .commands.pytest_report import Report

        config.pluginmanager.register(Report(config), "jitviz-report")


@pytest.fixture
def no_recompiles() -> Callable[..., contextlib.AbstractContextManager[None]]:
    """Fail the test at a call that compiles a function again. Each function may have one version. JAX's caches are
    cleared first, so that earlier tests make no difference."""
    from . import no_recompiles  # for more blocks inside the test, with other arguments

    return no_recompiles


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run a test inside the limits that it asks for."""
    marker = item.get_closest_marker("max_traces")
    has_fixture = "no_recompiles" in getattr(item, "fixturenames", ())
    if marker is None and not has_fixture:
        return (yield)
    from . import no_recompiles  # with jax before it, so that a recording that begins with jax finds whole modules
    from .guards import limit_traces

    with contextlib.ExitStack() as stack:
        if has_fixture:
            stack.enter_context(no_recompiles(fresh=True))
        if marker is not None:
            most, fresh = _limit_of(marker)
            stack.enter_context(limit_traces(most, fresh=fresh and not has_fixture))
        return (yield)


def _limit_of(marker: pytest.Mark) -> tuple[int, bool]:
    named = dict(marker.kwargs)
    fresh = named.pop("fresh", True)
    given = [*marker.args, *named.values()]
    if len(given) != 1 or type(given[0]) is not int or given[0] < 0 or set(named) - {"n"} or type(fresh) is not bool:
        pytest.fail("max_traces takes one number, as in @pytest.mark.max_traces(1), and fresh=False", pytrace=False)
    return given[0], fresh
