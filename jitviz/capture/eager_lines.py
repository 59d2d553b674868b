"""The user's lines at which operations of JAX run one by one, outside any jit.

In: the frames of a thread, as the sampler sees them.  Out: whether an operation runs there; `EagerLine`s.
Must never: keep a frame or an object of the user's, read a local, or listen to single operations: to see each one would
cost as much as many of them take.
"""

import dis
import re
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from itertools import islice
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from ..jaxcompat import caches, jax_frames, jits
from ..model import EagerLine
from ..recording.redaction import redacted_path
from .control_flow import loops_of
from .failures import guarded
from .sources import frame_owner, location

_MOST_LINES = 256
_MOST_NAMES = 20_000  # of modules
_ON_HOST = {"np", "numpy", "print", "float", "int", "bool", "item", "tolist", "time", "open", "device_get"}
# The instructions that end a loop; the one without interrupts waits in an `await`.
_NO_FUNCTION = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR  # they cannot be jitted
_WITHIN = re.compile(r"(\.<locals>)?\.?<(listcomp|setcomp|dictcomp|genexpr|module|cell line: \d+)>")


def is_dispatching(frame: FrameType, outermost: FrameType | None) -> bool:
    """Whether a thread runs an operation of JAX. `frame` is its innermost frame that is not JAX's; `outermost` is JAX's
    frame that it called, None if it is in C."""
    if outermost is not None:
        return jax_frames.is_operation(outermost)
    function = jits.jitted_function(_jit_called(frame))
    return type(function) is FunctionType and jax_frames.is_jax_file(function.__code__.co_filename)


def _jit_called(frame: FrameType) -> Any:
    """The `jax.jit` object that a frame calls by a global name; None for anything else."""
    held = named_callee(frame, frame.f_lasti)
    return held if type(held) is jits.PjitFunction else None


@dataclass
class _Noted:
    code: CodeType
    loop: str = ""
    through: str = ""
    sites: set[int] = field(default_factory=set)
    called: CodeType | None = None  # the library's function that it calls


class EagerLines:
    """The lines where a thread was seen to dispatch, with all lines that called them."""

    def __init__(self) -> None:
        self._noted: dict[str, _Noted] = {}
        self._jitted: dict[CodeType, tuple[str, weakref.ref[Any]]] = {}  # the globals that are jits, by what they jit

    def note(self, stack: Iterable[FrameType]) -> None:
        """Note the user's lines in a stack, the innermost frame first."""
        # What is known of the frames beneath a line of the user's.
        loop, through, called, is_innermost = "", "", None, True
        for frame in stack:
            code = frame.f_code
            owner = frame_owner(code.co_filename)
            if owner == "library":
                loop, called = loop or _loop_around(code, frame.f_lasti), code
            elif owner == "machinery":
                through = "grad" if jax_frames.takes_grad(frame) else through or "jax"
                if not jax_frames.is_jax_file(code.co_filename):  # what jitviz calls is not the user's
                    loop, called = "", None
            elif owner == "user" and len(self._noted) < _MOST_LINES:
                place = location(code.co_filename, frame.f_lineno)
                if place not in self._noted:
                    self._find_jits(frame.f_globals.copy())
                line = self._noted.setdefault(place, _Noted(code))
                line.code, line.called = code, called or line.called  # of several functions on one line, the outermost
                line.loop = line.loop or _loop_around(code, frame.f_lasti) or loop
                if through == "grad" or not (is_innermost or line.through):
                    line.through = through
                if not is_innermost and _jit_called(frame) is not None:
                    line.through = "jit"
                line.sites.add(id(code) + frame.f_lasti)
                loop, through, called, is_innermost = "", "", None, False

    def _find_jits(self, names: dict[str, Any]) -> None:
        for name, value in islice(names.items(), _MOST_NAMES):
            function = jits.jitted_function(value) if type(value) is jits.PjitFunction else None
            function = function.__func__ if type(function) is MethodType else function
            if type(function) is FunctionType:
                self._jitted.setdefault(function.__code__, (redacted_path(name), weakref.ref(value)))

    def _unused_jit_of(self, code: CodeType | None) -> str:
        name, jitted = self._jitted.get(code, ("", None)) if code is not None else ("", None)
        value = jitted() if jitted is not None else None
        return name if value is not None and not caches.trace_count(value) else ""

    @guarded(())
    def found(self, calls_at: Callable[[int], int] = lambda _: 0) -> tuple[EagerLine, ...]:
        """All lines, with what is known of them by now. `calls_at` says how often a site made a call, at least."""
        return tuple(
            EagerLine(
                source,
                redacted_path(_function(line.code)),
                line.loop,
                max(calls_at(site) for site in line.sites),
                line.through,
                self._unused_jit_of(line.code),
                self._unused_jit_of(line.called),
                redacted_path(_host(line.code)),
            )
            for source, line in self._noted.items()
        )


def _function(code: CodeType) -> str:
    name = _WITHIN.sub("", code.co_qualname).rpartition("<locals>.")[2]
    return "" if code.co_flags & _NO_FUNCTION and "<genexpr>" not in code.co_name else name


@lru_cache(maxsize=1024)
def _host(code: CodeType) -> str:
    """The first thing in a function that reads a value, prints, or keeps a result elsewhere; "" if nothing does."""
    for instruction in dis.get_instructions(code):
        is_kept = instruction.opname in ("STORE_ATTR", "STORE_GLOBAL")
        is_kept |= instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars
        if is_kept or (instruction.opname.startswith("LOAD") and instruction.argval in _ON_HOST):
            return str(instruction.argval)
    return ""


def loop_line(code: CodeType, offset: int) -> int:
    """The line of the innermost loop around an instruction; 0 if there is none."""
    return max(((loop.first, loop.line) for loop in loops_of(code) if loop.holds(offset)), default=(0, 0))[1]


def _loop_around(code: CodeType, offset: int) -> str:
    line = loop_line(code, offset)
    return location(code.co_filename, line) if line else ""


def named_callee(frame: FrameType, offset: int) -> Any:
    """What a site of a frame calls by a global name, or as an attribute of a module; None for anything else."""
    (kind, name), *attributes = callee(frame.f_code, offset) or [("", "")]
    is_global = kind in ("LOAD_GLOBAL", "LOAD_NAME")
    held = frame.f_globals.get(name, frame.f_builtins.get(name)) if is_global else None
    for kind, name in attributes:
        is_in_module = kind in ("LOAD_ATTR", "LOAD_METHOD") and type(held) is ModuleType
        held = vars(held).get(name) if is_in_module else None
    return held


def callee(code: CodeType, offset: int) -> list[tuple[str, Any]]:
    """The instructions that load the function that a site calls, and the name that each loads. They begin where the
    call begins in the source."""
    loads, n_before = _loads(code).get(offset, ([], 0))
    return loads[:n_before]


@lru_cache(maxsize=1024)
def _loads(code: CodeType) -> dict[int, tuple[list[tuple[str, Any]], int]]:
    """For each instruction, the loads that begin where it begins in the source, and how many of them come before it."""
    found: dict[int, tuple[list[tuple[str, Any]], int]] = {}
    loads: dict[object, list[tuple[str, Any]]] = defaultdict(list)  # by where they begin
    for instruction in dis.get_instructions(code):
        start = instruction.positions and (instruction.positions.lineno, instruction.positions.col_offset)
        if start and None not in start:
            found[instruction.offset] = loads[start], len(loads[start])
        # The names of keywords, too, begin there.
        if instruction.opname not in ("PUSH_NULL", "PRECALL", "KW_NAMES") and type(instruction.argval) is not tuple:
            loads[start].append((instruction.opname, instruction.argval))
    return found
