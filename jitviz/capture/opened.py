"""What is under way: calls that have begun and not ended, their compiles, and the phases of those.

In: what the hooks saw begin.  Out: rows that the hooks fill as more is seen.
Must never: hold an object of the user's; addresses and tokens recognise them.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import NamedTuple

from ..model import Signature
from ..wrappers import Wrapper


@dataclass(slots=True, weakref_slot=True)
class OpenCall:
    """A call that has begun and not ended. `key` recognises the misses that belong to it (see `Origin.keyed`)."""

    number: int
    function: int
    started_s: float
    key: int
    parent: int | None
    source: str = ""
    is_logged: bool = False
    is_implicit: bool = False  # opened by its own miss, because nothing showed that it began
    is_inlined: bool = False
    frame: int = 0  # of an implicit call: where its miss is done
    version_key: int | None = None  # see `Origin`
    target: int = 0  # address of the jit object, where the call was seen by `hits`
    compiles: list[OpenCompile] = field(default_factory=list)
    error: str | None = None


@dataclass
class OpenCompile:
    """A miss whose phases are under way; `frame` is the address of the frame that JAX does it in.

    `key` and `call_key` are addresses by which its frame and its call are recognised. `is_doubtful` says that its trace
    may be found in JAX's cache; until that is known, nothing is told of it (`is_announced`).
    """

    number: int
    frame: int
    function: int
    key: int
    signature: Signature
    started_s: float
    source: str
    written: str
    stage: str
    transform: str
    call_key: int
    jitted_by: Wrapper
    output_transform: str
    is_doubtful: bool
    version_key: int | None = None
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
    is_announced: bool = False
    is_asked: bool = False
    is_closed: bool = False

    @property
    def call(self) -> OpenCall | None:
        """The call that this miss belongs to, until that has ended."""
        return None if self.within is None else self.within()


class OpenPhase(NamedTuple):
    """A phase that has begun; `miss` is None for those that are JAX's own or part of an outer trace.

    JAX gives `started_s` again at the end, so that an end finds its start whatever was raised between. `frame` is the
    address of the frame that the phase is done in.
    """

    started_s: float
    miss: OpenCompile | None
    frame: int


@dataclass
class OpenOp:
    """The phases so far of a program outside of any jit of the user's, before its compile is over."""

    program: str
    started_s: float
    trace_s: float = 0.0
    lower_s: float = 0.0


@dataclass
class OpenOps:
    """Those of one thread, by how many phases they are nested in; `is_loaded` tells of the compile under way."""

    by_depth: dict[int, OpenOp] = field(default_factory=dict)
    is_loaded: bool = False
