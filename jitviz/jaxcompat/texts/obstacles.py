"""What keeps a user from undoing the difference of two programs, beside the programs themselves: reductions along a
padded axis inside a library, which its callers cannot mask, and `nondiff_argnums`, which take no traced value.

In: the equations of a program, as `capture.programs.equations` writes them, and the sizes that an axis had; the source.
Out: the line of the library, or ""; names.
Must never: take for one what a gradient sums up on its way back: that is zero where the loss is masked.
"""

import ast
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import Any

from ...model.python_text import parse
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


def given_by_nondiff(text: str, line: int) -> set[str]:
    """The names that the function at a line gives directly to functions of the text that have `nondiff_argnums`."""
    tree = parse(text) if "nondiff_argnums" in text else None
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] if tree is not None else []
    made = {node.name for node in functions if any("nondiff_argnums" in ast.unparse(by) for by in node.decorator_list)}
    calls = (
        call
        for node in functions
        if line in (node.lineno, *(by.lineno for by in node.decorator_list))
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in made
    )
    given = (part for call in calls for part in (*call.args, *(keyword.value for keyword in call.keywords)))
    return {part.id for part in given if isinstance(part, ast.Name)}
