"""Donated inputs whose buffers were not reused for an output, and why.

In: a `Compile`.  Out: leaves, each with a reason and what to do about it.
Must never: report a buffer before the backend has decided about it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...model import Compile, Leaf
from ...model.counting import has_compiled


def not_reused(row: Compile) -> Iterator[tuple[Leaf, str, str]]:
    """The donated inputs whose buffers were not reused, each with the reason and the advice."""
    if not row.phases or not has_compiled(row) or row.reused is None:
        return
    outputs: dict[tuple[str | None, tuple[int, ...] | None], list[Leaf]] = {}
    for leaf in row.outputs:
        if leaf.role == "traced":
            outputs.setdefault((leaf.dtype, leaf.shape), []).append(leaf)
    reused, dropped = set(row.reused), set(row.dropped)
    donated = [leaf for leaf in row.signature.traced if leaf.donated]
    # Those of numbers and NumPy arrays too, which are not marked as donated: the user loses nothing of them.
    taken = Counter((leaf.dtype, leaf.shape) for leaf in row.signature.traced if leaf.path in reused)
    for leaf in donated:
        if leaf.path not in reused:
            fitting = outputs.get((leaf.dtype, leaf.shape), [])
            n_left = len(fitting) - taken[leaf.dtype, leaf.shape]
            yield leaf, *_why_not(leaf, fitting, n_left, is_dropped=leaf.path in dropped)


def _why_not(leaf: Leaf, fitting: Sequence[Leaf], n_left: int, *, is_dropped: bool) -> tuple[str, str]:
    if is_dropped:
        why = "the program does not use it, so JAX did not pass it"
        return why, "Do not donate an unused argument, or leave it out of the call."
    if not fitting:
        return (
            "no output has its shape and dtype",
            "Donate only arrays that are returned with the same shape and dtype.",
        )
    if n_left <= 0:
        why = "every output of its shape and dtype reuses the buffer of another donated input"
        return why, "Donate no more arrays of one shape and dtype than are returned."
    if leaf.sharding and all(one.sharding and one.sharding != leaf.sharding for one in fitting):
        why = f"outputs of its shape and dtype are placed elsewhere: {fitting[0].sharding}, not {leaf.sharding}"
        return why, "Give the output the sharding of the input, with `out_shardings`."
    why = "an output has its shape and dtype, but the backend did not reuse the buffer"
    return why, "Check that `jax_debug_nans` is off: while it is set, JAX donates nothing."
