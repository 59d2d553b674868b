"""What happened outside jitted functions: programs of single operations, and the lines that threads were at.

In: nothing.  Out: frozen dataclasses, used by every other layer.
"""

from dataclasses import dataclass
from typing import Literal

MAIN_THREAD = "MainThread"  # what Python calls it
OTHER_THREADS = "other threads"  # all but the first ones, where there is one for each request
GARBAGE = "gc"  # the collector, as what a line was inside
AHEAD = "a call of a program compiled ahead of time"  # the same, and the next ones
CALLBACK = "a callback"  # that a running program made
TRACED = "a trace by "  # and then the function of JAX that traces without telling, as an eager `lax.scan` does
UNDER = "a jitted function under "  # and then the transformation
MOST_THREADS = 64  # that are told apart


@dataclass(frozen=True)
class OpByOp:
    """A program that was compiled outside any jit: by a `jnp` call, an initialiser, an index, a `+`.

    `name` is the public function ("jnp.median"), `program` JAX's name of the program ("_median"). `line` is the text of
    the user's line at `source`; `stack` holds the user's lines, the innermost first, up to a limit. `inputs` are short
    avals ("f32[12]") of the first of its `n_inputs` (0 in older recordings). `span_s` lasts from the start of the first
    phase to the end of the last. `origin`, `own_s`, `saved_s`, `disk_least_s` and `disk_key` are as in `Compile`.
    """

    name: str
    program: str = ""
    inputs: tuple[str, ...] = ()
    source: str = ""
    line: str = ""
    stack: tuple[str, ...] = ()
    start_s: float = 0.0
    span_s: float = 0.0
    trace_s: float = 0.0
    lower_s: float = 0.0
    compile_s: float = 0.0
    thread: str = MAIN_THREAD
    origin: Literal["compiled", "loaded"] = "compiled"
    own_s: float = 0.0
    saved_s: float | None = None
    disk_least_s: float | None = None
    disk_key: str = ""
    n_inputs: int = 0

    @property
    def duration_s(self) -> float:
        """Tracing, lowering and compiling (or loading) together."""
        return self.trace_s + self.lower_s + self.compile_s


@dataclass(frozen=True)
class Glance:
    """One sample of a thread: `source` is the innermost of the user's lines; `callers` are those above it, innermost
    first, up to a limit.

    `inside` is the library function that the line was calling ("jnp.median", "optax.adam"), "" for the user's own code
    and the standard library, or how the thread came there: `GARBAGE`, `AHEAD`, `CALLBACK`, `TRACED…` or `UNDER…`.
    `is_waiting` says that the line waits for a running program, `is_eager` that it is running an operation of JAX
    outside any jit.
    """

    source: str
    callers: tuple[str, ...] = ()
    inside: str = ""
    is_waiting: bool = False
    is_eager: bool = False


# What a thread is doing: a phase; a jitted call; waiting for the device, which may be in a callback; for a lock, or for
# the next item of an iterator; or anything else.
Doing = Literal["trace", "lower", "compile", "run", "device", "callback", "lock", "loader", "python"]


@dataclass(frozen=True)
class Sample:
    """A stretch of time in which all samples of the recording's thread were equal. `is_in_phase` says that something
    was traced, lowered or compiled meanwhile."""

    start_s: float
    end_s: float
    seen: Glance
    is_in_phase: bool = False

    @property
    def source(self) -> str:
        return self.seen.source


@dataclass(frozen=True)
class EagerLine:
    """A line of the user's at or beneath which operations of JAX ran one by one, outside any jit.

    `function` is the user's function that it is in ("" at the top level), `loop` the line of the innermost loop around
    it or of the library's loop that it runs, "" if there is none. `calls` is how often the line called what it was seen
    calling, at least; 0 if that is not counted. `through` is "grad" if it differentiates, "jax" if another function of
    JAX called the user's function beneath, "jit" if that function is jitted and `jax.disable_jit()` is on. `jitted`
    names a global that was never called and is a jitted form of `function`, `calls_jitted` one of the library's
    function that the line calls. `host` names something in `function` that a jit cannot contain: "print", "np", an
    attribute that it sets.
    """

    source: str
    function: str = ""
    loop: str = ""
    calls: int = 0
    through: str = ""
    jitted: str = ""
    calls_jitted: str = ""
    host: str = ""
