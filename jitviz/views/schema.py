"""What a screen needs: the one description that text, page and widget draw from.

In: nothing.  Out: frozen dataclasses of str, int, float, bool, None, tuples, literals and each other, so that every
view is JSON as it stands and types for other languages can be generated from this file.
Must never: hold HTML, an unbounded text, or a number that the recording does not give.

Texts are bounded and free of control characters, but not escaped: escaping belongs to whoever draws.
Seconds count from the start of the recording. Whatever was left out is counted in a field beside it (`n_more_...`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..findings.account import What
from ..findings.finding import FindingKind
from ..model import HitsSeen, Kind, ListingName, Memory, Outcome, PhaseName, Reason, Role

Level = Literal["empty", "hits", "first", "recompile", "running", "error"]
RowKind = Literal["node", "leaf", "gone", "more"]
Guess = Literal["hit", "compile"]
# The columns of a timeline hold positions in these two.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
PHASES: tuple[PhaseName, ...] = get_args(PhaseName)
WHATS: tuple[What, ...] = get_args(What)
# Those of a whole partition hold positions in these, and bits.
ROW_KINDS: tuple[RowKind, ...] = get_args(RowKind)
ROLES: tuple[Role, ...] = get_args(Role)
# Those of `Origins` hold positions in this: as written, as the forward pass of a gradient, as its backward pass.
DIRECTIONS = ("plain", "forward", "backward")
FLAGS = ("is_weak_type", "is_committed", "is_donated", "is_dropped", "is_reused", "is_metadata")


@dataclass(frozen=True)
class Span:
    """A piece of a sentence. A code span may name a leaf: the one at `path` of compile number `compile`. `is_strong`
    is what changed."""

    text: str
    is_code: bool = False
    is_strong: bool = False
    path: str = ""
    compile: int = -1


@dataclass(frozen=True)
class Verdict:
    """One sentence on the whole recording; `advice` is the one thing to do, `notes` what to keep in mind beside it.

    `headline` comes before all, where something compiled: how much of the time that took, and in `aside` how much of it
    was for nothing. Where there are findings as well, these say what the sentence says.
    """

    level: Level
    sentence: tuple[Span, ...]
    advice: str = ""
    notes: tuple[str, ...] = ()
    headline: str = ""
    aside: str = ""


@dataclass(frozen=True)
class Chip:
    """One number of the summary; `term` is the one of the glossary that explains it."""

    value: str
    label: str
    term: str


@dataclass(frozen=True)
class Totals:
    """Sums over the recording.

    `compile_s` is the wall time during which something of a jitted function was traced, lowered or compiled, and
    `op_by_op_s` that of the `op_by_op` programs outside of any. `avoidable` counts recompiles
    that are not inherent. `calls` and `hits` are as many as were seen: `hits_seen`.
    """

    functions: int
    calls: int
    hits: int
    traces: int
    inlined: int
    errors: int
    compiles: int
    recompiles: int
    avoidable: int
    failed: int
    running: int
    compile_s: float
    op_by_op: int
    op_by_op_s: float
    wall_s: float
    hits_seen: HitsSeen


@dataclass(frozen=True)
class Mark:
    """One property of a leaf or node that differs from the version it was compared with."""

    kind: Kind
    before: str
    after: str


@dataclass(frozen=True)
class Row:
    """One line of a partition tree, in preorder; `depth` counts from the roots.

    `name` is the last step of `path` (".weight", "[0]"), or the whole path of a root. `traced`, `static` (leaves) and
    `nbytes` are sums over the subtree. `aval` is JAX's short form ("f32[3,4]"), `value` the bounded text of a static
    leaf. `is_donated` and the like are False for nodes. `sharding` is "" where it is the common one of the tree.
    A "gone" row names a path that only the earlier version has; a "more" row stands for what is not drawn.
    """

    kind: RowKind
    depth: int
    name: str
    path: str
    type: str = ""
    role: Role | None = None
    aval: str = ""
    value: str = ""
    traced: int = 0
    static: int = 0
    nbytes: int = 0
    sharding: str = ""
    is_weak_type: bool = False
    is_committed: bool = False
    is_donated: bool = False
    is_dropped: bool = False
    is_reused: bool = False
    is_metadata: bool = False
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Partition:
    """The leaves of an argument list (or of the outputs), traced and static, as a tree in preorder.

    `is_diff` says that only what changed is drawn. `n_more_leaves` counts the leaves without a row, `n_more_marks` the
    changes without a mark. `sharding` is that of all leaves that have one, or "". `note` says what could not be seen.
    `transform` is what shaped the outputs ("grad").
    """

    rows: tuple[Row, ...] = ()
    traced: int = 0
    static: int = 0
    nbytes: int = 0
    n_more_leaves: int = 0
    n_more_marks: int = 0
    is_diff: bool = False
    sharding: str = ""
    note: str = ""
    transform: str = ""


@dataclass(frozen=True)
class PhaseTime:
    """`duration_s` is None where JAX does not tell it, or while the phase is under way."""

    name: PhaseName
    duration_s: float | None


@dataclass(frozen=True)
class Listing:
    """A text of the program, cut at a line: the first `n_shown` of `n_lines` lines. `expression` gives all of it."""

    name: ListingName
    text: str
    n_lines: int
    n_shown: int
    expression: str


@dataclass(frozen=True)
class Version:
    """One compiled version of a function.

    `call` is the number of the causing call among the calls of the function, from 1; None for ahead-of-time
    compiles, and where calls have no numbers.
    `hits` counts the hits known to have run this version. `compared_with` is the compile that the reasons compare it
    with, -1 where none of this recording is known. `is_before` marks a version from before the recording, of
    which only cost and hits are shown. `origin` is "loaded" where JAX found the executable in its cache on disk, which
    saved `saved_s` seconds where JAX tells it.
    """

    index: int
    version: int
    status: Literal["running", "done", "failed"]
    stage: str
    transform: str
    source: str
    call: int | None
    hits: int
    duration_s: float
    phases: tuple[PhaseTime, ...]
    error: str = ""
    is_before: bool = False
    origin: Literal["compiled", "loaded"] = "compiled"
    saved_s: float | None = None
    reasons: tuple[Reason, ...] = ()
    n_more_reasons: int = 0
    compared_with: int = -1
    inputs: Partition | None = None
    outputs: Partition | None = None
    cost: str = ""
    memory: str = ""
    listings: tuple[Listing, ...] = ()


@dataclass(frozen=True)
class Run:
    """Consecutive calls of a function that went alike: calls number `first` to `last`, counted from 1.

    `version` is None where it is unknown which compiled version ran; `duration_s` is their sum, None while they are
    under way.
    """

    outcome: Outcome
    first: int
    last: int
    version: int | None
    duration_s: float | None
    error: str = ""


@dataclass(frozen=True)
class CallSite:
    """A line of the user's program from which a function was called; `compile_s` is what it compiled there.
    `told` says the counts, as far as they were seen."""

    source: str
    calls: int
    hits: int
    compiles: int
    compile_s: float
    told: str


@dataclass(frozen=True)
class FunctionView:
    """A jitted function: what its calls came to, and its compiled versions, oldest first.

    `hits_of_unknown_version` is the part of `hits` that no version can be given. `called_with` is the partition of a
    function that did not compile here. `calls` and `hits` are as many as were seen: `hits_seen`; where none are, calls
    have no numbers. `told` says all of the counts in one line.
    """

    name: str
    api: str
    defined_at: str
    calls: int
    hits: int
    hits_of_unknown_version: int
    traces: int
    inlined: int
    errors: int
    compiles: int
    recompiles: int
    avoidable: int
    compile_s: float
    hits_seen: HitsSeen
    told: str
    phases: tuple[PhaseTime, ...]
    runs: tuple[Run, ...] = ()
    n_more_runs: int = 0
    call_sites: tuple[CallSite, ...] = ()
    n_more_call_sites: int = 0
    versions: tuple[Version, ...] = ()
    n_more_versions: int = 0
    called_with: Partition | None = None


@dataclass(frozen=True)
class Lane:
    """A line of the timeline: the calls of one function in one thread, nested in the calls of `depth` others.

    `function` is its place in `Panel.functions`, -1 where the panel does not show it. `thread` is "" for the main one.
    """

    name: str
    function: int
    thread: str
    depth: int


@dataclass(frozen=True)
class Band:
    """A cell, as a stretch of time. `duration_s` is -1 while it runs."""

    label: str
    start_s: float
    duration_s: float


@dataclass(frozen=True)
class Timeline:
    """Calls and phases as columns: entry i of each `call_...` tuple belongs to call i of the recording.

    Of very many calls, an entry may be several hits that went alike: `call_count` says how many.

    Unknown is -1 (a parent, a duration, the call of an ahead-of-time compile) or 0 (a version). `call_outcome` and
    `phase_name` are positions in `OUTCOMES` and `PHASES`; `call_lane` and `phase_lane` in `lanes`; `call_parent` and
    `phase_call` in the calls; `phase_compile` in the compiles. `call_ready_s` is when the run of a call begins, -1
    where it has not; `phase_own_s` is what jitviz itself took after a phase.
    """

    duration_s: float
    lanes: tuple[Lane, ...]
    bands: tuple[Band, ...]
    call_lane: tuple[int, ...]
    call_parent: tuple[int, ...]
    call_outcome: tuple[int, ...]
    call_start_s: tuple[float, ...]
    call_duration_s: tuple[float, ...]
    call_ready_s: tuple[float, ...]
    call_version: tuple[int, ...]
    call_count: tuple[int, ...]
    phase_compile: tuple[int, ...]
    phase_call: tuple[int, ...]
    phase_lane: tuple[int, ...]
    phase_name: tuple[int, ...]
    phase_start_s: tuple[float, ...]
    phase_duration_s: tuple[float, ...]
    phase_own_s: tuple[float, ...]


@dataclass(frozen=True)
class OpRow:
    """What one public function compiled at one line of the user's, outside of any jit; `told` is a sentence."""

    name: str
    source: str
    compiles: int
    loaded: int
    duration_s: float
    told: str
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stage:
    """Ahead-of-time work that is no call: `function` went through `stage` ("lower", "eval_shape", "make_jaxpr")."""

    function: str
    stage: str
    source: str
    count: int


@dataclass(frozen=True)
class ChoiceView:
    """One way to pad, in words: to which sizes, what it comes to, and the code that does it."""

    name: str
    sizes: str
    compiles: int
    padding: str
    saved: str
    code: str
    is_best: bool = False


@dataclass(frozen=True)
class FindingView:
    """One cause, what it cost and what to do about it.

    `cost` says in words how often and where, unless the sentence does; `effect` what mending it alone saves; `code` is
    what to paste, or "".
    `choices` are those of a plan. `compiles` are the compiles that it caused, of which `n_more_compiles` are not named.
    """

    kind: FindingKind
    function: str
    source: str
    seconds: float
    count: int
    summary: tuple[Span, ...]
    cost: str
    advice: str = ""
    effect: str = ""
    code: str = ""
    choices: tuple[ChoiceView, ...] = ()
    compiles: tuple[int, ...] = ()
    n_more_compiles: int = 0


@dataclass(frozen=True)
class Spent:
    """Seconds of one kind of work (depth 0), and below it of a function, of the stacks of lines that led to it, and of
    what XLA did meanwhile, where that was profiled."""

    what: What
    depth: int
    name: str
    seconds: float


@dataclass(frozen=True)
class AccountView:
    """Where the wall time went: a tree in preorder, whose rows of depth 0 sum to `wall_s`; most seconds come first.

    `avoidable_s` are the seconds of recompiles that could be avoided. `beside` says what other threads did meanwhile.
    """

    wall_s: float
    avoidable_s: float = 0.0
    rows: tuple[Spent, ...] = ()
    n_more: int = 0
    beside: str = ""


@dataclass(frozen=True)
class CellLine:
    """A line of a cell: the seconds of compiling that it caused, what its calls came to, and the places in
    `Panel.findings` of what it is to blame for."""

    number: int
    text: str
    seconds: float = 0.0
    told: str = ""
    findings: tuple[int, ...] = ()


@dataclass(frozen=True)
class CellView:
    """What a cell says, line by line; of a long one, only the lines round those that compiled something."""

    label: str
    lines: tuple[CellLine, ...]
    n_more_lines: int = 0


@dataclass(frozen=True)
class Panel:
    """Everything that is shown of a recording.

    `findings` come most seconds first. `limits` are sentences on what cannot be seen here, `failures` what went wrong
    inside jitviz; `made_with` names the programs and their versions. `quiz` is there if it is to be answered before all
    of this is looked at. `not_kept` says what of the program texts is gone once the kernel is, or is "".
    """

    label: str
    is_finished: bool
    verdict: Verdict
    totals: Totals
    chips: tuple[Chip, ...]
    timeline: Timeline
    findings: tuple[FindingView, ...] = ()
    n_more_findings: int = 0
    account: AccountView | None = None
    cells: tuple[CellView, ...] = ()
    functions: tuple[FunctionView, ...] = ()
    n_more_functions: int = 0
    op_by_op: tuple[OpRow, ...] = ()
    n_more_op_by_op: int = 0
    stages: tuple[Stage, ...] = ()
    limits: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    n_more_failures: int = 0
    made_with: tuple[tuple[str, str], ...] = ()
    quiz: Quiz | None = None
    not_kept: str = ""


@dataclass(frozen=True)
class CallQuestion:
    """Did this call hit or compile? `number` is its place among the calls of its function, from 1.

    `because` is a sentence that goes with the answer.
    """

    function: str
    number: int
    source: str
    truth: Guess
    because: str


@dataclass(frozen=True)
class LeafQuestion:
    """Was this leaf traced or static?"""

    path: str
    type: str
    truth: Role
    because: str


@dataclass(frozen=True)
class Quiz:
    """What to guess before looking: a question for each of `calls`, and one on all `leaves` of the first of them.

    `function` is the one that was called with these leaves. `n_more_calls` and `n_more_leaves` are not in the quiz.
    `note` says what could not be seen, or is "".
    """

    calls: tuple[CallQuestion, ...]
    n_more_calls: int
    function: str
    leaves: tuple[LeafQuestion, ...]
    n_more_leaves: int
    note: str = ""


@dataclass(frozen=True)
class RowColumns:
    """Rows of a partition tree as columns: entry i of each belongs to row i, `marks` to the rows `marked`.

    `kind` and `role` are positions in `ROW_KINDS` and `ROLES` (-1: none). Bit i of `flags` is the field `FLAGS[i]` of
    a row. The texts of a row are positions in `texts`.
    """

    kind: tuple[int, ...]
    depth: tuple[int, ...]
    name: tuple[int, ...]
    path: tuple[int, ...]
    type: tuple[int, ...]
    role: tuple[int, ...]
    aval: tuple[int, ...]
    value: tuple[int, ...]
    traced: tuple[int, ...]
    static: tuple[int, ...]
    nbytes: tuple[float, ...]
    sharding: tuple[int, ...]
    flags: tuple[int, ...]
    marked: tuple[int, ...]
    marks: tuple[tuple[Mark, ...], ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class WholePartition:
    """All rows of a tree; `about` holds its sums and notes, and no rows."""

    about: Partition
    rows: RowColumns


@dataclass(frozen=True)
class Detail:
    """The trees of a chosen version. `compile` is its number in the recording, -1 where only a call is known."""

    compile: int
    inputs: WholePartition | None
    outputs: WholePartition | None


@dataclass(frozen=True)
class SourceBlock:
    """A stretch of a Python file, or of a cell: its lines from `first` on. `file` is a position in `Links.files`."""

    file: int
    first: int
    text: str


@dataclass(frozen=True)
class Frames:
    """Places in Python source: entry i is a stretch of `file[i]`, and what was called from where.

    `file` and `function` are positions in the texts of `Links`. Lines count from 1, columns from 0, in characters; an
    end is exclusive in its column. A column is -1 where it is not known.
    """

    file: tuple[int, ...] = ()
    function: tuple[int, ...] = ()
    line: tuple[int, ...] = ()
    column: tuple[int, ...] = ()
    end_line: tuple[int, ...] = ()
    end_column: tuple[int, ...] = ()


@dataclass(frozen=True)
class Stacks:
    """Call stacks as a tree: entry i is the frame `frame[i]`, called from stack `parent[i]` (-1: from outside).

    A parent comes before its children. The other columns say what came of the frame itself, calls left out: equations
    of the jaxpr, operations of the StableHLO and the HLO, floating-point operations and bytes moved by one run.
    """

    frame: tuple[int, ...] = ()
    parent: tuple[int, ...] = ()
    equations: tuple[int, ...] = ()
    stablehlo_ops: tuple[int, ...] = ()
    hlo_ops: tuple[int, ...] = ()
    flops: tuple[float, ...] = ()
    nbytes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Origins:
    """Where the lines of one program text come from: entry i says that line `line[i]` (from 0) came from `stack[i]`.

    A line has several entries where several operations were fused into it, and none where it holds no operation; -1 is
    the stack of what the compiler inserted or rewrote without a place in the source. `direction` is a position in
    `DIRECTIONS`, `name` one in `Links.names`. Entries go by line.
    """

    line: tuple[int, ...] = ()
    stack: tuple[int, ...] = ()
    direction: tuple[int, ...] = ()
    name: tuple[int, ...] = ()


@dataclass(frozen=True)
class LineWork:
    """What one line of Python became, the functions that it calls included; columns as in `Stacks`.

    `repeats` is how often the line ran while the function was traced: more than once in a loop that was unrolled.
    """

    file: tuple[int, ...] = ()
    line: tuple[int, ...] = ()
    equations: tuple[int, ...] = ()
    stablehlo_ops: tuple[int, ...] = ()
    hlo_ops: tuple[int, ...] = ()
    flops: tuple[float, ...] = ()
    nbytes: tuple[float, ...] = ()
    repeats: tuple[int, ...] = ()


@dataclass(frozen=True)
class WorkAdvice:
    """One thing to do about a line that makes much of a program: a sentence on what is, and one on what to do."""

    file: int
    line: int
    summary: str
    advice: str


@dataclass(frozen=True)
class Links:
    """What ties the Python source of a compile to its program texts, and how the work spreads over it.

    Totals are over the whole program. `note` says what could not be linked, or is "".
    """

    files: tuple[str, ...]
    functions: tuple[str, ...]
    names: tuple[str, ...]
    sources: tuple[SourceBlock, ...]
    frames: Frames
    stacks: Stacks
    jaxpr: Origins
    stablehlo: Origins
    hlo: Origins
    lines: LineWork
    equations: int = 0
    stablehlo_ops: int = 0
    hlo_ops: int = 0
    flops: float = 0.0
    nbytes: float = 0.0
    advice: tuple[WorkAdvice, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Hunks:
    """Where two texts differ: entry i says that lines `before[i]` to `before_end[i]` (from 0, exclusive) of the one
    stand in place of lines `after[i]` to `after_end[i]` of the other."""

    before: tuple[int, ...] = ()
    before_end: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    after_end: tuple[int, ...] = ()


@dataclass(frozen=True)
class Difference:
    """Two program texts compared; names of variables do not count. `summary` tells in words what is different."""

    hunks: Hunks
    summary: tuple[str, ...]


@dataclass(frozen=True)
class ConstantView:
    """An array that was closed over and is part of the program. `name` is what the function calls it, or ""."""

    name: str
    aval: str
    nbytes: int


@dataclass(frozen=True)
class Alike:
    """`count` leaves whose texts differ in their indices alone: "blocks[0..11].weight"."""

    text: str
    count: int = 1


@dataclass(frozen=True)
class LostInput:
    """An input that lowering treated in its own way, and why; or `count` of them, as in `Alike`."""

    path: str
    aval: str
    why: str
    count: int = 1


@dataclass(frozen=True)
class ProgramFacts:
    """What one compiled version costs, and what lowering did to its inputs and outputs.

    `flops`, `moved` and `intensity` are texts, "" for what is not known. `dropped` are inputs that the
    program does not use, `reused` donated inputs whose buffer became an output, `not_reused` the other donated ones,
    `forwarded` outputs that are returned unchanged, `static_outputs` those that are no arrays. `kept` says what the
    caches keep alive of the function, "" where that is nothing. `warnings` are sentences.
    """

    flops: str
    moved: str
    intensity: str
    memory: Memory | None
    constants: tuple[ConstantView, ...] = ()
    n_more_constants: int = 0
    constant_nbytes: int = 0
    donated: tuple[Alike, ...] = ()
    reused: tuple[Alike, ...] = ()
    not_reused: tuple[LostInput, ...] = ()
    dropped: tuple[LostInput, ...] = ()
    forwarded: tuple[Alike, ...] = ()
    static_outputs: tuple[Alike, ...] = ()
    kept: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphView:
    """A jaxpr as a picture: its DOT text, and its SVG where an engine drew it.

    Entry i of `node`, `node_line` ties the element with the id `node[i]` to line `node_line[i]` (from 0) of the jaxpr.
    `cluster` are the ids of what can be opened or closed, `cluster_open` those that are open. `note` says what was left
    closed because there is too much of it.
    """

    dot: str
    svg: str = ""
    node: tuple[str, ...] = ()
    node_line: tuple[int, ...] = ()
    cluster: tuple[str, ...] = ()
    cluster_open: tuple[str, ...] = ()
    n_nodes: int = 0
    note: str = ""
