"""The small facts that a recording is made of, in the order they happened.

In: the words of `jitviz.model`.  Out: one frozen dataclass per kind of event, each an `Event`.
Must never: hold a result of thinking. Outcomes of calls, versions and reasons are folded from these, in
`jitviz.recording`.

`call`, `compile` and `function` are numbers that are unique in the process that recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NewType

from ..model import (
    MAIN_THREAD,
    Cost,
    Function,
    Glance,
    HitsSeen,
    Leaf,
    Memory,
    Node,
    OpByOp,
    Outcome,
    PhaseName,
    Signature,
    TextName,
)

# What events call things by: numbers that are unique in the process, and no places in the rows of a recording.
FunctionNumber = NewType("FunctionNumber", int)
CallNumber = NewType("CallNumber", int)
CompileNumber = NewType("CompileNumber", int)
SiteNumber = NewType("SiteNumber", int)


@dataclass(frozen=True)
class Event:
    """Something that happened at `at_s`, in seconds since the epoch (the clock of `jax.monitoring`)."""

    at_s: float


@dataclass(frozen=True)
class RecordingStarted(Event):
    """`versions` names what was recorded with: (("jitviz", "0.1.0"), ("jax", "0.10.2"), ...). `limits` are sentences
    about what cannot be seen here ("hits of jax.jit functions are not seen on Python 3.11"). `process` is equal for
    recordings that share their numbers, and "" where that is not known. `hits_seen` is said of functions whose hits
    JAX answers in C++. `thread` is the one that began it. `host` and `pid` say where it ran, and `process_index` which
    of the processes of `jax.distributed` it is, None where it is alone or does not know yet."""

    label: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    limits: tuple[str, ...] = ()
    process: str = ""
    hits_seen: HitsSeen = "all"
    thread: str = MAIN_THREAD
    host: str = ""
    pid: int = 0
    process_index: int | None = None


@dataclass(frozen=True)
class ProcessJoined(Event):
    """From now on this process knows which of the processes of `jax.distributed` it is. `process` is as in the start of
    a recording; in one that was merged of several, `label` names the threads of this one."""

    process_index: int | None
    process: str = ""
    label: str = ""
    host: str = ""
    pid: int = 0


@dataclass(frozen=True)
class RecordingFinished(Event):
    """`versions` are what was loaded by then: the backend, for one, often starts with the first compile.

    `disk_key` is what all programs of the process have in their key of JAX's cache on disk, by name.
    """

    versions: tuple[tuple[str, str], ...] = ()
    disk_key: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CellStarted(Event):
    """`text` is what the cell says, as far as it is known and not too long.

    `last_run` is the label of the same cell when it ran the last time, "" if it is not known to have run. Then
    `last_compiles` programs compiled, in `last_s` seconds.
    """

    label: str
    text: str = ""
    last_run: str = ""
    last_compiles: int = 0
    last_s: float = 0.0


@dataclass(frozen=True)
class CellFinished(Event):
    label: str
    error: str | None = None


@dataclass(frozen=True)
class FunctionSeen(Event):
    """Comes before the first event that names `function`."""

    function: FunctionNumber
    info: Function


@dataclass(frozen=True)
class SiteSeen(Event):
    """Comes before the first `HitsNoted` that names `site`: what all hits of one line, on one thread, have in common.

    `compile` is the version that they run, where that is known.
    """

    site: SiteNumber
    function: FunctionNumber
    source: str = ""
    thread: str = MAIN_THREAD
    compile: CompileNumber | None = None


@dataclass(frozen=True)
class HitsNoted(Event):
    """Plain hits, in the order they ended: nothing was round them, and nothing happened in them.

    Each is three 64-bit integers, little-endian: its site, when it began (nanoseconds since the epoch), how long it
    took (nanoseconds).
    """

    numbers: bytes


@dataclass(frozen=True)
class HitsSummed(Event):
    """The oldest hits of a recording that has outgrown its budget, by line and minute.

    Four 64-bit integers each, little-endian: site, when the first began, how many there are, how long all took.
    """

    numbers: bytes


@dataclass(frozen=True)
class TextsDropped(Event):
    """So many program texts, of so many bytes when compressed, were dropped: the recording had outgrown its budget."""

    count: int
    nbytes: int


@dataclass(frozen=True)
class CallStarted(Event):
    """Logged for calls that trace or compile. A call that does not is told by its `CallFinished`, or in `HitsNoted`."""

    call: CallNumber
    function: FunctionNumber
    parent: CallNumber | None = None
    thread: str = MAIN_THREAD
    source: str = ""


@dataclass(frozen=True)
class CallFinished(Event):
    """`outcome` is what the call turned out to be; `compile` the version that ran, where that is known.

    `signature` is given at a function's first call in a recording if that was a hit.
    """

    call: CallNumber
    function: FunctionNumber
    started_s: float
    outcome: Outcome
    parent: CallNumber | None = None
    thread: str = MAIN_THREAD
    source: str = ""
    error: str | None = None
    compile: CompileNumber | None = None
    is_end_known: bool = True
    signature: Signature | None = None


@dataclass(frozen=True)
class CompileStarted(Event):
    """A cache miss: logged before the work is done, so that a killed process shows what it was compiling.

    `call` is None for ahead-of-time work. `is_before` marks a version from before this recording, repeated here so
    that later ones can be compared with it. `is_warm` says that the function had compiled versions that were not
    watched. `is_traced` is False where the miss began with lowering. `stage` is "call" or the ahead-of-time entry
    ("lower", "eval_shape", "make_jaxpr"). `written` is the call as it stands at `source`, "" where it cannot be read.
    """

    compile: CompileNumber
    call: CallNumber | None
    function: FunctionNumber
    signature: Signature
    source: str = ""
    transform: str = ""
    stage: str = "call"
    written: str = ""
    is_traced: bool = True
    is_before: bool = False
    is_warm: bool = False
    thread: str = MAIN_THREAD


@dataclass(frozen=True)
class PhaseStarted(Event):
    compile: CompileNumber
    phase: PhaseName


@dataclass(frozen=True)
class PhaseFinished(Event):
    """`started_s` and `at_s` bracket the phase. `error` is the type and first line of what it raised.

    `own_s` are seconds that jitviz itself took right after the phase, inside the user's call, to read what it made.
    """

    compile: CompileNumber
    phase: PhaseName
    started_s: float
    error: str | None = None
    own_s: float = 0.0


@dataclass(frozen=True)
class ProgramLoaded(Event):
    """The executable was found in JAX's cache on disk: the phase that is under way compiles nothing.

    `saved_s` is the time of the compile that was spared less that of the load; None where JAX does not tell it.
    """

    compile: CompileNumber
    saved_s: float | None = None


@dataclass(frozen=True)
class ProgramMissed(Event):
    """JAX has a cache on disk, and the executable was not there. It is not kept either where its compile took less than
    `least_s` seconds."""

    compile: CompileNumber
    least_s: float


@dataclass(frozen=True)
class PassesSeen(Event):
    """What XLA did in the compile phase, one row of the columns per span, outer ones first: `name` is a place in
    `names`, and `parent` the row that it lies in, or -1."""

    compile: CompileNumber
    names: tuple[str, ...]
    name: tuple[int, ...]
    start_s: tuple[float, ...]
    duration_s: tuple[float, ...]
    parent: tuple[int, ...]


@dataclass(frozen=True)
class TextSeen(Event):
    """A text of the program, zlib-compressed UTF-8.

    "stablehlo" has its locations, "equations" is the jaxpr as JSON (`capture.programs.equations`), "sources" what the
    user's source was then, as JSON (`jitviz.capture.programs.excerpts`).
    """

    compile: CompileNumber
    name: TextName
    packed: bytes


@dataclass(frozen=True)
class ProgramSeen(Event):
    """What is known of a program once it exists: outputs as leaves, cost, memory, inputs dropped, buffers reused."""

    compile: CompileNumber
    outputs: tuple[Leaf, ...] = ()
    output_nodes: tuple[Node, ...] = ()
    output_transform: str = ""
    cost: Cost | None = None
    memory: Memory | None = None
    dropped: tuple[str, ...] = ()
    reused: tuple[str, ...] = ()


@dataclass(frozen=True)
class CompileFinished(Event):
    compile: CompileNumber
    error: str | None = None


@dataclass(frozen=True)
class CachesCleared(Event):
    """Noticed just before a miss: entries that only clearing can remove are gone.

    `scope` is "all" (`jax.clear_caches()`) or "function" (`f.clear_cache()` of some function).
    """

    scope: Literal["all", "function"]


@dataclass(frozen=True)
class FunctionsGone(Event):
    """At the end of a recording: function objects that were seen, by their tokens, and are there no more."""

    tokens: tuple[int, ...]


@dataclass(frozen=True)
class OpCompiled(Event):
    """A program outside any jit of the user's was compiled, or loaded. Its start is in seconds since the epoch here."""

    op: OpByOp


@dataclass(frozen=True)
class LinesSampled(Event):
    """Where the recording's thread was, looked at every few milliseconds: one row of the columns per stretch of time.

    `seen` holds all that was seen, and `number` says which of it; the same seen twice in a row is one row.
    `is_in_phase` tells whether something was traced, lowered or compiled then.
    """

    seen: tuple[Glance, ...]
    number: tuple[int, ...]
    start_s: tuple[float, ...]
    end_s: tuple[float, ...]
    is_in_phase: tuple[bool, ...]


@dataclass(frozen=True)
class StageNoted(Event):
    """Ahead-of-time work that compiles nothing by itself: `lower`, `eval_shape`, `make_jaxpr`. It is no call."""

    function: FunctionNumber
    stage: str
    source: str = ""


@dataclass(frozen=True)
class CaptureFailed(Event):
    """Something inside jitviz went wrong at `where`; the user's program went on.

    Where that is "save" or "load", nothing went wrong inside jitviz: it is the file that lacks something.
    """

    where: str
    message: str
