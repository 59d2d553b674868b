"""How much of a recording is shown; what is left out is counted.

In: nothing.  Out: `Limits`, and the three sets of limits in use.
"""

from dataclasses import dataclass, replace

DEPTH = 24  # of a tree in text; deeper rows are not indented further
NAME_CHARS = 80
VALUE_CHARS = 120
SENTENCE_CHARS = 600


@dataclass(frozen=True)
class Limits:
    """Upper bounds, as numbers of things and of characters.

    All cells share `cell_lines`, so that an overview is no higher than what Notebook 7 shows without a scroll bar. The
    trees of all functions share `rows`; `children` bounds the rows of one node in a tree that is too big to be drawn
    whole. `questions` bounds those
    of a quiz, and its choices. `account` bounds the rows below the kinds of work; a row takes at least the share
    `account_least` of the wall time. `finding_compiles` bounds the compiles that a finding names. If there are more
    calls than `bars`, the timeline merges similar hits; if a score has more than `columns`, it merges those with one
    cause. About `open_rows` of its rows are shown at first.
    """

    findings: int = 5
    finding_compiles: int = 0
    account: int = 12
    account_least: float = 0.01
    cells: int = 0
    cell_lines: int = 24
    functions: int = 16
    versions: int = 12
    reasons: int = 12
    call_sites: int = 8
    rows: int = 200
    children: int = 20
    constants: int = 20
    lost_inputs: int = 20
    op_by_op: int = 8
    stages: int = 8
    failures: int = 8
    questions: int = 8
    bars: int = 100_000
    columns: int = 24
    open_rows: int = 12


# A notebook keeps the static HTML of every cell, so it must stay small.
SAVED = Limits()
# A terminal shows everything except the program texts, which every text only names.
TERMINAL = Limits(
    findings=20,
    account=40,
    functions=100,
    versions=100,
    reasons=50,
    call_sites=40,
    rows=400,
    op_by_op=40,
    stages=40,
    failures=20,
)
# An interactive panel requests whole trees and texts when someone opens them.
PANEL = replace(
    TERMINAL,
    finding_compiles=100,
    account=200,
    account_least=0.001,
    cells=4,
    reasons=SAVED.reasons,
    columns=60,
)
