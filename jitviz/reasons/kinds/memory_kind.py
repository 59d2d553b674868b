"""`memory_kind`: an array is in another kind of memory of the same devices, such as the host's (`pinned_host`)."""

from collections.abc import Iterator

from ...model import Leaf
from ..arrays import are_arrays
from ..change import Change
from ..placements import memory_of
from ..subject import Subject
from .base import ReasonKind, Term


class MemoryKind(ReasonKind):
    name = "memory_kind"
    group = "placement"
    form = "place"
    mends = frozenset({"committed"})
    undoes = "properties"
    undone = frozenset({"place", "committed"})
    has_values = True
    term = Term(
        "The kind of memory that holds an array, of the device or of its host, is part of the cache key. Choose one "
        "before the first call, with `jax.device_put`.",
        """\
f, s = jax.jit(lambda x: x + 1), jnp.ones(3).sharding
f(jax.device_put(jnp.ones(3), s))  # compiles
f(jax.device_put(jnp.ones(3), s.with_memory_kind("pinned_host")))  # compiles""",
    )

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterator[Change]:
        was, now = memory_of(before.sharding or ""), memory_of(after.sharding or "")
        if are_arrays(before, after) and was != now:
            yield Change("memory_kind", after.path, was or "default", now or "default")

    def say(self, change: Subject) -> str:
        sides = change.before, change.after
        was, now = ("the default one" if side == "default" else f"`{side}`" for side in sides)
        return f"`{change.path}` changed its kind of memory from {was} to {now}"

    def advise(self, change: Subject) -> str:
        kind = change.after if change.before == "default" else change.before
        return f"Place it in one kind of memory in every call, `{kind}` or the default one, with `jax.device_put`."


KIND = MemoryKind()
