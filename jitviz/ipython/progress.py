"""What a running cell is at: a small message between two drawings of its panel, which take longer the more there is.

In: the events of a recording, as they come.  Out: `tell`, the message `progress` of `js/src/wire/messages.ts`.
"""

from collections.abc import Iterable
from typing import Any

from ..model import system
from ..recording import events as ev


class Progress:
    """The phase under way, and how many compiles there were; begins with the events so far."""

    def __init__(self, events: Iterable[ev.Event]) -> None:
        self._began_s = system.time()
        self._names: dict[ev.FunctionNumber, str] = {}
        self._functions: dict[ev.CompileNumber, ev.FunctionNumber] = {}  # of the compiles under way
        self._phases: dict[ev.CompileNumber, ev.PhaseStarted] = {}  # under way, the innermost last
        self._n_compiles = 0
        for event in events:
            self.hear(event)

    def hear(self, event: ev.Event) -> None:
        """Take an event into account, in the user's call."""
        if isinstance(event, ev.RecordingStarted):
            self._began_s = event.at_s
        elif isinstance(event, ev.FunctionSeen):
            self._names[event.function] = event.info.name
        elif isinstance(event, ev.CompileStarted) and not event.is_before:
            self._functions[event.compile] = event.function
        elif isinstance(event, ev.PhaseStarted):
            self._phases[event.compile] = event
        elif isinstance(event, ev.PhaseFinished):
            self._phases.pop(event.compile, None)
            self._n_compiles += event.phase == "compile" and event.error is None and event.compile in self._functions
        elif isinstance(event, ev.CompileFinished):
            self._functions.pop(event.compile, None)

    def tell(self) -> dict[str, Any]:
        """What is under way now, in seconds since the recording began."""
        message = {"type": "progress", "at_s": system.time() - self._began_s, "compiles": self._n_compiles}
        if phases := list(self._phases.values()):
            outer, phase = phases[0], phases[-1]
            message |= {"what": phase.phase, "since_s": phase.at_s - self._began_s, "function": self._name(phase)}
            message |= {"inside": self._name(outer)} if len(phases) > 1 else {}
        return message

    def _name(self, phase: ev.PhaseStarted) -> str:
        function = self._functions.get(phase.compile)
        return "" if function is None else self._names.get(function, "")
