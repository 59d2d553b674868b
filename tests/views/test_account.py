"""Where the time went, as a list that a terminal can show."""

from jitviz.model import Signature
from jitviz.recording import Recording
from jitviz.views.account import tell_account
from tests.display.samples import FIRST, Story


def test_parts_come_by_their_seconds_with_the_lines_that_took_most_of_it() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (2.0, 0.0, 4.0), 0.05, Signature(), (FIRST,))
    assert tell_account(story.end(10.0)) == (
        "Where 10 s went:",
        "  4.0 s, 40%: compiling",
        "    4.0 s at In [3]:3",
        "  4.0 s, 40%: Python",
        "  2.0 s, 20%: tracing",
        "    2.0 s at In [3]:3",
    )


def test_a_recording_without_time_has_no_list() -> None:
    assert tell_account(Recording()) == ()
