"""Programs compared as texts: whether two StableHLO modules are the same, or what they differ in: in numbers, or in
words ("60 operations instead of 40", "one more loop").

In: the texts of modules, with or without locations.  Out: a fingerprint; a `ProgramDifference`.
Must never: call programs the same, or alike, unless the texts show it, or say more than was counted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from ...model import ProgramDifference, count
from .array_types import read_type
from .flat_program import RETURNS, decide_more_than_numbers, flatten
from .module_lines import Line, ModuleText, read_program
from .program_forms import tell_form
from .program_numbers import compare_numbers, compare_sizes
from .program_padding import find_obstacle

_CALLBACK = re.compile(r"custom_call @\w*callback")
_CALLBACK_NUMBER = re.compile(r'(?<=index = )\d+|(?<=backend_config = ")\d+')  # of the function among its program's
_UNSEEN = "it calls Python, and the text does not say which function"
_DAMAGED = "its text cannot be read"
_ELSEWHERE = "it is compiled for other devices or another mesh"


def fingerprint(text: str) -> str:
    """32 hexadecimal digits that are equal for programs that differ only in names, locations or the order of functions.
    They are the same in every process, run and checkout."""
    return _fingerprint(_read(text))


def fingerprint_and_outline(text: str) -> tuple[str, str]:
    """Its fingerprint, and one that is also equal for programs that differ in numbers alone."""
    program = _read(text)
    return _fingerprint(program), program.outline


def _read(text: str) -> ModuleText:
    return read_program(_CALLBACK_NUMBER.sub("", text) if calls_python(text) else text)


def _fingerprint(program: ModuleText) -> str:
    return blake2b(repr((program.header, program.digests.get(program.main))).encode(), digest_size=16).hexdigest()


def compare_programs(before: str, after: str, *, share_callbacks: bool = False) -> ProgramDifference:
    """What the program `after` differs in from the program `before`; `share_callbacks` says that both call back the
    same functions, if any."""
    old, new = _read(before), _read(after)
    is_open = calls_python(after) and not share_callbacks
    if not is_open and _fingerprint(old) == _fingerprint(new):
        return ProgramDifference("same")
    if old.header != new.header:
        return ProgramDifference("other", words=_ELSEWHERE)
    try:
        found = _compare(flatten(old), flatten(new))
        return ProgramDifference("unseen", words=_UNSEEN) if is_open and found.kind != "other" else found
    except (IndexError, ValueError):
        return ProgramDifference("other", words=_DAMAGED)


def _compare(lines: Sequence[Line], others: Sequence[Line]) -> ProgramDifference:
    if len(lines) == len(others) and all(
        line.shape == other.shape and line.sets == other.sets and line.reads == other.reads
        for line, other in zip(lines, others, strict=True)
    ):
        if found := compare_numbers(lines, others):
            could_be = found.could_be_inputs and not decide_more_than_numbers(others, found.constants)
            return ProgramDifference("numbers", tuple(found.pairs), bool(found.pairs) and could_be)
        if sizes := compare_sizes(lines, others):
            return ProgramDifference("sizes", sizes=sizes, obstacle=find_obstacle(lines, others))
    if words := tell_form(lines, others):
        return ProgramDifference("form", words=words)
    return ProgramDifference("other", words=tell_other(lines, others))


def calls_python(text: str) -> bool:
    """Whether a module calls back into Python."""
    return "callback" in text and _CALLBACK.search(text) is not None


_UNCOUNTED = ("stablehlo.constant", "func.func", *RETURNS)
_TARGET = re.compile(r"custom_call @([\w.$-]+)")
_ROUTINE = re.compile(r"potrf|getrf|geqrf|gesdd|gesvd|syevd|heevd|geev")
_ROUTINES = {"potrf": "Cholesky", "getrf": "LU", "geqrf": "QR", "geev": "eig", "syevd": "eigh", "heevd": "eigh"}
_WEIGHTED = re.compile(r"stablehlo\.(?:dot_general|convolution)")
_PARAMETER = re.compile(r"([\w.]+) = (\[[^\[\]]*\]|\w[\w.]*)")


def tell_other(lines: Sequence[Line], others: Sequence[Line]) -> str:
    """What the second program has in place of what the first one has, the most telling first."""
    old, new = (
        [line for line in every if line.operation not in _UNCOUNTED and "." in line.operation]
        for every in (lines, others)
    )
    n_old, n_new = (sum(len(line.sets) for line in every[:1]) for every in (lines, others))
    words = [*_tell_rounds(old, new, n_new - n_old), *_tell_kinds(*(Counter(map(_kind, one)) for one in (old, new)))]
    if len(old) != len(new):
        words.append(f"{count(len(new), 'operation')} instead of {len(old):,}")
    if n_old != n_new:
        words.append(f"{count(n_new, 'input')} instead of {n_old:,}")
    return ", ".join(words) or next(_tell_lines(lines, others), "other operations")


def _kind(line: Line) -> str:
    """What an operation is called."""
    if line.operation == "stablehlo.while":
        return "loop"
    if target := _TARGET.search(line.shape):
        routine = _ROUTINE.search(target[1])
        return _ROUTINES.get(routine[0], "SVD") if routine else target[1]
    return line.operation.partition(".")[2]


def _tell_rounds(old: Sequence[Line], new: Sequence[Line], n_new_inputs: int) -> Iterator[str]:
    """Whether one program only has more repetitions of the same operations."""
    shorter, longer = ([(line.shape, line.types) for line in every] for every in sorted((old, new), key=len))
    n_more, pairs = len(longer) - len(shorter), enumerate(zip(shorter, longer, strict=False))
    start = next((at for at, (one, other) in pairs if one != other), len(shorter))
    if not n_more or longer[start + n_more :] != shorter[start:]:
        return
    added = longer[start : start + n_more]
    length = next(n for n in range(1, n_more + 1) if n_more % n == 0 and added == added[:n] * (n_more // n))
    if not 1 < length <= start or longer[start - length : start] != added[:length]:
        return
    n_rounds = n_more // length
    has_weights = any(_WEIGHTED.search(shape) for shape, _ in added[:length])
    is_layer = has_weights and n_new_inputs * (len(new) - len(old)) > 0
    noun, of = ("layer", "") if is_layer else ("repetition", f" of {count(length, 'operation')}")
    number = "one" if n_rounds == 1 else f"{n_rounds:,}"
    yield f"{number} {'more' if len(new) > len(old) else 'fewer'} {noun}{'s' * (n_rounds > 1)}{of}"


def _tell_kinds(old: Counter[str], new: Counter[str]) -> Iterator[str]:
    gone, come = old.keys() - new.keys(), new.keys() - old.keys()
    routines = {*_ROUTINES.values(), "SVD"}
    if old.total() != new.total():
        gone, come = gone & routines, come & routines
    if len(gone) == len(come) == 1:
        yield f"{min(come)} in place of {min(gone)}"
    if old["loop"] != new["loop"]:
        yield f"{count(new['loop'], 'loop')} instead of {old['loop']:,}"


def _tell_lines(lines: Sequence[Line], others: Sequence[Line]) -> Iterator[str]:
    """What the first lines that differ say."""
    for line, other in zip(lines, others, strict=False):
        if line.operation == other.operation == "func.func" and line.shape != other.shape:
            n_old, n_new = (len(one.types) - len(one.sets) for one in (line, other))
            is_more = n_old != n_new
            yield f"{count(n_new, 'output')} instead of {n_old:,}" if is_more else "other arrays are donated or sharded"
        if line.operation == other.operation and line.shape != other.shape:
            name, parameters = _kind(line), dict(_PARAMETER.findall(line.shape))
            for key, value in _PARAMETER.findall(other.shape):
                if parameters.get(key, value) != value:
                    yield f"{name} with {key} = {value} instead of {parameters[key]}"
            yield f"{name} with other parameters"
        elif line.reads != other.reads:
            yield "the same operations on other values"
        dtypes = [[read_type(written)[1] for written in one.types] for one in (line, other)]
        for one, another in zip(*dtypes, strict=False):
            if one != another:
                yield f"computed in {another} instead of {one}"
        if line.numbers != other.numbers:
            yield f"{_kind(line)} with other numbers"
