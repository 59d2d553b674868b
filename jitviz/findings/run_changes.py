"""What differs between two recordings besides causes: seconds by phase, programs outside any jit by line, other
programs of the same versions, software and settings.

In: two `Recording`s.  Out: `Change`s and sentences.
Must never: take a slower machine for a slower phase, or a line that moved for another line.

Versions are paired by function and arguments. A phase has changed where its seconds did so by more than the phase that
changed least: what slows all phases down is the machine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..model import Compile, OpByOp
from ..model.counting import has_compiled
from ..model.quantities import count, listed, seconds, shortened
from ..model.source_places import cell_of
from ..recording import Recording
from .accounting import find_account
from .disk_misses import tell_changed_key
from .other_programs import packed_of, tell_difference
from .version_keys import content_key

_MUCH, _LEAST_S = 2.0, 1.0  # what is no noise for one function
_SOME, _AGREE = 1.5, 3  # for so many functions that agree
_KNOWN_S = 0.05  # of a phase; ratios of less are noise
_MOST_NAMES, _MOST_ROWS = 3, 5
_WORDS = {"trace": "tracing", "lower": "lowering", "compile": "compiling"}
_FROM_DISK = {"loaded": "loaded from disk", "compiled": "no longer loaded from disk"}


@dataclass(frozen=True)
class Change:
    """A change of seconds or of programs. `functions` are those that a change of a phase is about; `is_whole` says that
    a line had no program before, or has none now."""

    kind: Literal["phase", "line", "program"]
    text: str
    before_s: float
    after_s: float
    source: str = ""
    functions: tuple[str, ...] = ()
    is_whole: bool = False
    advice: str = ""  # what to do
    code: str = ""  # to paste


class _Spent(NamedTuple):
    """The seconds of a phase of one function in both recordings."""

    function: str
    before: float
    after: float

    @property
    def turned(self) -> _Spent:
        return _Spent(self.function, self.after, self.before)

    def is_much(self, slower: float) -> bool:
        return self.after > _MUCH * slower * self.before and self.after - slower * self.before > _LEAST_S


def pair_versions(before: Recording, after: Recording) -> list[tuple[Compile, Compile]]:
    """The versions of both recordings that have one function and equal arguments; equal programs first."""
    old, new = _by_version(before), _by_version(after)
    pairs: list[tuple[Compile, Compile]] = []
    for key in old.keys() & new.keys():
        left, others = list(old[key]), []
        for row in new[key]:
            same = next((one for one in left if one.fingerprint == row.fingerprint), None)
            if same is None:
                others.append(row)
            else:
                left.remove(same)
                pairs.append((same, row))
        if len(left) == len(others):  # else nobody knows which belong together
            pairs += zip(left, others, strict=True)
    return sorted(pairs, key=lambda pair: pair[1].index)


def _by_version(recording: Recording) -> Mapping[object, list[Compile]]:
    rows: dict[object, list[Compile]] = defaultdict(list)
    for row in recording.compiles:
        if has_compiled(row):
            rows[row.function_info.module, row.function_info.qualname, content_key(row)].append(row)
    return rows


def find_phases(before: Recording, after: Recording, pairs: Sequence[tuple[Compile, Compile]]) -> Iterator[Change]:
    """ "tracing 0.2 → 17 s in all 4 functions, compiling as before", "compiling 26 → 1.2 s in `f`: loaded …"."""
    spent: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for name, old, new in _timed(before, after, pairs):
        is_other = old.origin != new.origin
        for phase, (old_s, new_s) in zip(_WORDS, zip(_phases_s(old), _phases_s(new), strict=True), strict=True):
            row = spent[phase, new.origin if is_other and phase == "compile" else ""][name]
            row[0], row[1] = row[0] + old_s, row[1] + new_s
    rows = {phase: [_Spent(name, *pair) for name, pair in names.items()] for phase, names in spent.items()}
    told = {phase: _changed(rows, phase) for phase in rows}
    steady = [_WORDS[phase] for phase, origin in rows if not told[phase, origin] and not origin and phase != "lower"]
    for (phase, origin), some in told.items():
        if some:
            spent_s = sum(one.before for one in some), sum(one.after for one in some)
            source = _slower_line(before, after) if phase == "trace" and spent_s[1] > spent_s[0] else ""
            text = f"{_WORDS[phase]} {_arrow(*spent_s)} {_tell_functions(some, rows[phase, origin])}"
            text += f", most of it at {source}" if source else ""
            text += f": {_FROM_DISK[origin]}" if origin else f", {listed(steady)} as before" if steady else ""
            yield Change("phase", text, *spent_s, source, tuple(one.function for one in some))


def _timed(
    before: Recording, after: Recording, pairs: Iterable[tuple[Compile, Compile]]
) -> Iterator[tuple[str, Compile | OpByOp, Compile | OpByOp]]:
    """Pairs of versions, and of programs outside any jit, which have no name here."""
    yield from ((new.function, old, new) for old, new in pairs)
    ops: dict[object, list[OpByOp]] = defaultdict(list)
    for op in before.op_by_op:
        ops[op.name, op.program, op.inputs].append(op)
    for op in after.op_by_op:
        if alike := ops[op.name, op.program, op.inputs]:
            yield "", alike.pop(0), op


def _phases_s(row: Compile | OpByOp) -> Iterator[float]:
    if isinstance(row, OpByOp):
        yield from (row.trace_s, row.lower_s, row.compile_s)
    else:
        yield from (sum(one.duration_s or 0.0 for one in row.phases if one.name == name) for name in _WORDS)


def _changed(rows: Mapping[tuple[str, str], list[_Spent]], phase: tuple[str, str]) -> list[_Spent]:
    """The functions whose phase changed, slower ones or else quicker ones, most seconds first."""
    for turn in (False, True):
        sides = {name: [one.turned if turn else one for one in some] for name, some in rows.items()}
        sums = [(sum(s.before for s in some), sum(s.after for s in some)) for name, some in sides.items()
                if name != phase and not name[1]]  # fmt: skip
        slower = max(1.0, min((new_s / old_s for old_s, new_s in sums if old_s > _KNOWN_S), default=1.0))
        some = [one for one in sides[phase] if one.is_much(1.0 if phase[1] else slower)]
        if not some:
            grown = [one for one in sides[phase] if one.after > _SOME * slower * one.before]
            whole = _Spent("", sum(one.before for one in grown), sum(one.after for one in grown))
            is_all = len(grown) >= _AGREE and len(grown) > len(sides[phase]) / 2
            is_told = whole.is_much(slower) or (is_all and whole.after - slower * whole.before > _LEAST_S)
            some = grown if is_told else []
        if some:
            ordered = sorted(some, key=lambda one: one.before - one.after)
            return [one.turned if turn else one for one in ordered]
    return []


def _tell_functions(some: Sequence[_Spent], rows: Sequence[_Spent]) -> str:
    """ "in all 4 functions", "in `f` and programs outside any jit", "in 12 of 40 functions, most in `f`"."""
    n = len(rows) if not all(one.function for one in some) else sum(1 for one in rows if one.function)
    names = [f"`{one.function}`" if one.function else "programs outside any jit" for one in some]
    if len(some) == 1 or len(some) <= min(n - 1, _MOST_NAMES):
        return f"in {listed(names)}"
    return f"in all {n:,} functions" if len(some) == n else f"in {len(some):,} of {n:,} functions, most in {names[0]}"


def _arrow(before_s: float, after_s: float) -> str:
    """ "0.2 → 17 s", "90 ms → 17 s"."""
    (was, unit), (now, now_unit) = (seconds(one).rsplit(" ", 1) for one in (before_s, after_s))
    return (
        f"{was} → {now} {unit}" if unit == now_unit and "min" not in was + now else f"{was} {unit} → {now} {now_unit}"
    )


def _slower_line(before: Recording, after: Recording) -> str:
    """The line at which most of the tracing was added."""
    was = {line.source: line.seconds for line in find_account(before).part("trace").lines}
    added = {line.source: line.seconds - was.get(line.source, 0.0) for line in find_account(after).part("trace").lines}
    return max(added, key=added.__getitem__, default="")


@dataclass
class _Line:
    """The programs of one line outside any jit."""

    source: str = ""
    text: str = ""
    n: int = 0
    seconds: float = 0.0


def find_lines(before: Recording, after: Recording) -> list[Change]:
    """ "3 → 23 programs at init.py:6", most seconds first."""
    was, now = _lines(before), _lines(after)
    for key in was.keys() - now.keys():  # a line whose text changed
        if (other := next((k for k in now.keys() - was.keys() if now[k].source == was[key].source), None)) is not None:
            now[key] = now.pop(other)
    changes = []
    for key in dict.fromkeys([*now, *was]):
        old, new = was.get(key, _Line()), now.get(key, _Line())
        few, many = sorted((old.n, new.n))
        if many - few < 2 or many < _SOME * few or (after.is_incomplete and new.n < old.n):
            continue
        source, text = new.source or old.source, shortened(new.text or old.text)
        text = f"{old.n:,} → {count(new.n, 'program')} at {source}" + (f": `{text}`" if text else "")
        changes.append(Change("line", text, old.seconds, new.seconds, source, is_whole=not few))
    return sorted(changes, key=lambda one: -abs(one.after_s - one.before_s))


def _lines(recording: Recording) -> dict[object, _Line]:
    lines: dict[object, _Line] = {}
    for op in recording.op_by_op:
        file = "" if cell_of(op.source) else op.source.rpartition(":")[0]
        line = lines.setdefault((file, op.line or op.source), _Line(op.source, op.line))
        line.n, line.seconds = line.n + 1, line.seconds + op.span_s
    return lines


def find_programs(
    before: Recording, after: Recording, pairs: Iterable[tuple[Compile, Compile]], *, is_other_jax: bool
) -> Iterator[Change]:
    """ "`step` compiled another program: 8 slices at w.py:7 where the run before has 4", once for each function."""
    others: dict[str, tuple[Compile, Compile]] = {}
    for old, new in pairs:
        if old.fingerprint and new.fingerprint and old.fingerprint != new.fingerprint:
            others.setdefault(new.function, (old, new))
    shown = [] if is_other_jax else list(others.items())[:_MOST_ROWS]
    for name, (old, new) in shown:
        texts = packed_of(after, new), packed_of(before, old)
        detail = tell_difference(*texts, "this run", "the run before")
        text = f"`{name}` compiled another program{detail and f': {detail}'}"
        yield Change("program", text, old.duration_s, new.duration_s, new.source)
    if rest := list(others.values())[len(shown) :]:
        text = f"another program in {count(len(rest), 'more function' if shown else 'function')}"
        spent_s = sum(old.duration_s for old, _ in rest), sum(new.duration_s for _, new in rest)
        yield Change("program", text + (", compiled by another jax" if is_other_jax else ""), *spent_s)


def tell_settings(before: Recording, after: Recording, pairs: Iterable[tuple[Compile, Compile]]) -> list[str]:
    """The software, the flags, the devices and the settings of JAX that changed: "jax changed from 0.10.2 to 0.12"."""
    was, now = dict(before.facts.versions), dict(after.facts.versions)
    told = [f"{name} changed from {was[name]} to {now[name]}" for name in was if now.get(name, was[name]) != was[name]]
    told += [text for text in tell_changed_key(before, after) if text not in told]
    for old, new in pairs:
        settings = dict(old.signature.context)
        for name, value in new.signature.context:
            if settings.get(name, value) != value:
                told.append(f"`{name}` changed from {settings[name]} to {value}")
    return list(dict.fromkeys(told))
