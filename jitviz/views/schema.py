"""The one description of a view, which text, page and widget draw.

In: nothing.  Out: frozen dataclasses of str, int, float, bool, None, tuples, literals and each other, so that every
view is valid JSON, and types for other languages can be generated from this file.
Must never: hold HTML, an unbounded text, or a number that the recording does not give.

Texts are bounded and free of control characters, but not escaped; each display escapes them. Times are in seconds from
the start of the recording. Fields named `n_more_...` count what was left out.
"""

import dataclasses
from dataclasses import dataclass
from typing import Literal, get_args

from ..findings.program.copies import SourceBlock
from ..findings.program.jaxpr import Constant
from ..model import FindingKind, HitsSeen, Kind, ListingName, Memory, Outcome, PhaseName, Reason, Role, What
from ..model.finding import WHATS as WHATS

Level = Literal["empty", "hits", "first", "recompile", "running", "error"]
RowKind = Literal["node", "leaf", "gone", "more"]
ColumnKind = Literal["compile", "trace", "hits", "inlined", "error", "running", "ahead", "many", "programs"]
CellRole = Literal["traced", "static", "mixed", "absent"]
ScoreRowKind = Literal["node", "leaf", "group", "fields", "cause", "line", "more"]
# The columns of a timeline hold positions in `OUTCOMES` and `WHATS`.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
PHASES: tuple[PhaseName, ...] = get_args(PhaseName)
# The columns of a whole partition hold positions in `ROW_KINDS` and `ROLES`, and bits for `FLAGS`,
# each of which has a word that the glossary explains.
ROW_KINDS: tuple[RowKind, ...] = get_args(RowKind)
ROLES: tuple[Role, ...] = get_args(Role)
FLAG_WORDS = {
    "is_weak_type": "weak type",
    "is_donated": "donated",
    "is_reused": "reused",
    "is_committed": "committed",
    "is_dropped": "not used",
    "is_metadata": "metadata",
}
FLAGS = tuple(FLAG_WORDS)
# The columns of `Origins` hold positions in `DIRECTIONS`: no gradient, or the forward or backward pass of one.
DIRECTIONS = ("plain", "forward", "backward")


@dataclass(frozen=True)
class Span:
    """A piece of a sentence."""

    text: str  # plain text
    is_code: bool = False  # whether it is code
    is_strong: bool = False  # whether it is emphasised, as what changed is
    path: str = ""  # the leaf that it names, or ""
    compile: int = -1  # the number of the compile that the leaf belongs to, or -1


@dataclass(frozen=True)
class Verdict:
    """The summary of a recording, at the top of every display."""

    level: Level  # the worst that happened
    title: tuple[Span, ...]  # the most important of it in one line; what could be saved is strong
    subline: tuple[Span, ...] = ()  # what happened, in a sentence below the title
    since: tuple[Span, ...] = ()  # what changed since the last run of this cell, or nothing
    advice: str = ""  # the one thing to do, or ""
    notes: tuple[str, ...] = ()  # warnings, such as an incomplete recording


@dataclass(frozen=True)
class Mark:
    """A property of a leaf or node that differs from the compared version."""

    kind: Kind  # which property
    before: str  # what it was
    after: str  # what it is now


@dataclasses.dataclass  # not frozen, which would take three times as long: a whole tree makes thousands
class Row:
    """One line of a partition tree, in preorder."""

    kind: RowKind  # "gone": only the earlier version has the path; "more": represents hidden rows
    depth: int  # steps from a root
    name: str  # the last step of `path` (".weight", "[0]"), or the whole path of a root
    path: str  # key path of the leaf or node
    type: str = ""  # class of the leaf or node
    role: Role | None = None  # None for nodes
    aval: str = ""  # JAX's short form ("f32[3,4]"), "" for static leaves and nodes
    value: str = ""  # bounded text of a static leaf
    traced: int = 0  # traced leaves in the subtree
    static: int = 0  # static leaves in the subtree
    nbytes: int = 0  # bytes of the arrays in the subtree
    sharding: str = ""  # "" if the whole tree has the same sharding
    is_weak_type: bool = False  # JAX may convert its dtype, like that of a Python scalar
    is_committed: bool = False  # bound to its devices
    is_donated: bool = False  # its buffer may be reused
    is_dropped: bool = False  # an input that the program does not use
    is_reused: bool = False  # its buffer became an output
    is_metadata: bool = False  # static, and part of the treedef
    marks: tuple[Mark, ...] = ()  # its changes


@dataclass(frozen=True)
class Partition:
    """The leaves of an argument list or of the outputs, traced and static, as a tree."""

    rows: tuple[Row, ...] = ()  # the tree in preorder
    traced: int = 0  # traced leaves
    static: int = 0  # static leaves
    nbytes: int = 0  # bytes of the arrays
    n_more_leaves: int = 0  # leaves without a row
    n_more_marks: int = 0  # changes without a mark
    is_diff: bool = False  # only changes are drawn
    sharding: str = ""  # the sharding of all leaves, or ""
    note: str = ""  # what could not be seen, or ""
    transform: str = ""  # the transform that shaped the outputs ("grad"), or ""


@dataclass(frozen=True)
class PhaseTime:
    """The time of a phase."""

    name: PhaseName  # which phase
    duration_s: float | None  # None while it is running, or if JAX does not report it


@dataclass(frozen=True)
class Listing:
    """A program text."""

    name: ListingName  # which text
    n_lines: int  # its lines


@dataclass(frozen=True)
class Version:
    """One compiled version of a function."""

    index: int  # its number among the recording's compiles, or if `is_before` among the earlier ones, from 0
    version: int  # its number in the function, from 1
    name: str  # "version 2", with the transform or the stage if it is not an ordinary call
    made: str  # how it came about ("loaded from disk by call 3 at train.py:7, 2.0 s saved")
    status: Literal["running", "done", "failed"]  # how far it is
    source: str  # the source line that caused it
    call: int | None  # the number of the call that caused it, from 1; None ahead of time or if hits are not seen
    hits: int  # later calls that are known to have run it
    duration_s: float  # total seconds of its phases
    phases: tuple[PhaseTime, ...]  # its phases, in order
    error: str = ""  # the error that it raised, or ""
    is_before: bool = False  # compiled before the recording: its program was not kept
    reasons: tuple[Reason, ...] = ()  # why it was compiled, the cause first
    n_more_reasons: int = 0  # reasons that are not listed
    judged: str = ""  # whether a recompile was avoidable, and how its program differs ("avoidable: the same program …")
    compared_with: int = -1  # the compile that the reasons compare it with, or -1
    inputs: Partition | None = None  # its arguments; of an earlier version, only if several ran
    outputs: Partition | None = None  # its results
    cost: str = ""  # XLA's estimate in words, or ""
    memory: str = ""  # XLA's memory sizes in words, or ""
    flops: float | None = None  # floating-point operations of one run, by XLA's estimate
    moved: float | None = None  # bytes that one run moves, by XLA's estimate
    sizes: Memory | None = None  # the numbers of `memory`
    listings: tuple[Listing, ...] = ()  # its program texts


@dataclass(frozen=True)
class CallSite:
    """A line of the user's program that called a function."""

    source: str  # file and line
    compile_s: float  # seconds of the compiles that it caused
    told: str  # the outcomes of its calls in words


@dataclass(frozen=True)
class FunctionView:
    """A jitted function: its calls, and its compiled versions, oldest first. Calls have no numbers if no hits are
    seen."""

    name: str  # its name for people
    api: str  # the wrapper that jitted it ("jax.jit")
    defined_at: str  # file and line of its definition, or ""
    hits_seen: HitsSeen  # whether all of its hits were seen, some, or none
    hits_of_unknown_version: int  # hits whose version is not known
    unknown_version: str  # what they may have run ("one of versions 1–2"), or ""
    compile_s: float  # seconds of its compiles
    told: str  # the outcomes of its calls in one line
    phases: tuple[PhaseTime, ...]  # seconds by phase, over all versions
    call_sites: tuple[CallSite, ...] = ()  # the lines that called it, the most expensive first
    n_more_call_sites: int = 0  # lines that are not listed
    versions: tuple[Version, ...] = ()  # earlier versions that ran here, then those compiled here
    n_more_versions: int = 0  # versions that are not listed
    called_with: Partition | None = None  # its arguments, if it did not compile here
    called_with_call: int = 0  # number of the only call with these arguments; 0 if all have them, -1 without a number


@dataclass(frozen=True)
class ScoreColumn:
    """A call that was no plain hit, or consecutive calls that were alike; outside any jit, consecutive programs."""

    kind: ColumnKind  # "many": several calls that compiled for the same causes, with the hits between them
    first: int  # number of its first call in the function, from 1; 0 without a number
    last: int  # number of its last call
    count: int  # its calls, 0 ahead of time; outside any jit its programs
    name: str  # what stands beneath it: the version that it compiled ("2"), "×57", "v3"
    label: str  # what it is, in words: "call 4: compile, version 2, 3.2 s"
    version: int = 0  # the version that ran; 0 for none, several, or an unknown one
    is_known: bool = True  # whether it is known which version ran
    compiles: tuple[int, ...] = ()  # the numbers of its compiles in the recording
    call: int = -1  # the position of its first call in the columns of `Timeline`, or -1
    seconds: float = 0.0  # seconds of its compiles; of other calls, their run
    told: str = ""  # the same in words, "" for a moment
    trace_s: float = 0.0  # seconds of tracing
    lower_s: float = 0.0  # seconds of lowering
    compile_s: float = 0.0  # seconds of compiling, or of loading from disk
    run_s: float = 0.0  # seconds of running programs, 0 if that is unknown
    avoidable_s: float = 0.0  # the avoidable part of `seconds`
    marks: tuple[str, ...] = ()  # what else there is to say, in words that the glossary explains: "stale"
    error: str = ""  # what was raised, or ""
    source: str = ""  # the line that called
    thread: str = ""  # "" for the main thread


@dataclass(frozen=True)
class ScoreCell:
    """A cell that differs from the one before it in its row, or that made the call compile."""

    column: int  # position in `Score.columns`
    role: CellRole  # what the leaf is from here on
    text: str = ""  # what is written in it: "128", "weak", "True"
    told: str = ""  # the whole change: "f32[128,784] → f32[96,784]"
    is_cause: bool = False  # whether it made the call compile
    is_blamed: bool = False  # whether it made the call raise


@dataclass(frozen=True)
class ScoreRow:
    """A leaf or node of the arguments, through all calls."""

    kind: ScoreRowKind  # "group": siblings that are alike, once; "cause": what is no leaf, but made a call compile
    depth: int  # steps from a root
    name: str  # the last step of `path`, or the whole path of a root; of a group "[0..5]"
    path: str  # key path, or ""
    type: str = ""  # what it is: "f32[·,784]", "6 × Linear"
    varies: str = ""  # what it was, one after the other: "128 | 96", or ""
    traced: int = 0  # traced leaves in it
    static: int = 0  # static leaves in it
    is_open: bool = False  # whether the rows beneath it are shown at first
    has_changed: bool = False  # whether it changed, or something beneath it
    marks: tuple[str, ...] = ()  # properties, in the words of `FLAG_WORDS`
    cells: tuple[ScoreCell, ...] = ()  # where it changed; in between, it is as in the cell before


@dataclass(frozen=True)
class Score:
    """The calls of a function across, the leaves of its arguments down, the seconds above."""

    function: str  # its name, or "outside any jit"
    place: int  # its place in `Panel.functions`, or -1
    told: str  # its calls, compiles and seconds in one line
    calls: int  # calls that were seen; -1 if hits are not seen
    compiles: int  # executables that were compiled or loaded from disk
    seconds: float  # seconds of its compiles
    api: str = ""  # the wrapper that jitted it ("jax.jit")
    avoidable_s: float = 0.0  # the avoidable part of `seconds`
    columns: tuple[ScoreColumn, ...] = ()  # its calls in order
    rows: tuple[ScoreRow, ...] = ()  # the tree of its arguments in preorder
    note: str = ""  # what could not be seen, or ""


@dataclass(frozen=True)
class Lane:
    """A line of the timeline: the calls of one function in one thread."""

    name: str  # name of the function
    function: int  # its place in `Panel.functions`, or -1
    thread: str  # "" for the main thread
    depth: int  # the number of calls around these calls


@dataclass(frozen=True)
class Band:
    """A cell, as a stretch of time."""

    label: str  # "In [3]"
    start_s: float  # when it started
    duration_s: float  # -1 while it runs


@dataclass(frozen=True)
class Timeline:
    """Calls and phases as columns: entry i of each `call_...` tuple belongs to call i of the recording. In a recording
    of very many calls, an entry may represent several similar hits. -1 means unknown; 0 for a version."""

    duration_s: float  # seconds to the end of the recording, or to now
    lanes: tuple[Lane, ...]  # one per function and thread
    bands: tuple[Band, ...]  # the cells
    call_lane: tuple[int, ...]  # position in `lanes`
    call_parent: tuple[int, ...]  # the call around it, as a position in these columns
    call_outcome: tuple[int, ...]  # position in `OUTCOMES`
    call_start_s: tuple[float, ...]  # when it started
    call_duration_s: tuple[float, ...]  # how long it took
    call_ready_s: tuple[float, ...]  # when its run started
    call_version: tuple[int, ...]  # the version that ran
    call_count: tuple[int, ...]  # the number of calls that the entry represents
    signed_calls: tuple[int, ...]  # the calls of unknown versions whose arguments are known, as positions
    phase_compile: tuple[int, ...]  # number of the compile, or -1 for a program outside any jit
    phase_call: tuple[int, ...]  # position in the columns of calls
    phase_lane: tuple[int, ...]  # position in `lanes`
    phase_what: tuple[int, ...]  # position in `WHATS`: a phase, or another kind of work
    phase_start_s: tuple[float, ...]  # when it started
    phase_duration_s: tuple[float, ...]  # how long it took
    phase_own_s: tuple[float, ...]  # jitviz's own time after it


@dataclass(frozen=True)
class ChoiceView:
    """One way to pad, in words."""

    name: str  # its name ("powers of two")
    sizes: str  # the sizes that it pads to
    compiles: int  # the remaining versions
    padding: str  # elements added per element ("12%", "10% to 23%")
    run: str  # what running them would have cost ("12 ms more to run"), or ""
    saved: str  # seconds of compiling that it saves, as text
    code: str  # code to paste, or "" if it is that of the finding
    is_best: bool = False  # whether it is the best choice
    lines: tuple[int, ...] = ()  # `sizes` as numbers


@dataclass(frozen=True)
class PlanView:
    """What came with each size: entry i of each column belongs to a version."""

    size: tuple[int, ...]  # its size
    calls: tuple[int, ...]  # calls that ran it
    group: tuple[int, ...]  # equal for versions that are one program once they have one size
    seconds: tuple[float, ...]  # seconds of its compile, -1 for an earlier cell's
    compiles: int  # compiles of the function in this cell


@dataclass(frozen=True)
class FindingView:
    """One cause, its cost, and what to do about it."""

    kind: FindingKind  # the kind of cause
    function: str  # the function that it is about, or ""
    source: str  # the line that caused it, or ""
    seconds: float  # its cost
    saves_s: float  # what fixing it alone saves, 0 if that is unknown; findings come in this order
    count: int  # how often it happened
    summary: tuple[Span, ...]  # what happened, in one sentence
    cost: str  # how often and where, unless the sentence says so
    advice: str = ""  # what to do
    effect: str = ""  # what fixing it alone saves
    code: str = ""  # code to paste, or ""
    choices: tuple[ChoiceView, ...] = ()  # ways to pad, if that helps
    compiles: tuple[int, ...] = ()  # numbers of some compiles that it caused
    edits: tuple[str, ...] = ()  # the lines that it asks to change, as far as they are known
    plan: PlanView | None = None  # what came with each size, if padding helps
    number: int = 0  # its number in `rec.findings`, from 1
    is_also: bool = False  # whether it is no counted cause of this cell: disk, first compiles, memory, estimates
    cause: tuple[Span, ...] = ()  # what happened, in at most 12 words
    brief: str = ""  # what to do, in at most 15 words, or ""
    paths: tuple[str, ...] = ()  # the rows of a score that it is about


@dataclass(frozen=True)
class Spent:
    """Seconds of one kind of work (depth 0), or of a part of it: a function, then lines."""

    what: What  # the kind of work
    depth: int  # 0 for a kind of work
    name: str  # name of the kind, function, line or pass
    seconds: float  # its seconds, including all rows below it
    avoidable_s: float = 0.0  # of the bar: the part of `seconds` that avoidable recompiles took


@dataclass(frozen=True)
class AccountView:
    """Where the wall time went: as a bar, and as a tree in preorder, most seconds first."""

    wall_s: float  # the sum of the bar, and of the rows of depth 0
    bar: tuple[Spent, ...] = ()  # kinds of work, whole, and their functions, compiling first
    avoidable: str = ""  # what of it was avoidable ("3.5 s: 3.0 s XLA, 500 ms tracing"), or ""
    rows: tuple[Spent, ...] = ()  # the tree
    n_more: int = 0  # rows that are not listed
    beside: str = ""  # what other threads did meanwhile, or ""
    processes: tuple[str, ...] = ()  # of a merged recording: the sum of all processes, then where the time of each went


@dataclass(frozen=True)
class OpRow:
    """The programs of one public function that one line compiled outside any jit."""

    name: str  # the public function
    source: str  # the line
    seconds: float  # their seconds
    count: int  # how many there are
    told: str  # how often, and in what they differ ("2 times, once per dtype of its input")


@dataclass(frozen=True)
class CellLine:
    """A line of a cell."""

    number: int  # from 1
    text: str  # its text
    seconds: float = 0.0  # wall seconds of it, whatever they were for, with what it called
    told: str = ""  # the outcomes of its calls
    findings: tuple[int, ...] = ()  # the findings about it, as places in `Panel.findings`
    beneath: float = 0.0  # the part of `seconds` that lines beneath it called
    edits: tuple[int, ...] = ()  # the findings that ask to change it, as places in `Panel.findings`
    python_s: float = 0.0  # the part of `seconds` that is Python
    trace_s: float = 0.0  # the part of `seconds` that is tracing and lowering
    compile_s: float = 0.0  # the part of `seconds` that is compiling or loading, outside any jit too
    run_s: float = 0.0  # the part of `seconds` that is running programs


@dataclass(frozen=True)
class CellView:
    """A cell, line by line; of a long cell, only the lines near those that compiled something."""

    label: str  # "In [3]"
    lines: tuple[CellLine, ...]  # in order
    n_more_lines: int = 0  # lines that are not shown


@dataclass(frozen=True)
class RaisedView:
    """An exception that left what was recorded. One of a kind that is not known has its own text, and its line."""

    kind: str  # of exception ("branch"), or ""
    error: str  # its type
    message: str  # what it says itself
    source: str  # the user's line
    line: str  # the text of that line
    function: str = ""  # the function that was traced or called, or ""
    path: str = ""  # the leaf to blame, or ""
    also: tuple[str, ...] = ()  # other leaves that the value depends on
    summary: tuple[Span, ...] = ()  # what happened, in at most 20 words
    detail: tuple[Span, ...] = ()  # which leaf, from where, and what an earlier call did
    advice: tuple[Span, ...] = ()  # one thing to write instead
    code: str = ""  # the line as it could be written, or ""


@dataclass(frozen=True)
class Panel:
    """Everything that is shown of a recording."""

    label: str  # the name of the recording
    is_finished: bool  # whether the recording has ended
    verdict: Verdict  # the summary
    compiles: int  # executables that were compiled or loaded from disk
    timeline: Timeline  # calls and phases
    scores: tuple[Score, ...] = ()  # of each function, the most expensive first; then what ran outside any jit
    n_more_scores: int = 0  # functions without a score
    last_scores: tuple[Score, ...] = ()  # those of the last run of this cell, if it is known
    raised: RaisedView | None = None  # the exception that left what was recorded
    findings: tuple[FindingView, ...] = ()  # what is worth doing, most seconds first
    n_more_findings: int = 0  # findings that are not shown
    also: str = ""  # the findings that are no counted causes of this cell, in one line, or ""
    account: AccountView | None = None  # where the wall time went
    cells: tuple[CellView, ...] = ()  # cells that compiled something
    functions: tuple[FunctionView, ...] = ()  # in the order of their first call or compile
    n_more_functions: int = 0  # functions that are not shown
    op_by_op: tuple[OpRow, ...] = ()  # programs compiled outside any jit, by line
    n_more_op_by_op: int = 0  # lines that are not shown
    stages: tuple[str, ...] = ()  # ahead-of-time work, a sentence for each line
    limits: tuple[str, ...] = ()  # sentences on what cannot be seen here
    failures: tuple[str, ...] = ()  # errors inside jitviz
    n_more_failures: int = 0  # failures that are not listed
    made_with: str = ""  # packages with their versions
    quiz: "Quiz | None" = None  # questions to answer before looking at the rest
    not_kept: str = ""  # the program texts that are lost without the kernel, or ""


@dataclass(frozen=True)
class QuizQuestion:
    """What made a call compile? Right are the rows of the score that have a cause in its column."""

    column: int  # position in the columns of the score
    text: str  # "what made call 3 compile"
    answer: str  # "`x` f32[3] → f32[4]"


@dataclass(frozen=True)
class Quiz:
    """Questions to answer before looking at the panel."""

    score: int  # position in `Panel.scores`
    questions: tuple[QuizQuestion, ...]  # in the order of the calls
    choices: tuple[str, ...]  # paths, for where the score is not drawn


@dataclass(frozen=True)
class RowColumns:
    """Rows of a partition tree as columns: entry i of each belongs to row i. Texts are positions in `texts`."""

    kind: tuple[int, ...]  # position in `ROW_KINDS`
    depth: tuple[int, ...]  # steps from a root
    name: tuple[int, ...]  # text
    path: tuple[int, ...]  # text
    type: tuple[int, ...]  # text
    role: tuple[int, ...]  # position in `ROLES`, or -1
    aval: tuple[int, ...]  # text
    value: tuple[int, ...]  # text
    traced: tuple[int, ...]  # traced leaves in the subtree
    static: tuple[int, ...]  # static leaves in the subtree
    nbytes: tuple[float, ...]  # bytes of the arrays in the subtree
    sharding: tuple[int, ...]  # text
    flags: tuple[int, ...]  # bit i is the field `FLAGS[i]` of a row
    marked: tuple[int, ...]  # the rows that have marks
    marks: tuple[tuple[Mark, ...], ...]  # the marks of each of them
    texts: tuple[str, ...]  # each text once


@dataclass(frozen=True)
class WholePartition:
    """All rows of a tree."""

    about: Partition  # its sums and notes, without rows
    rows: RowColumns  # the rows


@dataclass(frozen=True)
class Detail:
    """The trees of a chosen version."""

    inputs: WholePartition | None  # the arguments
    outputs: WholePartition | None  # the results


@dataclass(frozen=True)
class Frames:
    """Places in Python source: entry i is a stretch of `file[i]`. A column of -1 is unknown."""

    file: tuple[int, ...] = ()  # position in `Links.files`
    function: tuple[int, ...] = ()  # position in `Links.functions`
    line: tuple[int, ...] = ()  # from 1
    column: tuple[int, ...] = ()  # from 0, in characters
    end_line: tuple[int, ...] = ()  # from 1
    end_column: tuple[int, ...] = ()  # exclusive


@dataclass(frozen=True)
class Stacks:
    """Call stacks as a tree, each parent before its children. The counts of a frame exclude the frames it calls."""

    frame: tuple[int, ...] = ()  # position in `Links.frames`
    parent: tuple[int, ...] = ()  # the stack that called it, or -1
    equations: tuple[int, ...] = ()  # equations of the jaxpr
    stablehlo_ops: tuple[int, ...] = ()  # operations of the StableHLO
    hlo_ops: tuple[int, ...] = ()  # operations of the optimised HLO


@dataclass(frozen=True)
class Origins:
    """Where the lines of one program text come from, by line. A line with several fused operations has several entries;
    a line without an operation has none."""

    line: tuple[int, ...] = ()  # line of the text, from 0
    stack: tuple[int, ...] = ()  # position in `Links.stacks`; -1 for operations that the compiler inserted
    direction: tuple[int, ...] = ()  # position in `DIRECTIONS`
    name: tuple[int, ...] = ()  # position in `Links.names`


@dataclass(frozen=True)
class LineWork:
    """The work of each line of Python, including the functions that it calls."""

    file: tuple[int, ...] = ()  # position in `Links.files`
    line: tuple[int, ...] = ()  # from 1
    equations: tuple[int, ...] = ()  # equations of the jaxpr
    stablehlo_ops: tuple[int, ...] = ()  # operations of the StableHLO
    hlo_ops: tuple[int, ...] = ()  # operations of the optimised HLO
    repeats: tuple[int, ...] = ()  # how often it ran during tracing: more than once in an unrolled loop


@dataclass(frozen=True)
class WorkAdvice:
    """Advice on a line that makes up much of a program."""

    file: int  # position in `Links.files`
    line: int  # from 1
    summary: str  # what the line does
    advice: str  # what to do about it


@dataclass(frozen=True)
class Links:
    """The links between the Python source of a compile and its program texts, and the work of each line."""

    files: tuple[str, ...]  # each file once
    functions: tuple[str, ...]  # each function name once
    names: tuple[str, ...]  # each name stack of an operation once
    sources: tuple[SourceBlock, ...]  # the known source
    frames: Frames  # places in the source
    stacks: Stacks  # call stacks
    jaxpr: Origins  # where the lines of the jaxpr come from
    stablehlo: Origins  # where the lines of the StableHLO come from
    hlo: Origins  # where the lines of the HLO come from
    lines: LineWork  # the work by line
    equations: int = 0  # equations of the whole jaxpr
    stablehlo_ops: int = 0  # operations of the whole StableHLO
    hlo_ops: int = 0  # operations of the whole optimised HLO
    advice: tuple[WorkAdvice, ...] = ()  # advice on its lines
    note: str = ""  # what could not be linked, or ""


@dataclass(frozen=True)
class Hunks:
    """Where two texts differ: some lines of the first are replaced by lines of the second. Lines count from 0."""

    before: tuple[int, ...] = ()  # first line in the first text
    before_end: tuple[int, ...] = ()  # exclusive
    after: tuple[int, ...] = ()  # first line in the second text
    after_end: tuple[int, ...] = ()  # exclusive


@dataclass(frozen=True)
class Difference:
    """The difference between two program texts; names of variables do not count."""

    hunks: Hunks  # where they differ
    summary: tuple[str, ...]  # the differences in words


@dataclass(frozen=True)
class Alike:
    """Leaves whose texts differ only in their indices."""

    text: str  # "blocks[0..11].weight"
    count: int = 1  # number of leaves


@dataclass(frozen=True)
class LostInput:
    """An input that lowering dropped, or whose donated buffer was not reused."""

    path: str  # key path, or several merged as in `Alike`
    aval: str  # JAX's short form
    why: str  # the reason, as a sentence without a full stop
    count: int = 1  # number of inputs


@dataclass(frozen=True)
class ProgramFacts:
    """The cost of one compiled version, and what lowering did to its inputs and outputs."""

    flops: str  # floating-point operations in words, or ""
    moved: str  # bytes moved in words, or ""
    memory: Memory | None  # XLA's memory sizes
    constants: tuple[Constant, ...] = ()  # closed-over arrays, the largest first
    n_more_constants: int = 0  # arrays that are not listed
    constant_nbytes: int = 0  # bytes of all of them
    donated: tuple[Alike, ...] = ()  # inputs whose buffer may be reused
    reused: tuple[Alike, ...] = ()  # donated inputs whose buffer became an output
    not_reused: tuple[LostInput, ...] = ()  # the other donated inputs
    n_more_not_reused: int = 0  # donated inputs that are not listed
    dropped: tuple[LostInput, ...] = ()  # inputs that the program does not use
    n_more_dropped: int = 0  # dropped inputs that are not listed
    forwarded: tuple[Alike, ...] = ()  # outputs that are unchanged inputs
    static_outputs: tuple[Alike, ...] = ()  # outputs that are not arrays
    kept: str = ""  # what JAX's caches keep alive for the function, or ""
    warnings: tuple[str, ...] = ()  # sentences


@dataclass(frozen=True)
class GraphView:
    """A jaxpr as a picture."""

    dot: str  # its DOT text
    svg: str = ""  # its picture, or "" if no engine drew it
    node: tuple[str, ...] = ()  # ids of nodes and clusters
    node_line: tuple[int, ...] = ()  # the line of the jaxpr of each, from 0
    cluster: tuple[str, ...] = ()  # ids of the parts that can be opened or closed
    cluster_open: tuple[str, ...] = ()  # ids of the open parts
    n_nodes: int = 0  # number of nodes
    note: str = ""  # the parts that were left closed for their size, or ""
