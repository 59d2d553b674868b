"""What compiled, test by test, and in total.

In: the calls of a test run.  Out: a section of pytest's summary, and a page.
Must never: blame a test for what another one compiled, or keep more of each test than what is told of it.

Under xdist each worker hands on what it has, and the controller tells.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..findings.words import count, seconds
from ..model.counting import has_compiled
from ..recording import Recording, load, merge
from ..recording import events as ev
from .awaited import when_jax_is_there

_MOST_FUNCTIONS = 10
_MOST_TESTS = 20
# What the seconds and the reasons of compiles are folded from.
_KEPT = (ev.FunctionSeen, ev.CompileStarted, ev.PhaseFinished, ev.ProgramLoaded, ev.CompileFinished, ev.CachesCleared)


class Report:
    """The plugin that is there when an option asks for it."""

    def __init__(self, config: pytest.Config) -> None:
        self._has_summary: bool = config.getoption("--jitviz")
        self._page: Path | None = config.getoption("--jitviz-html")
        self._worker: dict[str, Any] | None = getattr(config, "workeroutput", None)
        self._tests: list[dict[str, Any]] = []
        self._recordings: list[Recording] = []
        if self._page is not None and self._worker is None:
            try:
                self._page.open("ab").close()
            except OSError as error:
                raise pytest.UsageError(f"--jitviz-html {self._page}: {error.strerror}") from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Record a test, from the moment that jax is there."""
        begun: list[tuple[Recording, Recording]] = []

        def begin() -> None:
            from ..capture import begin

            if self._page is not None and not self._recordings:
                self._recordings.append(begin("pytest"))
            begun.append(_followed(begin(item.nodeid, sample=False)))

        try:
            with when_jax_is_there(begin):
                return (yield)
        finally:
            from ..capture import end

            for recording, kept in begun:
                end(recording)
                self._tests.append(_row(item.nodeid, kept))

    def pytest_sessionfinish(self) -> None:
        """Hand on what this worker has, if it is one."""
        if self._recordings:
            from ..capture import end

            end(self._recordings[0])
        if self._worker is not None:
            self._worker["jitviz"] = self._tests, [_written(recording) for recording in self._recordings]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of xdist has handed on; one that crashed has nothing."""
        tests, recordings = getattr(node, "workeroutput", {}).get("jitviz", ((), ()))
        self._tests += tests
        self._recordings += [_read(text) for text in recordings]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell of it."""
        lines = _told(self._tests) if self._has_summary else []
        if self._page is not None:
            lines.append(f"page: {merge(*self._recordings).to_html(self._page)}")
        terminalreporter.section("jitviz")
        for line in lines:
            terminalreporter.write_line(line)


def _followed(recording: Recording) -> tuple[Recording, Recording]:
    """A recording, and one of the same with only what compiled in it, as it happens."""
    kept = Recording()

    def keep(event: ev.Event) -> None:
        if isinstance(event, _KEPT) and not getattr(event, "is_before", False):
            kept.append(event)

    recording.listen(keep)
    return recording, kept


def _row(test: str, recording: Recording) -> dict[str, Any]:
    """What a test compiled, and what of it could be avoided, in plain values."""
    functions = Counter[str]()
    compiles = Counter[str]()
    for row in filter(has_compiled, recording.compiles):
        module = row.function_info.module
        name = f"{row.function} ({module})" if module else row.function
        functions[name] += row.duration_s  # type: ignore[assignment]  # a Counter of floats
        compiles[name] += 1
    findings = [found for found in recording.findings if found.kind == "recompile"]
    return {
        "test": test,
        "functions": [(name, compiles[name], functions[name]) for name in functions],
        "avoidable": [(one.seconds, f"`{one.function}`: {one.summary}", one.advice) for one in findings],
    }


def _told(tests: Sequence[dict[str, Any]]) -> list[str]:
    totals: dict[str, tuple[float, int]] = {}
    for test in tests:
        for name, n_compiles, spent_s in test["functions"]:
            known_s, known = totals.get(name, (0.0, 0))
            totals[name] = known_s + spent_s, known + n_compiles
    if not totals:
        return ["no jitted function compiled"]
    slowest = sorted(totals.items(), key=lambda pair: -pair[1][0])
    lines = ["slowest functions"]
    for name, (spent_s, n_compiles) in slowest[:_MOST_FUNCTIONS]:
        lines.append(f"{seconds(spent_s):>8}  {name}, {count(n_compiles, 'compile')}")
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


def _written(recording: Recording) -> str:
    with tempfile.TemporaryDirectory(prefix="jitviz-") as folder:
        return recording.save(Path(folder) / "worker.jsonl").read_text(encoding="ascii")


def _read(text: str) -> Recording:
    with tempfile.TemporaryDirectory(prefix="jitviz-") as folder:
        path = Path(folder) / "worker.jsonl"
        path.write_text(text, encoding="ascii")
        return load(path)
