from jitviz.model import Description, Function, Leaf, Signature
from jitviz.recording import Recording, merge
from jitviz.recording import events as ev

STEP = Function("step", "step", "train", "jax.jit", lineage="train.step", token=1, body=Description("function", "step"))


def signature(length: int) -> Signature:
    return Signature(leaves=(Leaf("x", "traced", "jax.Array", shape=(length,), dtype="float32", itemsize=4),))


def recorded(start_s: float, process: str, *, call: int, length: int, label: str = "") -> Recording:
    """A recording of one call of `step` that compiles."""
    return Recording(
        [
            ev.RecordingStarted(start_s, label, versions=(("jitviz", "0.1.0"),), process=process),
            ev.FunctionSeen(start_s + 0.1, function=1, info=STEP),
            ev.CallStarted(start_s + 0.1, call=call, function=1),
            ev.CompileStarted(start_s + 0.2, compile=call, call=call, function=1, signature=signature(length)),
            ev.CompileFinished(start_s + 0.4, compile=call),
            ev.CallFinished(start_s + 0.5, call, 1, started_s=start_s + 0.1, outcome="compile"),
            ev.RecordingFinished(start_s + 0.6),
        ]
    )


def kinds(recording: Recording) -> list[str]:
    return [type(event).__name__ for event in recording.events]


def test_recordings_of_one_process_keep_their_numbers_and_stand_in_the_order_of_time() -> None:
    later = recorded(20.0, "a", call=2, length=4, label="In [2]")
    earlier = recorded(10.0, "a", call=1, length=3, label="In [1]")
    merged = merge(later, earlier)
    assert kinds(merged) == [
        "RecordingStarted",
        *["FunctionSeen", "CallStarted", "CompileStarted", "CompileFinished", "CallFinished"],
        *["CallStarted", "CompileStarted", "CompileFinished", "CallFinished"],
        "RecordingFinished",
    ]
    assert [event.call for event in merged.events if isinstance(event, ev.CallStarted)] == [1, 2]
    assert [compile.version for compile in merged.compiles] == [1, 2]
    start, end = merged.events[0], merged.events[-1]
    assert start == ev.RecordingStarted(10.0, "In [2], In [1]", (("jitviz", "0.1.0"),), process="a")
    assert end == ev.RecordingFinished(20.6)


def test_recordings_of_two_processes_are_renumbered_and_their_versions_counted_apart() -> None:
    merged = merge(recorded(10.0, "a", call=1, length=3), recorded(10.05, "b", call=1, length=3))
    assert [call.outcome for call in merged.calls] == ["compile", "compile"]
    assert [compile.version for compile in merged.compiles] == [1, 1]
    assert [compile.call for compile in merged.compiles] == list(merged.calls)
    assert [function.lineage for function in merged.functions] == ["train.step", "process 2: train.step"]


def test_recordings_that_do_not_tell_their_process_are_taken_as_of_two() -> None:
    merged = merge(recorded(10.0, "", call=1, length=3), recorded(20.0, "", call=1, length=3))
    assert [compile.version for compile in merged.compiles] == [1, 1]


def test_a_recording_inside_another_adds_nothing_twice() -> None:
    outer = recorded(10.0, "a", call=1, length=3)
    inner = Recording([ev.RecordingStarted(10.05, process="a"), *outer.events[1:-1]])
    assert merge(outer, inner).events[1:] == outer.events[1:-1]  # the inner one goes on, so there is no end


def test_a_version_that_is_repeated_from_before_gives_way_to_the_recording_that_saw_it() -> None:
    first = recorded(10.0, "a", call=1, length=3)
    second = recorded(20.0, "a", call=2, length=4)
    repeated = ev.CompileStarted(10.2, compile=1, call=None, function=1, signature=signature(3), is_before=True)
    second = Recording([*second.events[:2], repeated, *second.events[2:]])
    assert [compile.version for compile in second.compiles] == [2]
    assert len(second.earlier) == 1
    merged = merge(first, second)
    assert [compile.version for compile in merged.compiles] == [1, 2]
    assert list(merged.earlier) == []


def test_the_order_inside_a_log_is_kept_where_an_event_tells_of_an_earlier_moment() -> None:
    second = recorded(20.0, "a", call=2, length=4)
    repeated = ev.CompileStarted(10.2, compile=1, call=None, function=1, signature=signature(3), is_before=True)
    log = [*second.events[:2], repeated, *second.events[2:]]
    assert merge(Recording(log)).events == log


def test_a_recording_that_is_still_live_stays_so() -> None:
    live = Recording(recorded(20.0, "a", call=2, length=4).events[:-1])
    merged = merge(recorded(10.0, "a", call=1, length=3), live)
    assert kinds(merged)[-1] == "CallFinished"


def test_merging_nothing_gives_an_empty_recording() -> None:
    assert merge().events == []
