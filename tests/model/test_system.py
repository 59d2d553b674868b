"""No module of jitviz reads a clock that the program can replace."""

import re
from pathlib import Path

import jitviz

PACKAGE = Path(jitviz.__file__).parent
CLOCK = re.compile(r"\btime\.(time|time_ns|monotonic|perf_counter|process_time|thread_time|sleep)\(|from time import")


def test_clocks_are_read_where_no_program_replaces_them() -> None:
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in PACKAGE.rglob("*.py")}
    assert [name for name, text in files.items() if CLOCK.search(text) and "_notebooks" not in name] == []
