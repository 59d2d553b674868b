"""What a recording without an end was doing last: "killed after 25 s: tracing `likelihood` at t.py:5 for 24 s".

In: a `Recording` that is live, or whose process was killed or still runs.  Out: sentences without full stops.
Must never: say that work goes on that a later event interrupted.
"""

from itertools import islice

from ..model import Call, Compile, Doing, Glance, seconds
from ..recording import Recording
from ..recording.events import Heartbeat

STALL_S = 1.0  # what lasts less long is no stall
_SAID = {"trace": "tracing", "lower": "lowering", "compile": "compiling"}
_AWAITED = {"device": "the device", "lock": "a lock", "loader": "the next item of a data loader"}
_MOST_CALLS = 1000  # that are searched for the last one of a thread
_MOST_OTHERS = 3


def tell_state(recording: Recording) -> str:
    """How long a recording without an end lasted, and what it was doing; "" for one that has ended."""
    facts = recording.facts
    if facts.is_finished or not recording.events:
        return ""
    is_running = recording.is_live or recording.is_running
    state = "running for" if is_running else "killed after" if is_running is False else "cut off after"
    others = {row.thread for row in recording.compiles if row.status == "running"} - {facts.thread}
    told = [tell_doing(recording, facts.thread)]
    told += (f"{tell_doing(recording, thread)} in {thread}" for thread in sorted(others)[:_MOST_OTHERS])
    doing = "; ".join(filter(None, told))
    return f"{state} {seconds(facts.wall_s)}{doing and ': '}{doing}"


def tell_doing(recording: Recording, thread: str) -> str:
    """What a thread does now; "" if nothing is known of it."""
    facts = recording.facts
    beats = facts.beats_without_end(thread)
    rows = (row for row in reversed(recording.compiles) if row.status == "running" and row.thread == thread)
    beat = next((_beat_of(row, facts.wall_s) for row in rows), None)
    if beat is not None and not (beats and beats[-1].at_s >= beat.since_s):
        return _tell(beat, None)
    newest = islice(reversed(recording.calls), _MOST_CALLS)
    call = next((call for call in newest if call.thread == thread and call.parent is None), None)
    ready_s = None if call is None or call.duration_s is not None else call.ready_s
    if call is not None and ready_s is not None and not (beats and beats[-1].at_s >= ready_s):
        return f"running `{call.function}`, called at {call.source}"
    return _tell(beats[-1], call) if beats else ""


def lasts_s(recording: Recording) -> float:
    """For how long it has been doing that."""
    beats = recording.facts.beats_without_end(recording.facts.thread)
    return beats[-1].at_s - beats[-1].since_s if beats else 0.0


def _tell(beat: Heartbeat, call: Call | None) -> str:
    """What a thread does; after a later call, what that was."""
    at, function, now = beat.source and f" at {beat.source}", f"`{beat.function}`", beat.seen.source
    now = f", now at {now}" if now not in ("", beat.source) else ""
    since_s, last = beat.since_s, f", after the call of `{call.function}` at {call.source}" if call is not None else ""
    if call is not None:
        end_s = call.start_s + (call.duration_s or 0.0)
        if end_s > beat.at_s:
            return f"`{call.function}` was called last, at {call.source}"
        if beat.doing not in _SAID and beat.doing != "run":
            since_s = max(since_s, end_s)
    lasted = f" for {seconds(beat.at_s - since_s)}"
    match beat.doing:
        case "trace" | "lower" | "compile":
            what = function if beat.function else "a program outside any jit"
            called, comma = (", called", ",") if beat.function and beat.line else ("", "")
            return f"{_SAID[beat.doing]} {what}{called}{at}" + (f"{comma}{lasted}{now}" if beat.at_s > since_s else now)
        case "run":
            return f"running {function}, called{at},{lasted}{now}"
        case "callback":
            whose = f" of {function}" if beat.function else ""
            waits = f", while {beat.seen.source} waits" if now else ""
            return f"running a callback{whose}{at}{lasted}{'' if whose else waits + last}"
        case "python":
            return f"running Python, now{at},{lasted}{last}"
    inside = f" in {function}" if beat.function else ""
    return f"waiting for {_AWAITED[beat.doing]}{inside}{at}{lasted}{now}{last}"


def _beat_of(row: Compile, wall_s: float) -> Heartbeat:
    """The heartbeat of a compile that goes on."""
    phase = next((phase for phase in reversed(row.phases) if phase.duration_s is None), None)
    doing: Doing = "compile" if phase is None or phase.start_s is None else phase.name
    since_s = row.start_s if phase is None or phase.start_s is None else phase.start_s
    return Heartbeat(wall_s, since_s, doing, Glance(row.source), row.function, row.source)
