"""Reductions along an axis inside a library, as a batch normalisation has them: its callers cannot mask the padding.

In: the equations of a program, as `capture.programs.equations` writes them, and the sizes that the axis had.  Out: the
line of the library, or "".
Must never: take for one what a gradient sums up on its way back: that is zero where the loss is masked.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import Any

from .array_types import read_aval

_BACKWARD = "transpose("  # in a name stack


def find_library_reduction(equations: str, sizes: Iterable[int]) -> str:
    """The first line of a library that reduces an axis of one of these sizes, "flax/nnx/nn/normalization.py:260"."""
    program = json.loads(equations)
    return next(_lines(program, program, set(sizes), {}), "")


def _lines(top: dict[str, Any], program: dict[str, Any], sizes: Set[int], avals: dict[str, str]) -> Iterator[str]:
    avals |= dict(pair[:2] for pair in (*program.get("inputs", ()), *program.get("constants", ())))
    for equation in program.get("equations", ()):
        avals |= dict(pair[:2] for pair in equation["out"])
        for _, inner in equation.get("programs", ()):
            yield from _lines(top, inner, sizes, avals)
        is_reduction = equation["primitive"].startswith("reduce_") and _BACKWARD not in equation.get("stack", "")
        if is_reduction and not sizes.isdisjoint(_dropped(avals.get(equation["in"][0], ""), equation["out"][0][1])):
            file, _, line, *_ = top["frames"][top["stacks"][equation["at"]][0]] if "at" in equation else ("", "", 0)
            if file and f"{file}:{line}" != equation.get("source"):
                yield f"{file}:{line}"


def _dropped(taken: str, made: str) -> Counter[int]:
    """The sizes of the axes that an operation takes and does not return."""
    old, new = read_aval(taken), read_aval(made)
    return Counter(old[1]) - Counter(new[1]) if old and new else Counter()
