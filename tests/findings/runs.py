"""Recordings of calls, told one by one; what compiled is what had not been called before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jitviz.model import HitsSeen, Leaf, Signature
from jitviz.model.finding import Finding
from jitviz.recording import Recording
from jitviz.recording import events as ev
from tests.display.samples import EPOCH_S, Story

# The text of a program. One that every version has, so that each recompile was avoidable.
PROGRAM = """module @jit_step {{
  func.func public @main() {{
    "stablehlo.{}"() : () -> ()
    return
  }}
}}
"""


class Run:
    """Calls of functions. A compile takes `seconds`, in equal parts for its three phases, or `phases_s`."""

    def __init__(self, hits_seen: HitsSeen = "all") -> None:
        self._story = Story(label="train.py")
        self._story.events = [replace(self._story.events[0], hits_seen=hits_seen)]
        self._functions: dict[str, int] = {}
        self._versions: dict[Any, int] = {}
        self._at_s = 0.0
        self._n_compiles = 0

    def call(
        self,
        function: str,
        *leaves: Leaf,
        seconds: float = 1.0,
        phases_s: tuple[float, float, float] | None = None,
        source: str = "train.py:7",
        thread: str = "MainThread",
        error: str | None = None,
        program: str = "same",
        **signature: Any,
    ) -> None:
        """With `error` its trace raises, and leaves no version. A call that compiles another `program` needed to."""
        given = Signature(leaves, **signature)
        number = self._number(function)
        version = self._versions.get((function, given))
        if version is None:
            if error is None:
                self._versions[function, given] = self._n_compiles
            self._n_compiles += 1
            phases_s = phases_s or (seconds / 3,) * 3
            how = {"source": source, "thread": thread, "error": error}
            text = PROGRAM.format(program)
            self._story.miss(number, self._at_s, phases_s, 0.0, given, (), stablehlo=text, **how)
            self._at_s += sum(phases_s)
        else:
            self._story.hit(number, self._at_s, 0.0, version=version, source=source)
        self._at_s += 0.125

    def warm(self, function: str, *leaves: Leaf, seconds: float = 1.0) -> None:
        """Compile ahead of time: `f.lower(...).compile()`."""
        number, version, now = self._number(function), self._n_compiles, EPOCH_S + self._at_s
        given = Signature(leaves)
        self._versions[function, given] = version
        self._n_compiles += 1
        self._story._compiles += 1  # the story counts its compiles
        self._story.events += [
            ev.CompileStarted(now, version, None, number, given, source="train.py:3", stage="lower"),
            ev.PhaseFinished(now + seconds, version, "compile", now),
            ev.CompileFinished(now + seconds, version),
        ]
        self._at_s += seconds

    def hit_of_unknown_version(self, function: str) -> None:
        self._story.hit(self._number(function), self._at_s, 0.0, source="train.py:7")
        self._at_s += 0.125

    def clear_caches(self) -> None:
        self._story.events.append(ev.CachesCleared(EPOCH_S + self._at_s, "all"))
        self._versions.clear()

    @property
    def now_s(self) -> float:
        """When the next call begins, from the start of the recording."""
        return self._at_s

    def end(self, after_s: float = 0.0) -> Recording:
        return Recording([*self._story.events, ev.RecordingFinished(EPOCH_S + self._at_s + after_s)])

    def _number(self, function: str) -> int:
        if function not in self._functions:
            self._functions[function] = self._story.function(function, "jax.jit", "train.py:1", "train")
        return self._functions[function]


def told(*findings: Finding) -> str:
    """Findings as one reads them, a line for each."""
    return "\n".join(
        f"{found.seconds:g} s, {found.count} times {found.kind} of {found.function}"
        f"{f' by {found.reason}' if found.reason else ''}, saves {found.saves}: {found.summary}"
        for found in findings
    )
