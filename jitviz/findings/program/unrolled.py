"""Lines that ran repeatedly while a function was traced, and what to do about them.

In: equations with their stacks, and the saved source.  Out: `Unrolled`.
Must never: guess. A line counts as repeated only if it is in a loop of the source, or was called from one, and the
equations below it occur in equal numbers.

A loop of n iterations creates each of its equations n times. So n is the greatest number that divides how often
equations of one kind (the same call stack, primitive and avals) occur, for kinds that are at least 80 % of the
equations. Only equations of the forward pass count, since a gradient adds more of each.

There is advice for a loop of at least 4 iterations that creates at least 200 equations and 30 % of the program. A
comprehension, or a loop that carries nothing to its next iteration, usually goes over leaves as `jax.tree.map` does,
and counts only if each iteration creates at least 10 equations. Loops inside a reported loop are not reported.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from ...jaxcompat.texts.names import BACKWARD
from ...model import Compile, root_of, shortened
from .jaxpr import Equation
from .places import NOWHERE, Places
from .source_loops import Loop, find_loops

LEAST_TURNS = 4
LEAST_EQUATIONS = 200
LEAST_SHARE = 0.3
LEAST_BODY = 10
_ENOUGH = 0.8
_LIBRARY = "library"  # kind of a loop in a library
_MOST_ADVICE = 3
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w.(])")


@dataclass(frozen=True)
class SourceBlock:
    """A stretch of a Python file, or of a cell."""

    file: int  # position in `Links.files`, its number in the places
    first: int  # number of its first line
    text: str  # its lines


@dataclass(frozen=True)
class UnrolledLoop:
    """A loop that created much of a program: where, how many equations in how many iterations. `line` is the line to
    show, `inner` that of a loop in it whose iterations are counted (0 if there is none), and `lines` are the first and
    the last line of the loop."""

    file: int
    line: int
    n_made: int
    n_equations: int
    turns: int
    lines: tuple[int, int]
    source: Loop
    inner: int = 0


@dataclass(frozen=True)
class Unrolled:
    """How often lines ran, by (file, line), if more than once; and the loops that should not be unrolled, those with
    the most equations first."""

    repeats: dict[tuple[int, int], int]
    loops: tuple[UnrolledLoop, ...]


class _Run(NamedTuple):
    """One run of a loop: the stack of its function's caller, and the loop in its file."""

    outer: int
    file: int
    loop: Loop


_RunsByStack: TypeAlias = dict[int, list[tuple[_Run, int]]]  # stack -> its loops, each with the place of its frame


def find_unrolled(
    sources: Sequence[SourceBlock],
    places: Places,
    equations: Sequence[Equation],
    n_equations: int,
    *,
    is_cut: bool,
    of_libraries: Mapping[int, int] = MappingProxyType({}),
) -> Unrolled:
    """Find unrolled loops in the source of a program of `n_equations`; with `is_cut` there were more equations. Of
    libraries there is no source: `of_libraries` has the line of the loop around a frame."""
    loops: dict[int, list[Loop]] = defaultdict(list)
    for block in sources:
        loops[block.file] += find_loops(block.text, block.first)
    runs = _runs_by_stack(places, loops, of_libraries)
    below: dict[_Run, list[Equation]] = defaultdict(list)
    for equation in equations:
        for run in {run for run, _ in runs.get(equation.stack, ())}:
            below[run].append(equation)
    turns = {run: count_turns(inside, is_cut=is_cut) for run, inside in below.items()}
    return Unrolled(_repeats(places, runs, turns), tuple(_advise(places, runs, below, turns, n_equations)))


def _runs_by_stack(places: Places, loops: dict[int, list[Loop]], of_libraries: Mapping[int, int]) -> _RunsByStack:
    """For each stack the loops that it runs in, outermost first, with the index of the frame inside each loop."""
    standing: list[list[Loop]] = [
        [loop for loop in loops.get(frame.file, ()) if loop.holds(frame.line, frame.column)] for frame in places.frames
    ]
    for at, line in of_libraries.items():
        standing[at].append(Loop(_LIBRARY, line, (line, 0), (line, 0), "", ()))
    runs: _RunsByStack = {}
    for stack in range(len(places)):
        chain = places.chain(stack)
        inside = [
            (_Run(places.join(NOWHERE, chain[:depth]) if depth else NOWHERE, places.frames[number].file, loop), depth)
            for depth, number in enumerate(chain)
            for loop in standing[number]
        ]
        if inside:
            runs[stack] = inside
    return runs


def count_turns(equations: Iterable[Equation], *, is_cut: bool = False) -> int:
    """How many iterations created these equations; 1 if they do not occur in equal numbers. With `is_cut`, the last
    iteration may be incomplete, and does not count."""
    equations = list(equations)
    forward = [equation for equation in equations if equation.direction != BACKWARD] or equations
    kinds = Counter((one.stack, one.primitive, one.avals) for one in forward)
    for number in sorted(set(kinds.values()), reverse=True):
        whole = [count for count in kinds.values() if count % number <= (count // number if is_cut else 0)]
        if sum(whole) >= _ENOUGH * len(forward):
            return number
    return 1


def _repeats(places: Places, runs: _RunsByStack, turns: dict[_Run, int]) -> dict[tuple[int, int], int]:
    """How often each line ran: as often as the innermost loop around it, summed over all calls of its function."""
    by_call: dict[tuple[tuple[int, int], tuple[int, ...]], int] = {}
    for stack, inside in runs.items():
        chain = places.chain(stack)
        seen: set[tuple[int, int]] = set()
        for depth, number in enumerate(chain):
            line = places.line(number)
            if line in seen:  # its own comprehension, or a recursion
                continue
            seen.add(line)
            often = max((turns.get(run, 1) for run, at in inside if at <= depth), default=1)
            key = (line, chain[:depth])
            by_call[key] = max(by_call.get(key, 1), often)
    repeats: Counter[tuple[int, int]] = Counter()
    for (line, _), often in by_call.items():
        repeats[line] += often
    return {line: often for line, often in repeats.items() if often > 1}


def _advise(
    places: Places, runs: _RunsByStack, below: dict[_Run, list[Equation]], turns: dict[_Run, int], n_equations: int
) -> Iterable[UnrolledLoop]:
    made = {run: [one for one in inside if not one.is_repeat] for run, inside in below.items()}
    reported: set[_Run] = set()
    for run in sorted(made, key=lambda run: (-len(made[run]), run.loop.start)):
        n_made, often = len(made[run]), turns[run]
        is_work = run.loop.carried or run.loop.kind == "while" or n_made >= LEAST_BODY * often
        is_large = often >= LEAST_TURNS and n_made >= max(LEAST_EQUATIONS, LEAST_SHARE * n_equations)
        if len(reported) == _MOST_ADVICE or not is_large or not is_work:
            continue
        if any(other in reported for stack in {one.stack for one in made[run]} for other, _ in runs[stack]):
            continue
        reported.add(run)
        inside = [
            one
            for one in made
            if one[:2] == run[:2] and run.loop.start < one.loop.start and one.loop.end <= run.loop.end
            if turns[one] == often and len(made[one]) >= _ENOUGH * n_made
        ]
        inner = max((one.loop.line for one in inside), default=0)
        line = _heaviest_line(places, runs, run, made[run])
        lines = run.loop.line, run.loop.end[0]
        yield UnrolledLoop(run.file, line, n_made, n_equations, often, lines, run.loop, inner)


def _heaviest_line(places: Places, runs: _RunsByStack, run: _Run, made: Sequence[Equation]) -> int:
    """The line in the loop's body that creates nearly all of its equations, or else the line of the loop."""
    lines: Counter[int] = Counter()
    for one in made:
        depth = next(depth for other, depth in runs[one.stack] if other == run)
        lines[places.line(places.chain(one.stack)[depth])[1]] += 1
    line, heaviest = lines.most_common(1)[0]
    return line if heaviest >= _ENOUGH * len(made) else run.loop.line


def advise_on(loop: UnrolledLoop, row: Compile) -> str:
    """What to do about a loop in the program of a version, in the words of what jitted it."""
    signature, over = row.signature, loop.source.over
    if loop.source.kind == _LIBRARY:
        names = [leaf.path for leaf in signature.static if leaf.repr == str(loop.turns)]
        the = f"`{names[0]}` is {loop.turns:,}: the" if names else "The"
        return (
            f"{the} library loops in Python while `{row.function}` is traced, at {row.source}. Use what it offers "
            "that loops with `jax.lax.scan`, or jit fewer iterations and call that in a loop."
        )
    traced = {root_of(leaf.path) for leaf in signature.traced}
    static = {root_of(leaf.path) for leaf in signature.static} - traced
    sizes = next((name for name in _NAME.findall(over) if name in static), "") if not over.startswith("range(") else ""
    if sizes or loop.source.index:
        what = f"{_code(sizes)} is static" if sizes else f"The index {_code(loop.source.index)} is used in Python"
        return (
            f"{what}, so the iterations may differ, and `jax.lax.scan` needs them to be alike: pad them to one shape "
            "and mask, or jit the body and call it in a Python loop, outside the jitted function."
        )
    advice = _tell_advice(loop.source, loop.turns)
    if loop.inner:
        advice += (
            f" Do the same with the loop inside it, at line {loop.inner}: its bounds may depend on the outer index."
        )
    if row.function_info.api.startswith("nnx."):
        return re.sub(r"`jax\.lax\.(scan|fori_loop|while_loop)`|`jax\.(vmap)`", r"`nnx.\1\2`", advice)
    if row.function_info.wrapper.is_static_by_leaf and "`jax.lax.scan`" in advice:
        return f"{advice} Of modules, scan over the arrays that `eqx.partition(module, eqx.is_array)` gives."
    return advice


def _tell_advice(loop: Loop, often: int) -> str:
    carry = f" with {_code(', '.join(loop.carried))} as the carry" if loop.carried else ""
    once = f"so that the body is traced once instead of {often:,} times"
    if loop.kind == "while":
        return f"Use `jax.lax.while_loop`{carry}, or `jax.lax.fori_loop` if the number of iterations is known, {once}."
    returned = f" Return what goes into {_code(', '.join(loop.collected))} as the second result of the body."
    returned *= bool(loop.collected)
    if loop.over.startswith("range("):
        if loop.collected:
            return f"Use `jax.lax.scan` over {_code(f'jnp.a{loop.over}')}{carry}, {once}.{returned}"
        return (
            f"Use `jax.lax.fori_loop`{carry}, {once}. If each iteration has its own parameters, stack them along a new "
            "first axis and use `jax.lax.scan`."
        )
    over, it = _code(loop.over), "it"
    if not loop.over:
        over, it = "the values that the loop iterates over, such as parameters,", "them"
    means = "`jax.lax.map` or `jax.vmap`" if loop.kind == "comprehension" else "`jax.lax.scan`"
    return f"Stack {over} along a new first axis and run {means} over {it}{carry}, {once}.{returned}"


def _code(text: str) -> str:
    return f"`{shortened(text)}`"
