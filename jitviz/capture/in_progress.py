"""Work in progress on each thread: calls that have begun and not ended, their misses, the phases of those; and the hits
that no recording has received yet.

In: what the hooks see begin.  Out: rows that the hooks complete; `here.mine`, the state of the calling thread.
Must never: hold an object of the user's (rows identify objects by address or token), or anything of a thread that has
ended, except its hits until they are taken.
"""

import threading
import weakref
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from types import CodeType
from typing import Any, NamedTuple, NewType

from ..model import PhaseName, Signature, Token, system
from ..model.wrappers import Wrapper
from ..recording.events import CallNumber, CompileNumber, FunctionNumber, SiteNumber
from .first_argument import KINDS, First, first_of

Address = NewType("Address", int)  # the `id` of an object that lives as long as the row that it identifies

Place = tuple[CodeType, int]  # the code of a frame, and the offset of the instruction that it is running


@dataclass(slots=True)
class CallingLine:
    """A line of the user's that calls one jitted function on one thread: what its calls have in common.

    `key` is the address of the function in JAX's cache key; the misses of these calls have the same. `called` is the
    address of what is called: a jit object whose calls the interpreter reports (`is_in_c`), or a wrapper or a program
    of one. `place` is the instruction that calls. `row` is the number of the site in the recordings; with it, a plain
    hit is three numbers. Before it has one, `looks` of its hits were looked at for what their program may have missed.
    `kept` must live as long as the site. If the first argument tells the versions of the function apart, `by_first`
    holds a site for each kind of it, which knows its `first`. Of a `filter_jit`, that is the
    leaf or argument number `leaf`.
    """

    function: FunctionNumber
    key: Address
    source: str
    version_key: Token | None = None  # see `Origin`
    called: Address = Address(0)
    is_in_c: bool = False
    place: Place | None = None
    kept: object = None
    row: SiteNumber | None = None
    looks: int = 0
    leaf: int = 0
    first: First | None = None
    by_first: "dict[First, CallingLine] | None" = None

    def with_first(self, value: Any) -> "CallingLine":
        """The site for calls with this first argument; itself where the argument tells nothing. This runs at hits."""
        if self.by_first is None or (first := first_of(value)) is None:
            return self
        found = self.by_first.get(first)
        if found is None and len(self.by_first) < KINDS:
            found = self.by_first[first] = replace(self, row=None, first=first, by_first=None)
        return found or self


class OpenCall:
    """A call that has begun and not ended. Most are hits, so only what every call has is set when it begins. A call is
    plain while it is inside no transformation of JAX's and no other call, and nothing has happened in it."""

    number = CallNumber(0)  # given when it is logged
    is_plain = True
    is_logged = False
    is_implicit = False  # opened by its own miss, because no hook saw it begin
    is_inlined = False
    frame = Address(0)  # of an implicit call: the frame of its miss
    n_equations = 0  # of an inlined call: those of the trace around it, before it
    misses: "tuple[OpenMiss, ...]" = ()
    error: str | None = None
    place: Place | None = None  # if it is not that of the site: a library called, for a line of the user's
    seen_s = 0.0  # when something last happened in it, once it is logged

    def __init__(self, site: CallingLine, started_ns: int) -> None:
        self.site = site
        self.started_ns = started_ns

    def is_at(self, code: CodeType, offset: int) -> bool:
        """Whether this instruction made the call."""
        return (self.place or self.site.place) == (code, offset)


@dataclass
class OpenMiss:
    """A miss in progress; `frame` is the address of the frame in which JAX does it.

    `key` is the address of the function in JAX's cache key, which identifies its frame and its call. `is_doubtful` says
    that its trace may be in JAX's cache; until that is known, the miss is not logged (`is_announced`).
    """

    number: CompileNumber
    frame: Address
    function: FunctionNumber
    key: Address
    signature: Signature
    started_s: float
    source: str
    stack: tuple[str, ...]
    through: str
    written: str
    stage: str
    transform: str
    jitted_by: Wrapper
    output_transform: str
    is_doubtful: bool
    version_key: Token | None = None
    leaf_types: tuple[First | None, ...] = ()
    within: weakref.ref[OpenCall] | None = None  # weak: the call holds its misses
    reads: Any = None  # what its trace reads: `reads.reads.Reads`
    phases: list[str] = field(default_factory=list)
    traces_before: int | None = None
    error: str | None = None
    has_jaxpr: bool = False
    is_backward: bool = False
    inputs: tuple[str, ...] = ()  # paths of JAX's inputs, in JAX's order
    kept: tuple[str, ...] = ()  # those that the program uses
    constants: int = 0  # number of inputs that JAX adds before them
    nbytes: int = 0  # of the module
    is_loaded: bool = False
    disk_key: str = ""
    is_announced: bool = False
    is_asked: bool = False
    is_closed: bool = False

    @property
    def call(self) -> OpenCall | None:
        """The call that this miss belongs to, until the call has ended."""
        return None if self.within is None else self.within()


class OpenPhase(NamedTuple):
    """A phase in progress; `miss` is None if it is JAX's own or part of an outer trace.

    JAX repeats `jax_s` at the end, so an end finds its start even after an exception; it is not `started_s` where the
    program has replaced JAX's clock. `frame` is the address of the frame that does the phase, and `code` what it runs:
    addresses are reused.
    """

    name: PhaseName
    started_s: float
    jax_s: float
    miss: OpenMiss | None
    frame: Address
    code: CodeType | None


@dataclass
class OpenOp:
    """The phases so far of a program outside the user's jitted functions, until its compile ends."""

    program: str
    started_s: float
    trace_s: float = 0.0
    lower_s: float = 0.0


class OnThread:
    """The state of one thread. Lists hold the outermost entry first.

    `is_inside` is true while jitviz inspects something: calls made meanwhile are not the user's. `is_taking` is true in
    `take_hits`.
    `sites` are the known call sites. The key is the address of the calling instruction; for whatever else is called
    there, that and the address of the callee. (The sum of the two is no key: it may be that of another pair.)
    `miss_of_jax` has the addresses of the frame and of the function of the last miss that is not the user's.
    `hits` holds three numbers per hit: the row of the site, then start and duration in nanoseconds. `spare` is the call
    of the last plain hit, which serves the next one while no other call is open.
    `ops` are the open programs outside the user's jitted functions, by the number of phases around them. Of the current
    compile of one, `disk_key` is the key on disk; if it is loaded from there, `loaded` is the number of seconds that
    saved, 0 if JAX does not know it.
    """

    def __init__(self) -> None:
        self.ident = system.get_ident()
        self.is_inside = False
        self.is_taking = False
        self.calls: list[OpenCall] = []
        self.spare: OpenCall | None = None
        self.phases: list[OpenPhase] = []
        self.misses: dict[int, OpenMiss] = {}  # by the address of their frame
        self.miss_of_jax = 0, 0
        self.ops: dict[int, OpenOp] = {}
        self.loaded: float | None = None
        self.disk_key = ""
        self.sites: dict[int | tuple[int, int], CallingLine] = {}
        self.hits: list[int] = []

    def site_at(self, instruction: int, called: int) -> CallingLine | None:
        """The known site of an instruction that calls this, both by address."""
        site = self.sites.get(instruction)
        return site if site is not None and site.called == called else self.sites.get((instruction, called))

    def newest_miss(self) -> OpenMiss | None:
        """The innermost miss in progress."""
        return next((phase.miss for phase in reversed(self.phases) if phase.miss is not None), None)


class _Here(threading.local):
    def __init__(self) -> None:
        self.mine = OnThread()
        _all.append((weakref.ref(self.mine), self.mine.hits))


_all: list[tuple[weakref.ref[OnThread], list[int]]] = []
here = _Here()


def running_threads() -> Iterator[OnThread]:
    """The threads that have not ended."""
    return (mine for reference, _ in list(_all) if (mine := reference()) is not None)


def on_thread(ident: int) -> OnThread | None:
    """The state of a thread; None for one on which jitviz has seen nothing yet. It must not be kept."""
    return next((mine for mine in running_threads() if mine.ident == ident), None)


def forget_open_calls() -> None:
    """Drop the calls and hits of all threads: while nothing was recorded, nobody saw those calls end."""
    for mine in running_threads():
        mine.calls, mine.hits[:] = [], []


def forget_sites() -> None:
    """Drop the known call sites of all threads: a hit there may run another version now, or have a new listener."""
    for mine in running_threads():
        mine.sites.clear()


def take_hits() -> "array[int]":
    """Remove the waiting hits of all threads and return them in the order they ended. One thread at a time may call.

    Meanwhile the garbage collector may run a destructor of the user's that calls. It takes nothing, or what is being
    taken would be taken twice.
    """
    mine = here.mine
    if mine.is_taking:
        return array("q")
    mine.is_taking = True
    try:
        return _in_order(_taken())
    finally:
        mine.is_taking = False


def _taken() -> list[list[int]]:
    taken: list[list[int]] = []
    for place in reversed(range(len(_all))):
        reference, hits = _all[place]
        has_ended = reference() is None
        n = len(hits)  # the thread may add more meanwhile
        if n:
            taken.append(hits[:n])
            del hits[:n]
        elif has_ended:
            del _all[place]
    return taken


def _in_order(taken: list[list[int]]) -> "array[int]":
    if len(taken) == 1:
        return array("q", taken[0])
    rows = (tuple(hits[place : place + 3]) for hits in taken for place in range(0, len(hits), 3))
    in_order: list[tuple[int, ...]] = sorted(rows, key=lambda row: row[1] + row[2])
    return array("q", chain.from_iterable(in_order))
