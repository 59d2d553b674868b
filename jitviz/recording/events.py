"""The events of a recording: small facts, in the order they happened.

In: the words of `jitviz.model`.  Out: one frozen dataclass per kind of event, each an `Event`.
Must never: hold a conclusion. Outcomes of calls, versions and reasons are derived from events in `jitviz.recording`.

`call`, `compile` and `function` are numbers that are unique in the recording process.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, NewType, dataclass_transform

from .. import model

# Unique numbers in the recording process; they are no indices of rows.
FunctionNumber = NewType("FunctionNumber", int)
CallNumber = NewType("CallNumber", int)
CompileNumber = NewType("CompileNumber", int)
SiteNumber = NewType("SiteNumber", int)

MOST_WHOLE = 2**53  # a browser knows larger whole numbers only roughly
Lack = Literal["", "end", "lines"]  # of the file of a process
# Why a process is recorded: its program asks for it; `JITVIZ` does; and it is a fork, or multiprocessing started it.
Below = Literal["", "child", "worker"]


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Event:
    """Something that happened at `at_s`, in seconds since the epoch (the clock of `jax.monitoring`). Each kind of event
    is a frozen dataclass."""

    at_s: float

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    def is_possible(self) -> bool:
        """Whether an event that was read from a file can have happened, whatever happened besides."""
        return self.at_s >= 0


class RecordingStarted(Event):
    """`versions` are those of the software: (("jitviz", "0.1.0"), ("jax", "0.10.2"), ...). `limits` are sentences about
    what cannot be seen here ("hits of jax.jit functions are not seen on Python 3.11"). `process` is equal for
    recordings that share their numbers, and "" where that is not known. `hits_seen` applies to functions whose hits JAX
    answers in C++. `thread` started the recording. `host` and `pid` say where it ran; `process_index` is its number
    among the processes of `jax.distributed`, None if it is alone or does not know yet. `parent` is the `pid` of the
    process that started it, 0 if that is not known."""

    label: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    limits: tuple[str, ...] = ()
    process: str = ""
    hits_seen: model.HitsSeen = "all"
    thread: str = model.MAIN_THREAD
    host: str = ""
    pid: int = 0
    process_index: int | None = None
    parent: int = 0
    below: Below = ""

    @property
    def joined(self) -> "ProcessJoined":
        where = self.process, "", self.host, self.pid, self.hits_seen
        return ProcessJoined(self.at_s, self.process_index, *where, parent=self.parent, below=self.below)


class ProcessJoined(Event):
    """From now on the process knows its number among those of `jax.distributed`. `process` is as in `RecordingStarted`;
    in a merged recording, `label` is the name of its threads, `hits_seen`, `parent` and `below` are as there, it was
    recorded until `until_s`, and `lacks` says whether the end of what it did, or anything of it, may be missing."""

    process_index: int | None
    process: str = ""
    label: str = ""
    host: str = ""
    pid: int = 0
    hits_seen: model.HitsSeen | None = None
    lacks: Lack = ""
    parent: int = 0
    below: Below = ""
    until_s: float = 0.0


class RecordingFinished(Event):
    """`versions` are those of everything loaded by then: the backend often starts with the first compile.

    `disk_key` is the part of the keys of JAX's cache on disk that all programs of the process share, by name. `ended`
    is for a whole program: what it ended with ("ZeroDivisionError", "status 3"), or "" for a normal end. `disk_states`
    has programs that were not found, by key: "absent" if they still are, "other" if an older file has their name and
    another key. `disk_problem` is "late" if the folder was set after the last compile, "moved" if JAX kept another.
    """

    versions: tuple[tuple[str, str], ...] = ()
    disk_key: tuple[tuple[str, str], ...] = ()
    ended: str | None = None
    disk_states: tuple[tuple[str, str], ...] = ()
    disk_problem: str = ""


class CellStarted(Event):
    """`text` is the source of the cell, if it is known and not too long. `last_run` is the label of the cell's previous
    run, "" if none is known. That run compiled `last_compiles` programs in `last_s` seconds."""

    label: str
    text: str = ""
    last_run: str = ""
    last_compiles: int = 0
    last_s: float = 0.0


class CellFinished(Event):
    label: str
    error: str | None = None


class FunctionSeen(Event):
    """Comes before the first event that names `function`."""

    function: FunctionNumber
    info: model.Function


class SiteSeen(Event):
    """Comes before the first `HitsNoted` that names `site`: what all hits of one line, on one thread, have in common.

    `compile` is the version that they run, where that is known. A site of `HitsSummed` may also stand for calls with
    another `outcome`.
    """

    site: SiteNumber
    function: FunctionNumber
    source: str = ""
    thread: str = model.MAIN_THREAD
    compile: CompileNumber | None = None
    outcome: model.Outcome = "hit"
    error: str | None = None


class HitsNoted(Event):
    """Plain hits, in the order they ended: outside other calls, and with no calls or compiles inside.

    Each is three 64-bit integers, little-endian: its site, its start (nanoseconds since the epoch), and its duration
    (nanoseconds).
    """

    numbers: bytes
    width: ClassVar[int] = 3

    def is_possible(self) -> bool:
        return super().is_possible() and _are_possible(self)


class HitsSummed(Event):
    """The oldest calls of a recording that has outgrown its budget, by line and minute or a longer time, between the
    compiles that were between them.

    Each sum is four 64-bit integers, little-endian: its site, the start of the first call, the total duration of the
    calls, and their number.
    """

    numbers: bytes
    width: ClassVar[int] = 4

    def is_possible(self) -> bool:
        return super().is_possible() and _are_possible(self) and 0 not in columns_of(self)[3]


def columns_of(hits: HitsNoted | HitsSummed) -> list[list[int]]:
    """The sites of hits or sums, and the columns beside them."""
    numbers = memoryview(hits.numbers).cast("q")
    return [numbers[column :: hits.width].tolist() for column in range(hits.width)]


def _are_possible(hits: HitsNoted | HitsSummed) -> bool:
    if not hits.numbers or len(hits.numbers) % (8 * hits.width):
        return not hits.numbers
    _, starts, *others = columns_of(hits)
    return min(starts) >= 0 and all(min(column) >= 0 and max(column) <= MOST_WHOLE for column in others)


class TextsDropped(Event):
    """Program texts were dropped since the recording had outgrown its budget; `nbytes` is their compressed size."""

    count: int
    nbytes: int


class CallStarted(Event):
    """Logged for calls that trace or compile. Other calls have only a `CallFinished`, or are in `HitsNoted`."""

    call: CallNumber
    function: FunctionNumber
    parent: CallNumber | None = None
    thread: str = model.MAIN_THREAD
    source: str = ""


class CallFinished(Event):
    """`compile` is the version that ran, where that is known. `signature` is given for a function's first call in a
    recording if that was a hit, and for the first inlined call of a line."""

    call: CallNumber
    function: FunctionNumber
    started_s: float
    outcome: model.Outcome
    parent: CallNumber | None = None
    thread: str = model.MAIN_THREAD
    source: str = ""
    error: str | None = None
    compile: CompileNumber | None = None
    is_end_known: bool = True
    signature: model.Signature | None = None


class CompileStarted(Event):
    """A cache miss: logged before the work is done, so that a killed process shows what it was compiling.

    `call` is None for ahead-of-time work. A version from before this recording is repeated in it, with `is_before`, so
    that later ones can be compared with it. The other fields are as in `model.Compile`.
    """

    compile: CompileNumber
    call: CallNumber | None
    function: FunctionNumber
    signature: model.Signature
    source: str = ""
    transform: str = ""
    stage: str = "call"
    written: str = ""
    is_traced: bool = True
    is_before: bool = False
    is_warm: bool = False
    thread: str = model.MAIN_THREAD
    stack: tuple[str, ...] = ()
    through: str = ""


class PhaseStarted(Event):
    compile: CompileNumber
    phase: model.PhaseName


class PhaseFinished(Event):
    """The phase lasted from `started_s` to `at_s`. `error` is the type and first line of an exception that ended it.

    `own_s` are the seconds that jitviz took after the phase, inside the user's call, to read the result. `dropped` are
    the inputs that the lowered program does not use.
    """

    compile: CompileNumber
    phase: model.PhaseName
    started_s: float
    error: str | None = None
    own_s: float = 0.0
    dropped: tuple[str, ...] = ()


class ProgramLoaded(Event):
    """The executable was found in JAX's cache on disk, so that the running phase compiles nothing. `saved_s` is the
    time of the avoided compile less that of the load; None if JAX does not report it."""

    compile: CompileNumber
    saved_s: float | None = None
    key: str = ""


class ProgramMissed(Event):
    """The executable was not found in JAX's cache on disk. JAX keeps it there if compiling takes at least `least_s`
    seconds."""

    compile: CompileNumber
    least_s: float
    key: str = ""


class TextSeen(Event):
    """A text of the program, as zlib-compressed UTF-8.

    "stablehlo" includes its locations, "equations" is the jaxpr as JSON (`capture.programs.equations`), "sources" the
    user's source at that time, as JSON (`capture.programs.source_excerpts`).
    """

    compile: CompileNumber
    name: model.TextName
    packed: bytes


class SourceSeen(Event):
    """The whole text of a file or cell, as zlib-compressed UTF-8, when a function that it defines or calls compiled:
    what an edit is made for. It comes once for each `label`."""

    label: str
    packed: bytes


class ProgramSeen(Event):
    """Properties of a finished program: outputs as leaves, cost, memory, reused buffers (None if the executable could
    not be read), digests of the functions that it calls back ("" for one that is not known whole)."""

    compile: CompileNumber
    outputs: tuple[model.Leaf, ...] = ()
    output_nodes: tuple[model.Node, ...] = ()
    output_transform: str = ""
    cost: model.Cost | None = None
    memory: model.Memory | None = None
    reused: tuple[str, ...] | None = ()
    callbacks: tuple[str, ...] = ()


class CompileFinished(Event):
    compile: CompileNumber
    error: str | None = None


class StaleRan(Event):
    """A hit at `source` ran the program of `compile`, though `read`, which is as it was when that was traced, is `now`
    something else. `is_maybe` says that the trace may not have read it, or only a part of it that is the same."""

    compile: CompileNumber
    function: FunctionNumber
    source: str
    read: model.Read
    now: model.Description
    is_maybe: bool = False


class ErrorExplained(Event):
    """The trace, lowering or compile of a call raised, whoever catches it; `raised` explains it."""

    raised: model.Raised


class ErrorRaised(Event):
    """An exception left the recorded block, cell or program; `raised` explains it."""

    raised: model.Raised


DrawKind = Literal["random", "clock", "outside"]


class TracedOnce(Event):
    """The trace of `compile` drew a value by `name` ("np.random.normal") at `source`, and the program has it as a
    constant. `is_maybe` says that it may not have; `source` is "" where only the state of a generator shows it."""

    compile: CompileNumber
    kind: DrawKind
    name: str
    source: str
    is_maybe: bool = False


class CachesCleared(Event):
    """Caches were cleared, as noticed just before a miss: entries are gone that nothing else removes. `scope` is "all"
    (`jax.clear_caches()`) or "function" (`f.clear_cache()` of some function)."""

    scope: Literal["all", "function"]


class FunctionsGone(Event):
    """The tokens of functions that were seen, but no longer exist at the end of the recording."""

    tokens: tuple[int, ...]


class OpCompiled(Event):
    """A program outside any jit was compiled or loaded. Its start is in seconds since the epoch here."""

    op: model.OpByOp


class LinesSampled(Event):
    """The lines that the recording's thread was at, sampled every few milliseconds. Their times are in seconds since
    the epoch here. `process` is as in `ProcessJoined.label`, of all but the first process of a merged recording."""

    samples: tuple[model.Sample, ...]
    process: str = ""
    eager: tuple[model.EagerLine, ...] = ()


class Heartbeat(Event):
    """What a thread is doing, about once a second, and since when. A log keeps the newest one, a file all of them.

    `function` is the name of the jitted function that is traced, lowered, compiled or called, or else of the user's
    function that waits; "" if there is none. `line` is that of the call that is lowered or compiled, of the callback,
    or of the loop that waits for a loader: the innermost line, which was `seen`, is another one.
    """

    since_s: float
    doing: model.Doing
    seen: model.Glance
    function: str = ""
    line: str = ""
    thread: str = model.MAIN_THREAD

    def is_possible(self) -> bool:
        return super().is_possible() and self.since_s >= 0

    @property
    def source(self) -> str:
        """The line that did it: that of a callback or loop, or the innermost."""
        return self.line or self.seen.source


class StageNoted(Event):
    """Ahead-of-time work that by itself compiles nothing: `lower`, `eval_shape`, `make_jaxpr`. It is not a call."""

    function: FunctionNumber
    stage: str
    source: str = ""


class CaptureFailed(Event):
    """Something inside jitviz failed at `where`; the user's program went on. "save" and "load" are no failures inside
    jitviz: the file lacks something; nor is "clock", which jumped."""

    where: str
    message: str
