"""What stands in a program many times: turns of a Python loop that was unrolled, branches that are alike, calls of a
recursion or of any function.

In: equations with their stacks, the turns that were counted while they were traced, and the saved source.
Out: `Unrolled`.
Must never: add up what is nested; the turns of a loop are those of each time that it is entered.

A loop is reported if it has at least 4 turns, which make 100 equations and 30 % of them, and its turns are alike: all
but the first of each time give equal shapes. Loops inside a reported loop are not reported. Leaves of a tree, over
which a loop goes by `.items()` or the like, are reported only if each turn makes at least 10 equations. A `switch` is
reported by the same numbers, if that many branches have equal operations, and so is a recursion, if there is no loop,
and calls outside of what is reported. Nested jits count as often as they are called: XLA inlines them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from ...jaxcompat.texts.names import BACKWARD, BRANCHES
from ...model import count, listed, split_source
from .calls import ProgramCalls
from .jaxpr import Branches, Equation, alike_branches, chains_of
from .places import NOWHERE, Places
from .recursions import find_recursions
from .source_loops import Loop, find_loops, loop_at

LEAST_TURNS = 4
LEAST_EQUATIONS = 100
LEAST_SHARE = 0.3
LEAST_OF_LEAF = 10  # equations
# What a rewrite leaves: as much as so many turns took, and what a small program takes. The programs that were rewritten
# by hand in `tests/benchmarks/rewrites.py` all saved what this leaves to promise.
_STAYS = 4
_STAYS_S = 0.15
_ENOUGH = 0.8
_MOST_ADVICE = 3
_LEAVES = re.compile(r"\.(items|values|keys)\(\)|\b(leaves|tree_leaves|flatten)\(")
_NO_SOURCE = Loop("", 0, 0, "")
_Line: TypeAlias = tuple[int, int]  # a file, and a line in it
_At: TypeAlias = tuple[int, int, int]  # the file, line and column of a loop


@dataclass(frozen=True)
class SourceBlock:
    """A stretch of a Python file, or of a cell."""

    file: int  # position in `Links.files`, its number in the places
    first: int  # number of its first line
    text: str  # its lines


@dataclass(frozen=True)
class Copies:
    """What made much of a program: a loop that was entered `calls` times, a `switch` or a recursion.

    `lines` are its first and its last one. `loops` has the place of the loop ("t.py:3"), behind those of the loops
    around it that make nothing else, so that their turns cannot be told apart.
    """

    file: int
    lines: tuple[int, int]
    n_made: int
    n_equations: int  # of the program
    n_inlined: tuple[int, int]  # the same two, with each nested jit as often as it is called
    turns: tuple[int, int]  # the fewest and the most of one call; of a `switch`, its branches
    copies: int  # the turns of all calls
    loops: tuple[str, ...] = ()
    calls: int = 1
    source: Loop = _NO_SOURCE
    is_library: bool = False
    has_branches: bool = False  # a `cond` or a `switch` in the loop
    inner: tuple[str, int] = ("", 0)  # the place of a loop inside it that makes most of it, and its turns each time
    inner_carried: tuple[str, ...] = ()  # what the innermost loop carries on, without sums
    is_recursion: bool = False  # its turns are calls inside each other
    function: str = ""  # that was called so often, at the lines of `sites`
    sites: tuple[str, ...] = ()
    inputs: int = 0  # of these calls, those with inputs that no earlier one had
    is_chained: bool = False  # a call takes what an earlier one returned

    def name(self, file: str) -> str:
        """ "The loop at `t.py:3` was", "The loops at `t.py:3` and `t.py:4` were", "The `switch` at `t.py:3` has"."""
        if self.is_recursion:
            return f"The recursion at `{file}:{self.lines[0]}` was"
        if self.function:
            more = f" and {count(len(self.sites) - 1, 'more line')}" if len(self.sites) > 1 else ""
            return f"`{self.function}`, called at `{self.sites[0]}`{more}, was"
        if len(self.loops) > 1:
            return f"The loops at {listed([f'`{place}`' for place in dict.fromkeys(self.loops)])} were"
        return f"The loop at `{self.loops[0]}` was" if self.loops else f"The `switch` at `{file}:{self.lines[0]}` has"

    def tell(self) -> str:
        """ "unrolled into 20 iterations", "unrolled into 20 iterations, 5 times", "60 branches of equal operations"."""
        fewest, most = self.turns
        if self.is_recursion:
            return f"traced {most:,} calls deep"
        if self.function:
            again = self.copies - self.inputs
            of_them = f", {again:,} of them with the inputs of an earlier one"
            return f"called {most:,} times{of_them if again else ' with inputs of equal shapes'}"
        if not self.loops:
            return f"{most:,} branches of equal operations"
        turns = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
        inner = f", in each the loop at `{self.inner[0]}` into {self.inner[1]:,}" if self.inner[0] else ""
        return f"unrolled into {turns} iterations{f', {self.calls:,} times' if self.calls > 1 else ''}{inner}"

    def tell_made(self) -> str:
        """ "40 of 55 equations, 600 of 615 once XLA inlines nested jits"."""
        more = ", {:,} of {:,} once XLA inlines nested jits".format(*self.n_inlined)
        return f"{self.n_made:,} of {self.n_equations:,} equations{more * self._is_of_nested_jits}"

    @property
    def _is_of_nested_jits(self) -> bool:
        return self.n_inlined[0] >= 2 * self.n_made

    def seconds_of(self, traced_s: float, compiled_s: float) -> float:
        """Its share of the seconds of tracing and lowering, which nested jits take once, and of those of XLA."""
        made, of = self.n_inlined
        return traced_s * self.n_made / self.n_equations + compiled_s * made / of

    def saved_s(self, traced_s: float, compiled_s: float, n_compiles: int) -> float:
        """What writing it otherwise saves at least, of the seconds of some compiles. How much of XLA's time goes into
        copies of nested jits, and into calls, differs too much from program to program: nothing is promised of them."""
        if self.function or self._is_of_nested_jits:
            return 0.0
        turns = self.copies * max(1, self.inner[1])  # of the loop inside it too
        saved_s = self.seconds_of(traced_s, compiled_s) * (1 - _STAYS * self.calls / turns)
        return max(0.0, saved_s - n_compiles * _STAYS_S)


@dataclass(frozen=True)
class Unrolled:
    """How often lines ran, by (file, line), if more than once; and what should not be unrolled, those with the most
    equations first."""

    repeats: dict[_Line, int]
    copies: tuple[Copies, ...]


class _Run(NamedTuple):
    """A loop below one chain of callers. `turns` are pairs: turns, and how often it was entered for so many; `around`
    are the loops outside it that make nothing else, outermost first."""

    at: _At
    stack: int
    turns: tuple[tuple[int, int], ...]
    around: tuple[tuple[str, int, int], ...]
    is_library: bool

    @property
    def calls(self) -> int:
        return sum(times for _, times in self.turns)

    @property
    def copies(self) -> int:
        return sum(turns * times for turns, times in self.turns)


_Inside: TypeAlias = dict[int, dict[_At, _Run]]  # by stack, the loops around it, outer ones first


def find_unrolled(
    sources: Sequence[SourceBlock],
    places: Places,
    equations: Sequence[Equation],
    n_equations: int,
    program: dict[str, Any],
) -> Unrolled:
    """Find what stands many times in a program of `n_equations`, of which `program` has the loops."""
    inside = _loops_around(places, program)
    below: dict[_At, list[Equation]] = defaultdict(list)
    for equation in equations:
        for at in inside[equation.stack]:
            below[at].append(equation)
    n_all = n_equations, len(equations)
    found = [*_loops(sources, places, inside, below, n_all), *_switches(places, program, n_all)]
    found = found or list(_recursions(places, program, n_all))
    if not any(copies.is_recursion for copies in found):
        told = {copies.loops[-1] for copies in found if copies.loops}
        found += _called(
            ProgramCalls(program, places, equations),
            places,
            n_all,
            lambda stack: not told.isdisjoint(_told(places, at) for at in inside[stack]),
        )
    found.sort(key=lambda copies: -copies.n_made)
    return Unrolled(_repeats(places, inside, equations), tuple(found[:_MOST_ADVICE]))


def _loops_around(places: Places, program: Mapping[str, Any]) -> _Inside:
    chains, begin = chains_of(program, places), defaultdict[int, list[_Run]](list)
    for row in program.get("loops", ()):
        stacks = [places.join(NOWHERE, chains[at]) for at in row["at"] if chains[at]]
        turns = tuple((turns, times) for turns, times in row["turns"])
        around = tuple((*outer, -1)[:3] for outer in reversed(row["around"]))
        for stack in stacks:
            at = places.line(places.chain(stack)[-1])[0], row["line"], row.get("column", -1)
            begin[stack].append(_Run(at, stacks[0], turns, around, row.get("is_library", False)))
    inside: _Inside = {NOWHERE: {}}
    for stack, outer in enumerate(places.stacks()[1]):
        around_it = inside[stack] = {**inside[outer]}
        for run in reversed(begin[stack]):  # of one function, inner loops ended first
            around_it.setdefault(run.at, run)
    return inside


def _repeats(places: Places, inside: _Inside, equations: Sequence[Equation]) -> dict[_Line, int]:
    """How often each line ran: as often as the innermost loop around it, summed over all calls of its function. What a
    backward pass makes of them are no calls."""
    forward = {equation.stack for equation in equations if equation.direction != BACKWARD} or set(inside)
    for stack, outer in reversed([*enumerate(places.stacks()[1])]):  # callers come first
        forward |= {outer} if stack in forward else set()
    repeats, seen = Counter[_Line](), set[tuple[_Line, int]]()
    for stack, (frame, outer) in enumerate(zip(*places.stacks(), strict=True)):
        line = places.line(frame)
        is_again = (line, outer) in seen or line in map(places.line, places.chain(outer))  # such as a recursion
        if stack in forward and not is_again:
            seen.add((line, outer))
            repeats[line] += max((run.copies for run in inside[stack].values()), default=1)
    return {line: often for line, often in repeats.items() if often > 1}


def _loops(
    sources: Sequence[SourceBlock],
    places: Places,
    inside: _Inside,
    below: Mapping[_At, list[Equation]],
    n_all: tuple[int, int],
) -> Iterator[Copies]:
    reported: set[_At] = set()
    for at, made in sorted(below.items(), key=lambda item: (-len(item[1]), item[0])):
        runs = {inside[equation.stack][at] for equation in made}
        turns = [turns for run in runs for turns, _ in run.turns]
        is_large = _is_large(max(turns), len(made), n_all[1])
        is_inside = any(not reported.isdisjoint(inside[run.stack]) for run in runs)
        if not is_large or is_inside or not _are_alike(at, made, inside):
            continue
        first = min(runs)
        source = _source_of(sources, first)
        inner, n_inner = _inner(at, made, inside)
        written = loop_at(_written(sources, inner[0]), *inner[1:]) or _NO_SOURCE
        copies = sum(run.copies for run in runs)
        if _LEAVES.search(source.over) and len(made) < LEAST_OF_LEAF * copies:
            continue
        reported.add(at)
        yield Copies(
            file=at[0],
            lines=(source.line or at[1], max(at[1], source.end)),
            n_made=sum(not equation.is_repeat for equation in made),
            n_equations=n_all[0],
            n_inlined=(len(made), n_all[1]),
            turns=(min(turns), max(turns)),
            loops=(*(f"{file}:{line}" for file, line, _ in first.around), _told(places, at)),
            calls=sum(run.calls for run in runs),
            copies=copies,
            source=source,
            is_library=first.is_library,
            has_branches=any(equation.primitive == BRANCHES for equation in made),
            inner=(_told(places, inner), n_inner) if n_inner else ("", 0),
            inner_carried=written.carried if written.carried != written.summed else (),
        )


def _told(places: Places, at: _At) -> str:
    return f"{list(places.files)[at[0]]}:{at[1]}"


def _inner(at: _At, made: Sequence[Equation], inside: _Inside) -> tuple[_At, int]:
    """The loop inside another one that makes most of it, and its turns each time; or the other one, and 0."""
    innermost = [[*inside[equation.stack].values()][-1] for equation in made]
    ((inner, most),) = Counter(run.at for run in innermost).most_common(1)
    if inner == at or most < _ENOUGH * len(made):
        return at, 0
    return inner, max(n for run in set(innermost) if run.at == inner for n, _ in run.turns)


def _is_large(n: int, n_made: int, n_equations: int) -> bool:
    return n >= LEAST_TURNS and n_made >= max(LEAST_EQUATIONS, LEAST_SHARE * n_equations)


def _switches(places: Places, program: dict[str, Any], n_all: tuple[int, int]) -> Iterator[Copies]:
    """A gradient makes two of each."""
    found: dict[str, Branches] = {}
    for branches in alike_branches(program, program, set()):
        before = found.get(branches.source, Branches("", 0, 0))
        found[branches.source] = Branches(branches.source, max(before.n, branches.n), before.n_made + branches.n_made)
    for source, n, n_made in found.values():
        file, line = split_source(source)
        if _is_large(n, n_made, n_all[1]):
            yield Copies(places.files[file], (line, line), n_made, n_all[1], (n_made, n_all[1]), (n, n), n)


def _recursions(places: Places, program: dict[str, Any], n_all: tuple[int, int]) -> Iterator[Copies]:
    for file, line, depth, n_made in find_recursions(program, LEAST_TURNS):
        if _is_large(depth, n_made, n_all[0]):
            made, turns = (n_made, n_all[0]), (depth, depth)
            yield Copies(places.files[file], (line, line), *made, made, turns, depth, is_recursion=True)


def _called(
    calls: ProgramCalls, places: Places, n_all: tuple[int, int], is_told: Callable[[int], bool]
) -> Iterator[Copies]:
    """Functions that were called often outside of what was told."""
    for often in calls.find(is_told, lambda n, n_made: _is_large(n, n_made, n_all[1])):
        frames = [places.chain(stack)[-1] for stack in often.sites]
        file, line = places.line(frames[0])
        yield Copies(
            file=file,
            lines=(line, line),
            n_made=sum(not equation.is_repeat for equation in often.made),
            n_equations=n_all[0],
            n_inlined=(len(often.made), n_all[1]),
            turns=(often.calls, often.calls),
            copies=often.calls,
            function=often.name,
            sites=tuple(dict.fromkeys(places.sources[frame] for frame in frames)),
            inputs=often.inputs,
            is_chained=often.is_chained,
        )


def _are_alike(at: _At, made: Sequence[Equation], inside: _Inside) -> bool:
    """Whether nearly all equations come from each turn, but perhaps the first of each call."""
    kinds = Counter(
        (inside[equation.stack][at], equation.stack, equation.primitive, equation.avals) for equation in made
    )
    return sum(n for (run, *_), n in kinds.items() if n >= run.copies - run.calls) >= _ENOUGH * len(made)


def _source_of(sources: Sequence[SourceBlock], run: _Run) -> Loop:
    """The loop as it is written, or the outermost around it that makes nothing else. Where the body of a `while` begins
    is all that is known of some."""
    loops = _written(sources, run.at[0])
    lines = {loop.line for loop in loops}
    at = next((at for _, *at in run.around if at[0] in lines), run.at[1:])
    return loop_at(loops, *at) or _NO_SOURCE


def _written(sources: Sequence[SourceBlock], file: int) -> list[Loop]:
    """The loops of a file as they are written, outer ones first."""
    return [loop for block in sources if block.file == file for loop in find_loops(block.text, block.first)]
