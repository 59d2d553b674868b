"""Jaxprs: their variables and equations, as JAX holds them.

In: jaxprs.  Out: their parts as plain values.
"""

import hashlib
import io
import math
from collections.abc import Iterator
from itertools import chain
from types import CodeType
from typing import Any, NamedTuple

from . import private
from .raw import is_a

_core, _source_info_util = private.module("jax._src.core"), private.module("jax._src.source_info_util")
_mlir, _ir = private.module("jax._src.interpreters.mlir"), private.module("jaxlib.mlir.ir")
_jaxlib, _literals = private.module("jaxlib._jax"), private.module("jax._src.literals")
_IS_CUT = private.since(((0, 9), True), ((0, 7), False))  # where a trace begins

# JAX's own types around the NumPy arrays among constants and literals; newer ones are NumPy arrays themselves.
_WRAPPERS = private.since(((0, 9, 2), ()), ((0, 7), ("LiteralArray", "TypedNdArray")))
_WRAPPED = tuple(getattr(_literals, name, None) for name in _WRAPPERS)

JAXPR_TYPES: tuple[type, ...] = tuple(
    kind for name in ("Jaxpr", "ClosedJaxpr") if isinstance(kind := getattr(_core, name, None), type)
)

_MOST_ELEMENTS = 4096  # of a constant that a text shows; a larger one is named by its digest
_WITH_BUFFER = frozenset(("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64"))
_ELIDED = "<__elided__>"  # as MLIR writes it


def is_jaxpr(value: Any) -> bool:
    """Whether a value is a `Jaxpr` or a `ClosedJaxpr`."""
    return is_a(value, *JAXPR_TYPES)


def opened(jaxpr: Any) -> Any:
    """The jaxpr inside a `ClosedJaxpr`, which jax has up to 0.10; from 0.12 on a `Jaxpr` is both."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def closed(jaxpr: Any, constants: Any) -> Any:
    """A jaxpr with its constants. Up to jax 0.8 they are apart while JAX traces."""
    return jaxpr if jaxpr is None or hasattr(jaxpr, "consts") else JAXPR_TYPES[-1](jaxpr, constants)


def equation_count(jaxpr: Any) -> int:
    """The number of equations of a jaxpr, without those of inner programs."""
    return len(opened(jaxpr).eqns)


def jaxpr_digest(jaxpr: Any) -> str:
    """A digest of the primitives of a jaxpr and their avals, in order; it does not depend on constants."""
    inner = opened(jaxpr)
    lines = [",".join(str(var.aval) for var in inner.invars)]
    for equation in inner.eqns[:2000]:
        lines.append(f"{equation.primitive.name} {','.join(str(var.aval) for var in equation.outvars)}")
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=6).hexdigest()


def input_avals(jaxpr: Any) -> list[Any]:
    """The avals of the inputs of a jaxpr."""
    return [] if jaxpr is None else [var.aval for var in opened(jaxpr).invars]


def named_inputs(jaxpr: Any) -> list[tuple[str, Any]]:
    """The arguments that a jaxpr was traced with, as (path, aval) pairs; without values of the functions around it."""
    info, avals = getattr(opened(jaxpr), "debug_info", None), input_avals(jaxpr)
    names = tuple(getattr(info, "arg_names", None) or ())
    return [(name, aval) for name, aval in zip(names, avals, strict=True) if name] if len(names) == len(avals) else []


def source_info_of(jaxpr: Any) -> str:
    """The function that a jaxpr was traced from, as JAX writes it ("step at train.py:12"); "" if it is unknown."""
    info = getattr(opened(jaxpr), "debug_info", None) if jaxpr is not None else None
    return str(getattr(info, "func_src_info", "") or "")


class EquationFacts(NamedTuple):
    """One equation. `stack` is its name stack, `label` the name of the function it calls, if any, and `times` how often
    its inner programs run, 0 if that is unknown."""

    primitive: str
    inputs: list[Any]
    outputs: list[Any]
    traceback: Any
    stack: Any
    label: str
    times: int
    programs: list[tuple[str, Any]]


def constant_values(jaxpr: Any) -> list[Any]:
    """The constants of a jaxpr, in order; JAX holds a view of a NumPy array."""
    return [_unwrapped(value) for value in getattr(jaxpr, "consts", None) or ()]


def _unwrapped(value: Any) -> Any:
    return value.val if type(value) in _WRAPPED else value


def equation_facts(equation: Any) -> EquationFacts:
    """The facts of an equation, without its parameters."""
    info, params = equation.source_info, equation.params
    label, length = params.get("name"), params.get("length")
    return EquationFacts(
        equation.primitive.name,
        equation.invars,
        equation.outvars,
        info.traceback,
        info.name_stack,
        label if type(label) is str else "",
        length if type(length) is int and equation.primitive.name == "scan" else 0,
        inner_programs(params),
    )


def inner_programs(params: dict[str, Any]) -> list[tuple[str, Any]]:
    """The jaxprs among the parameters of an equation, as (parameter, jaxpr) pairs."""
    programs = []
    for name, value in params.items():
        kind = type(value)
        if kind in JAXPR_TYPES:
            programs.append((name, value))
        elif (kind is tuple or kind is list) and all(type(part) in JAXPR_TYPES for part in value):
            programs += [(name, part) for part in value]
    return programs


def raw_frames(traceback: Any) -> list[tuple[CodeType, int]]:
    """The frames of an equation's traceback, outermost first, as (code, offset of the instruction) pairs. They begin
    where the trace of the equation's jaxpr begins. Up to jax 0.8 a traceback begins with the program."""
    if traceback is None:
        return []
    frames = list(zip(*(part[::-1] for part in traceback.raw_frames()), strict=True))
    if _IS_CUT:
        return frames
    traces = [index for index, (code, _) in enumerate(frames) if code.co_name == "trace_to_jaxpr_dynamic"]
    return frames[traces[-1] + 1 :] if traces else frames


def code_place(code: CodeType, offset: int) -> tuple[int, int, int, int]:
    """(line, column, last line, last column) of an instruction; columns count bytes from 0."""
    place: tuple[int, int, int, int] = _source_info_util.raw_frame_to_frame(code, offset)[2:]
    return place


def aval_text(aval: Any) -> str:
    """An aval as JAX writes it: "f32[3]"."""
    return str(aval.str_short(short_dtypes=True)) if hasattr(aval, "str_short") else str(aval)


def aval_nbytes(aval: Any) -> int:
    """The bytes of an array; 0 for what has no shape or no fixed size."""
    shape = getattr(aval, "shape", ())
    is_fixed = all(type(length) is int for length in shape)
    return math.prod(shape) * int(getattr(getattr(aval, "dtype", None), "itemsize", 0) or 0) if is_fixed else 0


def literal_text(atom: Any) -> str:
    """The value of a literal if it is a scalar, else its aval."""
    value: Any = _unwrapped(getattr(atom, "val", None))
    shape = getattr(value, "shape", ())
    if value is None or shape:
        return aval_text(atom.aval)
    # JAX's subclasses of these numbers print their type and dtype as well.
    kind = next((kind for kind in (bool, int, float, complex) if isinstance(value, kind)), None)
    return str(value if kind is None else kind(value))


def module_bytecode(module: Any) -> bytes:
    """A StableHLO module as MLIR bytecode, which takes a tenth of the time of writing its text."""
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return written.getvalue()


def stablehlo_text(bytecode: bytes, *, has_locations: bool = True) -> str:
    """The text of a StableHLO module that was written as bytecode."""
    with _mlir.make_ir_context():
        return module_text(_ir.Module.parse(bytecode), has_locations=has_locations)


def module_text(module: Any, *, has_locations: bool = True) -> str:
    """The text of a StableHLO module, with the locations of its operations, which take more than half of it. Constants
    of many elements are named by a digest: "dense_resource<array_1f3c...>"."""
    whole = module.operation
    text = str(whole.get_asm(enable_debug_info=has_locations, large_elements_limit=_MOST_ELEMENTS))
    if _ELIDED not in text:
        return text
    names = [hashlib.sha256(data).hexdigest()[:32] for data in _large_constants(whole)]  # in hardware, where it is
    if text.count(_ELIDED) != len(names):  # something else is large
        return str(whole.get_asm(enable_debug_info=has_locations))
    parts = zip(text.split(_ELIDED), (*(f"<array_{name}>" for name in names), ""), strict=True)
    return "".join(chain.from_iterable(parts))


def constants_nbytes(module: Any) -> int:
    """The bytes of the constants that `stablehlo_text` names; those without a buffer count as written."""
    return sum(memoryview(data).nbytes for data in _large_constants(module.operation))


def _large_constants(operation: Any) -> Iterator[Any]:
    """The data of those inside an operation, in the order of its text."""
    for inner in (inner for region in operation.regions for block in region for inner in block):
        yield from _large_constants(inner.operation)
    if operation.name != "stablehlo.constant" or math.prod(operation.results[0].type.shape) <= _MOST_ELEMENTS:
        return
    if str(operation.results[0].type.element_type) not in _WITH_BUFFER:
        if written := str(operation).partition('"0x')[2]:  # an array of equal numbers is written as one number
            yield written.encode()
    elif not (value := operation.attributes["value"]).is_splat:
        yield memoryview(value)


def hlo_cost(client: Any, module: Any) -> dict[str, Any]:
    """XLA's cost estimates for an optimised module: "flops", "bytes accessed" and more."""
    estimates: dict[str, Any] = _jaxlib.hlo_module_cost_analysis(client, module)
    return estimates
