"""What one compiled version costs, and what lowering did to its inputs and outputs.

In: a `Recording` and the number of a compile.  Out: `ProgramFacts`.
Must never: give a cause that the recording does not show; where several are possible it says what is known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...model import Compile, Cost, Leaf
from ...reasons.totals import has_compiled
from ..cost import tell_flops, tell_intensity, tell_moved
from ..limits import PANEL
from ..schema import ConstantView, LostInput, ProgramFacts
from ..words import aval, plain, plain_path, size
from .alike import alike, group_alike
from .ends import leaves_of_inputs, leaves_of_outputs
from .jaxpr import Print, print_of
from .moved import size_of
from .texts import compile_of, located

if TYPE_CHECKING:
    from ...recording import Recording

# From here on, constants that are part of a program are worth a warning: each version has its own copy of them.
LARGE_NBYTES = 1_000_000
_MOST_CONSTANTS = 20
_MOST_NAMED = 3


def shape_facts(recording: Recording, compile: int) -> ProgramFacts:
    """Say what is known of a compiled version as a whole.

    Raises:
        LookupError: there is no such compile; the message is a sentence for people.
    """
    row = compile_of(recording, compile)
    program: dict[str, Any] = json.loads(located(recording, compile, "equations") or "{}")
    constants = sorted(_constants(program, set()), key=lambda one: -one.nbytes)
    nbytes = sum(one.nbytes for one in constants)
    inputs, outputs = row.signature.traced, [leaf for leaf in row.outputs if leaf.role == "traced"]
    forwarded = dict(_forwarded(program, leaves_of_inputs(row, program), leaves_of_outputs(row, program)))
    cost = row.cost or Cost()
    is_compiled = bool(row.phases) and has_compiled(row)
    return ProgramFacts(
        flops=tell_flops(cost),
        moved=tell_moved(cost),
        intensity=tell_intensity(cost),
        memory=row.memory,
        constants=tuple(constants[:_MOST_CONSTANTS]),
        n_more_constants=max(0, len(constants) - _MOST_CONSTANTS),
        constant_nbytes=nbytes,
        donated=alike(_path(leaf) for leaf in inputs if leaf.donated),
        reused=alike(plain_path(path, PANEL.sentence_chars) for path in row.reused),
        not_reused=_together(_not_reused(row, outputs)) if is_compiled else (),
        dropped=_together(_dropped(row, set(forwarded.values()))),
        forwarded=alike(f"{output} is {given}" for output, given in forwarded.items()),
        static_outputs=alike(_path(leaf) for leaf in row.outputs if leaf.role == "static"),
        warnings=tuple(_warn(constants, nbytes)),
    )


def _constants(program: dict[str, Any], told: set[Print]) -> Iterator[ConstantView]:
    """The arrays of a program and of those inside it; a program that several equations run has them once."""
    printed = print_of(program)
    if printed in told:
        return
    if printed:
        told.add(printed)
    for _, kind, name in program.get("constants", ()):
        yield ConstantView(plain(name, PANEL.name_chars), plain(kind, PANEL.name_chars), int(size_of(kind)))
    for equation in program.get("equations", ()):
        for _, inner in equation.get("programs", ()):
            yield from _constants(inner, told)


def _warn(constants: list[ConstantView], nbytes: int) -> Iterator[str]:
    if nbytes <= LARGE_NBYTES:
        return
    named = [one for one in constants if one.name][:_MOST_NAMED]
    arrays = ", ".join(f"`{one.name}` ({one.aval}, {size(one.nbytes)})" for one in named)
    largest = constants[0]
    told = f": {arrays}" if named else f", the largest of them {largest.aval} ({size(largest.nbytes)})"
    which = "it" if len(constants) == 1 else "them"
    yield (
        f"Closed-over arrays of {size(nbytes)} are part of the program{told}. Every version holds a copy, and "
        f"compiling takes longer; pass {which} as {'an argument' if which == 'it' else 'arguments'} instead."
    )


def _forwarded(
    program: dict[str, Any], inputs: list[Leaf | None], outputs: list[Leaf | None]
) -> Iterator[tuple[str, str]]:
    """Outputs that are returned unchanged, with those inputs, by path."""
    given = {name: leaf for (name, _), leaf in zip(program.get("inputs", ()), inputs, strict=True)}
    for name, leaf in zip(program.get("outputs", ()), outputs, strict=True):
        source = given.get(name)
        if leaf is not None and source is not None:
            yield _path(leaf), _path(source)


def _together(inputs: Iterable[LostInput]) -> tuple[LostInput, ...]:
    rows = group_alike((one.path, (one.aval, one.why)) for one in inputs)
    return tuple(LostInput(path, *more, count) for more, path, count in rows)


def _dropped(row: Compile, forwarded: set[str]) -> Iterator[LostInput]:
    dropped = set(row.dropped)
    for leaf in row.signature.traced:
        if leaf.path in dropped:
            path = _path(leaf)
            why = "returned as an output without being read" if path in forwarded else "no output depends on its value"
            yield LostInput(path, aval(leaf.dtype, leaf.shape), why)


def _not_reused(row: Compile, outputs: list[Leaf]) -> Iterator[LostInput]:
    """Donated inputs whose buffers became no output."""
    reused, dropped = set(row.reused), set(row.dropped)
    donated = [leaf for leaf in row.signature.traced if leaf.donated]
    taken = Counter((leaf.dtype, leaf.shape) for leaf in donated if leaf.path in reused)
    for leaf in donated:
        if leaf.path not in reused:
            fitting = [one for one in outputs if (one.dtype, one.shape) == (leaf.dtype, leaf.shape)]
            n_left = len(fitting) - taken[leaf.dtype, leaf.shape]
            why = _why_not(leaf, fitting, n_left, is_dropped=leaf.path in dropped)
            yield LostInput(_path(leaf), aval(leaf.dtype, leaf.shape), why)


def _why_not(leaf: Leaf, fitting: list[Leaf], n_left: int, *, is_dropped: bool) -> str:
    if is_dropped:
        return "the program does not use it, so JAX never passed it"
    if not fitting:
        return "no output has its shape and dtype"
    if n_left <= 0:
        return "every output of its shape and dtype reuses the buffer of another donated input"
    if leaf.sharding and all(one.sharding and one.sharding != leaf.sharding for one in fitting):
        return f"outputs of its shape and dtype lie elsewhere: {fitting[0].sharding}, not {leaf.sharding}"
    return "an output has its shape and dtype, but the backend did not reuse the buffer"


def _path(leaf: Leaf) -> str:
    return plain_path(leaf.path, PANEL.sentence_chars)
