"""The report of a test run: what compiled, by function and by test.

In: the calls of a test run.  Out: a section of pytest's summary, a page, and a section of `compiles.lock`.
Must never: blame a test for what another one compiled, or keep more of a test than the report shows.

Under xdist, the workers send their results to the controller, which reports them.
"""

import os
import pickle
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..findings import find
from ..findings.lock_section import OUTSIDE, Section, read_section
from ..model import count, has_compiled, seconds, system
from ..recording import Recording, merge
from ..recording import events as ev
from ..recording.unread_programs import reading
from . import lock
from .jax_import import when_jax_is_imported

_MOST_FUNCTIONS = 10
_MOST_TESTS = 20
_ONCE = '          → Jit it once: at the top of a module or in a fixture with scope="session"; clear no caches.'
_LOCK = "pytest --jitviz-lock"
# The events that seconds and reasons of compiles come from.
_KEPT = (ev.FunctionSeen, ev.CompileStarted, ev.PhaseFinished, ev.ProgramLoaded, ev.CompileFinished, ev.CachesCleared)


class Report:
    """The plugin that the options register."""

    def __init__(self, config: pytest.Config) -> None:
        self._has_summary: bool = config.getoption("--jitviz")
        self._page: Path | None = config.getoption("--jitviz-html")
        self._worker: dict[str, Any] | None = getattr(config, "workeroutput", None)
        self._tests: list[dict[str, Any]] = []
        self._recordings: list[Recording] = []
        self._failures: list[str] = []  # of jitviz
        self._lock = config.rootpath / lock.NAME
        self._has_lock: bool = config.getoption("--jitviz-lock") or config.getoption("--jitviz-locked")
        self._locked: Section | None = None
        self._told: list[str] = []  # of the lock
        try:
            if self._page is not None and self._worker is None:
                self._page.open("ab").close()
            if config.getoption("--jitviz-locked") and self._worker is None:
                self._locked = lock.locked_section(self._lock, "pytest", _LOCK)
        except OSError as error:
            raise pytest.UsageError(f"--jitviz-html {self._page}: {error.strerror}") from None
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Record a test, from the moment jax is imported."""
        begun: list[Recording] = []
        thread = system.current_thread()  # which may not be the one that imports jax

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
                self._tests.append(_summarize(item, _own_compiles(recording)))
                if self._has_lock:
                    self._tests[-1]["lock"] = read_section(recording)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Explain the exception of a test that failed, in a section of its own under the traceback."""
        report = yield
        if call.excinfo is not None and sys.modules.get("jax") is not None:
            from ..errors import explained  # now that jax is there

            raised = explained(call.excinfo.value)
            if raised.kind:
                report.sections.append(("jitviz", str(raised)))
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End the recording of the page; a worker sends its results to the controller, which looks at the lock."""
        if self._recordings:
            from ..capture import end

            end(self._recordings[0])
        if self._worker is not None:
            found = self._tests, [list(recording.events) for recording in self._recordings], self._failures
            self._worker["jitviz"] = pickle.dumps(found)
        elif self._has_lock:
            locks: list[Section] = [test["lock"] for test in self._tests if "lock" in test]
            # which line compiles an operation first depends on the order of the tests
            inside = (entry for lock in locks for entry in lock.entries if not entry.subject.startswith(OUTSIDE))
            entries = {entry[:3]: entry._replace(times=1) for entry in inside}
            section = Section(locks[0].software if locks else "no jax", tuple(entries.values()))
            if self._locked is not None:
                self._told = lock.compare_with(self._locked, section, _LOCK, is_part=True)
                session.exitstatus = session.exitstatus or int(bool(self._told))
            elif session.exitstatus:
                self._told = [f"{self._lock} is not written, since the tests did not pass"]
            else:
                lock.save_section(self._lock, "pytest", section)
                self._told = [f"lock: {self._lock}"]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the results of an xdist worker; one that crashed has none."""
        if sent := getattr(node, "workeroutput", {}).get("jitviz"):
            tests, recordings, failures = pickle.loads(sent)
            self._tests += tests
            self._failures += failures
            self._recordings += map(Recording, recordings)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        lines = [f"jitviz could not watch jax: {failure}" for failure in self._failures[:1]]
        lines += _tell(self._tests) if self._has_summary else []
        if self._page is not None:
            lines.append(f"page: {merge(*self._recordings).to_html(self._page)}")
        terminalreporter.section("jitviz")
        for line in lines + self._told:
            terminalreporter.write_line(line)


def _own_compiles(recording: Recording) -> Recording:
    """Only what compiled in this recording, as if nothing had before; no program is read for it."""
    with reading("nothing"):
        events = [event for event in recording.events if isinstance(event, _KEPT)]
    return Recording(event for event in events if not getattr(event, "is_before", False))


def _begins_empty(item: pytest.Item) -> bool:
    """Whether JAX's caches are cleared before the test, for a limit."""
    marker = item.get_closest_marker("max_traces")
    is_fresh = marker is not None and marker.kwargs.get("fresh", True)
    return bool(is_fresh) or "no_recompiles" in getattr(item, "fixturenames", ())


def _summarize(test: pytest.Item, recording: Recording) -> dict[str, Any]:
    """What a test compiled, and what of that was avoidable, in plain values."""
    compiles = []
    for row in filter(has_compiled, recording.compiles):
        module = row.function_info.module
        leaves, body = [(leaf.path, leaf.role, leaf.repr) for leaf in row.signature.leaves], row.function_info.body
        same = repr((os.getpid(), module, row.function, body and body.code, row.transform, leaves))
        compiles.append((f"{row.function} ({module})" if module else row.function, row.duration_s, same))
    findings = [found for found in find(recording) if found.kind == "recompile"]
    avoidable = [(finding.seconds, f"`{finding.function}`: {finding.summary}", finding.advice) for finding in findings]
    return {"test": test.nodeid, "compiles": compiles, "avoidable": avoidable, "is_fresh": _begins_empty(test)}


def _tell(tests: Sequence[dict[str, Any]]) -> list[str]:
    times: dict[str, list[float]] = {}
    for test in tests:
        for name, spent_s, _ in test["compiles"]:
            times.setdefault(name, []).append(spent_s)
    if not times:
        return ["no jitted function compiled" if tests else "no test ran with jax"]
    again = _again(tests)
    slowest = sorted(times.items(), key=lambda pair: -sum(pair[1]))
    lines = ["slowest functions"]
    for name, spent in slowest[:_MOST_FUNCTIONS]:
        lines.append(f"{seconds(sum(spent)):>8}  {name}, {count(len(spent), 'compile')}")
        if name in again:
            again_s = f"{count(len(again[name]), 'compile')}, {seconds(sum(again[name]))}"
            lines += [f"          {again_s}, for shapes that an earlier test had compiled the same code for", _ONCE]
    lines += _more(len(slowest) - _MOST_FUNCTIONS, "function")
    wasteful = sorted((test for test in tests if test["avoidable"]), key=lambda test: -_avoidable_s(test))
    lines.append("recompiles that could be avoided, by test" if wasteful else "no recompiles that could be avoided")
    for test in wasteful[:_MOST_TESTS]:
        lines.append(f"{seconds(_avoidable_s(test)):>8}  {test['test']}")
        for _, summary, advice in test["avoidable"]:
            lines += [f"          {summary}", *([f"          → {advice}"] if advice else [])]
    return lines + _more(len(wasteful) - _MOST_TESTS, "test")


def _again(tests: Sequence[dict[str, Any]]) -> dict[str, list[float]]:
    """The seconds by function of what an earlier test of the process had compiled: of each test, the first compile."""
    known: set[str] = set()
    again: dict[str, list[float]] = {}
    for test in tests:
        first = {same: (name, spent_s) for name, spent_s, same in reversed(test["compiles"])}
        for same in () if test["is_fresh"] else first.keys() & known:  # a limit has cleared the caches
            again.setdefault(first[same][0], []).append(first[same][1])
        known |= first.keys()
    return again


def _avoidable_s(test: dict[str, Any]) -> float:
    return float(sum(spent_s for spent_s, *_ in test["avoidable"]))


def _more(number: int, noun: str) -> list[str]:
    return [f"          and {count(number, f'more {noun}')}"] if number > 0 else []
