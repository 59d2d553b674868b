"""Findings about programs: unrolled loops, large constants, donated buffers, slow compiles.

In: the compiles of a `Recording`, and which of them other findings cover.  Out: `Finding`s.
Must never: read more of a function than its largest program, or let seconds decide about a finding that the program
itself shows: the same program gives the same findings. While a program of a function is unread, it could hold the true
cause, so nothing is said of that function.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from ..model import Compile, Finding, count, has_compiled, is_loaded, listed, seconds, size, split_source
from ..recording import Recording, unpack
from .memory import KeptPrograms, kept_alive, not_reused, read_hlo
from .on_disk import DIRECTORY, compile_s
from .once_for_each_log import once_for_each_log
from .program import jaxpr
from .program.copies import Copies, SourceBlock, find_unrolled
from .program.places import Places
from .program.rewrites import rewrite_of
from .program.slow_runs import HostCalls, count_host_calls, find_all_run
from .slow_traces import SlowLine, find_slow_lines

_MOST_PACKED_NBYTES = 2_000_000  # of the equations of all programs that are read
_SLOW_S = 1.0
_FOLDED_S = 1.0
_PER_EQUATION_S = 0.1  # to compile; many times what an equation usually takes
_SLOW_SHARE = 0.3  # of the wall time
_MOSTLY = 0.3  # of the instructions of a program


class ProgramTraits(NamedTuple):
    """The facts that the equations of one program show; `copies` with their files. Empty if no program was read."""

    n_equations: int = 0
    copies: tuple[tuple[str, Copies], ...] = ()
    constants: tuple[jaxpr.Constant, ...] = ()
    again: tuple[jaxpr.Again, ...] = ()
    runs: frozenset[str] = frozenset()  # names of functions
    host_calls: HostCalls = HostCalls()
    all_run: tuple[str, ...] = ()  # lines of a `cond` all of whose branches run


@dataclass
class _FunctionPrograms:
    """One function: its compiled versions or else its failed ones, and the largest of its programs."""

    rows: list[Compile]
    program: ProgramTraits = field(default_factory=ProgramTraits)

    @property
    def newest(self) -> Compile:
        return self.rows[-1]


def find_in_programs(recording: Recording, covered: set[int]) -> Iterator[Finding]:
    """`covered` are the compiles that other findings are about."""
    functions, kept = _functions(recording), kept_alive(recording)
    slow_lines = find_slow_lines(recording, covered, traced_again(recording))
    run_s = _run_s(recording) if any(function.program.copies for function in functions.values()) else Counter[str]()
    for lineage, function in functions.items():
        copies = list(_unrolled(function, covered, run_s[lineage]))
        yield from copies
        if not has_compiled(function.newest):  # it failed or was interrupted, perhaps because a loop takes XLA too long
            continue
        yield from _slow_traces(function, *slow_lines.get(lineage, (0.0, [])))
        constants = list(_constants(function))
        if not copies and not any(finding.seconds for finding in constants):
            yield from _slow(recording, function, covered)
        yield from constants
        yield from _kept(function, kept[lineage]) if lineage in kept else ()
        yield from _donations(function)


def _functions(recording: Recording) -> dict[str, _FunctionPrograms]:
    """By lineage, the functions whose programs are read."""
    unread = {recording.compiles[index].lineage for index in recording.unread}
    rows_of: dict[str, list[Compile]] = defaultdict(list)
    for row in recording.compiles:
        if (has_compiled(row) or row.status == "failed") and row.lineage not in unread:
            rows_of[row.lineage].append(row)
    functions = {
        lineage: _FunctionPrograms(list(filter(has_compiled, rows)) or rows) for lineage, rows in rows_of.items()
    }
    _read(recording, functions.values())
    return functions


def _read(recording: Recording, functions: Iterable[_FunctionPrograms]) -> None:
    """Read the largest program of each function, the largest first, as far as the limit allows."""
    texts, left = recording.facts.texts, _MOST_PACKED_NBYTES
    known = [(function, [row for row in function.rows if (row.index, "equations") in texts]) for function in functions]
    largest = [
        (max(rows, key=lambda row: len(texts[row.index, "equations"])), function) for function, rows in known if rows
    ]
    for row, function in sorted(largest, key=lambda pair: -len(texts[pair[0].index, "equations"])):
        nbytes = len(texts[row.index, "equations"])
        if nbytes <= left:
            left -= nbytes
            function.program = program_of(recording, row)


@once_for_each_log
def traced_again(recording: Recording) -> dict[str, dict[str, tuple[str, int]]]:
    """By lineage and line, the name of what was traced there several times with equal inputs, and how often."""
    functions = _functions(recording)
    # How many function objects of one name each line called inside a trace, as far as such calls are seen.
    tokens: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for call, _ in (
        recording.facts.calls.summed() if any(function.program.again for function in functions.values()) else ()
    ):
        if call.outcome == "inlined":
            tokens[call.source][call.lineage].add(call.function_info.token)
    n_objects = {source: max(map(len, of_name.values())) for source, of_name in tokens.items()}
    return {lineage: jaxpr.by_line(function.program.again, n_objects) for lineage, function in functions.items()}


def program_of(recording: Recording, row: Compile) -> ProgramTraits:
    """The facts of the program of a version."""
    texts = recording.facts.texts
    try:
        return read_program(texts[row.index, "equations"], texts.get((row.index, "sources"), b""), row.transform)
    except (LookupError, ValueError):  # not kept, or from a damaged file
        return ProgramTraits()


@lru_cache(maxsize=64)  # a live panel asks repeatedly
def read_program(equations: bytes, sources: bytes, transform: str) -> ProgramTraits:
    """The facts of a program, from its packed texts.

    Raises:
        ValueError: the texts cannot be unpacked.
    """
    program = json.loads(unpack(equations))
    places = Places()
    rows = jaxpr.read_equations(program, places, transform) if program else []
    blocks = [
        SourceBlock(places.files[block["file"]], block["first"], block["text"])
        for block in (json.loads(unpack(sources)) if sources else ())
    ]
    n_equations = sum(not row.is_repeat for row in rows)
    unrolled = find_unrolled(blocks, places, rows, n_equations, program)
    files = list(places.files)
    copies = tuple((files[copies.file], copies) for copies in unrolled.copies)
    return ProgramTraits(
        n_equations,
        copies,
        tuple(jaxpr.constants_of(program)),
        jaxpr.find_traced_again(program),
        frozenset(jaxpr.labels_in(program)),
        count_host_calls(program),
        tuple(find_all_run(blocks, places, rows)),
    )


def _run_s(recording: Recording) -> Counter[str]:
    """The seconds of all hits, by lineage."""
    spent: Counter[str] = Counter()
    for call, _ in recording.facts.calls.summed():
        if call.outcome == "hit":
            spent[call.lineage] += call.duration_s or 0.0  # type: ignore[assignment]  # Counter of floats
    return spent


def _unrolled(function: _FunctionPrograms, covered: set[int], run_s: float) -> Iterator[Finding]:
    """`run_s` are the seconds of the hits, which a loop in the program may double."""
    rows = [row for row in function.rows if row.index not in covered]
    compiled_s = sum(map(compile_s, rows))
    traced_s = sum(row.duration_s for row in rows) - compiled_s
    for file, copies in function.program.copies:
        rewrite = rewrite_of(copies, function.newest)
        saves_s = copies.saved_s(traced_s, compiled_s, len(rows)) * rewrite.is_sure
        lost_s = run_s * rewrite.in_turn
        but = f" But its calls took {seconds(lost_s)}, which that may double: measure both." * (0 < saves_s <= lost_s)
        yield Finding.about(
            rows or function.rows,
            "unrolled",
            f"{copies.name(file)} {copies.tell()}: {copies.tell_made()}",
            rewrite.advice + but,
            source=f"{file}:{copies.lines[0]}",
            seconds=copies.seconds_of(traced_s, compiled_s),
            count=copies.copies,
            saves_s=max(0.0, saves_s - lost_s),
            is_estimated=True,
        )


def _slow_traces(function: _FunctionPrograms, total_s: float, lines: list[SlowLine]) -> Iterator[Finding]:
    for line in lines:
        if not any(_is_in_loop(function, place) for callers in line.callers for place in (line.source, *callers)):
            summary = line.tell(function.newest.function, total_s)
            rows = list(line.rows.values())
            saved: dict[str, Any] = {"seconds": line.seconds, "saves_s": line.saves_s, "is_estimated": True}
            yield Finding.about(rows, "slow_trace", summary, line.advice, source=line.source, count=len(rows), **saved)


def _is_in_loop(function: _FunctionPrograms, place: str) -> bool:
    """Whether a line is in a loop that another finding reports as unrolled."""
    file, line = split_source(place)
    return any(
        place in copies.sites or (file == of and copies.lines[0] <= line <= copies.lines[1])
        for of, copies in function.program.copies
    )


def _slow(recording: Recording, function: _FunctionPrograms, covered: set[int]) -> Iterator[Finding]:
    rows = [row for row in function.rows if row.index not in covered and not is_loaded(row)]
    row = max(rows, key=compile_s, default=None)
    if row is None or (spent_s := compile_s(row)) < max(_SLOW_S, _SLOW_SHARE * recording.facts.wall_s):
        return
    if row.disk_least_s is not None and spent_s >= row.disk_least_s:
        return  # JAX has kept it on disk
    of = f" for {count(function.program.n_equations, 'equation')}" if function.program.n_equations else ""
    mostly = _mostly(recording, row)
    summary = f"XLA took {seconds(spent_s)} of the {seconds(row.duration_s)} of one compile{of}{mostly}"
    advice = "Let JAX keep compiled programs on disk, so that the next process loads them."
    more: dict[str, Any] = {"saves_s": spent_s, "is_estimated": True, "code": f"import jax\n\n{DIRECTORY}"}
    yield Finding.about([row], "slow_compile", summary, advice, seconds=row.duration_s, **more)


def _mostly(recording: Recording, row: Compile) -> str:
    """ "; 63% of the program's 2,925 instructions come from t.py:9", which makes it slow to compile."""
    module, places = read_hlo(recording, row.index)
    frames = [instruction.frame for instruction in module.instructions()]
    lines = Counter(places.sources[chain[-1]] for frame in frames if (chain := module.chains.get(frame)))
    for line, n in lines.most_common(1):
        if n >= _MOSTLY * len(frames):
            return f"; {n / len(frames):.0%} of the program's {len(frames):,} instructions come from {line}"
    return ""


def _constants(function: _FunctionPrograms) -> Iterator[Finding]:
    constants = function.program.constants
    nbytes = sum(constant.nbytes for constant in constants)
    if nbytes <= jaxpr.LARGE_NBYTES:
        return
    largest = constants[0]
    name = f"`{largest.name}`, " if largest.name else ""
    to = f"to `{function.newest.function}`"
    if len(constants) == 1:
        summary = f"{name}{largest.aval} ({size(nbytes)}) is a constant of the program"
        passed = f"Pass it {to} as an argument"
    else:
        arrays = f"{len(constants):,} arrays of {size(nbytes)}"
        summary = f"{arrays} are constants of the program, the largest {name}{largest.aval}"
        passed = f"Pass them {to} as arguments"
    advice = f"{passed}: every version holds a copy, and compiling takes longer."
    folded_s, told = _folded(function)
    saved: dict[str, Any] = {"seconds": folded_s, "saves_s": folded_s, "is_estimated": folded_s > 0}
    yield Finding.about(
        function.rows, "constant", summary + told, advice, count=len(constants), path=largest.name, **saved
    )


def _folded(function: _FunctionPrograms) -> tuple[float, str]:
    """The seconds in which XLA perhaps computed with constants while it compiled, in words too."""
    row, n_equations = max(function.rows, key=compile_s), function.program.n_equations
    if is_loaded(row) or (spent_s := compile_s(row)) < max(_FOLDED_S, _PER_EQUATION_S * n_equations):
        return 0.0, ""
    so_few = f"XLA took {seconds(spent_s)} for {count(n_equations, 'equation')}"
    return spent_s, f"; {so_few}, perhaps to compute with constants"


def _kept(function: _FunctionPrograms, kept: KeptPrograms) -> Iterator[Finding]:
    if len(kept.compiles) > 1 and kept.nbytes > jaxpr.LARGE_NBYTES:
        advice = (
            "The cache keeps every version as long as the function exists: compile fewer versions, pass large arrays "
            "as arguments, or free them with `jax.clear_caches()`."
        )
        summary = f"`{function.newest.function}` keeps alive {kept}"
        rows = [row for row in function.rows if row.index in kept.compiles]
        yield Finding.about(rows, "kept_alive", summary, advice, count=len(rows))


def _donations(function: _FunctionPrograms) -> Iterator[Finding]:
    lost = list(not_reused(function.newest))
    if not lost:
        return
    (leaf, why, advice), paths = lost[0], [f"`{leaf.path}`" for leaf, *_ in lost[:2]]
    many = f" and {len(lost) - 2:,} more" if len(lost) > 2 else ""
    was = f"{', '.join(paths)}{many} were" if many else f"{listed(paths)} {'was' if len(lost) == 1 else 'were'}"
    nbytes = sum(leaf.nbytes for leaf, *_ in lost)
    summary = f"{was} donated ({size(nbytes)}) but not reused: {why}"
    yield Finding.about([function.newest], "donation", summary, advice, count=len(lost), path=leaf.path)
