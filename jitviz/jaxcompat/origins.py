"""Where a traced value comes from, and arrays that were deleted.

In: tracers and arrays.  Out: plain values.
"""

from typing import Any, NamedTuple

from . import private
from .raw import attributes, is_a, member
from .tracing import is_tracer

_source_info_util = private.module("jax._src.source_info_util")
_ArrayImpl: Any = getattr(private.module("jax._src.array"), "ArrayImpl", ())
_KeyArray: Any = next(
    (
        found
        for name in ("jax._src.random.prng", "jax._src.prng")
        if (found := getattr(private.module(name), "PRNGKeyArray", None))
    ),
    (),
)


class OriginLine(NamedTuple):
    """A line of the user's whose operation made a value traced."""

    file: str
    line: int


class TracedFrom(NamedTuple):
    """What a traced value was computed from: inputs of the traced function, by number and by JAX's name, and the lines
    whose operations made tracers of plain values."""

    function: str
    inputs: tuple[int, ...]
    names: tuple[str, ...]
    lines: tuple[OriginLine, ...]
    all_names: tuple[str, ...] = ()  # of every input, in JAX's order
    is_argument: bool = False  # of a jitted function itself: nothing was computed from it yet


def traced_from(value: Any) -> TracedFrom | None:
    """What a tracer was computed from; None for other values and where this version of JAX does not tell."""
    for depth in range(64):
        if not is_tracer(value):
            return None
        found = _of_staged(value)
        if found is not None:
            return found._replace(is_argument=found.is_argument and not depth)
        held = attributes(value)
        value = held.get("primal", held.get("val"))
    return None


def _of_staged(tracer: Any) -> TracedFrom | None:
    try:
        trace = tracer._trace
        inputs, equations = trace.frame.find_progenitors(tracer)
        debug = getattr(tracer, "_debug_info", None) or trace.frame.debug_info
        is_argument = debug.traced_for == "jit" and any(tracer.val is each for each in trace.frame.invars)
    except Exception:
        return None
    names = getattr(debug, "arg_names", None) or ()
    known = tuple(str(names[number]) for number in inputs or () if number < len(names))
    lines = tuple(line for equation in equations or () if (line := _line_of(equation)) is not None)
    function = str(getattr(debug, "func_name", ""))
    return TracedFrom(function, tuple(inputs or ()), known, lines, tuple(map(str, names)), is_argument)


def _line_of(equation: Any) -> OriginLine | None:
    try:
        frame = _source_info_util.user_frame(equation.source_info.traceback)
    except Exception:
        try:
            frame = _source_info_util.user_frame(equation.source_info)
        except Exception:
            return None
    return None if frame is None else OriginLine(str(frame.file_name), int(frame.start_line))


def aval_of(value: Any) -> str:
    """JAX's short form of an array's or tracer's type, "f32[3]"; "" for other values."""
    try:
        aval = value.aval if is_tracer(value) or is_a(value, _ArrayImpl, _KeyArray) else None
        return aval.str_short(short_dtypes=True).lstrip("~") if aval is not None else ""
    except Exception:
        return ""


def is_weak(value: Any) -> bool:
    """Whether a tracer stands for a Python number."""
    try:
        return is_tracer(value) and bool(value.aval.weak_type)
    except Exception:
        return False


def is_deleted(value: Any) -> bool:
    """Whether an array's buffer was donated or deleted."""
    try:
        return is_a(value, _ArrayImpl) and bool(value.is_deleted())
    except Exception:
        return False


def message_of(error: BaseException) -> str:
    """The text of an exception, without calling a `__str__` of the user's."""
    args = member(error, BaseException, "args")
    return next((str.strip(part) for part in args if is_a(part, str)), "")
