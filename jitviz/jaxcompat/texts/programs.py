"""Programs compared as texts: whether two StableHLO modules are the same, or what they differ in.

In: the texts of modules, with or without locations.  Out: a fingerprint; a `ProgramDifference`.
Must never: call programs the same, or alike, unless the texts show it.
"""

from collections.abc import Sequence
from hashlib import blake2b

from ...model.patterns import pattern
from ...model.program import ProgramDifference
from .flat_program import decide_more_than_numbers, flatten
from .module_lines import Line, Program, read_program
from .program_forms import tell_form
from .program_numbers import compare_numbers, compare_sizes
from .program_words import tell_other

_CALLBACK = pattern(r"custom_call @\w*callback")
_CALLBACK_NUMBER = pattern(r'(?<=index = )\d+|(?<=backend_config = ")\d+')  # of the function among its program's
_UNSEEN = "it calls Python, and the text does not say which function"
_DAMAGED = "its text cannot be read"
_ELSEWHERE = "it is compiled for other devices or another mesh"


def fingerprint(text: str) -> str:
    """32 hexadecimal digits that are equal for programs that differ only in names, locations or the order of functions.

    They are the same in every process, run and checkout.
    """
    return _fingerprint(_read(text))


def fingerprint_and_outline(text: str) -> tuple[str, str]:
    """Its fingerprint, and one that is also equal for programs that differ in numbers alone."""
    program = _read(text)
    return _fingerprint(program), program.outline


def _read(text: str) -> Program:
    return read_program(_CALLBACK_NUMBER.sub("", text) if calls_python(text) else text)


def _fingerprint(program: Program) -> str:
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
            return ProgramDifference("sizes", sizes=sizes)
    if words := tell_form(lines, others):
        return ProgramDifference("form", words=words)
    return ProgramDifference("other", words=tell_other(lines, others))


def calls_python(text: str) -> bool:
    """Whether a module calls back into Python."""
    return "callback" in text and _CALLBACK.search(text) is not None
