"""A jaxpr as data: what graphs, links and counts are made of, once the jaxpr itself is gone.

In: a jaxpr.  Out: JSON, nested as the jaxpr is.
Must never: keep the jaxpr, a constant, a traceback or a parameter of an equation.

A program is {"inputs", "constants", "outputs", "equations"}: inputs are [name, aval] pairs, constants [name, aval, what
the user's function calls the array or ""], outputs are names. An equation is {"primitive", "in": names, "out": [name,
aval] pairs} and, where there is something to tell,

    "at": its call stack, a number into the "stacks" of the outermost program; of an inner program inside of the stack
        of the equation that runs it
    "source": "In [3]:4", the innermost line of the user's in that stack
    "line": the line from 0 of JAX's own text of the jaxpr on which it begins
    "stack": its name stack, "transpose(jvp(loss))"
    "label": the name of the function that it calls
    "flops": floating-point operations of one run, inner programs left out
    "times": how often its inner programs run
    "programs": [[parameter, program], ...]

The outermost program has "frames", [[file, function, line, column, last line, last column], ...], and "stacks",
[[frame, parent], ...]: a parent is the stack outside of a frame, -1 if there is none, and comes before its children.
Lines count from 1 and columns from 0; a column is -1 where it is not known. A literal is named by its value ("2.0").
Names of variables are unique in the whole.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

from . import _jaxcompat as compat
from .flops import flops_of
from .stacks import NONE, Stacks

MOST = 20_000  # equations; a program of more is told of as far as that


def to_json(jaxpr: Any, lines: Mapping[int, int], called: Mapping[int, str], stacks: Stacks) -> str:
    """The whole jaxpr; with "is_cut" where it has more equations than `MOST`.

    `lines` are those of the text on which equations begin, `called` the names of closed-over arrays, both by address.
    `stacks` is filled with the call stacks of the equations.
    """
    program = _Writer(lines, called, stacks).program(jaxpr)
    return json.dumps(program | {"frames": stacks.frames, "stacks": stacks.stacks}, separators=(",", ":"))


class _Writer:
    """Names variables in order of appearance and counts equations."""

    def __init__(self, lines: Mapping[int, int], called: Mapping[int, str], stacks: Stacks) -> None:
        self._lines, self._called, self._stacks = lines, called, stacks
        self._numbers = itertools.count()
        self._left = MOST
        self._avals: dict[int, str] = {}  # by address, as the next two: what they are of lives as long as the jaxpr
        self._name_stacks: dict[int, str] = {}
        self._sources: dict[int, str] = {}  # by number of a stack

    def program(self, jaxpr: Any, outside: int = NONE) -> dict[str, Any]:
        parts = compat.jaxpr_parts(jaxpr)
        names: dict[int, str] = {}
        values = itertools.chain(compat.constant_values(jaxpr), itertools.repeat(None))
        written: dict[str, Any] = {
            "inputs": [self._new(names, var) for var in parts.inputs],
            "constants": [
                [*self._new(names, var), self._called.get(id(value), "")]
                for var, value in zip(parts.constants, values, strict=False)
            ],
            "equations": [],
        }
        for equation in parts.equations:
            if self._left <= 0:
                written["is_cut"] = True
                break
            self._left -= 1
            written["equations"].append(self._equation(equation, names, outside))
        written["outputs"] = [self._name(names, atom) for atom in parts.outputs]
        return written

    def _equation(self, equation: Any, names: dict[int, str], outside: int) -> dict[str, Any]:
        facts = compat.equation_facts(equation)
        written: dict[str, Any] = {
            "primitive": facts.primitive,
            "in": [self._name(names, atom) for atom in facts.inputs],
            "out": [self._new(names, var) for var in facts.outputs],
        }
        at = self._stacks.number_of(facts.traceback, outside)
        if at != NONE:
            written["at"] = at
            written["source"] = self._source(at)
        line = self._lines.get(id(equation))
        if line is not None:
            written["line"] = line
        stack = self._name_stack(facts.stack)
        if stack:
            written["stack"] = stack
        if facts.label:
            written["label"] = facts.label
        flops = flops_of(facts.primitive, facts.inputs, facts.outputs, equation.params)
        if flops:
            written["flops"] = flops
        if facts.times:
            written["times"] = facts.times
        if facts.programs:
            written["programs"] = [[name, self.program(inner, at)] for name, inner in facts.programs]
        return written

    def _source(self, stack: int) -> str:
        found = self._sources.get(stack)
        if found is None:
            found = self._sources[stack] = ":".join(map(str, self._stacks.place(stack) or ()))
        return found

    def _name_stack(self, stack: Any) -> str:
        found = self._name_stacks.get(id(stack))
        if found is None:
            found = self._name_stacks[id(stack)] = str(stack)
        return found

    def _new(self, names: dict[int, str], var: Any) -> list[str]:
        name = names[id(var)] = f"v{next(self._numbers)}"
        aval = var.aval
        text = self._avals.get(id(aval))
        if text is None:
            text = self._avals[id(aval)] = compat.aval_text(aval)
        return [name, text]

    def _name(self, names: dict[int, str], atom: Any) -> str:
        return names.get(id(atom)) or compat.literal_text(atom)
