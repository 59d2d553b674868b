"""The rows of a recording: calls, compiles, and their parts.

In: nothing.  Out: frozen dataclasses, used by every other layer.
"""

from dataclasses import dataclass, field
from textwrap import indent
from typing import Any, Literal, Protocol

from . import wrappers
from .arguments import Leaf, Node, Signature
from .equality import Description, Token
from .outside_jit import MAIN_THREAD
from .printable import Readable
from .quantities import seconds
from .reason import Judgement, Reason

Outcome = Literal["hit", "trace", "compile", "inlined", "error"]
PhaseName = Literal["trace", "lower", "compile"]
ListingName = Literal["jaxpr", "stablehlo", "hlo"]  # the texts that are shown
TEXT_TITLES: dict[ListingName, str] = {"jaxpr": "jaxpr", "stablehlo": "StableHLO", "hlo": "HLO"}
TextName = Literal[ListingName, "equations", "sources"]
# Which hits were seen: all of them, those that Python sees, or none.
HitsSeen = Literal["all", "some", "none"]


@dataclass(frozen=True)
class Function:
    """A jitted function, as one object of the user's program.

    `name` is for people ("Model.step", "<lambda>"), `qualname` and `module` are Python's. `api` says how it was jitted:
    the name of a row in `wrappers`. Of an eager loop, `name` is the primitive and `body` the function that it runs.
    `lineage` is equal for all functions that a person would call the same one: versions are compared inside it.
    `token` identifies the function object, however often it was jitted. `process` is the name of its process in a
    merged recording. `is_held` is False if its module held the function itself under its name and no jitted one around
    it: it was jitted only where it was called.
    """

    name: str
    qualname: str
    module: str
    api: str
    lineage: str
    token: Token
    body: Description | None = None
    process: str = ""
    is_held: bool = field(default=True, compare=False)

    @property
    def defined_at(self) -> str:
        """File and line of the definition, relative to the working directory, or the cell ("In [3]:4"); else ""."""
        return (self.body.origin or "") if self.body else ""

    @property
    def is_of_library(self) -> bool:
        """Whether a library defines it, so that nobody who calls it can change it."""
        return self.body is not None and self.body.is_of_library and self.body.type in ("function", "method")

    @property
    def wrapper(self) -> wrappers.Wrapper:
        """How it was jitted."""
        return wrappers.named(self.api)


# The function of a row whose `FunctionSeen` was in a lost line.
UNKNOWN = Function(name="?", qualname="?", module="", api="", lineage="?", token=Token(0))


@dataclass(frozen=True)
class Phase:
    """One phase of a compile. `duration_s` is None if JAX does not report it, or while the phase is running. `own_s`
    are the seconds that jitviz took after it, to read the result; `duration_s` does not include them."""

    name: PhaseName
    start_s: float | None
    duration_s: float | None
    own_s: float = 0.0


@dataclass(frozen=True)
class Cost:
    """The cost of one execution. XLA counts a loop body once, since it does not know the number of iterations:
    https://github.com/openxla/xla/blob/main/xla/service/hlo_cost_analysis.cc."""

    flops: float | None = None  # XLA's estimate of floating-point operations
    bytes_accessed: float | None = None  # XLA's estimate of bytes moved
    has_loop: bool = False  # the jaxpr has a `scan` or a `while`


@dataclass(frozen=True)
class Memory:
    """XLA's memory statistics of an executable, in bytes."""

    argument: int = 0  # the inputs
    output: int = 0  # the outputs, including those that reuse an input
    temporary: int = 0  # scratch space while it runs
    alias: int = 0  # the part of the outputs that reuses inputs
    generated_code: int = 0  # the program itself


class RowLinks(Protocol):
    """What a row looks up in its recording. Compiles keep their index; calls do not, since they may be summed."""

    def reasons(self, index: int) -> tuple[Reason, ...]: ...
    def judgement(self, index: int) -> Judgement: ...
    def fingerprint(self, index: int) -> str: ...
    def compared_with(self, index: int) -> "Compile | None": ...
    def call_of(self, index: int) -> "Call | None": ...
    def compile_of(self, lineage: str, version: int) -> "Compile | None": ...
    def text(self, index: int, name: TextName) -> str | None: ...
    def n_lines(self, index: int, name: TextName) -> int: ...


@dataclass(frozen=True, repr=False)
class Call(Readable):
    """One call of a jitted function. Times are in seconds; `start_s` counts from the start of the recording.

    `duration_s` is None while the call is running. `parent` is the `index` of the enclosing call. `error` is the type
    and first line of the exception that left the call, and the user's line that raised it. `is_end_known` is False
    where JAX's fast path hides the return of the call (Python 3.11); then `duration_s` ends with the last phase. The
    run of the program begins at `ready_s`: the start of a hit, else the end of the last phase and of jitviz's reading
    after it; None if nothing ran (yet).
    """

    function: str
    index: int
    outcome: Outcome
    start_s: float
    duration_s: float | None
    parent: int | None = None
    thread: str = MAIN_THREAD
    error: str | None = None
    source: str = ""
    version: int | None = None  # the compiled version that ran, counted from 1; None if unknown
    is_end_known: bool = True
    signature: Signature | None = None  # of misses, of a function's first call, of the first inlined one of a line
    function_info: Function = field(default=UNKNOWN, repr=False)
    ready_s: float | None = None
    _links: RowLinks | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        spent = "running" if self.duration_s is None else seconds(self.duration_s)
        version = f"version {self.version}" if self.version is not None else ""
        told = ", ".join(filter(None, (self.error or self.outcome, version, spent)))
        return f"{' at '.join(filter(None, (self.function, self.source)))}: {told}"

    @property
    def lineage(self) -> str:
        """Equal for all functions that a person would call the same one; versions are counted inside it."""
        return self.function_info.lineage

    @property
    def compile(self) -> "Compile | None":
        """The compile that this call caused, or the version that it ran; None if unknown."""
        if self._links is None or self.version is None:
            return None
        return self._links.compile_of(self.lineage, self.version)


@dataclass(frozen=True)
class Miss:
    """One cache miss as `jitviz.reasons` needs it: the signature, and what is known about JAX's caches.

    `is_traced` is False if JAX went straight to lowering: nothing that a trace depends on had changed. `is_before`
    marks a version from before the recording. `is_warm` says that the function was compiled before jitviz watched.
    `cleared` is "all", "function" or "": the caches that were cleared since the function's previous miss. `is_retry`
    says that the previous miss ended in an error, so that JAX kept nothing of it. `transform` is "" for the function
    itself, else the program that JAX made of it from outside: "vmap", "jvp", "jax.linearize", "linearize" and
    "transpose" (the two of a gradient), "vmap of jvp" (the outermost first), "linearize, by x" (if it is not by all
    arguments). `stage` is "call", or the ahead-of-time function ("lower"); a miss of the stage "compile" is not new: an
    ahead-of-time version was compiled, and later calls can hit it. `through` is the line of a library that made the
    call, "" where the user's own line did.
    """

    function_info: Function = field(repr=False)
    signature: Signature
    is_traced: bool = True
    is_before: bool = False
    is_warm: bool = False
    cleared: str = ""
    is_retry: bool = False
    transform: str = ""
    stage: str = "call"
    source: str = ""
    through: str = ""

    @property
    def lineage(self) -> str:
        """Equal for all functions that a person would call the same one; versions are counted inside it."""
        return self.function_info.lineage


@dataclass(frozen=True, kw_only=True, repr=False)
class Compile(Readable, Miss):
    """A miss and what came of it, one compiled version of a function: its signature, its cost, and its program.

    `start_s` counts seconds from the start of the recording; it is negative for a version that was compiled before
    (and is kept so that later versions can be compared with it). `jaxpr`, `stablehlo` and `hlo` are texts, None if the
    phase did not happen or JAX did not show them. `output_transform` is what shaped the outputs ("grad",
    "value_and_grad"). `dropped` are paths of inputs that the program does not use; `reused` those of donated inputs
    whose buffer became an output, None if the executable could not be read. `written` is the text of the call at
    `source`, "" if it cannot be read. `stack` holds the user's lines that led to it, innermost first, each once, up to
    a limit. `status` is "running", "done" or "failed". `origin` is "loaded" if JAX found the executable in its cache on
    disk; `saved_s` is the time that this saved, as JAX reports it: whole seconds less the time of the load. If it was
    not found, `disk_least_s` is the time that a compile must take for JAX to keep it there; None without such a cache.
    `disk_key` is its key in that cache, "" if JAX did not look for it there.
    `callbacks` are digests of the functions that the program calls back, "" for one that is not known whole.
    """

    function: str
    index: int
    version: int
    start_s: float
    phases: tuple[Phase, ...] = ()
    outputs: tuple[Leaf, ...] = ()
    output_nodes: tuple[Node, ...] = ()
    output_transform: str = ""
    written: str = ""
    status: Literal["running", "done", "failed"] = "done"
    origin: Literal["compiled", "loaded"] = "compiled"
    saved_s: float | None = None
    disk_least_s: float | None = None
    disk_key: str = ""
    error: str | None = None
    thread: str = MAIN_THREAD
    stack: tuple[str, ...] = ()
    cost: Cost | None = None
    memory: Memory | None = None
    dropped: tuple[str, ...] = ()
    reused: tuple[str, ...] | None = ()
    callbacks: tuple[str, ...] = ()
    _links: RowLinks | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        phases = ", ".join(f"{phase.name} {seconds(phase.duration_s)}" for phase in self.phases)
        at = f", called at {self.source}" if self.source else ""
        lines = [f"{self.function}, version {self.version}{at}: {seconds(self.duration_s)}{phases and f' ({phases})'}"]
        parts = "\n".join(map(str, (*self.reasons, self.signature)))
        return "\n".join([*lines, indent(parts, "  ")])

    @property
    def duration_s(self) -> float:
        """Total seconds of the phases whose time is known."""
        return sum(phase.duration_s or 0.0 for phase in self.phases)

    @property
    def recording(self) -> Any:
        """The recording that this compile is number `index` of.

        Raises:
            LookupError: it belongs to no recording, or is from before it, when programs were not kept.
        """
        if self._links is None:
            raise LookupError("This version was compiled before the recording; its program was not kept.")
        return self._links

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why this version was compiled; the first is the cause."""
        return self._links.reasons(self.index) if self._links is not None else ()

    @property
    def judgement(self) -> Judgement:
        """Whether it was avoidable, by comparing its program with those of earlier versions."""
        return self._links.judgement(self.index) if self._links is not None else Judgement()

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits of its StableHLO without names and locations: equal for equal programs of all
        processes, runs and checkouts. "" if the program is not known."""
        return self._links.fingerprint(self.index) if self._links is not None else ""

    @property
    def compared_with(self) -> "Compile | None":
        """The earlier version that `reasons` compare it with, or None."""
        return self._links.compared_with(self.index) if self._links is not None else None

    @property
    def call(self) -> Call | None:
        """The call that caused it; None for ahead-of-time compiles."""
        return self._links.call_of(self.index) if self._links is not None else None

    @property
    def jaxpr(self) -> str | None:
        return self._text("jaxpr")

    @property
    def stablehlo(self) -> str | None:
        return self._text("stablehlo")

    @property
    def hlo(self) -> str | None:
        return self._text("hlo")

    def n_lines(self, name: TextName) -> int:
        """The number of lines of the text `name` ("jaxpr", "stablehlo", "hlo"), 0 if it is None."""
        return self._links.n_lines(self.index, name) if self._links is not None else 0

    @property
    def equations(self) -> str | None:
        """The jaxpr as JSON, for graphs and counts; None where `jaxpr` is None."""
        return self._text("equations")

    def _text(self, name: TextName) -> str | None:
        return self._links.text(self.index, name) if self._links is not None else None
