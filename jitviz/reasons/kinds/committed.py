"""`committed`: an array is bound to its devices in one call, and not in the other."""

import re
from collections.abc import Iterator

from ...model import Leaf, root_of
from ..arrays import are_arrays
from ..change import Change
from ..pasting import TREE, Paste, are_changed_in_place, at_calls, leaves_of, whole
from ..subject import Subject
from .base import ReasonKind, Recompiles, Term

_DEVICE = re.compile(r"(\w+):(\d+)")


class Committed(ReasonKind):
    name = "committed"
    form = "place"
    group = "placement"
    undoes = "properties"
    undone = frozenset({"place", "committed"})
    has_values = True
    advice = "Place it the same way before every call, including the first, with `jax.device_put`."
    term = Term(
        "An array that was explicitly put on a device, so a computation with it must run there. JAX may move an "
        "uncommitted array, so the two need different versions.",
        """\
f, x = jax.jit(lambda x: x + 1), jnp.ones(3)
f(x)  # compiles
f(jax.device_put(x, jax.devices()[0]))  # compiles""",
    )

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterator[Change]:
        if are_arrays(before, after) and bool(before.committed) != bool(after.committed):
            sides = ["committed" if leaf.committed else "uncommitted" for leaf in (before, after)]
            where = (after if after.committed else before).sharding or ""
            yield Change("committed", after.path, *sides, where=where)

    def say(self, change: Subject) -> str:
        where = f" (on `{change.where}`)" if change.where else ""
        changed = f"`{change.path}` changed from {change.before} to {change.after}{where}"
        return f"{changed}, and JAX compiles a version for each"

    def paste(self, cause: Recompiles) -> Paste | None:
        """Each whole argument put where the committed array is, since a leaf left uncommitted would be the next
        cause."""
        rows = [row for row in cause.versions if any(not leaf.committed for leaf in leaves_of(row, cause.paths))]
        placed = {leaf.sharding or "" for row in cause.versions for leaf in row.signature.traced if leaf.committed}
        device = _DEVICE.fullmatch(placed.pop()) if len(placed) == 1 else None
        if device is None or are_changed_in_place(rows):
            return None
        at = f'jax.devices("{device[1]}")[{device[2]}]'
        put = f"jax.device_put({{}}, {at})"
        if any(row.function_info.wrapper.is_static_by_leaf for row in rows):
            put = f"jax.tree.map(lambda leaf: jax.device_put(leaf, {at}) if hasattr(leaf, 'dtype') else leaf, {{}})"
        return at_calls(rows, dict.fromkeys(map(root_of, cause.paths), whole(put)), TREE)


KIND = Committed()
