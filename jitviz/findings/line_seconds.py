"""The wall time by line: what each line of the user's took, whatever it was for, with what the lines beneath it took.

In: a `Recording`.  Out: `LineSeconds` by line.
Must never: count a second twice for one line.
"""

from collections import defaultdict
from typing import NamedTuple

from ..model import Compile, What
from ..recording import Recording
from .accounting import find_account
from .once_for_each_log import once_for_each_log

_COLUMN: dict[What, int] = {"python": 0, "trace": 1, "lower": 1, "compile": 2, "load": 2, "op_by_op": 2, "run": 3}
_BENEATH = 4


class LineSeconds(NamedTuple):
    """Wall seconds of a line and of what it called: Python, tracing and lowering, compiling or loading (outside any jit
    too), running programs. `beneath_s` is the part of all these that lines beneath it took."""

    python_s: float = 0.0
    trace_s: float = 0.0
    compile_s: float = 0.0
    run_s: float = 0.0
    beneath_s: float = 0.0

    @property
    def seconds(self) -> float:
        return sum(self[:_BENEATH])


@once_for_each_log
def find_line_seconds(recording: Recording) -> dict[str, LineSeconds]:
    """By line. What no line is known for is in none; jitviz's own time neither."""
    above, spent = _above(recording), defaultdict[str, list[float]](lambda: [0.0] * 5)
    for share in find_account(recording).shares:
        if share.what not in _COLUMN or not share.stack:
            continue
        for callers, weight in above.get(share.stack[0], {(): 1.0}).items():
            for line in {*callers, *share.stack}:
                spent[line][_COLUMN[share.what]] += weight * share.seconds
                spent[line][_BENEATH] += weight * share.seconds * (line != share.source)
    return {line: LineSeconds(*parts) for line, parts in spent.items()}


def _above(recording: Recording) -> dict[str, dict[tuple[str, ...], float]]:
    """By line that called, the lines above it as compiles saw them, each with its share of their seconds."""
    rows: defaultdict[str, list[Compile]] = defaultdict(list)
    for row in recording.compiles:
        if row.stack[:1] == (row.source,):
            rows[row.source].append(row)
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for source, of_line in rows.items():
        whole_s, callers = sum(row.duration_s for row in of_line), defaultdict[tuple[str, ...], float](float)
        for row in of_line:
            callers[row.stack[1:]] += row.duration_s / whole_s if whole_s else 1 / len(of_line)
        found[source] = dict(callers)
    return found
