"""JAX's cache on disk: what it spared a run, what it could not, and why programs were not found there.

In: one or two `Recording`s, the keys in a cache.  Out: sentences, and a `Finding`.
Must never: name a cause that was not seen: one recording does not show which part of a key changed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..model import Compile, OpByOp, count, has_compiled, is_avoidable, listed, seconds
from ..recording import Recording
from .accounting import find_account

DIRECTORY = 'jax.config.update("jax_compilation_cache_dir", "jax_cache")  # before the first compile\n'
THRESHOLD = 'jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)'
SETTING = "`jax_persistent_cache_min_compile_time_secs`"
_DEFAULT_S = 1.0  # of that setting
_LEAST_S, _LEAST_SHARE = 1.0, 0.1  # of the wall time
_WRITING = re.compile(r"[A-Za-z_]\w*\.|'")  # the class of a value, quotes
_LOAD_S = 0.003  # to load one program, as measured on a CPU
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
    if spared := spared_by_disk(recording):
        yield str(spared)
    every = _programs(recording)
    rows = [row for row in every if row.disk_key]
    if not rows:
        return
    missed = [row for row in rows if row.origin != "loaded"]
    why = f", {len(missed):,} missed: {'; '.join(_why(missed, recording.facts.disk_states))}" if missed else ""
    yield f"{len(rows) - len(missed):,} of {count(len(rows), 'program')} from disk{why}."
    if early := sum(not row.disk_key and row.start_s < rows[0].start_s for row in every):
        yield f"{count(early, 'program')} compiled before JAX's cache on disk was set: set it before the first compile."
    if any(map(_is_quick, missed)) and spared is None:
        yield f"To keep quick programs as well: {THRESHOLD}"
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


def tell_missed(row: Compile) -> str:
    """The sentence about a compile that JAX's cache on disk could have saved; "" for others."""
    if row.disk_least_s is None:
        return ""
    spent_s, missed = compile_s(row), "It was not in JAX's cache on disk"
    if not 0 < spent_s < row.disk_least_s:
        return missed
    kept = f"JAX keeps programs that take {seconds(row.disk_least_s)} or more ({SETTING})"
    return f"{missed}, and was too quick to be kept there: {seconds(spent_s)}, and {kept}"


def tell_ops(rows: Sequence[OpByOp]) -> str:
    """How many programs outside any jit were loaded from disk; "" if none was. `on_disk` says why others were not."""
    loaded = [row for row in rows if row.origin == "loaded"]
    saved = f", {seconds(saved_s)} saved" if (saved_s := sum(row.saved_s or 0.0 for row in loaded)) else ""
    return f"{len(loaded):,} loaded from disk{saved}" if loaded else ""


def tell_misses(before: Recording, after: Recording, pairs: Iterable[tuple[Compile, Compile]]) -> Iterator[str]:
    """What was compiled in both recordings despite a cache on disk, and which part of its key changed. The `pairs` are
    versions that users consider the same."""
    names_of: dict[str, dict[str, None]] = {}  # by what changed
    for old, row in pairs:
        if row.disk_least_s is not None and (old.disk_key or old.disk_least_s is not None):
            changed = [*tell_changed_key(before, after), *tell_changed_settings(old, row)]
            if old.fingerprint and row.fingerprint and old.fingerprint != row.fingerprint:
                changed.append("its program changed")
            if changed:
                names_of.setdefault(listed(changed), {})[f"`{row.function}`"] = None
    why_all = listed(list(tell_changed_key(before, after)))
    asked = [row for row in before.op_by_op if row.disk_key or row.disk_least_s is not None]
    old_ops = {(row.name, row.program, row.inputs) for row in asked}
    for op in after.op_by_op if why_all else ():
        if op.disk_least_s is not None and (op.name, op.program, op.inputs) in old_ops:
            names_of.setdefault(why_all, {})[f"`{op.name}`"] = None
    for why, names in names_of.items():
        yield f"{listed(list(names))} {'was' if len(names) == 1 else 'were'} not found on disk: {why}"


class Spared(NamedTuple):
    """What a cache on disk would spare the next process: seconds of XLA, for so many programs; and how to have it."""

    seconds: float
    programs: int
    settings: str

    def __str__(self) -> str:
        spared = f"{seconds(self.seconds)}, for {count(self.programs, 'program')}"
        return f"A cache on disk would spare the next process about {spared}: set {self.settings}."


def spared_by_disk(recording: Recording) -> Spared | None:
    """What would be loaded in the next process if JAX kept it, if that is much; this process would gain nothing. A
    recompile that was avoidable need not be kept."""
    rows: list[Compile | OpByOp] = [*recording.op_by_op]
    rows += [row for row in recording.compiles if has_compiled(row) and not is_avoidable(row)]
    rows = [row for row in rows if row.origin == "compiled"]
    least_s = next((row.disk_least_s for row in rows if row.disk_least_s is not None), None)
    quick = [row for row in rows if compile_s(row) < (_DEFAULT_S if least_s is None else least_s)]
    lost = rows if least_s is None else quick  # the others are kept already
    spared_s = sum(map(compile_s, lost)) - _LOAD_S * len(lost)
    if spared_s < max(_LEAST_S, _LEAST_SHARE * recording.facts.wall_s):
        return None
    is_quick = 2 * sum(map(compile_s, quick)) >= sum(map(compile_s, lost))
    settings = ["`jax_compilation_cache_dir` to a folder"] * (least_s is None) + [f"{SETTING} to 0"] * is_quick
    return Spared(spared_s, len(lost), listed(settings))


def compile_s(row: Compile | OpByOp) -> float:
    """The seconds that compiling or loading took."""
    if isinstance(row, OpByOp):
        return row.compile_s
    return sum(phase.duration_s or 0.0 for phase in row.phases if phase.name == "compile")


def tell_changed_key(before: Recording, after: Recording) -> Iterator[str]:
    """The changes in what is part of the key of every program in a process."""
    was, now = before.facts.disk_key, after.facts.disk_key
    for name in sorted(was.keys() & now.keys()):
        if was[name] != now[name]:
            yield f"{name} changed" if name == "XLA_FLAGS" else f"{name} changed from {was[name]} to {now[name]}"


def tell_changed_settings(old: Compile, new: Compile, *, is_other_jax: bool = False) -> Iterator[str]:
    """The settings of JAX that are not those of another version. Another JAX may write the same setting in another way:
    'standard' or NumpyDtypePromotion.STANDARD, none or empty."""
    settings = dict(old.signature.context)
    plain = (lambda text: _WRITING.sub("", text).lower().replace("empty", "none")) if is_other_jax else str
    for name, value in new.signature.context:
        if plain(settings.get(name, value)) != plain(value):
            yield f"`{name}` changed from {settings[name]} to {value}"
