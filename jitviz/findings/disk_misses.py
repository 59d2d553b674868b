"""Programs that JAX did not find in its cache on disk, and why they were not there.

In: the compiles of one or two `Recording`s.  Out: sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ..model import Compile, OpByOp
from ..model.counting import has_compiled
from ..model.quantities import listed, seconds
from ..recording import Recording
from .same_program import digest

_Key: TypeAlias = tuple[object, ...]


def tell_missed(row: Compile) -> str:
    """The sentence about a compile that JAX's cache on disk could have saved; "" for others."""
    if row.disk_least_s is None:
        return ""
    spent_s = next((phase.duration_s for phase in row.phases if phase.name == "compile"), None)
    missed = "It was not in JAX's cache on disk"
    if spent_s is None or spent_s >= row.disk_least_s:
        return missed
    return (
        f"{missed}, and was too quick to be kept there: {seconds(spent_s)}, and JAX keeps programs that take "
        f"{seconds(row.disk_least_s)} or more (`jax_persistent_cache_min_compile_time_secs`)"
    )


def tell_ops(rows: Sequence[OpByOp]) -> str:
    """How many programs outside any jit were loaded from disk, and why others were not; "" without a cache."""
    loaded = [row for row in rows if row.origin == "loaded"]
    missed = [row for row in rows if row.disk_least_s is not None]
    quick = [row for row in missed if row.compile_s < (row.disk_least_s or 0.0)]
    parts = []
    if loaded:
        saved_s = sum(row.saved_s or 0.0 for row in loaded)
        parts.append(f"{len(loaded):,} loaded from disk{f', {seconds(saved_s)} saved' if saved_s else ''}")
    if quick:
        least_s = seconds(quick[-1].disk_least_s or 0.0)
        parts.append(
            f"{len(quick):,} too quick for JAX's cache on disk, which keeps programs that take {least_s} or more"
        )
    if len(missed) > len(quick):
        parts.append(f"{len(missed) - len(quick):,} not in JAX's cache on disk")
    return "; ".join(parts)


def tell_misses(before: Recording, after: Recording) -> Iterator[str]:
    """What was compiled in both recordings despite a cache on disk, and which part of its key changed."""
    old: dict[_Key, Compile] = {_key(row): row for row in before.compiles if has_compiled(row)}
    names_of: dict[str, dict[str, None]] = {}  # by what changed
    for row in after.compiles:
        other = old.get(_key(row))
        if other is None or row.disk_least_s is None or other.disk_least_s is None or not has_compiled(row):
            continue
        if changed := list(_changed(before, other, after, row)):
            names_of.setdefault(listed(changed), {})[f"`{row.function}`"] = None
    why_all = listed(list(_changed_key(before, after)))
    old_ops = {(row.name, row.program, row.inputs) for row in before.op_by_op if row.disk_least_s is not None}
    for op in after.op_by_op if why_all else ():
        if op.disk_least_s is not None and (op.name, op.program, op.inputs) in old_ops:
            names_of.setdefault(why_all, {})[f"`{op.name}`"] = None
    for why, names in names_of.items():
        yield f"{listed(list(names))} {'was' if len(names) == 1 else 'were'} not found on disk: {why}"


def _key(row: Compile) -> _Key:
    """Equal for versions that users consider the same."""
    info = row.function_info
    inputs = tuple((leaf.path, leaf.role, leaf.shape, leaf.static and leaf.repr) for leaf in row.signature.leaves)
    return info.module, info.qualname, row.transform, inputs


def _changed_key(before: Recording, after: Recording) -> Iterator[str]:
    """The changes in what is part of the key of every program in a process."""
    was, now = before.facts.disk_key, after.facts.disk_key
    for name in sorted(was.keys() & now.keys()):
        if was[name] != now[name]:
            yield f"{name} changed" if name == "XLA_FLAGS" else f"{name} changed from {was[name]} to {now[name]}"


def _changed(before: Recording, old: Compile, after: Recording, new: Compile) -> Iterator[str]:
    yield from _changed_key(before, after)
    settings = dict(old.signature.context)
    for name, value in new.signature.context:
        if settings.get(name, value) != value:
            yield f"`{name}` changed from {settings[name]} to {value}"
    one, other = digest(before, old), digest(after, new)
    if one and other and one != other:
        yield "its program changed"
