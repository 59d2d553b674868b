"""No test reads a clock or waits for a fixed time, because both depend on the load of the machine."""

import re
from pathlib import Path

HERE = Path(__file__).parent
CLOCK = re.compile(
    r"\b(time|perf_counter|monotonic|process_time|thread_time)(_ns)?\(\)"  # reading a clock
    r"|\bsleep\((?!0[,)])|\bwait_for_timeout\("  # sleeping
    r"|\btimeout=\d|\b(wait|join|acquire)\([\d.]+\)"  # giving up after a fixed time
)
# Files that may, and why no load makes their tests fail.
ALLOWED = {
    "browser/servers.py": "asks a server until it answers, for minutes",
    "browser/test_live.py": "cells that run until they are released",
    "browser/test_panel.py": "polls a page until it is laid out",
    "browser/test_speed.py": "a benchmark, which only reports",
    "capture/museum.py": "an exhibit that is slow",
    "capture/test_thread_activity.py": "polls a thread until it waits",
    "capture/test_hits.py": "polls a file until it is written",
    "capture/test_outcomes.py": "a call that sleeps lasts at least as long",
    "capture/test_threads.py": "polls until a thread that nobody can join has ended",
    "capture/test_unread.py": "polls until the runtime has released a callback",
    "capture/test_traced_once.py": "programs that read a clock while they are traced",
    "differential/with_mocks.py": "programs that replace a clock",
    "display/test_notebook_output.py": "gives up on a thread that hangs, after a minute",
    "errors/test_where_people_meet_it.py": "gives up on a program that hangs, after two minutes",
    "filters/test_threads.py": "sleeps to give other threads a chance to fail",
    "findings/test_account_of_programs.py": "a program that sleeps until the sampler has seen it",
    "guards/test_watching.py": "gives up on a thread that hangs, after a minute",
    "ipython/test_live.py": "gives up on a thread that hangs, after a minute",
    "commands/test_now.py": "polls files until they are written",
    "recording/test_bounding.py": "gives up on a thread that hangs, after a minute",
}


def test_no_test_reads_a_clock_or_waits_for_a_fixed_time() -> None:
    files = {path.relative_to(HERE).as_posix(): path.read_text() for path in HERE.rglob("*.py")}
    found = {name for name, text in files.items() if CLOCK.search(text) and not name.startswith("benchmarks/")}
    assert found == set(ALLOWED)
