"""The timeline as a trace file that https://ui.perfetto.dev and chrome://tracing open.

In: a `Recording` and a path.  Out: a file in the Trace Event Format (JSON), times in microseconds.
Must never: hold all events of a long recording in memory as text.

Complete events ("X") nest by their times on a track; metadata events ("M") name the tracks.
"""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from ..model import Call, Compile
from ..recording import Recording, whole_file

_Track: TypeAlias = tuple[int, int]  # process and thread


def write_trace(recording: Recording, path: Path) -> Path:
    """Write the trace and return its path. Calls are slices on the track of their thread, phases slices inside them.

    Raises:
        OSError: the file cannot be written.
    """
    with recording.held_still(), whole_file(path) as place, place.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ms","traceEvents":[\n')
        tracks = _Tracks(recording)
        for number, event in enumerate(chain(_slices(recording, tracks), tracks.names)):  # which the slices add to
            file.write(",\n" if number else "")
            json.dump(event, file, separators=(",", ":"))
        file.write("\n]}\n")
    return path


class _Tracks:
    """The processes and tracks of the trace: one for each process and thread of the recording."""

    def __init__(self, recording: Recording) -> None:
        self._labels = [label for label in recording.facts.processes if label]
        self._known: dict[str, _Track] = {}
        self._n_tracks = [0] * (len(self._labels) + 1)
        processes = self._labels or [f"jitviz {recording.facts.label}".strip()]
        self.names = [_metadata("process_name", (number, 0), name) for number, name in enumerate(processes, 1)]

    def __call__(self, thread: str, kind: str = "") -> _Track:
        """The track of a thread, or of one kind of work in it."""
        name = f"{kind}: {thread}" if kind else thread
        if name not in self._known:
            owners = (number for number, label in enumerate(self._labels) if f"{thread} ".startswith(f"{label} "))
            process = next(owners, 0)
            self._n_tracks[process] += 1
            self._known[name] = process + 1, self._n_tracks[process]
            self.names.append(_metadata("thread_name", self._known[name], name))
        return self._known[name]


def _slices(recording: Recording, track: _Tracks) -> Iterator[dict[str, Any]]:
    until_s = recording.facts.wall_s
    for cell in recording.facts.cells:
        yield _slice(cell.label, "cell", track("cells"), cell.start_s, cell.duration_s, until_s, {})
    for call in recording.calls:
        home = track(call.thread)
        yield _slice(call.function, "call", home, call.start_s, call.duration_s, until_s, _about_call(call))
    for call, n in recording.facts.calls.summed():
        if call.index >= 0:
            break  # those without rows come first
        about = {**_about_call(call), "calls": n, "note": "their sum"}
        home = track(call.thread, "sums of the oldest calls")
        yield _slice(f"{n:,} calls of {call.function}", "call", home, call.start_s, call.duration_s, until_s, about)
    for row in recording.compiles:
        home = track(row.thread) if row.call is not None else track(row.thread, "ahead of time")
        about = _about_compile(row)
        for phase in row.phases:
            if phase.start_s is not None:
                name = f"{phase.name} {row.function}"
                yield _slice(name, phase.name, home, phase.start_s, phase.duration_s, until_s, about)
                if phase.own_s:
                    end_s = phase.start_s + (phase.duration_s or 0.0)
                    yield _slice("jitviz reads the program", "jitviz", home, end_s, phase.own_s, until_s, {})
    for op in recording.op_by_op:
        about = {"program": op.program, "inputs": ", ".join(op.inputs), "source": op.source, "origin": op.origin}
        yield _slice(
            op.name, "outside any jit", track(op.thread, "outside any jit"), op.start_s, op.span_s, until_s, about
        )


def _about_call(call: Call) -> dict[str, Any]:
    return {name: known for name in ("outcome", "version", "source", "error") if (known := getattr(call, name))}


def _about_compile(row: Compile) -> dict[str, Any]:
    about: dict[str, Any] = {"version": row.version, "source": row.source}
    for number, reason in enumerate(row.reasons):
        change = f" {reason.before} → {reason.after}" if reason.before or reason.after else ""
        about[f"reason {number + 1}"] = f"{reason.kind} {reason.path}{change}".rstrip()
    return about


def _slice(
    name: str, kind: str, track: _Track, start_s: float, duration_s: float | None, until_s: float, about: dict[str, Any]
) -> dict[str, Any]:
    """A slice. One that did not end extends to the end of the recording."""
    spent_s = max(0.0, until_s - start_s) if duration_s is None else duration_s
    return {
        "ph": "X",
        "name": name,
        "cat": kind,
        "pid": track[0],
        "tid": track[1],
        "ts": round(start_s * 1e6, 3),
        "dur": round(spent_s * 1e6, 3),
        "args": about if duration_s is not None else {**about, "note": "had not ended"},
    }


def _metadata(name: str, track: _Track, value: str) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": track[0], "tid": track[1], "args": {"name": value}}
