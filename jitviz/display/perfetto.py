"""The timeline as a trace file that https://ui.perfetto.dev and chrome://tracing open.

In: a `Recording` and a path.  Out: a file in the Trace Event Format (JSON), times in microseconds.
Must never: hold all events of a long recording in memory as text.

Complete events ("X") nest by their times on a track; metadata events ("M") name the tracks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model import Call, Compile

if TYPE_CHECKING:
    from ..recording import Recording

_PROCESS = 1


def write_trace(recording: Recording, path: Path) -> Path:
    """Write the trace and return its path. Calls are slices on the track of their thread, phases slices inside them.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ms","traceEvents":[\n')
        for number, event in enumerate(_events(recording)):
            file.write(",\n" if number else "")
            json.dump(event, file, separators=(",", ":"))
        file.write("\n]}\n")
    return path


def _events(recording: Recording) -> Iterator[dict[str, Any]]:
    label = recording.facts.label
    yield _metadata("process_name", 0, f"jitviz {label}".strip())
    tracks: dict[str, int] = {}
    until_s = recording.facts.wall_s

    def track(thread: str) -> Iterator[dict[str, Any]]:
        if thread not in tracks:
            tracks[thread] = len(tracks) + 1
            yield _metadata("thread_name", tracks[thread], thread)

    for cell in recording.facts.cells:
        yield from track("cells")
        yield _slice(cell.label, "cell", tracks["cells"], cell.start_s, cell.duration_s, until_s, {})
    for call in recording.calls:
        yield from track(call.thread)
        yield _slice(
            call.function, "call", tracks[call.thread], call.start_s, call.duration_s, until_s, _about_call(call)
        )
    for row in recording.compiles:
        cause = row.call
        thread = cause.thread if cause is not None else "ahead of time"
        yield from track(thread)
        about = _about_compile(row)
        for phase in row.phases:
            if phase.start_s is not None:
                name = f"{phase.name} {row.function}"
                yield _slice(name, phase.name, tracks[thread], phase.start_s, phase.duration_s, until_s, about)
                if phase.own_s:
                    end_s = phase.start_s + (phase.duration_s or 0.0)
                    yield _slice("jitviz reads the program", "jitviz", tracks[thread], end_s, phase.own_s, until_s, {})
    for op in recording.op_by_op:
        name = f"op by op: {op.thread}"
        yield from track(name)
        about = {"program": op.program, "inputs": ", ".join(op.inputs), "source": op.source, "origin": op.origin}
        yield _slice(op.name, "op by op", tracks[name], op.start_s, op.span_s, until_s, about)


def _about_call(call: Call) -> dict[str, Any]:
    about = {"outcome": call.outcome, "version": call.version, "source": call.source, "error": call.error}
    return {name: value for name, value in about.items() if value not in (None, "")}


def _about_compile(row: Compile) -> dict[str, Any]:
    about: dict[str, Any] = {"version": row.version, "source": row.source}
    for number, reason in enumerate(row.reasons):
        change = f" {reason.before} → {reason.after}" if reason.before or reason.after else ""
        about[f"reason {number + 1}"] = f"{reason.kind} {reason.path}{change}".rstrip()
    return about


def _slice(
    name: str, kind: str, track: int, start_s: float, duration_s: float | None, until_s: float, about: dict[str, Any]
) -> dict[str, Any]:
    """A slice; what has not ended reaches to the end of the recording."""
    spent_s = max(0.0, until_s - start_s) if duration_s is None else duration_s
    return {
        "ph": "X",
        "name": name,
        "cat": kind,
        "pid": _PROCESS,
        "tid": track,
        "ts": round(start_s * 1e6, 3),
        "dur": round(spent_s * 1e6, 3),
        "args": about if duration_s is not None else {**about, "note": "had not ended"},
    }


def _metadata(name: str, track: int, value: str) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": _PROCESS, "tid": track, "args": {"name": value}}
