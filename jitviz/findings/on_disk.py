"""What JAX's cache on disk spared a run, and what it could not.

In: a `Recording`, the keys in a cache.  Out: sentences.
Must never: name a cause that was not seen: one recording does not show which part of a key changed.
"""

from collections.abc import Collection, Iterator, Sequence

from ..model import Compile, OpByOp
from ..model.counting import has_compiled
from ..model.quantities import count, listed, seconds
from ..recording import Recording
from .accounting import find_account
from .disk_misses import THRESHOLD, compile_s

_Row = Compile | OpByOp
_OTHER = "there by name, with another key: program, `XLA_FLAGS`, jaxlib or devices changed (`jitviz diff` says which)"
_PROBLEMS = {
    "late": "JAX's cache on disk was set too late: set it before the first compile. Nothing came from it.",
    "moved": "`jax_compilation_cache_dir` was set too late: JAX kept using the folder that was set before.",
}


def tell_disk(recording: Recording) -> Iterator[str]:
    """How many programs came from disk, why others did not, and what time remains if all do."""
    if problem := _PROBLEMS.get(recording.facts.disk_problem):
        yield problem
    every = _programs(recording)
    rows = [row for row in every if row.disk_key]
    if not rows:
        return
    missed = [row for row in rows if row.origin != "loaded"]
    why = f", {len(missed):,} missed: {'; '.join(_why(missed, recording.facts.disk_states))}" if missed else ""
    yield f"{len(rows) - len(missed):,} of {count(len(rows), 'program')} from disk{why}."
    if early := sum(not row.disk_key and row.start_s < rows[0].start_s for row in every):
        yield f"{count(early, 'program')} compiled before JAX's cache on disk was set: set it before the first compile."
    if any(map(_is_quick, missed)):
        yield f"To keep quick programs as well: {THRESHOLD.strip()}"
    account, ops = find_account(recording), recording.op_by_op
    floor = {
        "tracing": account.part("trace").seconds + sum(op.trace_s for op in ops),
        "lowering": account.part("lower").seconds + sum(op.lower_s for op in ops),
        "loading": account.part("load").seconds + sum(op.compile_s for op in ops if op.origin == "loaded"),
    }
    parts = [f"{seconds(spent_s)} {what}" for what, spent_s in floor.items() if spent_s]
    loading = "; and the time to load what was missed" if missed else ""
    yield f"With all programs from disk, {seconds(sum(floor.values()))} remain: {listed(parts)}{loading}."


def _programs(recording: Recording) -> list[_Row]:
    rows: list[_Row] = [row for row in recording.compiles if has_compiled(row) and row.start_s >= 0]
    return sorted([*rows, *recording.op_by_op], key=lambda row: row.start_s)


def _why(missed: Sequence[_Row], states: dict[str, str]) -> Iterator[str]:
    quick = [row for row in missed if _is_quick(row)]
    rest = [states.get(row.disk_key, "new") for row in missed if not _is_quick(row)]
    for state, told in (("other", _OTHER), ("new", "not there yet"), ("absent", "not there, and JAX did not keep it")):
        if state in rest:
            yield f"{rest.count(state):,} {told}"
    if quick:
        least_s, up_to = quick[-1].disk_least_s or 0.0, "up to " if len(quick) > 1 else ""
        spent = f"{up_to}{seconds(max(map(compile_s, quick)))}; threshold {seconds(least_s)}"
        yield f"{len(quick):,} too quick to be kept ({spent})"


def _is_quick(row: _Row) -> bool:
    return compile_s(row) < (row.disk_least_s or 0.0)


def tell_found(recording: Recording, name: str, keys: Collection[str], names: Collection[str]) -> Iterator[str]:
    """What a run would find in a folder with programs of these keys and names."""
    every = _programs(recording)
    rows = [row for row in every if row.disk_key]
    if every and not rows:
        n_here = sum(_name(row) in names for row in every)
        yield f"{name} ran without a cache on disk, so keys are unknown: by name, {n_here:,} of {len(every):,} are here"
        return
    missing = [row for row in rows if row.disk_key not in keys]
    yield f"{name} would find {len(rows) - len(missing):,} of {count(len(rows), 'program')}"
    for row in missing:
        here = "here under another key" if _name(row) in names else "not here"
        yield f"  {_name(row)}: {'too quick to be kept' if _is_quick(row) else here}, {seconds(compile_s(row))}"


def _name(row: _Row) -> str:
    return row.program if isinstance(row, OpByOp) else row.function_info.name.rpartition(".")[2]
