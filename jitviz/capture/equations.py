"""A jaxpr as data: what the graph is drawn from, once the jaxpr itself is gone.

In: a jaxpr.  Out: JSON, nested as the jaxpr is.
Must never: keep the jaxpr, a constant or a parameter of an equation.

A program is {"inputs", "constants", "outputs", "equations"}: inputs and constants are [name, aval] pairs, outputs are
names, an equation is {"primitive", "in": names, "out": [name, aval] pairs, "source": "In [3]:4", "stack": "jvp(loss)",
"label": name of an inner function, "programs": [[parameter, program], ...]}. A literal is named by its value ("2.0").
Names are unique in the whole.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

from . import _jaxcompat as compat
from .sources import location

MOST = 20_000  # equations; a program of more is told of as far as that


def to_json(jaxpr: Any) -> str:
    """The whole jaxpr; with "is_cut" where it has more equations than `MOST`."""
    return json.dumps(_Writer().program(jaxpr), separators=(",", ":"))


class _Writer:
    """Names variables in order of appearance and counts equations."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._left = MOST

    def program(self, jaxpr: Any) -> dict[str, Any]:
        parts = compat.jaxpr_parts(jaxpr)
        names: dict[int, str] = {}
        written: dict[str, Any] = {
            "inputs": [self._new(names, var) for var in parts.inputs],
            "constants": [self._new(names, var) for var in parts.constants],
            "equations": [],
        }
        for equation in parts.equations:
            if self._left <= 0:
                written["is_cut"] = True
                break
            self._left -= 1
            written["equations"].append(self._equation(equation, names))
        written["outputs"] = [self._name(names, atom) for atom in parts.outputs]
        return written

    def _equation(self, equation: Any, names: dict[int, str]) -> dict[str, Any]:
        facts = compat.equation_facts(equation)
        written: dict[str, Any] = {
            "primitive": facts.primitive,
            "in": [self._name(names, atom) for atom in facts.inputs],
            "out": [self._new(names, var) for var in facts.outputs],
        }
        if facts.file:
            written["source"] = location(facts.file, facts.line)
        if facts.stack:
            written["stack"] = facts.stack
        if facts.label:
            written["label"] = facts.label
        if facts.programs:
            written["programs"] = [[name, self.program(inner)] for name, inner in facts.programs]
        return written

    def _new(self, names: dict[int, str], var: Any) -> list[str]:
        name = names[id(var)] = f"v{next(self._numbers)}"
        return [name, compat.aval_text(var)]

    def _name(self, names: dict[int, str], atom: Any) -> str:
        return names.get(id(atom)) or compat.literal_text(atom)
