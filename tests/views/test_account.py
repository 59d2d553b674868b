"""Where the time went, as rows that a screen can show."""

from dataclasses import replace

from jitviz.model import Signature
from jitviz.recording import Recording
from jitviz.views import TERMINAL
from jitviz.views.account import shape_account
from tests.display.samples import FIRST, Story


def test_parts_come_by_their_seconds_with_the_functions_and_lines_that_took_most_of_it() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (2.0, 0.0, 4.0), 0.05, Signature(), (FIRST,))
    view = shape_account(story.end(10.0), TERMINAL)
    assert view is not None
    assert [(row.depth, row.name, round(row.seconds, 6)) for row in view.rows] == [
        (0, "compiling", 4.0),
        (1, "step at In [3]:3", 4.0),
        (0, "Python", 3.95),
        (0, "tracing", 2.0),
        (1, "step at In [3]:3", 2.0),
        (0, "running programs", 0.05),
    ]


def test_what_there_is_no_room_for_is_counted() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (2.0, 0.0, 4.0), 0.05, Signature(), (FIRST,))
    view = shape_account(story.end(10.0), replace(TERMINAL, account=1))
    assert view is not None
    assert [(row.name, row.depth) for row in view.rows if row.depth] == [("step at In [3]:3", 1)]
    assert view.n_more == 1


def test_a_recording_without_time_has_no_account() -> None:
    assert shape_account(Recording(), TERMINAL) is None
