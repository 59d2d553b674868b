from jitviz.reasons import Total, Version, per_call_site, per_cause, per_function, versions

from .rows import called, compiled, reason

FIRST = compiled(reason("first"))
SHAPE = compiled(reason("shape", "x"), version=2, seconds=(0.5, 0.5, 3.0), source="train.py:41")
FLAG = compiled(reason("shape", "x"), reason("static_value", "train", inherent=True), version=3, source="train.py:41")
OTHER = compiled(reason("first"), function="evaluate", seconds=(1.0, 1.0, 8.0))
FAILED = compiled(reason("dtype", "x"), version=4, seconds=(0.5,), status="failed")
RETRACED = compiled(reason("unexplained"), version=5, seconds=(0.25,))


def test_compiles_are_summed_per_function_most_seconds_first() -> None:
    assert per_function([FIRST, SHAPE, FLAG, OTHER]) == [
        Total("evaluate", 1, 0, 0, trace_s=1.0, lower_s=1.0, compile_s=8.0),
        Total("step", 3, 2, 1, trace_s=1.0, lower_s=1.0, compile_s=6.0),
    ]
    assert [total.duration_s for total in per_function([FIRST, SHAPE])] == [6.0]


def test_compiles_are_summed_per_cause() -> None:
    assert per_cause([FIRST, SHAPE, FLAG, OTHER]) == [
        Total("first", 2, 0, 0, trace_s=1.25, lower_s=1.25, compile_s=9.5),
        Total("shape", 2, 2, 1, trace_s=0.75, lower_s=0.75, compile_s=4.5),
    ]


def test_compiles_are_summed_per_call_site() -> None:
    elsewhere = compiled(reason("first"), source="")
    assert [(total.name, total.compiles) for total in per_call_site([FIRST, SHAPE, FLAG, elsewhere])] == [
        ("train.py:41", 2),
        ("train.py:30", 1),
        ("unknown", 1),
    ]


def test_only_what_a_program_came_out_of_is_counted_and_all_time_is() -> None:
    assert per_function([FIRST, FAILED, RETRACED]) == [Total("step", 1, 0, 0, trace_s=1.0, lower_s=0.25, compile_s=1.5)]


def test_a_time_that_jax_does_not_tell_is_said_to_be_missing() -> None:
    (total,) = per_function([compiled(reason("transform", inherent=True), seconds=(None, 0.5, 1.0))])
    assert total == Total("step", 1, 1, 0, trace_s=0.0, lower_s=0.5, compile_s=1.0, is_time_complete=False)


def test_hits_are_counted_per_version() -> None:
    calls = [called("compile", 1), called(version=1), called(version=2), called(version=2)]
    assert versions([FIRST, SHAPE], calls) == [Version("step", 1, 2.0, 1), Version("step", 2, 4.0, 2)]


def test_hits_of_an_only_version_are_its_own() -> None:
    assert versions([FIRST], [called(), called()]) == [Version("step", 1, 2.0, 2)]


def test_hits_are_unknown_where_one_of_several_versions_ran() -> None:
    assert versions([FIRST, SHAPE, OTHER], [called(), called(version=2)]) == [
        Version("step", 1, 2.0, None),
        Version("step", 2, 4.0, None),
        Version("evaluate", 1, 10.0, 0),
    ]
