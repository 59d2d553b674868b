"""The stack frames in which JAX traces, lowers and compiles, by function and file; and those that JAX leaves out.

In: live frames.  Out: the function of JAX that a frame runs, and frames found by it.
Must never: keep a frame, or import `jax.extend` for its public names: that imports Pallas, which on jax 0.12 adds
settings to the trace context, so that JAX traces and compiles everything again
(https://github.com/jax-ml/jax/blob/main/jax/_src/pallas/core.py).
"""

import os
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from types import CodeType, FrameType

import jax

from . import private
from .private import TRACING, since

_WITH_EXCLUSIONS = (private.module("jax._src.source_info_util"), private.module("jax._src.traceback_util"))
_JAX_ROOT = str(Path(jax.__file__).parent) + os.sep


def in_jax(name: str) -> str:
    """The name of a file of JAX's in frames, on Windows too."""
    return _JAX_ROOT + name.replace("/", os.sep)


CACHE_MISS = ("cache_miss", in_jax("_src/pjit.py"))  # a call of a jitted function that JAX's fast path does not handle
IMPL_CACHE_MISS = ("call_impl_cache_miss", in_jax("_src/pjit.py"))  # of a jit that an eager transformation evaluates
CALL_IMPL = ("_pjit_call_impl_python", in_jax("_src/pjit.py"))  # inside either of the two
JIT_TRACE = ("jit_trace", in_jax("_src/pjit.py"))  # ahead of time: f.trace(), f.lower(), eval_shape, make_jaxpr
JIT_LOWER = ("jit_lower", in_jax("_src/pjit.py"))  # f.lower(): a trace, then a lowering
STAGES_COMPILE = ("compile", in_jax("_src/stages.py"))
STAGES_LOWER = ("lower", in_jax("_src/stages.py"))
TRACE_FOR_JIT = (TRACING, in_jax("_src/pjit.py"))
# The frames with the flat arguments: inside and outside of a trace.
FLATTENED = since(((0, 9), TRACE_FOR_JIT), ((0, 7), ("_infer_params_impl", in_jax("_src/pjit.py"))))
CALLING = since(((0, 9), CACHE_MISS), ((0, 7), ("_python_pjit_helper", in_jax("_src/pjit.py"))))
LOWERING = ("_cached_lowering_to_hlo", in_jax("_src/interpreters/pxla.py"))
LOWER_SHARDING = ("lower_sharding_computation", in_jax("_src/interpreters/pxla.py"))
COMPILATION = ("_cached_compilation", in_jax("_src/interpreters/pxla.py"))
COMPILE_OR_GET = ("compile_or_get_cached", in_jax("_src/compiler.py"))
APPLY_PRIMITIVE = ("apply_primitive", in_jax("_src/dispatch.py"))
TIMER_ENTER = ("__enter__", in_jax("_src/dispatch.py"))  # the timer that sends the events
TIMER_EXIT = ("__exit__", in_jax("_src/dispatch.py"))

COLLECTED = ("_xla_gc_callback", in_jax("_src/lib/__init__.py"))  # called by the garbage collector when it is done
BOUNDARY = "reraise_with_filtered_traceback"  # JAX wraps every public function in it
CONTROL_FLOW = in_jax("_src/lax/control_flow/")
_TRANSFORMATIONS = in_jax("_src/api.py")  # up to jax 0.9 also the home of `pmap`

_STAGES = in_jax("_src/stages.py")  # of the calls of what was compiled ahead of time
# The functions in which a thread runs a program or waits for an array that is still being computed, by name and file.
_WAITS = {
    ("try_to_block", in_jax("_src/api.py")),
    ("block_until_ready", in_jax("_src/api.py")),
    ("_value", in_jax("_src/array.py")),
    ("concrete_or_error", in_jax("_src/core.py")),
}
_TRACES = in_jax("_src/interpreters/partial_eval.py")
# The files through which a running program calls Python.
_CALLBACKS = (in_jax("_src/callback.py"), in_jax("_src/debugging.py"))
WAIT_METHOD = "block_until_ready"  # the method of an array, which has no frame

_GRADS = ("grad_f", "grad_f_aux", "value_and_grad_f")
_OPERATORS = {"op", *(f"__{side}{name}__" for name in ("add", "sub", "mul", "matmul", "truediv") for side in ("", "r"))}
_NO_OPERATIONS = {
    "<module>",
    "cache_miss",
    "array",
    "asarray",
    "device_put",
    "device_get",
    "__repr__",
    "__str__",
    "__array__",
}
_TREES = tuple(map(in_jax, ("_src/tree.py", "_src/tree_util.py", "_src/config.py")))

# The public function behind a trace ahead of time, by the name of its frame inside JAX.
STAGE_OF_ENTRY = {
    "eval_shape": "eval_shape",
    "jit_eval_shape": "eval_shape",
    "jit_lower": "lower",
    "make_jaxpr_f": "make_jaxpr",
}

# The transformation behind a program of its own, by the rule with which JAX evaluates that transformation eagerly.
TRANSFORM_OF_RULE = {
    "_pjit_batcher": "vmap",
    "_pjit_jvp": "jvp",
    "_pjit_linearize": "linearize",  # the first step of `jax.grad`, `jax.vjp` and `jax.linearize`
    "_pjit_partial_eval": "linearize",
    "_pjit_transpose": "transpose",
    "_pjit_transpose_fancy": "transpose",
    "_lift_linearized": "linearized",  # the linear function that `jax.linearize` returns
    "remat_partial_eval": "checkpoint",
    "remat_transpose": "transpose",
    "pjit_error_check": "checkify",
}


def is_jax_file(filename: str) -> bool:
    """Whether a file is part of jax itself."""
    return filename.startswith(_JAX_ROOT)


def is_operator(code: CodeType) -> bool:
    """Whether this is the method of an array or a tracer behind an operator, such as `+`."""
    return code.co_name in _OPERATORS and is_jax_file(code.co_filename)


def is_transformation(frame: FrameType) -> bool:
    """Whether `frame` runs one of JAX's transformations (`grad`, `vmap`, `jit`) or a function that one returned."""
    return frame.f_code.co_filename == _TRANSFORMATIONS and "pmap" not in frame.f_code.co_qualname


def takes_grad(frame: FrameType) -> bool:
    """Whether `frame` runs a function that `jax.grad` or `jax.value_and_grad` returned."""
    return frame.f_code.co_name in _GRADS and frame.f_code.co_filename == _TRANSFORMATIONS


def is_operation(frame: FrameType) -> bool:
    """Whether `frame`, which the user's or a library's code called, computes something on arrays: no transfer, no call
    of a jitted function, no walk through a tree."""
    code = frame.f_code
    is_one = code.co_name not in _NO_OPERATIONS and code.co_filename not in (*_TREES, _STAGES)
    return is_one and is_jax_file(code.co_filename)


def is_control_flow(frame: FrameType) -> bool:
    """Whether `frame` runs one of the control-flow functions of `jax.lax`: `scan`, `while_loop`, `cond`."""
    return frame.f_code.co_filename.startswith(CONTROL_FLOW)


def is_frame(frame: FrameType, name: tuple[str, str]) -> bool:
    """Whether `frame` runs the function `name` of jax (one of the pairs above)."""
    code = frame.f_code
    return code.co_name == name[0] and code.co_filename == name[1]


def is_wait(frame: FrameType) -> bool:
    """Whether a thread whose innermost frame is `frame` waits for a running program or its result."""
    code = frame.f_code
    return (code.co_name, code.co_filename) in _WAITS or is_call_of_stage(frame)


def is_call_of_stage(frame: FrameType) -> bool:
    """Whether a thread whose innermost frame is `frame` runs a program that was compiled ahead of time."""
    return frame.f_code.co_filename == _STAGES and frame.f_code.co_name == "__call__"


def is_callback(frame: FrameType) -> bool:
    """Whether `frame` is the part of JAX through which a running program calls the user's function."""
    return frame.f_code.co_filename in _CALLBACKS


def is_trace(frame: FrameType) -> bool:
    """Whether `frame` is the part of JAX that traces a function, as for the body of an eager `lax.scan`."""
    code = frame.f_code
    return code.co_filename == _TRACES and code.co_name.startswith("trace_to_jaxpr")


def stack(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, the one that called it, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def frames_of_jax(frame: FrameType | None) -> Iterator[FrameType]:
    """The consecutive frames of JAX that start at `frame`."""
    return takewhile(lambda above: is_jax_file(above.f_code.co_filename), stack(frame))


def find_frame(frame: FrameType | None, *names: tuple[str, str], limit: int = 60) -> FrameType | None:
    """The innermost frame at or above `frame` that runs one of `names`."""
    return next((above for above in islice(stack(frame), limit) if any(is_frame(above, name) for name in names)), None)


def frames_of_misses(frame: FrameType | None) -> Iterator[int]:
    """The addresses of the frames at and above `frame` in which JAX handles a cache miss."""
    return (id(above) for above in stack(frame) if is_frame(above, CACHE_MISS) or is_frame(above, IMPL_CACHE_MISS))


def timed_frame(frame: FrameType | None) -> FrameType | None:
    """The frame that does the work of a phase, at its start: one above JAX's timer."""
    timer = find_frame(frame, TIMER_ENTER, limit=4)
    return None if timer is None else timer.f_back


def leave_out(path: str) -> None:
    """Make JAX skip a file or folder: operations get the line of its caller, and tracebacks that JAX and Equinox
    shorten show no frame of it."""
    for module in _WITH_EXCLUSIONS:
        register = getattr(module, "register_exclusion", None)
        if register is not None:
            register(path)
