"""Programs outside any jit among the findings."""

from dataclasses import replace

from jitviz.recording import Recording
from jitviz.recording import events as ev
from tests.findings.runs import told
from tests.views.test_verdict import _op


def recorded(*lengths: int, more: tuple[ev.Event, ...] = ()) -> Recording:
    return Recording([ev.RecordingStarted(0.0), *(_op(0.1 * n, 0.25, n) for n in lengths), *more])


def test_a_line_that_compiles_for_every_length_is_a_finding() -> None:
    (found,) = recorded(1, 2, 3, 4).findings
    assert told(found) == (
        "1 s, 4 times op_by_op of jnp.median, saves None: "
        "`jnp.median` at In [3]:9 compiled 4 times, once per length of `x`"
    )
    assert found.advice.startswith("Pad `x` to one size and mask the rest, or use NumPy on this line")
    assert (found.source, found.compiles) == ("In [3]:9", ())


def test_many_programs_of_many_lines_are_one_finding() -> None:
    rows = [replace(_op(0.1, 0.25, 3), source=f"In [3]:{line}") for line in range(20)]
    (found,) = Recording([ev.RecordingStarted(0.0), *rows]).findings
    assert found.summary == (
        "20 programs compiled outside any jit, the most expensive of 20 lines: `jnp.median` at In [3]:0 compiled once"
    )
    assert found.advice.startswith("Put these operations into one jitted function")
    assert Recording([ev.RecordingStarted(0.0), *rows[:19]]).findings == ()


def test_one_program_is_none() -> None:
    assert recorded(3).findings == ()
