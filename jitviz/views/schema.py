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
    """A piece of a sentence."""

    text: str  # plain text
    is_code: bool = False  # set in code type
    path: str = ""  # the leaf that the piece names, or ""
    compile: int = -1  # the compile whose leaf it is, by its number, or -1


@dataclass(frozen=True)
class Verdict:
    """What is said first of a recording."""

    level: Level  # which of the banners it is
    sentence: tuple[Span, ...]  # what happened, in one sentence; findings, where there are any, say it instead
    advice: str = ""  # the one thing to do, or ""
    notes: tuple[str, ...] = ()  # sentences to keep in mind beside it
    headline: str = ""  # how much of the time was compiling; "" where nothing compiled
    aside: str = ""  # how much of that was for nothing, or ""
    rest: str = ""  # what the rest of it was for, where that is much, or ""


@dataclass(frozen=True)
class Chip:
    """One number of the summary."""

    value: str  # the number as text
    label: str  # what it counts
    term: str  # the entry of the glossary that explains it


@dataclass(frozen=True)
class Counts:
    """The outcomes of the calls that were seen."""

    calls: int  # calls of jitted functions
    hits: int  # calls that ran an existing version
    traces: int  # calls that traced again and compiled nothing
    inlined: int  # calls inside another trace
    errors: int  # calls that raised
    compiles: int  # executables that were compiled or loaded from disk
    recompiles: int  # compiles for a call of a function that already had a version
    avoidable: int  # recompiles that a change to the program would prevent
    hits_seen: HitsSeen  # whether all hits were seen, some, or none


@dataclass(frozen=True)
class Totals(Counts):
    """Sums over the recording."""

    functions: int  # jitted functions that were called or compiled
    failed: int  # compiles that raised
    running: int  # compiles that are under way
    compile_s: float  # wall seconds in which a jitted function was traced, lowered or compiled
    op_by_op: int  # programs compiled outside any jit
    op_by_op_s: float  # their seconds, added up
    wall_s: float  # seconds of the cells, or from the start of the recording to its end where it has none


@dataclass(frozen=True)
class Mark:
    """One property of a leaf or node that differs from the version it was compared with."""

    kind: Kind  # which property
    before: str  # what it was
    after: str  # what it is now


@dataclass(frozen=True)
class Row:
    """One line of a partition tree, in preorder."""

    kind: RowKind  # "gone": only the earlier version has the path; "more": stands for rows that are not drawn
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
    sharding: str = ""  # "" where it is the common one of the tree
    is_weak_type: bool = False  # JAX may convert its dtype, as that of a Python scalar
    is_committed: bool = False  # bound to its devices
    is_donated: bool = False  # its buffer may be reused
    is_dropped: bool = False  # an input that the program does not use
    is_reused: bool = False  # its buffer became an output
    is_metadata: bool = False  # static, and part of the treedef
    marks: tuple[Mark, ...] = ()  # what changed


@dataclass(frozen=True)
class Partition:
    """The leaves of an argument list or of the outputs, traced and static, as a tree."""

    rows: tuple[Row, ...] = ()  # the tree in preorder
    traced: int = 0  # traced leaves
    static: int = 0  # static leaves
    nbytes: int = 0  # bytes of the arrays
    n_more_leaves: int = 0  # leaves without a row
    n_more_marks: int = 0  # changes without a mark
    is_diff: bool = False  # only what changed is drawn
    sharding: str = ""  # that of all leaves that have one, or ""
    note: str = ""  # what could not be seen, or ""
    transform: str = ""  # what shaped the outputs ("grad"), or ""


@dataclass(frozen=True)
class PhaseTime:
    """How long a phase took."""

    name: PhaseName  # which phase
    duration_s: float | None  # None while it is under way, or where JAX does not tell


@dataclass(frozen=True)
class Listing:
    """The beginning of a program text, cut at a line."""

    name: ListingName  # which text
    text: str  # its first lines
    n_lines: int  # lines of all of it
    n_shown: int  # lines of `text`
    expression: str  # what gives all of it in Python, behind `rec.`


@dataclass(frozen=True)
class Version:
    """One compiled version of a function."""

    index: int  # its number among the compiles of the recording, from 0; of `is_before`, among the earlier ones
    version: int  # its number in the function, from 1
    status: Literal["running", "done", "failed"]  # whether it is compiled
    stage: str  # "call", or what was asked for ahead of time ("lower")
    transform: str  # what JAX made of the function from outside ("vmap"), or ""
    source: str  # the user's line that caused it
    # the causing call among those of the function, from 1; None ahead of time or where hits are not seen
    call: int | None
    hits: int  # calls known to have run it later
    duration_s: float  # seconds of its phases together
    phases: tuple[PhaseTime, ...]  # its phases, in order
    error: str = ""  # what it raised, or ""
    is_before: bool = False  # compiled before the recording: only its cost and hits are shown
    origin: Literal["compiled", "loaded"] = "compiled"  # "loaded": from JAX's cache on disk
    saved_s: float | None = None  # seconds that loading saved, where JAX tells
    reasons: tuple[Reason, ...] = ()  # why it was compiled, the cause first
    n_more_reasons: int = 0  # reasons that are not listed
    compared_with: int = -1  # the compile that the reasons compare it with, or -1
    inputs: Partition | None = None  # its arguments
    outputs: Partition | None = None  # what it returns
    cost: str = ""  # XLA's estimate in words, or ""
    memory: str = ""  # XLA's sizes in words, or ""
    listings: tuple[Listing, ...] = ()  # its program texts


@dataclass(frozen=True)
class Run:
    """Consecutive calls of a function that went alike."""

    outcome: Outcome  # what became of them
    first: int  # number of the first among the calls of the function, from 1
    last: int  # number of the last
    version: int | None  # which version ran, where that is known
    duration_s: float | None  # their seconds together, None while they are under way
    error: str = ""  # what it raised, or ""


@dataclass(frozen=True)
class CallSite:
    """A line of the user's program from which a function was called."""

    source: str  # file and line
    compile_s: float  # seconds of the compiles that it caused
    told: str  # the counts in words, as far as they were seen


@dataclass(frozen=True)
class FunctionView:
    """A jitted function: its calls, and its compiled versions, oldest first.

    Calls have no numbers if no hits are seen.
    """

    name: str  # as a person would call it
    api: str  # how it was jitted ("jax.jit")
    defined_at: str  # file and line of its definition, or ""
    hits_seen: HitsSeen  # whether all of its hits were seen, some, or none
    hits_of_unknown_version: int  # hits whose version is not known
    compile_s: float  # wall seconds of its compiles
    told: str  # the outcomes of its calls in one line
    phases: tuple[PhaseTime, ...]  # seconds by phase, over all versions
    runs: tuple[Run, ...] = ()  # its calls in order
    n_more_runs: int = 0  # runs that are not listed
    call_sites: tuple[CallSite, ...] = ()  # where it was called, the most expensive line first
    n_more_call_sites: int = 0  # lines that are not listed
    versions: tuple[Version, ...] = ()  # those from before that ran here, then those compiled here
    n_more_versions: int = 0  # versions that are not listed
    called_with: Partition | None = None  # its arguments, where it did not compile here


@dataclass(frozen=True)
class Lane:
    """A line of the timeline: the calls of one function in one thread."""

    name: str  # of the function
    function: int  # its place in `Panel.functions`, or -1
    thread: str  # "" for the main thread
    depth: int  # how many other calls these are nested in


@dataclass(frozen=True)
class Band:
    """A cell, as a stretch of time."""

    label: str  # "In [3]"
    start_s: float  # when it started
    duration_s: float  # -1 while it runs


@dataclass(frozen=True)
class Timeline:
    """Calls and phases as columns: entry i of each `call_...` tuple belongs to call i of the recording.

    Of very many calls, an entry may be several hits that went alike. Unknown is -1, but 0 for a version.
    """

    duration_s: float  # seconds to the end of the recording, or to now
    lanes: tuple[Lane, ...]  # one per function and thread
    bands: tuple[Band, ...]  # the cells
    call_lane: tuple[int, ...]  # position in `lanes`
    call_parent: tuple[int, ...]  # the call that it was made in, as a position in these columns
    call_outcome: tuple[int, ...]  # position in `OUTCOMES`
    call_start_s: tuple[float, ...]  # when it started
    call_duration_s: tuple[float, ...]  # how long it took
    call_ready_s: tuple[float, ...]  # when its run started
    call_version: tuple[int, ...]  # the version that ran
    call_count: tuple[int, ...]  # how many calls the entry stands for
    phase_compile: tuple[int, ...]  # number of the compile, -1 of a program outside any jit
    phase_call: tuple[int, ...]  # position in the columns of calls
    phase_lane: tuple[int, ...]  # position in `lanes`
    phase_name: tuple[int, ...]  # position in `PHASES`
    phase_start_s: tuple[float, ...]  # when it started
    phase_duration_s: tuple[float, ...]  # how long it took
    phase_own_s: tuple[float, ...]  # what jitviz itself took after it


@dataclass(frozen=True)
class OpRow:
    """What one public function compiled at one line of the user's, outside any jit."""

    name: str  # the function ("jnp.median")
    source: str  # the user's line
    disk: str  # what JAX's cache on disk held of them ("2 loaded from disk, 3.0 s saved")
    duration_s: float  # their seconds
    told: str  # the row as a sentence


@dataclass(frozen=True)
class Stage:
    """Ahead-of-time work that is no call."""

    function: str  # its name
    stage: str  # "lower", "eval_shape" or "make_jaxpr"
    source: str  # the user's line
    count: int  # how often


@dataclass(frozen=True)
class ChoiceView:
    """One way to pad, in words."""

    name: str  # what it is called
    sizes: str  # to which sizes it pads
    compiles: int  # versions that are left
    padding: str  # elements added per element ("12%")
    saved: str  # seconds of compiling that it saves, as text
    code: str  # what does it; "" where the finding has it
    is_best: bool = False  # the one to take


@dataclass(frozen=True)
class FindingView:
    """One cause, what it cost and what to do about it."""

    kind: FindingKind  # what kind of cause
    function: str  # the function that it is about, or ""
    source: str  # the line to blame, or ""
    seconds: float  # what it cost
    count: int  # how often it happened
    summary: tuple[Span, ...]  # what happened, in one sentence
    cost: str  # how often and where, unless the sentence says so
    advice: str = ""  # what to do
    effect: str = ""  # what fixing it alone saves
    code: str = ""  # what to paste, or ""
    choices: tuple[ChoiceView, ...] = ()  # the ways to pad of a plan, or none
    compiles: tuple[int, ...] = ()  # some of the compiles that it caused, by their numbers


@dataclass(frozen=True)
class Spent:
    """Seconds of one kind of work (depth 0), or of a part of it: a function, then lines and XLA's passes."""

    what: What  # the kind of work
    depth: int  # 0 for a kind of work
    name: str  # of the kind, function, line or pass
    seconds: float  # those below it included
    is_avoidable: bool = False  # whether it is what avoidable recompiles took, of all kinds


@dataclass(frozen=True)
class AccountView:
    """Where the wall time went: as a bar, and as a tree in preorder, most seconds first."""

    wall_s: float  # what the bar and the rows of depth 0 sum to
    bar: tuple[Spent, ...] = ()  # kinds of work, compiling first, avoidable recompiles apart; below each its functions
    rows: tuple[Spent, ...] = ()  # the tree
    n_more: int = 0  # rows that are not listed
    beside: str = ""  # what other threads did meanwhile, or ""


@dataclass(frozen=True)
class CellLine:
    """A line of a cell."""

    number: int  # from 1
    text: str  # what it says
    seconds: float = 0.0  # of compiling that it caused
    told: str = ""  # what its calls came to
    findings: tuple[int, ...] = ()  # what it is to blame for, by place in `Panel.findings`


@dataclass(frozen=True)
class CellView:
    """What a cell says, line by line; of a long one, only the lines round those that compiled something."""

    label: str  # "In [3]"
    lines: tuple[CellLine, ...]  # in order
    n_more_lines: int = 0  # lines that are not shown


@dataclass(frozen=True)
class Panel:
    """Everything that is shown of a recording."""

    label: str  # what the recording is called
    is_finished: bool  # nothing more comes
    verdict: Verdict  # what is said first
    totals: Totals  # sums over the recording
    chips: tuple[Chip, ...]  # the summary
    timeline: Timeline  # calls and phases
    findings: tuple[FindingView, ...] = ()  # what is worth doing, most seconds first
    n_more_findings: int = 0  # findings that are not shown
    account: AccountView | None = None  # where the wall time went
    cells: tuple[CellView, ...] = ()  # those that compiled something
    functions: tuple[FunctionView, ...] = ()  # in the order that they came
    n_more_functions: int = 0  # functions that are not shown
    op_by_op: tuple[OpRow, ...] = ()  # what compiled outside any jit, by line
    n_more_op_by_op: int = 0  # lines that are not shown
    stages: tuple[Stage, ...] = ()  # ahead-of-time work
    limits: tuple[str, ...] = ()  # sentences on what cannot be seen here
    failures: tuple[str, ...] = ()  # what went wrong inside jitviz
    n_more_failures: int = 0  # failures that are not listed
    made_with: tuple[tuple[str, str], ...] = ()  # programs and their versions
    quiz: Quiz | None = None  # to answer before all of this is looked at
    not_kept: str = ""  # which program texts are gone once the kernel is, or ""


@dataclass(frozen=True)
class CallQuestion:
    """Did this call hit or compile?"""

    function: str  # its name
    number: int  # the call among those of its function, from 1
    source: str  # the user's line
    truth: Guess  # the answer
    because: str  # a sentence that goes with it


@dataclass(frozen=True)
class LeafQuestion:
    """Was this leaf traced or static?"""

    path: str  # key path
    type: str  # class of the leaf
    truth: Role  # the answer
    because: str  # a sentence that goes with it


@dataclass(frozen=True)
class Quiz:
    """What to guess before looking."""

    calls: tuple[CallQuestion, ...]  # one question each
    n_more_calls: int  # calls that are not asked about
    function: str  # the one that was called with `leaves`
    leaves: tuple[LeafQuestion, ...]  # leaves of the first call, one question each
    n_more_leaves: int  # leaves that are not asked about
    note: str = ""  # what could not be seen, or ""


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

    about: Partition  # its sums and notes, and no rows
    rows: RowColumns  # the rows


@dataclass(frozen=True)
class Detail:
    """The trees of a chosen version."""

    inputs: WholePartition | None  # the arguments
    outputs: WholePartition | None  # what it returns


@dataclass(frozen=True)
class SourceBlock:
    """A stretch of a Python file, or of a cell."""

    file: int  # position in `Links.files`
    first: int  # number of its first line
    text: str  # its lines


@dataclass(frozen=True)
class Frames:
    """Places in Python source: entry i is a stretch of `file[i]`. Columns are -1 where they are not known."""

    file: tuple[int, ...] = ()  # position in `Links.files`
    function: tuple[int, ...] = ()  # position in `Links.functions`
    line: tuple[int, ...] = ()  # from 1
    column: tuple[int, ...] = ()  # from 0, in characters
    end_line: tuple[int, ...] = ()  # from 1
    end_column: tuple[int, ...] = ()  # exclusive


@dataclass(frozen=True)
class Stacks:
    """Call stacks as a tree, each parent before its children. Counts are of the frame itself, calls left out."""

    frame: tuple[int, ...] = ()  # position in `Links.frames`
    parent: tuple[int, ...] = ()  # the stack that called it, or -1
    equations: tuple[int, ...] = ()  # of the jaxpr
    stablehlo_ops: tuple[int, ...] = ()  # operations of the StableHLO
    hlo_ops: tuple[int, ...] = ()  # operations of the optimised HLO
    flops: tuple[float, ...] = ()  # floating-point operations of one run
    nbytes: tuple[float, ...] = ()  # bytes moved by one run


@dataclass(frozen=True)
class Origins:
    """Where the lines of one program text come from, by line.

    A line has several entries where several operations were fused into it, and none where it holds no operation.
    """

    line: tuple[int, ...] = ()  # of the text, from 0
    stack: tuple[int, ...] = ()  # position in `Links.stacks`; -1 for what the compiler inserted
    direction: tuple[int, ...] = ()  # position in `DIRECTIONS`
    name: tuple[int, ...] = ()  # position in `Links.names`


@dataclass(frozen=True)
class LineWork:
    """What one line of Python became, the functions that it calls included."""

    file: tuple[int, ...] = ()  # position in `Links.files`
    line: tuple[int, ...] = ()  # from 1
    equations: tuple[int, ...] = ()  # of the jaxpr
    stablehlo_ops: tuple[int, ...] = ()  # operations of the StableHLO
    hlo_ops: tuple[int, ...] = ()  # operations of the optimised HLO
    flops: tuple[float, ...] = ()  # floating-point operations of one run
    nbytes: tuple[float, ...] = ()  # bytes moved by one run
    repeats: tuple[int, ...] = ()  # how often it ran while the function was traced: more than once in an unrolled loop


@dataclass(frozen=True)
class WorkAdvice:
    """One thing to do about a line that makes much of a program."""

    file: int  # position in `Links.files`
    line: int  # from 1
    summary: str  # what is
    advice: str  # what to do


@dataclass(frozen=True)
class Links:
    """What ties the Python source of a compile to its program texts, and how the work spreads over it."""

    files: tuple[str, ...]  # each file once
    functions: tuple[str, ...]  # each function name once
    names: tuple[str, ...]  # each name stack of an operation once
    sources: tuple[SourceBlock, ...]  # what is known of the source
    frames: Frames  # places in it
    stacks: Stacks  # calls of places
    jaxpr: Origins  # where its lines come from
    stablehlo: Origins  # where its lines come from
    hlo: Origins  # where its lines come from
    lines: LineWork  # the work by line
    equations: int = 0  # of the whole jaxpr
    stablehlo_ops: int = 0  # of the whole program
    hlo_ops: int = 0  # of the whole program
    flops: float = 0.0  # of one run of the whole program
    nbytes: float = 0.0  # moved by one run of it
    advice: tuple[WorkAdvice, ...] = ()  # what to do about its lines
    note: str = ""  # what could not be linked, or ""


@dataclass(frozen=True)
class Hunks:
    """Where two texts differ: lines of the one stand in place of lines of the other. Lines count from 0."""

    before: tuple[int, ...] = ()  # first line in the one text
    before_end: tuple[int, ...] = ()  # exclusive
    after: tuple[int, ...] = ()  # first line in the other text
    after_end: tuple[int, ...] = ()  # exclusive


@dataclass(frozen=True)
class Difference:
    """Two program texts compared; names of variables do not count."""

    hunks: Hunks  # where they differ
    summary: tuple[str, ...]  # what is different, in words


@dataclass(frozen=True)
class ConstantView:
    """An array that was closed over and is part of the program."""

    name: str  # what the function calls it, or ""
    aval: str  # JAX's short form ("f32[3,4]")
    nbytes: int  # its size


@dataclass(frozen=True)
class Alike:
    """Leaves whose texts differ in their indices alone."""

    text: str  # "blocks[0..11].weight"
    count: int = 1  # how many they are


@dataclass(frozen=True)
class LostInput:
    """An input that lowering treated in its own way."""

    path: str  # key path, or several as in `Alike`
    aval: str  # JAX's short form
    why: str  # a sentence without its end
    count: int = 1  # how many they are


@dataclass(frozen=True)
class ProgramFacts:
    """What one compiled version costs, and what lowering did to its inputs and outputs."""

    flops: str  # floating-point operations in words, or ""
    moved: str  # bytes moved in words, or ""
    intensity: str  # one by the other in words, or ""
    memory: Memory | None  # XLA's sizes
    constants: tuple[ConstantView, ...] = ()  # closed-over arrays, the largest first
    n_more_constants: int = 0  # arrays that are not listed
    constant_nbytes: int = 0  # bytes of all of them
    donated: tuple[Alike, ...] = ()  # inputs whose buffer may be reused
    reused: tuple[Alike, ...] = ()  # those whose buffer became an output
    not_reused: tuple[LostInput, ...] = ()  # the other donated ones
    n_more_not_reused: int = 0  # those that are not listed
    dropped: tuple[LostInput, ...] = ()  # inputs that the program does not use
    n_more_dropped: int = 0  # those that are not listed
    forwarded: tuple[Alike, ...] = ()  # outputs that are returned unchanged
    static_outputs: tuple[Alike, ...] = ()  # outputs that are no arrays
    kept: str = ""  # what the caches keep alive of the function, or ""
    warnings: tuple[str, ...] = ()  # sentences


@dataclass(frozen=True)
class GraphView:
    """A jaxpr as a picture."""

    dot: str  # its DOT text
    svg: str = ""  # its picture, where an engine drew it
    node: tuple[str, ...] = ()  # ids of elements
    node_line: tuple[int, ...] = ()  # the line of the jaxpr of each, from 0
    cluster: tuple[str, ...] = ()  # ids of what can be opened or closed
    cluster_open: tuple[str, ...] = ()  # those that are open
    n_nodes: int = 0  # elements that are drawn
    note: str = ""  # what was left closed because there is too much of it, or ""
