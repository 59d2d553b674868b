"""What a reader should know besides: what is missing, what other processes did, what only the next one would gain.

In: a recording, its groups and totals.  Out: sentences.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from ..findings.last_activity import STALL_S, lasts_s, tell_doing, tell_state
from ..findings.memory import tell_memory
from ..findings.on_disk import tell_disk
from ..findings.slow_calls import tell_running
from ..model import count, first_of, has_compiled, listed
from ..recording import Recording
from .groups import Group, Totals
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, Limits
from .words import plain, plain_all, times

_FATES: dict[bool | None, str] = {True: "was still running when this was read", False: "was killed"}
_MOST_RUNNING = 3  # sentences about calls and waits
_MOST_NAMES = 4  # of processes


def are_limits_first(recording: Recording, groups: Mapping[str, Group]) -> bool:
    """Whether the limits come first, because they explain why nothing is told. Else they are beneath all, or behind a
    tab: every panel of a notebook has the same."""
    return recording.hits_seen == "none" and not any(group.compiles for group in groups.values())


def list_notes(recording: Recording, groups: Mapping[str, Group], totals: Totals, limits: Limits) -> Iterator[str]:
    """What is missing first, what only the next process would gain last."""
    facts = recording.facts
    if are_limits_first(recording, groups):
        yield from plain_all(facts.limits, SENTENCE_CHARS)
    yield from _tell_end(recording)
    yield from plain_all(tell_disk(recording), SENTENCE_CHARS)
    if not recording.is_live:
        yield from plain_all((*tell_running(recording)[:_MOST_RUNNING], *tell_memory(recording)), SENTENCE_CHARS)
    yield from plain_all(facts.gaps[: limits.failures], SENTENCE_CHARS)
    if facts.failures:
        yield f"Capture incomplete: {count(len(facts.failures), 'failure')} inside jitviz, listed at the end."
    if totals["failed compile"] > totals["error"]:
        yield f"{count(totals['failed compile'], 'compile')} failed."
    if n_unread := len(recording.unread):
        were = "was" if n_unread == 1 else "were"
        yield f"{count(n_unread, 'program')} {were} not read yet, so causes may be missing."


def _tell_end(recording: Recording) -> Iterator[str]:
    """What runs now, and which processes left no end."""
    facts = recording.facts
    endless = [label for label, place in facts.processes.items() if label and place.lacks == "end"]
    if len(facts.processes) > 1:
        compiled = Counter(row.function_info.process for row in recording.compiles if has_compiled(row))
        named = [f"{label} ({times(n)})" for label, n in compiled.items()]
        who = f"{len(compiled)} of which" if compiled else "none of which"
        which = f": {listed(first_of(named, _MOST_NAMES))}" if named else ""
        of = f"{len(facts.processes)} processes, {who} compiled jitted functions{which}"
        yield f"Calls and compiles are those of {of}."
    if endless:
        who = listed(first_of(endless, _MOST_NAMES))
        how = "killed, as a pool kills its workers, ended by os._exit, or still running when this was read"
        yield f"{who} left no end: {how}."
        for label in endless[:_MOST_NAMES]:
            if (doing := tell_doing(recording, label)) and doing not in tell_state(recording):  # which the headline is
                yield f"{plain(label, NAME_CHARS)}, at its last heartbeat: {plain(doing, SENTENCE_CHARS)}."
    elif recording.is_cut:
        was = "was killed, or was still running when this was read"
        yield f"The recording is incomplete: its process {_FATES.get(recording.is_running, was)}."
    elif recording.is_live and lasts_s(recording) >= STALL_S:
        yield f"Now: {plain(tell_doing(recording, facts.thread), SENTENCE_CHARS)}."
