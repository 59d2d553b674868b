"""No test looks at a clock, nor gives anything a fixed time: both are a matter of what else the machine does."""

import re
from pathlib import Path

HERE = Path(__file__).parent
CLOCK = re.compile(
    r"\b(time|perf_counter|monotonic|process_time|thread_time)(_ns)?\(\)"  # what time it is
    r"|\bsleep\((?!0[,)])|\bwait_for_timeout\("  # to do nothing for a while
    r"|\btimeout=\d|\b(wait|join|acquire)\([\d.]+\)"  # to give up after a while
)
# Files that may, and why no load makes a test of theirs fail.
ALLOWED = {
    "browser/servers.py": "asks a server until it answers, for minutes",
    "browser/test_live.py": "cells that run until they are let go",
    "browser/test_panel.py": "looks at a page until it is laid out",
    "browser/test_speed.py": "a benchmark, which only tells",
    "capture/museum.py": "an exhibit that is slow",
    "capture/test_glances.py": "looks at a thread until it is seen to wait",
    "capture/test_hits.py": "reads a file until it is written",
    "capture/test_outcomes.py": "what sleeps so long is told to last at least so long",
    "capture/test_unread.py": "asks until the runtime has let go of a callback",
    "display/test_shown.py": "gives up on a thread that hangs, after a minute",
    "filters/test_threads.py": "leaves others the time to be wrong",
    "findings/test_account_of_programs.py": "a program that sleeps until it is seen asleep",
    "guards/test_watching.py": "gives up on a thread that hangs, after a minute",
    "ipython/test_live.py": "gives up on a thread that hangs, after a minute",
}


def test_no_test_looks_at_a_clock_or_waits_for_one() -> None:
    files = {path.relative_to(HERE).as_posix(): path.read_text() for path in HERE.rglob("*.py")}
    found = {name for name, text in files.items() if CLOCK.search(text) and not name.startswith("benchmarks/")}
    assert found == set(ALLOWED)
