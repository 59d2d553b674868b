"""`sharding`: an array is on other devices, or split over them in another way."""

import re
from collections.abc import Iterator

from ...model import Compile, Leaf, root_of
from ...model.cachekey import place_of
from ..arrays import are_arrays
from ..call_text import written_call
from ..change import Change
from ..pasting import TREE, Paste, leaves_of, paste, rewritten, whole
from ..placements import NOWHERE, beside, may_be_returned, mesh_of, partition_of, without_memory
from ..subject import Subject
from .base import ReasonKind, Recompiles, Term

_FIRST_DEVICE = re.compile(r"\w+:0")
_PATH = re.compile(r"[A-Za-z_]\w*(\.\w+|\[[^\[\]{}]+\])*")
_PUT = "with `jax.device_put`"


class Sharding(ReasonKind):
    name = "sharding"
    form = "place"
    group = "placement"
    mends = frozenset({"committed"})
    undoes = "properties"
    undone = frozenset({"place", "committed"})  # a leaf that is always placed is also committed
    has_values = True
    term = Term(
        "Which devices hold an array, and how it is split over them. An input with a different sharding needs a "
        "different version.",
        """\
f, mesh = jax.jit(lambda x: x + 1), jax.make_mesh((1,), ("i",))
f(jnp.ones(4))  # compiles
f(jax.device_put(jnp.ones(4), jax.NamedSharding(mesh, jax.P("i"))))  # compiles""",
    )

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterator[Change]:
        if are_arrays(before, after) and _is_moved(before, after):
            yield Change("sharding", after.path, before.sharding or NOWHERE, after.sharding or NOWHERE)

    def say(self, change: Subject) -> str:
        sides = change.before, change.after
        was, now = ("none, as it was not placed," if side == NOWHERE else f"`{side}`" for side in sides)
        return f"`{change.path}` changed its sharding from {was} to {now.replace('was', 'is').rstrip(',')}"

    def advise(self, change: Subject) -> str:
        side, other = beside(change.miss.signature.traced, change.moved, change.before, change.after)
        if other:
            when = "Before the first call" if change.is_returned and side == change.after else "In every call"
            return f"{when}, place it as `{partition_of(side)}` on the mesh of `{other}`, {_PUT}."
        if change.is_returned and mesh_of(change.before) == mesh_of(change.after) != "":
            was = f"`{partition_of(change.before)}`"
            return (
                f"If the function returns it, set its `out_shardings` to {was}; otherwise place it as {was} in every "
                f"call, {_PUT}."
            )
        if change.is_returned and not mesh_of(change.before):
            return (
                f"If the function returns it, place it as `{change.after}` before the first call, {_PUT}; otherwise in "
                "every call."
            )
        where = " or as ".join(f"`{one}`" for one in (change.before, change.after) if one != NOWHERE)
        if change.is_avoidable or NOWHERE in (change.before, change.after):
            return f"In every call, place it as {where}, {_PUT}."
        return f"Nothing to fix if you need both; otherwise place it as {where} in every call, {_PUT}."

    def paste(self, cause: Recompiles) -> Paste | None:
        """Inputs that are no outputs, put on the mesh that another argument is on."""
        calls: list[tuple[Compile, str | None]] = []
        sides = cause.reason.before, cause.reason.after
        for row in (row for row in (cause.rows[-1].compared_with, *cause.rows) if row is not None):
            leaves = leaves_of(row, cause.paths)
            side, other = beside(row.signature.traced, cause.paths, *sides)
            roots = {root_of(leaf.path) for leaf in leaves}
            is_whole = all(leaf.path in cause.paths for leaf in row.signature.traced if root_of(leaf.path) in roots)
            call, root = written_call(row), root_of(other)
            name = (call.argument(root) if call is not None else "") + other.removeprefix(root)
            if not is_whole or not _PATH.fullmatch(name) or any(may_be_returned(row.outputs, leaf) for leaf in leaves):
                return None
            if any(leaf.sharding != side for leaf in leaves):
                spec = f"jax.sharding.PartitionSpec{partition_of(side).removeprefix('P')}"
                put = f"jax.device_put({{}}, jax.sharding.NamedSharding({name}.sharding.mesh, {spec}))"
                calls.append((row, rewritten(row, dict.fromkeys(roots, whole(put)))))
        return paste(calls, TREE)


def _is_moved(before: Leaf, after: Leaf) -> bool:
    if (before.sharding, before.committed) == (after.sharding, after.committed):
        return False
    if place_of(before) == place_of(after):
        return False
    was, now = without_memory(before.sharding or ""), without_memory(after.sharding or "")
    if before.sharding is None or after.sharding is None:
        # an array that is not placed yet goes to the first device, so one committed to that device has not moved
        return not _FIRST_DEVICE.fullmatch(was or now)
    return was != now


KIND = Sharding()
