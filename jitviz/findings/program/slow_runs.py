"""What makes a program slow to run, as its equations show: calls of Python, and branches that all run.

In: the equations of a program, and the source that was saved with it.  Out: numbers and lines.
"""

import re
from collections.abc import Iterator, Sequence

from .copies import SourceBlock
from .jaxpr import Equation
from .places import NOWHERE, Places

_CHOOSES = re.compile(rb"[\w.]*\b(cond|switch)\(")


def count_host_calls(equations: Sequence[Equation]) -> int:
    """In how many places a program calls Python."""
    return sum(equation.primitive.endswith("_callback") for equation in equations)


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
