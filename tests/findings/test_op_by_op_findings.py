"""Programs outside of any jit among the findings."""

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
    assert found.advice.startswith("Pad `x` to one size and mask the rest, or use NumPy in this line")
    assert (found.source, found.compiles) == ("In [3]:9", ())


def test_one_program_is_none() -> None:
    assert recorded(3).findings == ()
