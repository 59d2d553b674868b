"""A jaxpr as JSON, from which graphs, links and counts are made once the jaxpr itself is gone.

In: a jaxpr.  Out: JSON, nested as the jaxpr is.
Must never: keep the jaxpr, a constant, a traceback or a parameter of an equation.

A program is {"trace", "inputs", "constants", "outputs", "equations"}: trace is a number, equal where several equations
run one trace, inputs are [name, aval] pairs, constants [name, aval, the user's name of the array or ""], outputs are
names. An equation is {"primitive", "in": names, "out": [name, aval]
pairs} and optionally

    "at": its call stack, an index into the "stacks" of the outermost program; the stack of an equation in an inner
        program is inside the stack of the equation that runs the program
    "source": "In [3]:4", the user's innermost line in that stack
    "line": the line (from 0) of JAX's own text of the jaxpr on which it begins
    "stack": its name stack, "transpose(jvp(loss))"
    "label": the name of the function that it calls
    "times": how often its inner programs run
    "again": 1 if the same was computed of the same inputs before
    "programs": [[parameter, program], ...]

The outermost program has "frames", [[file, function, line, column, last line, last column], ...], and "stacks",
[[frame, parent], ...]. The parent is the stack outside the frame, -1 if there is none, and comes before its children.
"loops", if any turned more than once while Python traced, has {"at": the stacks that end in its body, "line" and
"column": its own, "turns": [[turns, how often it was entered for so many], ...], "around": [[file, line, column], ...]
of the loops outside it that have no equations of their own, "is_library": true where the code is not the user's}.
"calls" has [the stack that calls, file, function, how often] of what was called there more than once.
"paths" has the leaf of each input if the inputs are not in the order of the leaves of the signature. Lines count from 1
and columns from 0; an unknown column is -1. The name of a literal is its value ("2.0"). Names of variables are unique
in the whole.
"""

import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from inspect import CO_GENERATOR
from types import CodeType
from typing import Any, NamedTuple

from ...jaxcompat import jaxprs
from ...jaxcompat.equal_equations import EqualEquations
from ...jaxcompat.printing import Number
from ...jaxcompat.texts.names import BACKWARD, LOOPS, direction_of
from ..control_flow import loops_of
from ..sources import file_label, frame_owner
from .turns import Frame, LoopRun, TracedEquation, count_turns

FEWEST = 100  # equations that a finding about copies is about
MOST = 200_000  # equations, for which XLA takes minutes; those of a bigger program are left out


class WrittenJaxpr(NamedTuple):
    """The JSON of a jaxpr, and whether the jaxpr has a loop."""

    text: str
    has_loop: bool


def to_json(
    jaxpr: Any, lines: Mapping[int, int], called: Mapping[int, str], stacks: "EquationStacks", paths: Sequence[str] = ()
) -> WrittenJaxpr:
    """Write a whole jaxpr as JSON; programs with more than `MOST` equations in total are marked "is_cut".

    The jaxpr is a copy with a `printing.Number` in place of each traceback. `lines` has the line of the text on which
    each equation begins, by number; `called` the names of closed-over arrays, by the address of the variable. The call
    stacks of the equations are added to `stacks`.
    """
    writer = _JaxprWriter(lines, called, stacks)
    program = writer.program(jaxpr, NONE)
    rows = {"frames": stacks.frames, "stacks": stacks.stacks}
    more = ("paths", paths), ("loops", stacks.loops), ("calls", stacks.calls)
    rows |= {name: known for name, known in more if known}
    text = program[:-1] + "," + json.dumps(rows, separators=(",", ":"))[1:]
    return WrittenJaxpr(text, writer.has_loop)


class _JaxprWriter:
    """Names variables in order of appearance and counts equations.

    It writes JSON text directly: the many small objects of a tree of thousands of equations would cost more than
    everything else, mostly in the garbage collector. The objects known by address live as long as the jaxpr.
    """

    def __init__(self, lines: Mapping[int, int], called: Mapping[int, str], stacks: "EquationStacks") -> None:
        self._lines, self._called, self._stacks = lines, called, stacks
        self._numbers = itertools.count()
        self._left = MOST
        self.has_loop = False
        self._avals: dict[int, str] = {}  # by address, with the bracket that closes a variable
        self._name_stacks: dict[int, str] = {}  # by address, as a field
        self._places: dict[int, str] = {}  # by number of a stack, as two fields
        self._traces: dict[int, int] = {}  # the numbers of programs, by address

    def program(self, jaxpr: Any, outside: int, *, is_backward: bool = False) -> str:
        inner = jaxprs.opened(jaxpr)
        is_new = id(inner) not in self._traces
        trace = self._traces.setdefault(id(inner), len(self._traces))
        names: dict[int, str] = {}
        inputs = ",".join([self._new(names, var) for var in inner.invars])
        called = [(self._new(names, var)[:-1], self._called.get(id(var), "")) for var in inner.constvars]
        constants = ",".join([f"{var},{_quoted(name)}]" for var, name in called])
        kept = inner.eqns[: self._left]
        self._left -= len(kept)
        traced: list[tuple[Any, str]] | None = None if is_backward else []  # a transposition turns the order around
        equal = EqualEquations() if is_new and not is_backward else None
        equations = ",".join([self._equation(equation, names, outside, traced, equal) for equation in kept])
        if is_new and traced:
            self._stacks.add_runs(traced, outside)
        cut = ',"is_cut":true' if len(kept) < len(inner.eqns) else ""
        outputs = self._names(names, inner.outvars)
        variables = f'"inputs":[{inputs}],"constants":[{constants}],"outputs":[{outputs}]'
        return f'{{"trace":{trace},{variables},"equations":[{equations}]{cut}}}'

    def _names(self, names: dict[int, str], atoms: list[Any]) -> str:
        return ",".join([names.get(id(atom)) or _quoted(jaxprs.literal_text(atom)) for atom in atoms])

    def _equation(
        self,
        equation: Any,
        names: dict[int, str],
        outside: int,
        traced: list[tuple[Any, str]] | None,
        equal: EqualEquations | None,
    ) -> str:
        primitive, inputs, outputs, number, stack, label, times, programs = jaxprs.equation_facts(equation)
        operands = self._names(names, inputs)
        results = ",".join([self._new(names, var) for var in outputs])
        traceback = number.traceback if type(number) is Number else number
        at = self._stacks.number_of(traceback, outside)
        place = self._places.get(at) or self._place(at)
        line = self._lines.get(number) if type(number) is Number else None
        name_stack = self._name_stack(stack)
        is_backward = traced is None or direction_of(name_stack) == BACKWARD
        if traced is not None and not is_backward:
            traced.append((traceback, primitive))
        fields = f'{{"primitive":{_quoted(primitive)},"in":[{operands}],"out":[{results}]{place}{name_stack}'
        if line is not None:
            fields += f',"line":{line}'
        if label:
            fields += f',"label":{_quoted(label)}'
        if times:
            fields += f',"times":{times}'
        if equal is not None and equal.is_again(equation):
            fields += ',"again":1'
        if programs:
            self.has_loop |= primitive in LOOPS
            written = ((name, self.program(inner, at, is_backward=is_backward)) for name, inner in programs)
            inside = ",".join([f"[{_quoted(name)},{program}]" for name, program in written])
            fields += f',"programs":[{inside}]'
        return fields + "}"

    def _place(self, stack: int) -> str:
        file, line = self._stacks.place(stack) or ("", 0)
        found = self._places[stack] = f',"at":{stack},"source":{_quoted(f"{file}:{line}")}' if file else ""
        return found

    def _name_stack(self, stack: Any) -> str:
        found = self._name_stacks.get(id(stack))
        if found is None:
            text = str(stack)
            found = self._name_stacks[id(stack)] = f',"stack":{_quoted(text)}' if text else ""
        return found

    def _new(self, names: dict[int, str], var: Any) -> str:
        name = names[id(var)] = f'"v{next(self._numbers)}"'
        aval = var.aval
        end = self._avals.get(id(aval))
        if end is None:
            end = self._avals[id(aval)] = f",{_quoted(jaxprs.aval_text(aval))}]"
        return f"[{name}{end}"


@lru_cache(maxsize=4096)
def _quoted(text: str) -> str:
    return json.dumps(text)


# file label, function, line, column, last line, last column
FrameRow = tuple[str, str, int, int, int, int]

NONE = -1  # as a parent: nothing is outside; as a stack: the source is unknown


class EquationStacks:
    """Call stacks of equations, as a tree that stores each frame once. Numbers are indices into `frames` and `stacks`.

    The frames of JAX, jitviz and Python's standard library are left out, and so are those of other libraries outside
    the user's outermost frame, such as Equinox' in a `filter_jit`. Inside it, the frames of libraries stay.

    JAX cuts a traceback off where a trace begins (`TracebackScope` in
    https://github.com/jax-ml/jax/blob/main/jax/_src/interpreters/partial_eval.py), so that an equation inside `scan`
    has only the frames of the body. They are put inside the stack of the equation that runs it.

    A stack is a pair (frame, the stack outside it or -1). `files` has Python's names of the user's files, with the
    lines of each that occur in frames.
    """

    def __init__(self) -> None:
        self.frames: list[FrameRow] = []
        self.stacks: list[tuple[int, int]] = []
        self.files: dict[str, set[int]] = {}
        self.loops: list[dict[str, Any]] = []
        self.calls: list[list[Any]] = []
        self._is_users: list[bool] = []  # by frame
        self._numbers: dict[tuple[Any, int], int] = {}  # (traceback, stack outside) -> stack
        self._frames: dict[tuple[int, int], int] = {}  # (address of a code object, offset) -> frame
        self._stacks: dict[tuple[int, int], int] = {}
        self._paths: dict[int, tuple[int, ...]] = {NONE: ()}  # stack -> its frames, outermost first

    def number_of(self, traceback: Any, outside: int = NONE) -> int:
        """The stack of a traceback inside another stack; that other one if no frame of the traceback is shown."""
        key = traceback, outside
        number = self._numbers.get(key)  # most tracebacks are equal to an earlier one
        if number is None:
            number = self._numbers[key] = self._inside(outside, self._read(traceback))
        return number

    def _inside(self, outside: int, shown: tuple[int, ...]) -> int:
        known = self._paths[outside]
        stack = NONE if shown[: len(known)] == known else outside  # a trace that goes on in the same traceback
        for frame in shown:
            key = frame, stack
            if key not in self._stacks:
                self._paths[len(self.stacks)] = (*self._paths[stack], frame)
                self._stacks[key] = len(self.stacks)
                self.stacks.append(key)
            stack = self._stacks[key]
        return stack

    def place(self, number: int) -> tuple[str, int] | None:
        """(file label, line) of the user's innermost frame in a stack, or of a library's if there is none."""
        fallback = None
        while number != NONE:
            frame, number = self.stacks[number]
            if self._is_users[frame]:
                return self.frames[frame][0], self.frames[frame][2]
            fallback = fallback or (self.frames[frame][0], self.frames[frame][2])
        return fallback

    def add_runs(self, traced: Sequence[tuple[Any, str]], outside: int) -> None:
        """Count the turns of loops and the calls in a program, whose equations are inside a stack."""
        frames: dict[Any, list[Frame]] = {traceback: jaxprs.raw_frames(traceback) for traceback, _ in traced}
        codes = {code for some in frames.values() for code, _ in some}
        has_users = any(frame_owner(code.co_filename) == "user" for code in codes)
        has_loops = any(loops_of(code) and frame_owner(code.co_filename) in ("user", "library") for code in codes)
        if not has_loops and len(traced) < FEWEST:
            return  # as in most programs: what calls what is not looked at
        runs = count_turns(TracedEquation(frames[traceback], name, id(traceback)) for traceback, name in traced)
        for run in runs.loops:
            owners = [frame_owner(code.co_filename) for code, _ in (*run.callers, (run.code, 0))]
            # Libraries' frames outside the user's are not shown; a library's own jit has no others.
            if owners[-1] == "user" or (owners[-1] == "library" and ("user" in owners or not has_users)):
                self.loops.append(self._loop(run, outside, is_library=owners[-1] == "library"))
        for callers, code, calls in runs.calls:
            if frame_owner(code.co_filename) == "user" and not code.co_flags & CO_GENERATOR:
                at = self._inside(outside, self._shown(callers))
                self.calls.append([at, file_label(code.co_filename), code.co_qualname, calls])

    def _loop(self, run: LoopRun, outside: int, *, is_library: bool) -> dict[str, Any]:
        bodies = ([*run.callers, (run.code, offset)] for offset in run.offsets)
        around = [(code.co_filename, loop) for code, loop in run.around]
        return {
            "at": sorted({self._inside(outside, self._shown(body)) for body in bodies}),
            "line": run.loop.line,
            "column": run.loop.column,
            "turns": sorted(Counter(run.turns).items()),
            "around": [
                [file_label(name), loop.line, loop.column] for name, loop in around if frame_owner(name) == "user"
            ],
            **({"is_library": True} if is_library else {}),
        }

    def _read(self, traceback: Any) -> tuple[int, ...]:
        return self._shown(jaxprs.raw_frames(traceback))

    def _shown(self, frames: Sequence[Frame]) -> tuple[int, ...]:
        found = [(code, offset, frame_owner(code.co_filename)) for code, offset in frames]
        shown = [row for row in found if row[2] in ("user", "library")]
        users = (place for place, row in enumerate(shown) if row[2] == "user")
        return tuple(self._frame(code, offset, owner == "user") for code, offset, owner in shown[next(users, 0) :])

    def _frame(self, code: CodeType, offset: int, is_users: bool) -> int:
        key = id(code), offset
        if key not in self._frames:
            self._frames[key] = len(self.frames)
            place = jaxprs.code_place(code, offset)
            self.frames.append((file_label(code.co_filename), code.co_qualname, *place))
            self._is_users.append(is_users)
            if is_users:
                self.files.setdefault(code.co_filename, set()).add(place[0])
        return self._frames[key]
