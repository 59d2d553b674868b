"""Processes that diverge: one compiles while the others hit and wait for it, possibly forever, or compiles another
program than they do.

In: a recording that was merged from several processes.  Out: `Finding`s; what two programs differ in.
Must never: take a call for a hit, or for the same call in all processes, where that is unknown; or programs for others
that differ in names or in where the source lies.

All processes of such a job make the same calls, so the calls of a function are compared by their numbers; where a
process does not see its hits, the versions are compared. A process whose file lost lines has no numbers, and one that
did not end might have compiled the version later. Processes of a tree that are not numbered by `jax.distributed` work
on their own: only their programs are compared, and those of workers of a pool are not. The first operation that differs
names the line; where the numbers of an operation differ, an unrolled loop is likely.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from ..jaxcompat.texts.locations import Locations, plain_stablehlo
from ..jaxcompat.texts.program_lines import brief, operation_of
from ..jaxcompat.texts.stablehlo import read_operations
from ..model import Call, Compile, Finding, HitsSeen, count, has_compiled, hits_seen, listed, shortened
from ..recording import Recording, unpack
from .program.places import Places
from .version_keys import content_key

_COMPILED = ("compile", "trace")
_MOST_NAMES = 3
_MOST_PACKED_NBYTES = 1_000_000  # of one program


class OtherPrograms(NamedTuple):
    """The `odd` versions have one program, the `usual` ones another; both by process, in order."""

    odd: Mapping[str, Compile]
    usual: Mapping[str, Compile]


class _ComparedOperation(NamedTuple):
    """An operation without the names of its values, and the line of the user's source that it comes from."""

    name: str
    text: str
    source: str


class _Parting(NamedTuple):
    """The processes that `compiled` something and those that `hit`. `number` is that of the call, 0 if it is unknown
    since hits are not seen."""

    number: int
    compiled: Mapping[str, Compile | None]
    hit: Sequence[str]
    caller: Call | None = None


@dataclass
class _Process:
    """What one process did with a function: how many calls, which of them are no hits, by number, and its versions."""

    n: int = 0
    singles: dict[int, Call] = field(default_factory=dict)
    summed: list[range] = field(default_factory=list)  # calls that are no hits, of which only sums are known
    versions: dict[int, Compile] = field(default_factory=dict)  # by key
    is_known: bool = True  # whether these are all its versions, and known in full


def find_divergence(recording: Recording) -> Iterator[Finding]:
    """One finding per function, processes and cause."""
    places = recording.facts.processes
    lacks = {label: process.lacks for label, process in places.items()}
    ranks = {label for label, one in places.items() if one.process_index is not None}
    peers = ranks or {label for label, process in places.items() if process.below != "worker"}
    for is_numbered, processes in _functions(recording, peers):
        known = {
            label: processes[label].versions for label in places if label in processes and processes[label].is_known
        }
        versions = [
            {label: rows[key] for label, rows in known.items() if key in rows}
            for key in dict.fromkeys(key for rows in known.values() for key in rows)
        ]
        if odd := [others for rows in versions for others in other_programs(recording, rows)]:
            yield _program_finding(recording, processes, odd, is_numbered=is_numbered)
        if not ranks and any(places[label].below for label in processes):
            continue
        alike: dict[object, list[_Parting]] = defaultdict(list)
        whole = {label: process for label, process in processes.items() if lacks.get(label) != "lines"}
        ended = {label for label in processes if not lacks.get(label)}
        for parting in _by_number(whole) if is_numbered else _by_version(processes, ended):
            compile = next(iter(parting.compiled.values()))
            reason = compile.reasons[0] if compile is not None and compile.reasons else None
            key = reason and (reason.kind, reason.path)
            alike[frozenset(parting.compiled), frozenset(parting.hit), key].append(parting)
        yield from map(_finding, alike.values())


def _program_finding(
    recording: Recording, processes: Mapping[str, _Process], odd: Sequence[OtherPrograms], *, is_numbered: bool
) -> Finding:
    first = odd[0]
    label, row = next(iter(first.odd.items()))
    call, calls = row.call, processes[label].singles.items() if is_numbered else ()
    number = next((f" at call {number}" for number, one in calls if call is not None and one.index == call.index), "")
    usual, before = next(iter(first.usual.items()))
    texts = packed_of(recording, row), packed_of(recording, before)
    detail = tell_difference(*texts, label, usual)
    summary = f"{_named(first.odd)} compiled another program for `{row.function}`{number}{detail and f': {detail}'}"
    rows = [row for one in odd for rows in one for row in rows.values()]
    return Finding.about(
        rows,
        "diverged",
        summary,
        "Make what the function reads besides its arguments equal in all processes: where they run different programs, "
        "one may wait for another forever.",
        seconds=sum(row.duration_s for row in rows),
        count=len(odd),
        caller=row.call,
    )


def _functions(recording: Recording, peers: Container[str]) -> Iterator[tuple[bool, Mapping[str, _Process]]]:
    """Each function that several processes called: whether all of them see hits of it, and what each process did."""
    functions: dict[str, dict[str, _Process]] = defaultdict(lambda: defaultdict(_Process))
    seen: dict[str, set[HitsSeen]] = defaultdict(set)
    for call, n in recording.facts.calls.alike():
        info = call.function_info
        name = info.lineage.removeprefix(f"{info.process}: ")
        if info.process not in peers:
            continue
        place = recording.facts.processes.get(info.process)
        seen[name].add(hits_seen(info, (place and place.hits_seen) or recording.hits_seen))
        process = functions[name][info.process]
        if call.outcome != "inlined":
            process.n += n
        if call.outcome not in ("inlined", "hit"):
            process.singles[process.n] = call
            process.summed += [range(process.n - n + 1, process.n)] * (n > 1)
    doubtful = (miss for miss in recording.facts.misses if miss.is_warm or miss.signature.is_partial)
    unknown = {miss.function_info.lineage for miss in doubtful}
    for row in (*recording.compiles, *recording.earlier):  # of equal versions, the one whose program is known
        info = row.function_info
        if info.process not in peers:
            continue
        process = functions[info.lineage.removeprefix(f"{info.process}: ")][info.process]
        process.is_known &= info.lineage not in unknown
        if has_compiled(row):
            process.versions.setdefault(content_key(row), row)
    for name, processes in functions.items():
        yield bool(seen[name]) and "none" not in seen[name], processes


def _by_number(processes: Mapping[str, _Process]) -> Iterator[_Parting]:
    """The calls that some compiled and others hit."""
    singles = ((number, call) for process in processes.values() for number, call in process.singles.items())
    for number in sorted({number for number, call in singles if call.outcome in _COMPILED}):
        calls = {label: one.singles.get(number) for label, one in processes.items() if number <= one.n}
        compiled = {label: call for label, call in calls.items() if call is not None and call.outcome in _COMPILED}
        in_sums = {
            label for label, process in processes.items() if any(number in numbers for numbers in process.summed)
        }
        hit = [label for label, call in calls.items() if call is None and label not in in_sums]
        # A process that hits and waits for the others has not finished the call, so its outcome is unknown.
        is_waited_for = number > 1 and all(process.n in (number - 1, number) for process in processes.values())
        if hit or (is_waited_for and len(calls) < len(processes)):
            versions = {label: call.compile for label, call in compiled.items()}
            yield _Parting(number, versions, hit, next(iter(compiled.values())))


def _by_version(processes: Mapping[str, _Process], ended: Container[str]) -> Iterator[_Parting]:
    """The versions that some compiled and others, which ended, did not, though they compiled the function."""
    known = {label: process.versions for label, process in processes.items() if process.versions and process.is_known}
    for key in dict.fromkeys(key for versions in known.values() for key in versions):
        compiled = {label: versions[key] for label, versions in known.items() if key in versions}
        without = [label for label in known if label in ended and label not in compiled]
        if without:
            yield _Parting(0, compiled, without)


def _finding(partings: Sequence[_Parting]) -> Finding:
    first = partings[0]
    compiles = [row for parting in partings for row in parting.compiled.values() if row is not None]
    about = first.caller or compiles[0]
    reason = compiles[0].reasons[0] if compiles and compiles[0].reasons else None
    change = f": `{reason.path}` {reason.before} → {reason.after}" if reason is not None and reason.path else ""
    if not first.number:
        them, others = _named(first.compiled), _named(first.hit)
        summary = f"{them} compiled a version of `{about.function}` that {others} did not{change}"
    elif len(first.compiled) <= len(first.hit) or not first.hit:
        others = " where the others hit" if first.hit else ", which the others had not finished"
        summary = f"{_named(first.compiled)} compiled `{about.function}` at call {first.number}{others}{change}"
    else:
        summary = f"{_named(first.hit)} hit `{about.function}` at call {first.number} where the others compiled{change}"
    return Finding.about(
        compiles,
        "diverged",
        summary,
        "Give all processes the same shapes, dtypes and static values: they wait for the one that compiles.",
        path=reason.path if reason is not None else "",
        reason=reason.kind if reason is not None else "",
        seconds=sum(row.duration_s for row in compiles),
        count=len(partings),
        caller=first.caller,
    )


def _named(processes: Iterable[str]) -> str:
    """ "process 1", "processes 1 and 3", "12 processes"."""
    names = list(processes)
    if len(names) > _MOST_NAMES:
        return f"{len(names)} processes"
    if len(names) > 1 and all(name.startswith("process ") for name in names):
        return f"processes {listed([name.removeprefix('process ') for name in names])}"
    return listed(names)


def other_programs(recording: Recording, versions: Mapping[str, Compile]) -> Iterator[OtherPrograms]:
    """Those of a version's processes that compiled another program than most, or than the first, did."""
    by_program: dict[str, dict[str, Compile]] = defaultdict(dict)
    for label, row in versions.items():
        if row.fingerprint and 0 < len(packed_of(recording, row)) <= _MOST_PACKED_NBYTES:
            by_program[row.fingerprint][label] = row
    usual, *others = sorted(by_program.values(), key=len, reverse=True) or [{}]
    for odd in others:
        yield OtherPrograms(odd, usual)


def tell_difference(new: bytes, old: bytes, who: str, whose: str) -> str:
    """ "8 slices at w.py:7 where process 0 has 4; the first operation that differs is …"; "" if that is not known. The
    new program is that of `who`, the old one of `whose`: "process 0"."""
    mine, others = map(_operations, (new, old))
    pairs = zip_longest(mine, others)
    one, other = next((pair for pair in pairs if None in pair or pair[0][:2] != pair[1][:2]), (None, None))
    if (shown := one or other) is None:
        return ""
    what, place = _cut(shown), f" at {shown.source}" if shown.source else ""
    if one is None or other is None:
        what, place = f"{what}{place}", f", which only {who if one else whose} has"
    else:
        what += ", with other values" if what == _cut(other) else f", in {whose} {_cut(other)}"
    number = _tell_number(mine, others, whose)
    return f"{number}{number and '; '}the first operation that differs is {what}{place}"


def _tell_number(mine: Sequence[_ComparedOperation], others: Sequence[_ComparedOperation], whose: str) -> str:
    """The first operation, by its line, of which there are more or fewer."""
    numbers, before = (Counter((operation.name, operation.source) for operation in some) for some in (mine, others))
    for name, source in dict.fromkeys([*numbers, *before]):
        n, n_before = numbers[name, source], before[name, source]
        if n != n_before and source and name != "constant":
            return f"{count(n, name)} at {source} where {whose} has {n_before:,}"
    return ""


def _cut(one: _ComparedOperation) -> str:
    return f"`{shortened(one.text)}`"


def packed_of(recording: Recording, row: Compile) -> bytes:
    """Its StableHLO as it is kept, empty if it is not; of a compile before the recording, none is."""
    return recording.facts.texts.get((row.index, "stablehlo"), b"")


def _operations(packed: bytes) -> list[_ComparedOperation]:
    text, places, found = unpack(packed), Places(), []
    plain = plain_stablehlo(text).split("\n")
    for one in read_operations(text, Locations(text, places)):
        if name := operation_of(plain[one.line], "stablehlo"):
            chain = next((origin.chain for origin in one.origins if origin.chain), ())
            found.append(_ComparedOperation(name, brief(plain[one.line]), places.sources[chain[-1]] if chain else ""))
    return found
