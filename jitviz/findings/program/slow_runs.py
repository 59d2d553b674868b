"""What makes a program slow to run, as its equations show: calls of Python, and branches that all run.

In: the equations of a program, and the source that was saved with it.  Out: numbers and lines.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...jaxcompat.texts.names import BRANCHES
from ...model import count
from .copies import SourceBlock
from .jaxpr import Equation
from .places import NOWHERE, Places

_CHOOSES = re.compile(rb"[\w.]*\b(cond|switch)\(")


class HostCalls(NamedTuple):
    """How often each run of a program calls Python: so often, "at least" with a `while` whose turns nobody knows, and
    "up to" where branches differ."""

    n: int = 0
    bound: str = ""

    def __str__(self) -> str:
        return f"{self.bound} {count(self.n, 'time')}".lstrip()


def count_host_calls(program: Mapping[str, Any]) -> HostCalls:
    """Those of a program and of its inner ones, each as often as it runs."""
    n, bounds = 0, set[str]()
    for equation in program.get("equations", ()):
        name = equation["primitive"]
        inside = [count_host_calls(inner) for _, inner in equation.get("programs", ())]
        called = [calls.n for calls in inside]
        bounds |= {calls.bound for calls in inside}
        bounds |= {"at least"} if name == "while" and any(called) else set()
        bounds |= {"up to"} if name == BRANCHES and len(set(called)) > 1 else set()
        n += name.endswith("_callback") or name == "debug_print"
        n += max(called, default=0) if name == BRANCHES else sum(called) * (equation.get("times") or 1)
    bounds.discard("")
    return HostCalls(n, "about" if len(bounds) > 1 else "".join(bounds))


def find_all_run(sources: Sequence[SourceBlock], places: Places, equations: Sequence[Equation]) -> list[str]:
    """The lines of a `cond` or `switch` that `jax.vmap` made a selection among the results of all its branches."""
    stacks = {
        equation.stack
        for equation in equations
        if equation.primitive == "select_n" and "vmap(" in equation.name and equation.stack != NOWHERE
    }
    frames = {places.chain(stack)[-1] for stack in stacks}
    return sorted(places.sources[frame] for frame in frames if any(_choices(sources, places, frame)))


def _choices(sources: Sequence[SourceBlock], places: Places, frame: int) -> Iterator[object]:
    """Whether a frame calls `cond` or `switch` itself; `jnp.where` selects too."""
    file, _, line, column, *_ = places.frames[frame]
    for block in sources:
        lines = block.text.encode().split(b"\n")
        if block.file == file and 0 <= line - block.first < len(lines):
            yield _CHOOSES.match(lines[line - block.first], max(0, column))
