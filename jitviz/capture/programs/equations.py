"""A jaxpr as JSON, from which graphs, links and counts are made once the jaxpr itself is gone.

In: a jaxpr.  Out: JSON, nested as the jaxpr is.
Must never: keep the jaxpr, a constant, a traceback or a parameter of an equation.

A program is {"inputs", "constants", "outputs", "equations"}: inputs are [name, aval] pairs, constants [name, aval,
the user's name of the array or ""], outputs are names. An equation is {"primitive", "in": names, "out": [name, aval]
pairs} and optionally

    "at": its call stack, an index into the "stacks" of the outermost program; the stack of an equation in an inner
        program is inside the stack of the equation that runs the program
    "source": "In [3]:4", the user's innermost line in that stack
    "line": the line (from 0) of JAX's own text of the jaxpr on which it begins
    "stack": its name stack, "transpose(jvp(loss))"
    "label": the name of the function that it calls
    "flops": floating-point operations of one run, without inner programs
    "times": how often its inner programs run
    "programs": [[parameter, program], ...]

The outermost program has "frames", [[file, function, line, column, last line, last column], ...], and "stacks",
[[frame, parent], ...]. The parent is the stack outside the frame, -1 if there is none, and comes before its children.
"paths" has the leaf of each input if the inputs are not in the order of the leaves of the signature. Lines count from 1
and columns from 0; an unknown column is -1. The name of a literal is its value ("2.0"). Names of variables are unique
in the whole.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ...jaxcompat import jaxprs
from ...jaxcompat.flops import flops_of
from ...jaxcompat.printing import Number
from ...jaxcompat.texts.names import BRANCHES, LOOPS
from .call_stacks import NONE, Stacks

MOST = 200_000  # equations, for which XLA takes minutes; those of a bigger program are left out


class Written(NamedTuple):
    """The JSON of a jaxpr, the floating-point operations of one run, and whether the jaxpr has a loop."""

    text: str
    flops: float
    has_loop: bool


def to_json(
    jaxpr: Any, lines: Mapping[int, int], called: Mapping[int, str], stacks: Stacks, paths: Sequence[str] = ()
) -> Written:
    """Write a whole jaxpr as JSON; programs with more than `MOST` equations in total are marked "is_cut".

    The jaxpr is a copy with a `printing.Number` in place of each traceback. `lines` has the line of the text on which
    each equation begins, by number; `called` the names of closed-over arrays, by the address of the variable. The call
    stacks of the equations are added to `stacks`.
    """
    writer = _Writer(lines, called, stacks)
    program = writer.program(jaxpr, NONE, 1.0)
    rows = {"frames": stacks.frames, "stacks": stacks.stacks} | ({"paths": paths} if paths else {})
    text = program[:-1] + "," + json.dumps(rows, separators=(",", ":"))[1:]
    return Written(text, writer.flops, writer.has_loop)


class _Writer:
    """Names variables in order of appearance and counts equations.

    It writes JSON text directly: the many small objects of a tree of thousands of equations would cost more than
    everything else, mostly in the garbage collector. The objects known by address live as long as the jaxpr.
    """

    def __init__(self, lines: Mapping[int, int], called: Mapping[int, str], stacks: Stacks) -> None:
        self._lines, self._called, self._stacks = lines, called, stacks
        self._numbers = itertools.count()
        self._left = MOST
        self.flops, self.has_loop = 0.0, False
        self._avals: dict[int, str] = {}  # by address, with the bracket that closes a variable
        self._name_stacks: dict[int, str] = {}  # by address, as a field
        self._places: dict[int, str] = {}  # by number of a stack, as two fields

    def program(self, jaxpr: Any, outside: int, runs: float) -> str:
        inner = jaxprs.opened(jaxpr)
        names: dict[int, str] = {}
        inputs = ",".join([self._new(names, var) for var in inner.invars])
        called = [(self._new(names, var)[:-1], self._called.get(id(var), "")) for var in inner.constvars]
        constants = ",".join([f"{var},{_quoted(name)}]" for var, name in called])
        kept = inner.eqns[: self._left]
        self._left -= len(kept)
        equations = ",".join([self._equation(equation, names, outside, runs) for equation in kept])
        cut = ',"is_cut":true' if len(kept) < len(inner.eqns) else ""
        outputs = self._names(names, inner.outvars)
        return f'{{"inputs":[{inputs}],"constants":[{constants}],"equations":[{equations}],"outputs":[{outputs}]{cut}}}'

    def _names(self, names: dict[int, str], atoms: list[Any]) -> str:
        return ",".join([names.get(id(atom)) or _quoted(jaxprs.literal_text(atom)) for atom in atoms])

    def _equation(self, equation: Any, names: dict[int, str], outside: int, runs: float) -> str:
        primitive, inputs, outputs, number, stack, label, times, programs = jaxprs.equation_facts(equation)
        operands = self._names(names, inputs)
        results = ",".join([self._new(names, var) for var in outputs])
        traceback = number.traceback if type(number) is Number else number
        at = self._stacks.number_of(traceback, outside)
        place = self._places.get(at) or self._place(at)
        line = self._lines.get(number) if type(number) is Number else None
        flops = flops_of(primitive, inputs, outputs, equation.params)
        what = _quoted(primitive)
        fields = f'{{"primitive":{what},"in":[{operands}],"out":[{results}]{place}{self._name_stack(stack)}'
        if line is not None:
            fields += f',"line":{line}'
        if flops:
            self.flops += runs * flops
            fields += f',"flops":{flops}'
        if label:
            fields += f',"label":{_quoted(label)}'
        if times:
            fields += f',"times":{times}'
        if programs:
            self.has_loop |= primitive in LOOPS
            inner_runs = runs * (times or 1) / (len(programs) if primitive == BRANCHES else 1)  # one branch runs
            inside = ",".join([f"[{_quoted(name)},{self.program(inner, at, inner_runs)}]" for name, inner in programs])
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
