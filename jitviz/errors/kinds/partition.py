"""A partition that does not fit: an axis that the mesh does not have, a size that its devices cannot share equally.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/notebooks/Distributed_arrays_and_automatic_parallelization.html
"""

import ast
import re

from ...jaxcompat.origins import aval_of
from ...jaxcompat.texts.error_messages import axis_of_mesh, indivisible, ranks
from ...model import count
from ...model.raised import Raised
from .. import rewrite
from ..blame import parts_of
from ..calls import arguments, call_at, making, option
from ..facts import Facts
from ..syntax import MISSING

EXAMPLE = """
mesh = jax.make_mesh((1,), ('data',))
rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec('batch'))
"""
INSTEAD = EXAMPLE.replace("'batch'", "'data'")

_FULL_SHAPE = re.compile(r"full shape: \(([\d, ]+)\)")


def explain(facts: Facts) -> Raised | None:
    if not facts.is_a("ValueError", "IndivisibleError"):
        return None
    axes, rank = axis_of_mesh(facts.message), ranks(facts.message)
    if axes is not None:
        return Raised(
            path=axes[0],
            summary=f"The partition names the axis `{axes[0]}`, which the mesh does not have.",
            detail=f"The mesh has {axes[1]}.",
            advice="Name an axis of the mesh in the `PartitionSpec`, or None for an axis that is not split.",
        )
    is_indivisible = facts.is_a("IndivisibleError") or facts.says("should be divisible by", "should evenly divide")
    if rank is None and not is_indivisible:
        return None
    found = indivisible(facts.message)
    path = found[1] if found is not None else _split(facts)
    return _of_rank(path, *rank) if rank is not None else _indivisible(facts, path)


def _indivisible(facts: Facts, path: str) -> Raised | None:
    sizes = re.search(r"partitioned (\d+) times.*?size is (\d+)", facts.message) or re.search(
        r"divisible by (\d+).*?equal to (\d+)", facts.message
    )
    axis = re.search(r"axis (\d+) is partitioned|dimension (\d+) should", facts.message)
    if sizes is None:
        return None
    which = (axis[1] or axis[2]) if axis else "0"
    name = f"`{path}`" if path else "an array"
    return Raised(
        path=path,
        summary=f"Axis {which} of {name} has {sizes[2]} entries, which {sizes[1]} devices cannot share equally.",
        advice=f"Pad the axis to a multiple of {sizes[1]}, or do not split it: None in its `PartitionSpec`.",
    )


def _of_rank(path: str, n_named: str, n_axes: str) -> Raised:
    name = f"`{path}`" if path else "An array"
    return Raised(
        path=path,
        summary=f"{name} has {count(int(n_axes), 'axis')}, but its `PartitionSpec` has {count(int(n_named), 'entry')}.",
        advice=f"Give it a `PartitionSpec` of at most {count(int(n_axes), 'entry')}.",
    )


def _split(facts: Facts) -> str:
    """The only array of the full shape that the message tells, or the only argument that may be split."""
    given, shape = list(arguments(facts.spot)), _FULL_SHAPE.search(facts.message)
    sizes = f"[{shape[1].replace(' ', '').strip(',')}]" if shape is not None else "-"
    parts = [(each.path + path, part) for each in given if each.value is not MISSING
             for path, part in parts_of(each.value)]  # fmt: skip
    same = [path for path, part in parts if aval_of(part).endswith(sizes)]
    shardings = option(making(facts.spot), "in_shardings")
    if isinstance(shardings, ast.Tuple):
        given = [each for each, node in zip(given, shardings.elts, strict=False) if not _is_none(node)]
    elif rewrite.called_name(call_at(facts.spot)).endswith(("device_put", "with_sharding_constraint")):
        return given[0].text
    found = same if len(same) == 1 else [each.path for each in given]
    return found[0] if len(found) == 1 else ""


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
