"""What is under way: calls that have begun and not ended, their compiles, and the phases of those.

In: what the hooks saw begin.  Out: rows that the hooks fill as more is seen.
Must never: hold an object of the user's; addresses and tokens recognise them.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import NamedTuple, NewType

from ..model import Signature, Token
from ..model.wrappers import Wrapper
from ..recording.events import CallNumber, CompileNumber, FunctionNumber, SiteNumber

Address = NewType("Address", int)  # `id` of something that lives as long as what it recognises


@dataclass(slots=True)
class CallSite:
    """One line of the user's that calls one jitted function on one thread: what its calls have in common.

    `key` recognises the misses that belong to them (see `Origin.keyed`). `row` is the number under which the recordings
    know it; from then on a plain hit is three numbers. `kept` is what must live as long as the site.
    """

    function: FunctionNumber
    key: Address
    source: str
    version_key: Token | None = None  # see `Origin`
    kept: tuple[object, ...] = ()
    target: Address | None = None  # address of the jit object, where `hits` sees its calls
    row: SiteNumber | None = None


class OpenCall:
    """A call that has begun and not ended. Most are hits, so that only what every call has is set when it begins.

    A call is `is_plain` while nothing is round it, no transformation of JAX's and no other call, and nothing has
    happened in it.
    """

    number = CallNumber(0)  # given when it is told of
    is_plain = True
    is_logged = False
    is_implicit = False  # opened by its own compile, because nothing showed that it began
    is_inlined = False
    frame = Address(0)  # of an implicit call: where its compile is done
    compiles: tuple[OpenCompile, ...] = ()
    error: str | None = None

    def __init__(self, site: CallSite, started_ns: int) -> None:
        self.site = site
        self.started_ns = started_ns


@dataclass
class OpenCompile:
    """A compile whose phases are under way; `frame` is the address of the frame that JAX does it in.

    `key` and `call_key` are addresses by which its frame and its call are recognised. `is_doubtful` says that its trace
    may be found in JAX's cache; until that is known, nothing is told of it (`is_announced`).
    """

    number: CompileNumber
    frame: Address
    function: FunctionNumber
    key: Address
    signature: Signature
    started_s: float
    source: str
    written: str
    stage: str
    transform: str
    call_key: Address
    jitted_by: Wrapper
    output_transform: str
    is_doubtful: bool
    version_key: Token | None = None
    within: weakref.ref[OpenCall] | None = None  # weak: the call holds its compiles
    phases: list[str] = field(default_factory=list)
    traces_before: int | None = None
    error: str | None = None
    has_jaxpr: bool = False
    is_backward: bool = False
    inputs: tuple[str, ...] = ()  # paths of what JAX takes as inputs, in its order
    kept: tuple[str, ...] = ()  # of these, what the program uses
    constants: int = 0  # inputs that JAX adds before them
    nbytes: int = 0  # of its module
    is_loaded: bool = False
    is_announced: bool = False
    is_asked: bool = False
    is_closed: bool = False

    @property
    def call(self) -> OpenCall | None:
        """The call that this compile belongs to, until that has ended."""
        return None if self.within is None else self.within()


class OpenPhase(NamedTuple):
    """A phase that has begun; `compile` is None for those that are JAX's own or part of an outer trace.

    JAX gives `started_s` again at the end, so that an end finds its start whatever was raised between. `frame` is the
    address of the frame that the phase is done in.
    """

    started_s: float
    compile: OpenCompile | None
    frame: Address


@dataclass
class OpenOp:
    """The phases so far of a program outside any jit of the user's, before its compile is over."""

    program: str
    started_s: float
    trace_s: float = 0.0
    lower_s: float = 0.0


@dataclass
class OpenOps:
    """Those of one thread, by how many phases they are nested in; `loaded` tells of the compile under way: the seconds
    that were saved where it is loaded from disk, 0 where JAX does not tell them."""

    by_depth: dict[int, OpenOp] = field(default_factory=dict)
    loaded: float | None = None
