"""Which inputs and outputs of a whole program are which leaves of what the function took and returned.

In: a `Compile` and its equations as data.  Out: a leaf, or None, for each input and output.
Must never: name an input or an output after a leaf that it may not be.
"""

from __future__ import annotations

from typing import Any

from ...model import Compile, Leaf


def leaves_of_inputs(row: Compile, program: dict[str, Any]) -> list[Leaf | None]:
    """None for all of a program with other inputs, as that of a gradient from outside."""
    traced = row.signature.traced
    by_path = {leaf.path: leaf for leaf in traced}
    # A wrapper may hand arguments on in another order than they came.
    found = [by_path.get(path) for path in program.get("paths") or by_path]
    n_inputs = len(program.get("inputs", ()))
    return found if len(found) == len(traced) == n_inputs else [None] * n_inputs


def leaves_of_outputs(row: Compile, program: dict[str, Any]) -> list[Leaf | None]:
    """None for what a wrapper returns beside the function's own, and for all of a program with other outputs."""
    n_outputs = len(program.get("outputs", ()))
    leaves = [leaf for leaf in row.outputs if leaf.role == "traced"]
    before = row.function_info.wrapper.outputs_before
    own: list[Leaf | None] = [*[None] * before, *leaves] if n_outputs > len(leaves) else [*leaves]
    return own if len(own) == n_outputs else [None] * n_outputs
