"""The stack frames in which JAX traces, lowers and compiles, by function and file.

In: live frames.  Out: which of them is which.
Must never: keep a frame; or raise because a version lacks a name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import jax

JAX_ROOT = str(Path(jax.__file__).parent) + "/"

CACHE_MISS = ("cache_miss", "_src/pjit.py")  # a call of a jitted function that JAX's fast path did not know

IMPL_CACHE_MISS = ("call_impl_cache_miss", "_src/pjit.py")  # the same, for a jit that an eager transformation evaluates

CALL_IMPL = ("_pjit_call_impl_python", "_src/pjit.py")  # inside either of the two

JIT_TRACE = ("jit_trace", "_src/pjit.py")  # ahead of time: f.trace(), f.lower(), eval_shape, make_jaxpr

JIT_LOWER = ("jit_lower", "_src/pjit.py")  # f.lower(): a trace, then a lowering

STAGES_COMPILE = ("compile", "_src/stages.py")

STAGES_LOWER = ("lower", "_src/stages.py")

TRACE_FOR_JIT = ("_trace_for_jit", "_src/pjit.py")

LOWERING = ("_cached_lowering_to_hlo", "_src/interpreters/pxla.py")

LOWER_SHARDING = ("lower_sharding_computation", "_src/interpreters/pxla.py")

COMPILATION = ("_cached_compilation", "_src/interpreters/pxla.py")

APPLY_PRIMITIVE = ("apply_primitive", "_src/dispatch.py")

TIMER_ENTER = ("__enter__", "_src/dispatch.py")

TIMER_EXIT = ("__exit__", "_src/dispatch.py")  # of the timer that sends the events

BOUNDARY = "reraise_with_filtered_traceback"  # round every public function of JAX

_TRANSFORMATIONS = "_src/api.py"  # it held `pmap`, too, up to jax 0.9

CONTROL_FLOW = "_src/lax/control_flow/"

# Where a thread waits for an array that is still being worked out, by function and file.
_WAITS = {
    ("try_to_block", "_src/api.py"),
    ("block_until_ready", "_src/api.py"),
    ("_value", "_src/array.py"),
    ("concrete_or_error", "_src/core.py"),
}
WAIT_METHOD = "block_until_ready"  # of an array: it has no frame

# The public entry that asked for a trace ahead of time, by the frame that it has inside JAX.
STAGE_OF_ENTRY = {
    "eval_shape": "eval_shape",
    "jit_eval_shape": "eval_shape",
    "jit_lower": "lower",
    "make_jaxpr_f": "make_jaxpr",
}

# The rules by which an eager transformation came to a program of its own, where it evaluates one.
TRANSFORM_OF_RULE = {
    "_pjit_batcher": "vmap",
    "_pjit_jvp": "jvp",
    "_pjit_linearize": "linearize",  # what `jax.grad`, `jax.vjp` and `jax.linearize` begin with
    "_pjit_partial_eval": "linearize",
    "_pjit_transpose": "transpose",
    "_pjit_transpose_fancy": "transpose",
    "_lift_linearized": "linearized",  # the linear function that `jax.linearize` returned
    "remat_partial_eval": "checkpoint",
    "remat_transpose": "transpose",
    "pjit_error_check": "checkify",
}


def is_jax_file(filename: str) -> bool:
    """Whether a file belongs to jax itself."""
    return filename.startswith(JAX_ROOT)


def is_transformation(frame: FrameType) -> bool:
    """Whether `frame` runs one of JAX's transformations, or what one returned: `grad`, `vmap`, `jit`."""
    return frame.f_code.co_filename == JAX_ROOT + _TRANSFORMATIONS and "pmap" not in frame.f_code.co_qualname


def is_control_flow(frame: FrameType) -> bool:
    """Whether `frame` runs a function of `jax.lax`'s control flow: `scan`, `while_loop`, `cond`."""
    return frame.f_code.co_filename.startswith(JAX_ROOT + CONTROL_FLOW)


def is_frame(frame: FrameType, name: tuple[str, str]) -> bool:
    """Whether `frame` runs the function of jax that is called `name` (one of the pairs above)."""
    code = frame.f_code
    return code.co_name == name[0] and code.co_filename == JAX_ROOT + name[1]


def is_wait(frame: FrameType) -> bool:
    """Whether a thread of which `frame` is the innermost waits for a program that runs, or for what it made."""
    code = frame.f_code
    return is_jax_file(code.co_filename) and (code.co_name, code.co_filename.removeprefix(JAX_ROOT)) in _WAITS


def find_frame(frame: FrameType | None, *names: tuple[str, str], limit: int = 60) -> FrameType | None:
    """The innermost frame at or above `frame` that runs one of `names`."""
    while frame is not None and limit:
        for name in names:
            if is_frame(frame, name):
                return frame
        frame, limit = frame.f_back, limit - 1
    return None


def frames_of_misses(frame: FrameType | None) -> Iterator[int]:
    """Addresses of the frames at and above `frame` in which JAX does a miss."""
    while frame is not None:
        if is_frame(frame, CACHE_MISS) or is_frame(frame, IMPL_CACHE_MISS):
            yield id(frame)
        frame = frame.f_back


def timed_frame(frame: FrameType | None) -> FrameType | None:
    """At the start of a phase: the frame that does it, one above JAX's timer."""
    timer = find_frame(frame, TIMER_ENTER, limit=4)
    return None if timer is None else timer.f_back
