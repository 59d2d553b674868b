"""The lock of a project: what its programs compile, one line for each version and for each line outside any jit.

In: a `Recording`, or a section of `compiles.lock`.  Out: such a section; what two differ in, a sentence each.
Must never: write what differs between equal runs, machines or checkouts: seconds, addresses, folders, line numbers.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import NamedTuple

from ..model import Compile, Leaf, OpByOp, has_cause, has_compiled, split_source
from ..model.printable import one_line
from ..model.quantities import count, first_of, listed, shortened
from ..recording import Recording
from .program_findings import program_of

_PLACE = re.compile(r" at [^<>]*:\d+(?=>)")  # of a function's definition
_FOLDER = re.compile(r"(?<![\w.~])~?/(?:[^\s/'\"]+/)+")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_BAR = re.compile(r"(?<!\S)\|(?!\S)")
OUTSIDE = "outside any jit in "
_OF_CONSTANTS = " of constants"
_MOST_SHOWN = 3


class Entry(NamedTuple):
    """One line: what compiled, given what, to which program, and how often in one process. `place`, `cause`, its
    largest unrolled `loop` and the functions that it `runs` are of a run, and not in the file."""

    subject: str  # "train.step", "outside any jit in train.py"
    given: str  # "x: f32[4]; rate: static 0.1"; the text of the line
    program: str
    times: int = 1
    place: str = ""
    cause: str = ""
    loop: str = ""
    runs: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return " | ".join([*self[:3], *[f"{self.times} times"] * (self.times > 1)])


class Section(NamedTuple):
    """What one program compiled. `software` names the version of jax and the backend."""

    software: str
    entries: tuple[Entry, ...] = ()


def read_section(recording: Recording) -> Section:
    """What a recording compiled; of several processes, what compiled most often in any of them."""
    first: dict[tuple[object, ...], Entry] = {}
    times: defaultdict[tuple[object, ...], Counter[str]] = defaultdict(Counter)
    for row in filter(has_compiled, recording.compiles):
        entry = _version(recording, row)
        first.setdefault(entry[:3], entry)
        times[entry[:3]][row.function_info.process] += 1
    entries = [entry._replace(times=max(times[key].values())) for key, entry in first.items()]
    versions = dict(recording.facts.versions)
    software = f"jax {versions.get('jax', '?')}, {versions.get('backend', 'no backend')}"
    return Section(software, (*entries, *_outside_jit(recording)))


def _version(recording: Recording, row: Compile) -> Entry:
    info, program = row.function_info, program_of(recording, row)
    name = info.qualname if info.module in ("", "__main__") else f"{info.module}.{info.qualname}"
    n_in, n_out = (sum(leaf.nbytes for leaf in some) for some in (row.signature.traced, row.outputs))
    facts = f"{count(program.n_equations, 'equation')} | {n_in:,} B in | {n_out:,} B out"
    largest = ", ".join(field_text(f"{constant.name} {constant.aval}") for constant in program.constants[:_MOST_SHOWN])
    nbytes = sum(constant.nbytes for constant in program.constants)
    constants = f" | {nbytes:,} B{_OF_CONSTANTS}: {largest}" if nbytes else ""
    loop, told = next(((copies.name(file), copies.tell()) for file, copies in program.copies), ("", ""))
    cause = row.reasons[0].summary.rstrip(".") if has_cause(row) else ""
    subject = f"{name} ({row.transform})" if row.transform else name
    leaves = "; ".join(map(_leaf, row.signature.leaves))
    written = f"{facts}{constants} | {row.fingerprint or 'not kept'}"
    causes = "; ".join(filter(None, (cause, f"{loop} {told}" * bool(loop))))
    return Entry(field_text(subject), leaves, written, 1, row.source, causes, loop, program.runs)


def _leaf(leaf: Leaf) -> str:
    """ "x: f32[4]"; a static value without the places where functions are defined, and without folders."""
    text = _FOLDER.sub("…/", _PLACE.sub("", one_line(leaf.repr)))
    kind = "static " * (leaf.role == "static") + "donated " * leaf.donated
    return field_text(f"{leaf.path}: {kind}{text}").replace(";", ",")


def field_text(text: str) -> str:
    """The text as it may stand in a line of the file, where " | " stands between two of them."""
    return _BAR.sub("¦", one_line(text).strip())


def _outside_jit(recording: Recording) -> Iterator[Entry]:
    """The lines that compiled outside any jit, by their text: an edit above them changes their numbers."""
    lines: defaultdict[tuple[str, str], list[OpByOp]] = defaultdict(list)
    for op in recording.op_by_op:
        file = PurePath(split_source(op.source)[0])
        is_below = not file.is_absolute() and file.parts[:1] not in (("~",), ("..",))
        lines[OUTSIDE + field_text(file.as_posix() if is_below else file.name), field_text(op.line)].append(op)
    for key, rows in lines.items():
        names = sorted(Counter(field_text(row.name) for row in rows).items())
        told = ", ".join(f"{n} {name}" for name, n in names)
        yield Entry(*key, f"{count(len(rows), 'program')} | {told}", place=rows[0].source)


def tell_differences(locked: Section, found: Section, *, is_part: bool = False) -> list[str]:
    """What `found` has otherwise than the lock, one sentence each; with `is_part`, without what it lacks."""
    old, new = (set(map(str, section.entries)) for section in (locked, found))
    gone = [entry for entry in locked.entries if str(entry) not in new]
    added = [entry for entry in found.entries if str(entry) not in old]
    changed: list[tuple[Entry, Entry]] = []
    for n in (2, 1):  # first what has another program, then what has another leaf
        for after in list(added):
            alike = (entry for entry in gone if entry[:n] == after[:n] and (n > 1 or OUTSIDE not in entry.subject))
            facts = set(after.program.split(" | "))  # a function and its gradient may have one name and one argument
            if before := max(
                alike, key=lambda entry: len(facts.intersection(entry.program.split(" | "))), default=None
            ):
                gone.remove(before)
                added.remove(after)
                changed.append((before, after))
    sentences = [_tell_together(*some) for some in _by_cause(changed)]
    sentences += [f"new: {_tell(entry)}" for entry in added]
    sentences += [f"gone: {_tell(entry)}" for entry in gone if not is_part]
    if sentences and locked.software != found.software:
        return [f"written with {locked.software}; this run has {found.software}: {count(len(sentences), 'difference')}"]
    return sentences


def _by_cause(changed: list[tuple[Entry, Entry]]) -> Iterable[list[tuple[Entry, Entry]]]:
    """Programs that changed for equal leaves changed together where they share an unrolled loop, or run a function that
    changed. What is inside the others comes first."""
    inner_first = sorted(changed, key=lambda entry: len(entry[1].runs))
    causes: defaultdict[object, list[tuple[Entry, Entry]]] = defaultdict(list)
    for before, after in inner_first:
        inside = (new for old, new in inner_first if old.given == new.given and _function(new) in after.runs)
        innermost = next(inside, after)
        is_alone = before.given != after.given
        causes[id(after) if is_alone else innermost.loop or _function(innermost)].append((before, after))
    return causes.values()


def _function(entry: Entry) -> str:
    """The name that a program has for a function that it runs."""
    return entry.subject.partition(" (")[0].rpartition(".")[2]


def _tell_together(first: tuple[Entry, Entry], *others: tuple[Entry, Entry]) -> str:
    names = listed(list(dict.fromkeys(f"`{after.subject}`" for _, after in others))[:_MOST_SHOWN])
    more = f"; and {count(len(others), 'more version')}, of {names}" if others else ""
    return f"changed: {_tell_change(*first)}{more}"


def _tell_change(before: Entry, after: Entry) -> str:
    """In leaves, facts and times; a fingerprint only counts if nothing else has changed."""
    was, now = (dict(leaf.partition(": ")[::2] for leaf in entry.given.split("; ")) for entry in (before, after))
    leaves = [path for path in {**was, **now} if was.get(path) != now.get(path)]
    leaves = [f"`{path}`: {was.get(path, 'nothing')} → {now.get(path, 'nothing')}" for path in leaves]
    changes = first_of(leaves, _MOST_SHOWN)
    facts = zip(_facts(before), _facts(after), strict=False)
    changes += [f"{old} → {new}" for old, new in facts if old != new and not _FINGERPRINT.fullmatch(new)]
    if before.times != after.times:
        changes.append(f"{before.times:,} → {after.times:,} times")
    return _tell(after, ", ".join(changes) or "another program of the same size")


def _facts(entry: Entry) -> list[str]:
    facts = entry.program.split(" | ")
    return facts if any(_OF_CONSTANTS in fact for fact in facts) else [*facts[:-1], "no constants", *facts[-1:]]


def _tell(entry: Entry, change: str = "") -> str:
    at = f" at {entry.place}" if entry.place else ""
    if not entry.subject.startswith(OUTSIDE):
        return "; ".join(filter(None, (f"`{entry.subject}`{at}: {change or shortened(entry.given, 100)}", entry.cause)))
    where = f"outside any jit{at}" if at else entry.subject
    return f"{where}, `{shortened(entry.given)}`: {change or entry.program.replace(' | ', ', ')}"
