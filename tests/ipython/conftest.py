"""An IPython shell for each test, with or without jitviz."""

import atexit
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from jitviz.display import notebook_output
from jitviz.recording import Recording


@dataclass
class Ran:
    """A cell that ran: its result and its outputs. `panels` are those of jitviz, as (recording, notes)."""

    result: ExecutionResult
    shown: list[dict[str, str]]
    stdout: str
    stderr: str
    panels: list[tuple[Recording, list[str]]] = field(default_factory=list)
    quizzes: list[bool] = field(default_factory=list)  # for each panel, whether it has a quiz

    @property
    def error(self) -> BaseException | None:
        return self.result.error_before_exec or self.result.error_in_exec

    @property
    def value(self) -> Any:
        return self.result.result

    @property
    def recording(self) -> Recording:
        ((recording, _),) = self.panels
        return recording

    @property
    def notes(self) -> list[str]:
        ((_, notes),) = self.panels
        return notes


Run = Callable[[str], Ran]


def installed(shell: InteractiveShell) -> dict[str, Any]:
    """Everything in a shell that an extension could change."""
    formatters = shell.display_formatter.formatters
    return {
        "cleanup": list(shell.input_transformers_cleanup),
        "post": list(shell.input_transformers_post),
        "ast": list(shell.ast_transformers),
        "callbacks": {event: list(callbacks) for event, callbacks in shell.events.callbacks.items()},
        "magics": {kind: dict(magics) for kind, magics in shell.magics_manager.magics.items()},
        "matchers": list(shell.Completer.custom_matchers),
        "completers": set(shell.Completer.custom_completers.strs),
        "formatters": {
            mime: (dict(one.type_printers), dict(one.singleton_printers), dict(one.deferred_printers))
            for mime, one in formatters.items()
        },
        "names": set(shell.user_ns),
    }


@pytest.fixture
def bare_shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A shell without jitviz, in a session where no panel was shown."""
    monkeypatch.setattr(notebook_output, "_said", {})
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    try:
        yield shell
    finally:
        shell.extension_manager.unload_extension("jitviz")
        atexit.unregister(shell.atexit_operations)  # it has nothing to write, and would collect garbage for long
        shell.cleanup()  # restores the main module
        InteractiveShell.clear_instance()


@pytest.fixture
def shell(bare_shell: InteractiveShell) -> Iterator[InteractiveShell]:
    """A shell with jitviz, which leaves nothing behind in it."""
    before = installed(bare_shell)
    bare_shell.extension_manager.load_extension("jitviz")
    yield bare_shell
    bare_shell.extension_manager.unload_extension("jitviz")
    after = installed(bare_shell)
    assert {part for part in before if part not in ("names", "magics") and before[part] != after[part]} == set()


@pytest.fixture
def run(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a cell as a user would, and collects the recordings of its panels."""
    panels: list[tuple[Recording, list[str]]] = []
    quizzes: list[bool] = []

    def collect(recording: Recording, notes: list[str], *, has_quiz: bool, is_asked: bool) -> None:
        panels.append((recording, list(notes)))
        quizzes.append(has_quiz)

    monkeypatch.setattr("jitviz.ipython.recorded_cells.show_panel", collect)

    def run_cell(text: str) -> Ran:
        panels.clear()
        quizzes.clear()
        with capture_output() as output:
            result = shell.run_cell(text, store_history=True)
        return Ran(
            result, [shown.data for shown in output.outputs], output.stdout, output.stderr, list(panels), list(quizzes)
        )

    return run_cell
