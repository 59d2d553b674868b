"""What differs between two recordings besides causes: seconds by phase, programs outside any jit by line, other
programs of the same versions, software and settings.

In: two `Recording`s.  Out: `RunChange`s and sentences.
Must never: take a slower machine for a slower phase, or a line that moved for another line.

Versions are paired by function and arguments. A phase has changed where its seconds did so by more than the phase that
changed least: what slows all phases down is the machine.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..model import Compile, OpByOp, RunChange, arrow, cell_of, count, has_compiled, listed, shortened
from ..recording import Recording
from .accounting import find_account
from .divergence import packed_of, tell_difference
from .on_disk import tell_changed_key, tell_changed_settings
from .version_keys import content_key

_MUCH, _LEAST_S = 2.0, 1.0  # what is no noise for one function
_SOME, _AGREE = 1.5, 3  # for so many functions that agree
_KNOWN_S = 0.05  # of a phase; ratios of less are noise
_MOST_NAMES = 3
_WORDS = {"trace": "tracing", "lower": "lowering", "compile": "compiling"}
_FROM_DISK = {"loaded": "loaded from disk", "compiled": "no longer loaded from disk"}


class _PhaseChange(NamedTuple):
    """The seconds of a phase of one function in both recordings."""

    function: str
    before: float
    after: float

    def is_much(self, slower: float, much: float = _MUCH) -> bool:
        return self.after > much * slower * self.before and self.after - slower * self.before > _LEAST_S


def pair_versions(before: Recording, after: Recording) -> list[tuple[Compile, Compile]]:
    """The versions of both recordings that have one function and equal arguments."""
    old, new = _by_version(before), _by_version(after)
    pairs: list[tuple[Compile, Compile]] = []
    for key in old.keys() & new.keys():
        if len(old[key]) == len(new[key]):  # else nobody knows which belong together
            # A function and its gradient may have one name and one argument: they return other things.
            pairs += zip(*(sorted(rows[key], key=_returned) for rows in (old, new)), strict=True)
    return sorted(pairs, key=lambda pair: pair[1].index)


def _returned(row: Compile) -> tuple[list[tuple[str, str]], str]:
    return [(leaf.path, leaf.repr) for leaf in row.outputs], row.fingerprint


def find_same(pairs: Iterable[tuple[Compile, Compile]], told: Collection[str]) -> Iterator[RunChange]:
    """ "3 versions of 2 functions compiled in both runs": equal programs of functions that nothing else is told of."""
    same = [
        pair for pair in pairs if len({row.fingerprint for row in pair} - {""}) < 2 and pair[1].function not in told
    ]
    if same:
        was_s, now_s = (sum(row.duration_s for row in rows) for rows in zip(*same, strict=True))
        functions = count(len({new.function for _, new in same}), "function")
        text = f"{count(len(same), 'version')} of {functions} compiled in both runs"
        yield RunChange("same", text, was_s, now_s)


def _by_version(recording: Recording) -> Mapping[object, list[Compile]]:
    rows: dict[object, list[Compile]] = defaultdict(list)
    for row in recording.compiles:
        if has_compiled(row):
            rows[row.function_info.module, row.function_info.qualname, content_key(row)].append(row)
    return rows


def find_phases(before: Recording, after: Recording, pairs: Sequence[tuple[Compile, Compile]]) -> Iterator[RunChange]:
    """ "tracing 0.2 → 17 s in all 4 functions, compiling as before", "compiling 26 → 1.2 s in `f`: loaded …"."""
    spent: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for old, new in _first_with_first(before, after, pairs):
        for phase in _WORDS:
            is_other = phase == "compile" and old.origin != new.origin
            row = spent[phase, new.origin if is_other else ""][new.function]
            for place, one in enumerate((old, new)):
                row[place] += sum(part.duration_s or 0.0 for part in one.phases if part.name == phase)
    rows = {phase: [_PhaseChange(name, *pair) for name, pair in names.items()] for phase, names in spent.items()}
    # What was loaded from disk is a fact, however little time that saved.
    told = {phase: some if phase[1] else _changed(rows, phase) for phase, some in rows.items()}
    steady = [_WORDS[phase] for phase, origin in rows if not told[phase, origin] and not origin and phase != "lower"]
    for (phase, origin), some in told.items():
        if some:
            whole = _sum(some)
            source = _slower_line(before, after) if phase == "trace" and whole.after > whole.before else ""
            text = (
                f"{_WORDS[phase]} {arrow(whole.before, whole.after)} {_tell_functions(some, len(rows[phase, origin]))}"
            )
            text += f", most of it at {source}" if source else ""
            text += f": {_FROM_DISK[origin]}" if origin else f", {listed(steady)} as before" if steady else ""
            yield RunChange("phase", text, whole.before, whole.after, source, tuple(change.function for change in some))


def _first_with_first(
    before: Recording, after: Recording, pairs: Iterable[tuple[Compile, Compile]]
) -> Iterator[tuple[Compile, Compile]]:
    """The pairs, but with a first version only beside another: it has in it what a process does once."""
    firsts: list[dict[object, Compile]] = [{}, {}]
    for first, recording in zip(firsts, (before, after), strict=True):
        for row in filter(has_compiled, recording.compiles):
            first.setdefault(_function(row), row)
    paired: set[object] = set()
    for old, new in pairs:
        key = _function(new)
        if (old is firsts[0].get(key)) == (new is firsts[1].get(key)):
            yield old, new
        elif key in firsts[0] and key in firsts[1] and key not in paired:
            paired.add(key)
            yield firsts[0][key], firsts[1][key]


def _function(row: Compile) -> object:
    return row.function_info.module, row.function_info.qualname, row.transform


def _changed(rows: Mapping[tuple[str, str], list[_PhaseChange]], phase: tuple[str, str]) -> list[_PhaseChange]:
    """The functions whose phase changed, slower ones or else quicker ones, most seconds first."""
    for turn in (1, -1):  # the other way around, what is quicker is slower
        sides = {
            name: [_PhaseChange(change[0], *change[1:][::turn]) for change in changed] for name, changed in rows.items()
        }
        sums = [_sum(changed) for name, changed in sides.items() if name != phase and not name[1]]
        ratios = [change.after / change.before for change in sums if change.before > _KNOWN_S]
        slower = 1.0 if phase[1] else max(1.0, min(ratios, default=1.0))
        changed = [change for change in sides[phase] if change.is_much(slower)]
        if not changed:
            grown = [change for change in sides[phase] if change.after > _SOME * slower * change.before]
            is_all = len(grown) >= _AGREE and len(grown) > len(sides[phase]) / 2
            changed = grown if _sum(grown).is_much(slower, _SOME if is_all else _MUCH) else []
        if changed:
            return [
                _PhaseChange(change[0], *change[1:][::turn])
                for change in sorted(changed, key=lambda change: change.before - change.after)
            ]
    return []


def _sum(some: Sequence[_PhaseChange]) -> _PhaseChange:
    return _PhaseChange("", sum(change.before for change in some), sum(change.after for change in some))


def _tell_functions(spent: Sequence[_PhaseChange], n: int) -> str:
    names = [f"`{change.function}`" for change in spent]
    if len(spent) == 1 or len(spent) <= min(n - 1, _MOST_NAMES):
        return f"in {listed(names)}"
    return f"in all {n:,} functions" if len(spent) == n else f"in {len(spent):,} of {n:,} functions, most in {names[0]}"


def _slower_line(before: Recording, after: Recording) -> str:
    """The line at which most of the tracing was added."""
    was = {line.source: line.seconds for line in find_account(before).part("trace").lines}
    added = {line.source: line.seconds - was.get(line.source, 0.0) for line in find_account(after).part("trace").lines}
    return max(added, key=added.__getitem__, default="")


def find_lines(before: Recording, after: Recording) -> list[RunChange]:
    """ "3 → 23 programs at init.py:6", most seconds first."""
    was, now = _lines(before), _lines(after)
    moved = {ops[0].source: key for key, ops in now.items() if key not in was}
    for key, ops in was.items():
        if key not in now and ops[0].source in moved:  # a line whose text changed
            now[key] = now.pop(moved.pop(ops[0].source))
    changes = []
    for key in dict.fromkeys([*now, *was]):
        old, new = was.get(key, []), now.get(key, [])
        few, many = sorted((len(old), len(new)))
        if many - few >= 2 and many >= _SOME * few and not (after.is_incomplete and len(new) < len(old)):
            one, was_s, now_s = (new or old)[0], sum(op.span_s for op in old), sum(op.span_s for op in new)
            text = f"{len(old):,} → {count(len(new), 'program')} at {one.source}"
            text += f": `{shortened(one.line)}`" if one.line else ""
            changes.append(RunChange("line", text, was_s, now_s, one.source, is_whole=not few))
    return sorted(changes, key=lambda change: -abs(change.after_s - change.before_s))


def _lines(recording: Recording) -> dict[object, list[OpByOp]]:
    lines: dict[object, list[OpByOp]] = defaultdict(list)
    for op in recording.op_by_op:
        lines["" if cell_of(op.source) else op.source.rpartition(":")[0], op.line or op.source].append(op)
    return dict(lines)


def find_programs(
    before: Recording, after: Recording, pairs: Iterable[tuple[Compile, Compile]], *, is_other_jax: bool
) -> Iterator[RunChange]:
    """ "`step` compiled another program: 8 slices at w.py:7 where the run before has 4", once for each function."""
    others: dict[str, tuple[Compile, Compile]] = {}
    for old, new in pairs:
        if old.fingerprint and new.fingerprint and old.fingerprint != new.fingerprint:
            others.setdefault(new.function, (old, new))
    if is_other_jax and others:
        text = f"another program in {count(len(others), 'function')}, compiled by another jax"
        spent_s = [sum(row.duration_s for row in rows) for rows in zip(*others.values(), strict=True)]
        others = {}
        yield RunChange("program", text, before_s=spent_s[0], after_s=spent_s[1])
    for name, (old, new) in others.items():
        detail = tell_difference(packed_of(after, new), packed_of(before, old), "this run", "the run before")
        text = f"`{name}` compiled another program{detail and f': {detail}'}"
        yield RunChange("program", text, old.duration_s, new.duration_s, new.source)


def tell_settings(before: Recording, after: Recording, pairs: Iterable[tuple[Compile, Compile]]) -> list[str]:
    """The software, the flags, the devices and the settings of JAX that changed: "jax changed from 0.10.2 to 0.12"."""
    was, now = dict(before.facts.versions), dict(after.facts.versions)
    told = [f"{name} changed from {was[name]} to {now[name]}" for name in was if now.get(name, was[name]) != was[name]]
    told += [text for text in tell_changed_key(before, after) if text not in told]
    is_other_jax = was.get("jax") != now.get("jax")
    told += [text for old, new in pairs for text in tell_changed_settings(old, new, is_other_jax=is_other_jax)]
    return list(dict.fromkeys(told))
