"""How often each Python loop turned and each line called a function while a program was traced, as the order of its
equations shows.

In: the equations of a program in order, each as the frames of its traceback.  Out: `LoopRun`s and `CallRun`s.
Must never: add up what is nested, or take the calls that C makes (`sum`, `map`) or the leaves of a tree for turns.

Two equations follow each other. As far as their frames are equal, the same calls are running. At the first frame that
differs, either its instruction leads from the one to the other, or a loop around both went back, or the function
returned and was called again; then the same question is asked of its caller. Where nothing but an inner loop makes
equations, nobody can tell its turns from those of the loop around it: then the outer loop is named with the inner one.

A trace that JAX made once and put in several times, as `jax.checkpoint` does, has the same tracebacks each time.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from inspect import CO_GENERATOR
from itertools import groupby
from operator import itemgetter
from types import CodeType
from typing import NamedTuple, TypeAlias

from ...jaxcompat.jax_frames import is_operator
from ..control_flow import LoopCode, instruction_at, is_call, leads, loops_of

Frame: TypeAlias = tuple[CodeType, int]  # a code object, and the offset of its instruction
NONE = -1


class LoopRun(NamedTuple):
    """A loop below one chain of callers, the outermost first. `offsets` are the instructions in it that lead to
    equations, `turns` how often it turned, for each time that it was entered; `around` are the loops outside it that
    have no equations of their own, and their code."""

    callers: tuple[Frame, ...]
    code: CodeType
    loop: LoopCode
    offsets: tuple[int, ...]
    turns: tuple[int, ...]
    around: tuple[tuple[CodeType, LoopCode], ...]


class CallRun(NamedTuple):
    """What one line calls below one chain of callers, the outermost first, and how often, if more than once."""

    callers: tuple[Frame, ...]
    code: CodeType
    calls: int


class Runs(NamedTuple):
    """Of one program."""

    loops: list[LoopRun]
    calls: list[CallRun]


@dataclass
class _Level:
    """A call that runs: the node of its caller, its instruction, the loops around it with their turns, and generators
    that wait below it."""

    caller: int
    code: CodeType
    offset: int
    turns: dict[LoopCode, int] = field(default_factory=dict)  # outer loops first
    waiting: "dict[tuple[int, int], _Level]" = field(default_factory=dict)


class TracedEquation(NamedTuple):
    """An equation: the frames of its traceback, outermost first, its primitive, and the address of the traceback."""

    frames: Sequence[Frame]
    primitive: str
    traceback: int


def count_turns(equations: Iterable[TracedEquation]) -> Runs:
    """Count the turns and the calls in a program."""
    by_root: defaultdict[CodeType, list[TracedEquation]] = defaultdict(list)
    for equation in equations:
        if equation.frames:
            by_root[equation.frames[0][0]].append(equation)
    traces = [_count(some) for some in by_root.values()]
    return Runs([run for trace in traces for run in trace.loops()], [run for trace in traces for run in trace.calls()])


def _count(equations: Sequence[TracedEquation]) -> "_Trace":
    trace = _Trace()
    times = [
        list(_stretches((trace.nodes_of(equation.frames), equation.primitive) for equation in some))
        for some in _once(equations)
    ]
    for stretches in times:
        for nodes, often in stretches:
            for _ in range(often):
                trace.follow(nodes)
        trace.end()
    return trace


def _once(equations: Sequence[TracedEquation]) -> Iterator[Sequence[TracedEquation]]:
    """The equations that were written once, and those of each time that a trace was put in: one that comes again begins
    another. In JAX 0.7 both have the frames of the caller."""
    begins = Counter(traceback for traceback, _ in groupby(equation.traceback for equation in equations))
    put_in = [equation for equation in equations if begins[equation.traceback] > 1]
    yield [equation for equation in equations if begins[equation.traceback] == 1]
    begin, seen = 0, set[int]()
    for place, equation in enumerate(put_in):
        if equation.traceback in seen and equation.traceback != put_in[place - 1].traceback:
            yield put_in[begin:place]
            begin, seen = place, set()
        seen.add(equation.traceback)
    yield put_in[begin:]


def _stretches(equations: Iterable[tuple[tuple[int, ...], str]]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Equations of equal frames that follow each other, and how often their sequence repeats: what JAX puts in place of
    one call ("reduce_sum, div") has equal frames too."""
    for nodes, group in groupby(equations, key=itemgetter(0)):
        yield nodes, _times([name for _, name in group])


def _times(names: Sequence[str]) -> int:
    n = len(names)
    lengths = (length for length in range(1, n + 1) if n % length == 0)
    return next(n // length for length in lengths if names[length:] == names[:-length])


class _Trace:
    """Frames are numbered as nodes of a tree: those of a chain are its frames, from the outermost on."""

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self._at: tuple[int, ...] = ()
        self._nodes: list[tuple[int, CodeType, int]] = []  # parent, code, where the instruction begins
        self._frames: list[Frame] = []  # of the nodes
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._seen: defaultdict[tuple[int, CodeType], set[int]] = defaultdict(set)  # offsets of a code below a node
        self._entered: defaultdict[tuple[int, CodeType, LoopCode], list[int]] = defaultdict(list)
        self._called = Counter[tuple[int, CodeType]]()  # since the last end
        self._calls = Counter[tuple[int, CodeType]]()  # at most, between two ends

    def nodes_of(self, frames: Sequence[Frame]) -> tuple[int, ...]:
        nodes, parent = [], NONE
        for code, offset in frames:
            key = parent, id(code), offset
            number = self._numbers.get(key)
            if number is None:
                number = self._numbers[key] = len(self._nodes)
                start = instruction_at(code, offset)
                self._nodes.append((parent, code, start))
                self._frames.append((code, offset))
                self._seen[parent, code].add(start)
            nodes.append(number)
            parent = number
        return tuple(nodes)

    def follow(self, nodes: tuple[int, ...]) -> None:
        """Go on to the next equation."""
        before = self._at
        same = next((depth for depth, (one, other) in enumerate(zip(before, nodes, strict=False)) if one != other), -1)
        if same < 0:
            same = min(len(before), len(nodes))
            if before == nodes:
                same = self._run_again(same - 1) + 1
        else:
            self._leave(same + 1)
            same = self._turn_off(same, *self._nodes[nodes[same]][1:])
        self._leave(same)
        for node in nodes[same:]:
            self._enter(*self._nodes[node])
        self._at = nodes

    def end(self) -> None:
        """Nothing of it runs any more."""
        self._leave(0)
        self._at = ()
        self._calls |= self._called
        self._called.clear()

    def _turn_off(self, depth: int, code: CodeType, offset: int) -> int:
        """The first difference is at this depth: how many levels go on running."""
        level = self._levels[depth]
        if level.code is code:
            return depth + 1 if self._move(level, offset) else self._run_again(depth - 1) + 1
        in_c = any(one.co_flags & CO_GENERATOR or is_operator(one) for one in (level.code, code))
        return depth if in_c or not depth else self._run_again(depth - 1) + 1

    def _move(self, level: _Level, offset: int) -> bool:
        """Go to another instruction of a call; False if it must have been called again."""
        if not leads(level.code, level.offset, offset, is_forward=True):
            around = [loop for loop in level.turns if loop.holds(offset)]
            if not around:
                return False
            self._turn(level, around[-1])
        level.offset = offset
        self._stand(level)
        return True

    def _run_again(self, depth: int) -> int:
        """The instruction at this depth ran once more: the depth of the innermost call that goes on running."""
        for at in range(depth, -1, -1):
            level = self._levels[at]
            others = self._seen[level.caller, level.code] - {level.offset}
            callee = self._levels[at + 1].code if at + 1 < len(self._levels) else None
            if callee is not None and is_operator(callee) and is_call(level.code, level.offset):
                return at  # such as `sum`
            if level.turns and leads(level.code, level.offset, level.offset, others):
                self._leave(at + 1)
                self._turn(level, list(level.turns)[-1])
                self._stand(level)
                return at
            if not leads(level.code, 0, level.offset, others):
                return at  # such as `map`
        return -1

    def _turn(self, level: _Level, loop: LoopCode) -> None:
        self._close(level, [inner for inner in level.turns if inner.first > loop.first])
        level.turns[loop] += 1
        for key in [key for key in level.waiting if loop.holds(key[1]) and key[1] != loop.first]:
            self._end(level.waiting.pop(key))  # the next turn makes a generator of its own

    def _stand(self, level: _Level) -> None:
        """Close the loops that it left, and begin those that it entered."""
        self._close(level, [loop for loop in level.turns if not loop.holds(level.offset)])
        for loop in loops_of(level.code):
            if loop.holds(level.offset):
                level.turns.setdefault(loop, 1)

    def _close(self, level: _Level, loops: Iterable[LoopCode]) -> None:
        for loop in loops:
            self._entered[level.caller, level.code, loop].append(level.turns.pop(loop))

    def _leave(self, depth: int) -> None:
        """Leave the calls from this depth on; generators wait."""
        while len(self._levels) > depth:
            level = self._levels.pop()
            if level.code.co_flags & CO_GENERATOR and self._levels:
                above = self._levels[-1]
                above.waiting[id(level.code), self._nodes[level.caller][2]] = level
            else:
                self._end(level)

    def _end(self, level: _Level) -> None:
        self._close(level, list(level.turns))
        for waiting in level.waiting.values():
            self._end(waiting)

    def _enter(self, caller: int, code: CodeType, offset: int) -> None:
        above = self._levels[-1] if self._levels else None
        level = above.waiting.pop((id(code), above.offset), None) if above is not None else None
        if level is None:
            level = _Level(caller, code, offset)
            self._called[caller, code] += 1
            self._stand(level)
        elif level.offset != offset:
            self._move(level, offset)
        elif level.turns:
            self._turn(level, list(level.turns)[-1])
        self._levels.append(level)

    def calls(self) -> Iterator[CallRun]:
        """What was called more than once."""
        for (caller, code), calls in self._calls.items():
            if calls > 1 and caller != NONE:
                yield CallRun(self._chain(caller), code, calls)

    def loops(self) -> Iterator[LoopRun]:
        """The loops that turned more than once."""
        for (caller, code, loop), turns in self._entered.items():
            if max(turns) > 1:
                below = zip(self._nodes, self._frames, strict=True)
                inside = [at for node, (_, at) in below if node[:2] == (caller, code) and loop.holds(node[2])]
                around = tuple(self._around(caller, code, loop))
                yield LoopRun(self._chain(caller), code, loop, tuple(inside), tuple(turns), around)

    def _chain(self, node: int) -> tuple[Frame, ...]:
        return () if node == NONE else (*self._chain(self._nodes[node][0]), self._frames[node])

    def _around(self, caller: int, code: CodeType, inner: LoopCode) -> Iterator[tuple[CodeType, LoopCode]]:
        """The loops outside it that have no equations of their own, innermost first."""
        while True:
            for outer in reversed(loops_of(code)):
                inside = list(filter(outer.holds, self._seen[caller, code]))
                if outer.first < inner.first and inner.last <= outer.last and all(map(inner.holds, inside)):
                    yield code, outer
                    inner = outer
            if caller == NONE or not all(map(inner.holds, self._seen[caller, code])):
                return
            caller, code, offset = self._nodes[caller]
            inner = LoopCode(offset, offset, 0)
