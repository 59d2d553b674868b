"""The programs of a log, compared with each other where a verdict needs it.

In: folded rows and their texts.  Out: fingerprints, differences, and the other facts that `reasons.avoidable` asks for.
Must never: read a text in the user's call, or read one twice.
"""

import math
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from ..jaxcompat.texts.obstacles import find_library_reduction, given_by_nondiff
from ..model import Compile, ProgramDifference, has_compiled, split_source
from ..model.cachekey import place_of
from ..reasons.placements import is_returned, is_state, without_memory
from .codec import unpack
from .folding import Fold

_MOST_PACKED_NBYTES = 1_000_000  # of one program: 10 to 20 MB of text
_MOST_ALIKE = 4  # programs that one is compared with for its numbers


_MOST_READ = 4_096  # programs of this process; each cell that compiles a function again looks at all of its programs


class _LoggedProgram(NamedTuple):
    """What was read of a program. `is_open` says that its text does not show all of it."""

    fingerprint: str
    outline: str
    is_open: bool


_read_before: dict[bytes, _LoggedProgram] = {}  # by the digest of the packed text


class LogPrograms:
    """The facts about programs of the misses in a fold, by the number of the miss. See `reasons.avoidable.Programs`."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._known: dict[int, _LoggedProgram] = {}  # by miss, once its text is read
        self._alike: defaultdict[object, list[int]] = defaultdict(list)  # by outline: misses, ascending
        self._differences: dict[tuple[int, int], ProgramDifference] = {}
        self._devices_of: dict[int, frozenset[tuple[str, ...]]] = {}
        self._first: dict[object, int] = {}  # by program and devices: the oldest version
        self._misses: dict[tuple[str, int], int] = {}  # by lineage and version
        self._unregistered: defaultdict[str, list[int]] = defaultdict(list)  # by lineage: misses not in `_first`
        self._n_seen = 0
        self._sizes: dict[tuple[str, frozenset[str]], tuple[int, list[int], dict[int, Compile]]] = {}
        self._runs_s: defaultdict[tuple[str, int], float] = defaultdict(float)  # by lineage and version
        self._n_runs = -1

    def _row(self, number: int) -> Compile:
        return self._fold.newest(self._fold.misses[number])

    def _packed(self, number: int) -> bytes:
        """The packed StableHLO of a version that compiled; empty if it is not known or too big."""
        row = self._row(number)
        packed = self._fold.texts.get((-1 - row.index if row.is_before else row.index, "stablehlo"), b"")
        return packed if has_compiled(row) and len(packed) <= _MOST_PACKED_NBYTES else b""

    def fingerprint(self, number: int) -> str:
        if number not in self._known and (packed := self._packed(number)):
            program = _read(packed)
            is_open = program.is_open and not all(self._row(number).callbacks or [""])
            self._known[number] = program._replace(is_open=is_open)
        return self._known[number].fingerprint if number in self._known else ""

    def twin(self, number: int) -> int:
        misses = self._fold.misses
        for other in range(self._n_seen, len(misses)):
            if misses[other].stage != "compile":  # the second miss of an ahead-of-time version
                self._unregistered[misses[other].lineage].append(other)
        self._n_seen = len(misses)
        lineage = misses[number].lineage
        self._unregistered[lineage] = [miss for miss in self._unregistered[lineage] if not self._register(miss)]
        first = self._first.get(self._identity(number), 0)
        return first if first < misses[number].version else 0

    def alike(self, number: int) -> int | None:
        misses = self._fold.misses
        if twin := self.twin(number):
            return self._misses[misses[number].lineage, twin]
        like = self._alike[self._outline(number)]
        before = reversed(like[: bisect_left(like, number)][-_MOST_ALIKE:])
        return next((miss for miss in before if (found := self.difference(miss, number)) and found.is_arithmetic), None)

    def _outline(self, number: int) -> object:
        row = self._row(number)
        return row.lineage, row.transform, self._known[number].outline if number in self._known else None

    def _register(self, number: int) -> bool:
        """Note the program of a miss; False if it is not known yet."""
        key = self._identity(number)
        if key is not None:
            version = self._fold.misses[number].version
            self._misses[self._fold.misses[number].lineage, version] = number
            insort(self._alike[self._outline(number)], number)
            self._first[key] = min(version, self._first.get(key, version))
        return key is not None

    def _identity(self, number: int) -> object:
        row = self._row(number)
        program = self.fingerprint(number)
        is_whole = program and not self._known[number].is_open
        return (row.lineage, row.transform, program, row.callbacks, self._devices(number)) if is_whole else None

    def difference(self, before: int, number: int) -> ProgramDifference | None:
        pair = before, number
        if pair not in self._differences and all(packed := [self._packed(miss) for miss in pair]):
            row, old = self._row(number), self._row(before)
            is_one = self.fingerprint(before) == self.fingerprint(number) and row.callbacks == old.callbacks
            if is_one and not self._known[number].is_open:
                found = ProgramDifference("same")
            else:
                from ..jaxcompat.texts.program_comparison import compare_programs

                share_callbacks = row.callbacks == old.callbacks and all(row.callbacks or [""])
                found = compare_programs(*map(_unpacked, packed), share_callbacks=share_callbacks)
            label, line = split_source(row.function_info.defined_at)
            if found.is_arithmetic:  # unless a static argument goes where JAX takes no traced one, as the source shows
                given = given_by_nondiff(_unpacked(self._fold.sources.get(label, b"")), line)
                if not given.isdisjoint(leaf.path for leaf in row.signature.static):
                    found = replace(found, is_arithmetic=False, words="given by `nondiff_argnums`")
            if found.kind == "sizes" and not found.obstacle:
                found = replace(found, obstacle=self._in_library(number, found))
            self._differences[pair] = found
        return self._differences.get(pair)

    def _in_library(self, number: int, found: ProgramDifference) -> str:
        """What of a library makes padding change the result, though a mask could undo it everywhere else."""
        row = self._row(number)
        packed = self._fold.texts.get((row.index, "equations"), b"") if not row.is_before else b""
        if not 0 < len(packed) <= _MOST_PACKED_NBYTES:
            return ""
        try:
            line = find_library_reduction(_unpacked(packed), [new for _, new in found.sizes])
        except (LookupError, TypeError, ValueError):  # a damaged file
            return ""
        return f"a mean or a sum in a library, at {line}" if line else ""

    def share_devices(self, before: int, number: int) -> bool:
        one, other = (set(chain(*(self._devices(miss) or [("0",)]))) for miss in (before, number))
        return bool(one & other)

    def _devices(self, number: int) -> frozenset[tuple[str, ...]]:
        if number not in self._devices_of:
            self._devices_of[number] = _devices(self._fold.misses[number])
        return self._devices_of[number]

    def is_returned(self, before: int, number: int, paths: Iterable[str]) -> bool:
        return is_returned(self._row(before), self._row(number), frozenset(paths))

    def is_state(self, before: int, number: int, paths: Iterable[str]) -> bool:
        paths = frozenset(paths)
        return all(is_state(self._row(miss), paths) for miss in (before, number))

    def does_padding_pay(self, number: int, paths: Iterable[str]) -> bool:
        """Whether padding to or from the next other size costs less time than the compile took. Only calls that were
        seen cost anything."""
        row, paths = self._row(number), frozenset(paths)
        n, (sizes, rows) = _n_elements(row, paths), self._sizes_of(row.lineage, paths)
        place, costs = bisect_left(sizes, n), []
        if n and place + 1 < len(sizes):
            costs.append((sizes[place + 1] / n - 1) * self._run_s(row))
        if place and sizes[place - 1]:
            costs.append((n / sizes[place - 1] - 1) * self._run_s(rows[sizes[place - 1]]))
        return not costs or min(costs) < row.duration_s

    def _sizes_of(self, lineage: str, paths: frozenset[str]) -> tuple[list[int], dict[int, Compile]]:
        """The sizes of the arrays at these paths, ascending, and a version for each."""
        n_misses, sizes, rows = self._sizes.get((lineage, paths), (-1, [], {}))
        if n_misses != len(self._fold.misses):
            rows = {_n_elements(row, paths): row for row in self._fold.versions_of(lineage)}
            sizes = sorted(rows)
            self._sizes[lineage, paths] = len(self._fold.misses), sizes, rows
        return sizes, rows

    def _run_s(self, row: Compile) -> float:
        calls = self._fold.calls
        if self._n_runs != len(calls):
            self._n_runs = len(calls)
            self._runs_s.clear()
            for call, _ in calls.alike():
                if call.outcome == "hit" and call.version is not None:
                    self._runs_s[call.lineage, call.version] += call.duration_s or 0.0
        return self._runs_s[row.lineage, row.version]


def _devices(row: Compile) -> frozenset[tuple[str, ...]]:
    """The numbers of the devices that arrays are on, in the order of their mesh; what is not placed is on the first."""
    placed = (leaf for leaf in row.signature.traced if place_of(leaf) is not None)
    of_leaves = (
        leaf.placement.devices if leaf.placement else (without_memory(leaf.sharding or ""),) for leaf in placed
    )
    return frozenset(tuple(device.rpartition(":")[2] for device in devices) for devices in of_leaves) - {("0",)}


def _n_elements(row: Compile, paths: Collection[str]) -> int:
    return sum(math.prod(leaf.shape or ()) for leaf in row.signature.traced if leaf.path in paths)


def _read(packed: bytes) -> _LoggedProgram:
    """What was read of a text, which is open if it calls Python."""
    key = blake2b(packed, digest_size=16).digest()
    if key not in _read_before:
        if len(_read_before) >= _MOST_READ:
            _read_before.clear()
        from ..jaxcompat.texts.program_comparison import (  # few programs are compared
            calls_python,
            fingerprint_and_outline,
        )

        text = _unpacked(packed)
        _read_before[key] = _LoggedProgram(*fingerprint_and_outline(text), calls_python(text))
    return _read_before[key]


def _unpacked(packed: bytes) -> str:
    try:
        return unpack(packed)
    except ValueError:  # a damaged file: `Recording.text` says so
        return ""
