"""The report of a test run: what compiled, by function and by test.

In: the calls of a test run.  Out: a section of pytest's summary, and a page.
Must never: blame a test for what another one compiled, or keep more of a test than the report shows.

Under xdist, the workers send their results to the controller, which reports them.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..findings import find
from ..model.counting import has_compiled
from ..model.quantities import count, seconds
from ..recording import Recording, load, merge
from ..recording import events as ev
from ..recording.unread_programs import left_unread
from .jax_import import when_jax_is_imported

_MOST_FUNCTIONS = 10
_MOST_TESTS = 20
# The events that seconds and reasons of compiles come from.
_KEPT = (ev.FunctionSeen, ev.CompileStarted, ev.PhaseFinished, ev.ProgramLoaded, ev.CompileFinished, ev.CachesCleared)


class Report:
    """The plugin that `--jitviz` and `--jitviz-html` register."""

    def __init__(self, config: pytest.Config) -> None:
        self._has_summary: bool = config.getoption("--jitviz")
        self._page: Path | None = config.getoption("--jitviz-html")
        self._worker: dict[str, Any] | None = getattr(config, "workeroutput", None)
        self._tests: list[dict[str, Any]] = []
        self._recordings: list[Recording] = []
        self._failures: list[str] = []  # of jitviz
        if self._page is not None and self._worker is None:
            try:
                self._page.open("ab").close()
            except OSError as error:
                raise pytest.UsageError(f"--jitviz-html {self._page}: {error.strerror}") from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Record a test, from the moment jax is imported."""
        begun: list[Recording] = []
        thread = threading.current_thread()  # which may not be the one that imports jax

        def begin() -> None:
            from ..capture import begin

            if self._page is not None and not self._recordings:
                self._recordings.append(begin("pytest", thread=thread))
            begun.append(begin(item.nodeid, sample=False))

        try:
            with when_jax_is_imported(begin) as failures:
                return (yield)
        finally:
            self._failures += map(repr, failures)
            for recording in begun:
                from ..capture import end  # now that jax is there

                end(recording)
                self._tests.append(_summarize(item.nodeid, _own_compiles(recording)))

    def pytest_sessionfinish(self) -> None:
        """End the recording of the page; a worker sends its results to the controller."""
        if self._recordings:
            from ..capture import end

            end(self._recordings[0])
        if self._worker is not None:
            self._worker["jitviz"] = self._tests, [_to_text(one) for one in self._recordings], self._failures

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the results of an xdist worker; one that crashed has none."""
        tests, recordings, failures = getattr(node, "workeroutput", {}).get("jitviz", ((), (), ()))
        self._tests += tests
        self._failures += failures
        self._recordings += [_from_text(text) for text in recordings]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the section, and the page."""
        lines = [f"jitviz could not watch jax: {failure}" for failure in self._failures[:1]]
        lines += _tell(self._tests) if self._has_summary else []
        if self._page is not None:
            lines.append(f"page: {merge(*self._recordings).to_html(self._page)}")
        terminalreporter.section("jitviz")
        for line in lines:
            terminalreporter.write_line(line)


def _own_compiles(recording: Recording) -> Recording:
    """Only what compiled in this recording, as if nothing had before; no program is read for it."""
    with left_unread():
        events = [event for event in recording.events if isinstance(event, _KEPT)]
    return Recording(event for event in events if not getattr(event, "is_before", False))


def _summarize(test: str, recording: Recording) -> dict[str, Any]:
    """What a test compiled, and what of that was avoidable, in plain values."""
    compiles = []
    for row in filter(has_compiled, recording.compiles):
        module = row.function_info.module
        compiles.append((f"{row.function} ({module})" if module else row.function, row.duration_s))
    findings = [found for found in find(recording) if found.kind == "recompile"]
    avoidable = [(finding.seconds, f"`{finding.function}`: {finding.summary}", finding.advice) for finding in findings]
    return {"test": test, "compiles": compiles, "avoidable": avoidable}


def _tell(tests: Sequence[dict[str, Any]]) -> list[str]:
    times: dict[str, list[float]] = {}
    for test in tests:
        for name, spent_s in test["compiles"]:
            times.setdefault(name, []).append(spent_s)
    if not times:
        return ["no jitted function compiled" if tests else "no test ran with jax"]
    slowest = sorted(times.items(), key=lambda pair: -sum(pair[1]))
    lines = ["slowest functions"]
    for name, spent in slowest[:_MOST_FUNCTIONS]:
        lines.append(f"{seconds(sum(spent)):>8}  {name}, {count(len(spent), 'compile')}")
    lines += _more(len(slowest) - _MOST_FUNCTIONS, "function")
    wasteful = sorted((test for test in tests if test["avoidable"]), key=lambda test: -_avoidable_s(test))
    lines.append("recompiles that could be avoided, by test" if wasteful else "no recompiles that could be avoided")
    for test in wasteful[:_MOST_TESTS]:
        lines.append(f"{seconds(_avoidable_s(test)):>8}  {test['test']}")
        for _, summary, advice in test["avoidable"]:
            lines += [f"          {summary}", *([f"          → {advice}"] if advice else [])]
    return lines + _more(len(wasteful) - _MOST_TESTS, "test")


def _avoidable_s(test: dict[str, Any]) -> float:
    return float(sum(spent_s for spent_s, *_ in test["avoidable"]))


def _more(number: int, noun: str) -> list[str]:
    return [f"          and {count(number, f'more {noun}')}"] if number > 0 else []


def _to_text(recording: Recording) -> str:
    with tempfile.TemporaryDirectory(prefix="jitviz-") as folder:
        return recording.save(Path(folder) / "worker.jsonl").read_text(encoding="ascii")


def _from_text(text: str) -> Recording:
    with tempfile.TemporaryDirectory(prefix="jitviz-") as folder:
        path = Path(folder) / "worker.jsonl"
        path.write_text(text, encoding="ascii")
        return load(path)
