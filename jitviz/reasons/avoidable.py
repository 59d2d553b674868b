"""Which recompiles were avoidable, and which a user would expect. This is the only place that decides it.

In: the changes of each miss, in order, and what is known of its program.  Out: the changes, judged, and a `Judgement`.
Must never: conclude from a signature what only the programs show.

Two programs decide, each without its names:
- The same program: the recompile bought nothing.
- The same but for numbers: one program with an input in their place serves, if they are only computed with.
- The same but for sizes: padding may serve, if that costs less time than the recompile took. Where a mask cannot undo
  the padding (a sort, a Fourier transform), or nobody can put one (a library's function), it changes the result.
- The same in another form (a dtype, a rank, a number in place of an array): one form in every call serves.
- Another program is needed, however it came about. But a state that comes back as the function returned it could have
  begun like that.
What is left is "maybe": a program that was not kept, a None in place of an array, padding that changes the result.

Some recompiles are meant, whatever the programs are:
- One that a user causes by following the advice is not a mistake. A number that becomes an array in a later cell is a
  mend at once. Other mends show only in hindsight, such as a callable that is now created once: if a property changed
  repeatedly within a cell, then once more in a later cell and never again, that last change is the mend. In a file, and
  within a cell, nothing is a mend.
- Training and evaluation may call one function from two lines, each with its own batch size, and need a program for
  each. One of the lines must be seen to call repeatedly with its size: two single calls show nothing. A short last
  batch comes from a line that used another size before. A size that was left out of those compiled ahead of time is not
  judged by its line.
- What was meant by all that the panel of its cell knew may turn out not to be: the words name the later call that
  showed it.
- Code that was edited, also where the function only reads it, and other options of the jit.
What was left out of the versions that were compiled ahead of time could have been compiled there, which moves the
compile and saves none.

`jitviz.model.counting` defines what counts as a recompile: if the first attempt failed, the retry is the first compile.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..model import Judgement, Miss, ProgramDifference, Verdict, cell_of
from .change import Change, is_hidden, resized
from .kinds import KIND_OF, keep
from .kinds.static_value import BOUNDS
from .owners import made_by_library

_MOST_LINES = 3  # that each use one shape
_NUMBERS = ("int", "float", "complex")
_OF_DEVICES = ("mesh", "device")  # in the names of settings that say where a program runs, which its text does not


class Programs(Protocol):
    """What is known of the programs of misses, by their numbers."""

    def twin(self, number: int) -> int:
        """The earlier version that has the same program on the same devices; 0 if none is known."""

    def alike(self, number: int) -> int | None:
        """The miss of that version, or else the newest one before that has the same program but for numbers."""

    def difference(self, before: int, number: int) -> ProgramDifference | None:
        """What two programs differ in; None if one of them is not known."""

    def share_devices(self, before: int, number: int) -> bool:
        """Whether the one runs on some of the other's devices."""

    def is_returned(self, before: int, number: int, paths: Iterable[str]) -> bool:
        """Whether what is at these paths was returned by the first, and is again by the second."""

    def is_state(self, before: int, number: int, paths: Iterable[str]) -> bool:
        """Whether these arrays are a state that each of both returns as it takes it, in a size of its own."""

    def does_padding_pay(self, number: int, paths: Iterable[str]) -> bool:
        """Whether padding to or from another size costs less time than the compile took."""


@dataclass
class _ArgumentHistory:
    """What one argument of a function, or one leaf of it, has been so far.

    `mend` is the miss that seems to have mended it, and `became_array` the one at which it became an array in a later
    cell; `came_back` has the line of the change that showed otherwise. Of each line there are up to two shapes, and no
    more lines than it takes to excuse none. `ended` has the call since which a line is no longer excused.
    """

    has_changed_in_cell: bool = False
    mend: int | None = None
    came_back: dict[int, str] = field(default_factory=dict)  # by the miss that seemed to have mended it
    became_array: int | None = None
    shapes: dict[str, set[tuple[int, ...]]] = field(default_factory=dict)  # by the line that called
    ended: dict[str, str] = field(default_factory=dict)  # by line: the line of the call

    def change_again(self, mend: int | None, line: str) -> None:
        """Note that it changed once more, at this line, in the miss `mend` if that may mend it."""
        if self.mend is not None:
            self.came_back[self.mend] = line
        self.mend = mend if self.has_changed_in_cell else None

    def add_shape(self, line: str, shape: tuple[int, ...]) -> None:
        if shape in self.shapes.get(line, ()):
            return
        excused = list(filter(self.has_one_shape_at, self.shapes))
        if len(self.shapes) <= _MOST_LINES and len(shapes := self.shapes.setdefault(line, set())) < 2:
            shapes.add(shape)
        self.ended |= {other: line for other in excused if not self.has_one_shape_at(other)}

    def has_one_shape_at(self, line: str) -> bool:
        if not line or len(self.shapes) > _MOST_LINES or len(self.shapes.get(line, ())) != 1:
            return False
        has_loop = any(len(shapes) > 1 for shapes in self.shapes.values())
        return not (has_loop and cell_of(line))  # a cell may run that loop again


class Expectations:
    """What users expect, by all misses so far. `is_repeated` says whether a line has called more than once."""

    def __init__(self, is_repeated: Callable[[str], bool]) -> None:
        self._is_repeated = is_repeated
        self._arguments: defaultdict[tuple[str, str], _ArgumentHistory] = defaultdict(
            _ArgumentHistory
        )  # by lineage and path
        self._sized_by_calls: set[int] = set()  # misses of a call whose size another call did not have

    def add(self, number: int, before: Miss | None, miss: Miss, changes: Sequence[Change]) -> None:
        """Take the changes of miss `number` into account, which was compared with the miss `before`."""
        cells = cell_of(before.source if before is not None else ""), cell_of(miss.source)
        for change in changes:
            argument = self._arguments[miss.function_info.lineage, change.path]
            if "" not in cells and miss.stage == "call" and KIND_OF[change.kind].can_be_mended:
                is_later = cells[0] != cells[1]
                argument.change_again(number if is_later else None, miss.source)
                argument.has_changed_in_cell |= not is_later
                if is_later and argument.became_array is None and change.kind == "leaf_kind" and change.is_traced:
                    argument.became_array = number
            if before is not None and before.stage == miss.stage == "call" and _is_size(change):
                self._sized_by_calls.add(number)
                argument.add_shape(before.source, change.shape_before)
                argument.add_shape(miss.source, change.shape)

    def judge(self, number: int, miss: Miss, change: Change) -> Change:
        """A change of miss `number`, as it is judged by now."""
        argument = self._arguments[miss.function_info.lineage, change.path]
        if number in (argument.mend, argument.became_array):
            change = replace(change, is_mended=True)
        change = replace(change, since=_since(miss, change, argument.came_back.get(number, "")))
        if (
            number not in self._sized_by_calls
            or not _is_size(change)
            or not any(map(self._is_repeated, argument.shapes))
        ):
            return change
        ended = _since(miss, change, argument.ended.get(miss.source, ""))
        return replace(change, is_only_shape=argument.has_one_shape_at(miss.source), since=ended or change.since)

    def is_open(self, number: int, miss: Miss, changes: Sequence[Change]) -> bool:
        """Whether the next call may change the judgement of these changes, even if it is a hit."""
        return any(self._has_one_shape(number, miss, change) for change in changes)

    def _has_one_shape(self, number: int, miss: Miss, change: Change) -> bool:
        is_sized = number in self._sized_by_calls and _is_size(change)
        return is_sized and self._arguments[miss.function_info.lineage, change.path].has_one_shape_at(miss.source)


def judge(
    number: int,
    before: int | None,
    miss: Miss,
    changes: Sequence[Change],
    programs: Programs | None,
    *,
    is_warmed: bool = False,
) -> Judgement:
    """Whether miss `number`, which was compared with the miss `before`, was avoidable; `is_warmed` says that this one
    was compiled ahead of time."""
    judgement = _by_programs(number, before, miss, changes, programs, is_warmed=is_warmed)
    if is_warmed and not judgement.words:
        judgement = replace(judgement, words="not compiled ahead of time")
    if judgement.verdict == "avoidable" and made_by_library(miss, changes[0]):
        judgement = replace(judgement, verdict="maybe")
    if judgement.verdict == "expected":
        since, said = "", "each line has a size of its own" if any(change.is_only_shape for change in changes) else ""
    else:
        since = next((change.since for change in changes if change.since), "")
        said = since and f"expected until {since}"
    return replace(judgement, words="; ".join(filter(None, (judgement.words, said))), since=since)


def _by_programs(
    number: int,
    before: int | None,
    miss: Miss,
    changes: Sequence[Change],
    programs: Programs | None,
    *,
    is_warmed: bool,
) -> Judgement:
    if miss.stage != "call" or changes[0].kind == "first":
        return Judgement("expected")
    twin = programs.twin(number) if programs else 0
    same = f"the same program as version {twin}" if twin else ""
    is_meant = any(map(_is_meant, changes))
    is_elsewhere = any(
        change.kind == "config_context" and any(map(change.path.__contains__, _OF_DEVICES)) for change in changes
    )
    difference = programs.difference(before, number) if programs and before is not None else None
    if twin and not (is_meant or is_warmed or is_elsewhere):
        # The twin may be older than `before`: what changed since then may be what the program depends on.
        return Judgement("avoidable", same, difference or ProgramDifference("same"))
    words = same or _tell(difference)
    if is_meant:
        return Judgement("expected", words, difference)
    if programs is None or before is None:
        return Judgement()
    if not is_elsewhere and not programs.share_devices(before, number):
        return Judgement("expected", "a program for other devices", difference)
    if difference is None:
        return Judgement()
    return Judgement(_of_difference(number, before, miss, changes, difference, programs), words, difference)


def _of_difference(
    number: int, before: int, miss: Miss, changes: Sequence[Change], difference: ProgramDifference, programs: Programs
) -> Verdict:
    kinds = frozenset(change.kind for change in changes)
    if keep(kinds, "place"):
        return "avoidable"
    if difference.kind in ("same", "unseen"):
        return "maybe"
    if is_hidden(changes, difference) or (
        difference.kind in ("numbers", "other") and changes[0].kind == "cache_cleared"
    ):
        return "expected"
    if kinds == {"kwargs_vs_args"}:  # the program that takes a number as an input also takes the default
        return "avoidable"
    # Those of an eager `fori_loop` can be traced.
    are_bounds = miss.function_info.wrapper.is_loop and all(change.path in BOUNDS for change in changes)
    if difference.kind == "numbers" and (difference.is_arithmetic or are_bounds):
        return "avoidable"
    if keep(kinds, "cast"):
        return "avoidable"
    if programs.is_returned(before, number, [change.path for change in changes]):
        return "avoidable"
    if difference.kind == "sizes":
        return _of_sizes(number, before, miss, changes, difference, programs)
    if difference.kind == "form":
        is_set = "config_context" in kinds  # a dtype, say, that a setting asks for
        return "avoidable" if keep(kinds, "given") else "expected" if is_set else "maybe"
    # A value without an effect could stand in place of None.
    swapped = [
        (change.before, change.after) for change in changes if change.kind == "treedef" and change.event == "swapped"
    ]
    # Only who knows the function knows whether it depends on the order of the entries.
    is_ordered = any(change.event == "order" for change in changes)
    # A number could be an array of the shape that comes in other calls.
    others = frozenset(change.kind for change in changes if change.kind != "leaf_kind" or change.type not in _NUMBERS)
    may_be_one = keep(others, "array") or is_ordered or any("None" in sides for sides in swapped)
    is_open = difference.kind == "other" and may_be_one
    return "maybe" if is_open else "expected"


def _of_sizes(
    number: int, before: int, miss: Miss, changes: Sequence[Change], difference: ProgramDifference, programs: Programs
) -> Verdict:
    kinds = {change.kind for change in changes if not _is_same_anew(change)}
    sizes = {(str(old), str(new)) for old, new in difference.sizes} - resized(changes)
    if not any(keep({kind}, "array") for kind in kinds) or any(
        (change.before, change.after) in sizes for change in changes if change.kind == "static_value"
    ):
        return "expected"  # a static value decides about them
    if not keep(kinds, "array"):
        return "maybe"
    paths = [change.path for change in changes if change.kind == "shape"]
    is_needed = programs.is_state(before, number, paths) or not programs.does_padding_pay(number, paths)
    if is_needed:
        return "expected"
    return "maybe" if difference.obstacle or miss.function_info.is_of_library else "avoidable"


def _is_same_anew(change: Change) -> bool:
    """Whether only the identity of an object changed, which no program depends on."""
    is_anew = (KIND_OF[change.kind].is_static and KIND_OF[change.kind].is_anew) or change.event in (
        "anew",
        "rewrapped",
        "remade",
    )
    has_same_content = change.same in ("code", "content") or change.kind == "new_function"
    return is_anew and has_same_content and change.inside is None and not change.reads


def _is_meant(change: Change) -> bool:
    is_other_function = change.kind == "new_function" and change.event in ("options", "edited")
    is_other_transform = change.kind == "transform" and change.event is None
    return is_other_function or is_other_transform or change.is_mended or change.is_only_shape


def _since(miss: Miss, change: Change, line: str) -> str:
    """What a later cell did at a line, which takes back what the panel of this miss said; "" within a cell."""
    if cell_of(line) in ("", cell_of(miss.source)):
        return ""
    did = "came in one more size" if _is_size(change) else "changed again"
    return f"{f'`{change.path}`' if change.path else 'it'} {did} at {line}"


def _tell(difference: ProgramDifference | None) -> str:
    """How two programs differ, in a few words."""
    if difference is None:
        return ""
    if difference.kind == "same":
        return "the same program"
    if difference.kind == "numbers":
        came = ", ".join(f"{was} → {now}" for was, now in difference.numbers[:2])
        what = "the number" if len(difference.numbers) == 1 else "numbers"
        needed = "" if difference.is_arithmetic else f", {difference.words or 'on which a loop or a shape depends'}"
        return f"the same program but for {what}: {came}{needed}"
    if difference.kind == "sizes":
        changes = f"; padding changes the result: it has {difference.obstacle}" if difference.obstacle else ""
        return f"the same program for another size{changes}"
    return difference.words or ("the same program in another form" if difference.kind == "form" else "another program")


def _is_size(change: Change) -> bool:
    """Whether only sizes changed, not the number of axes."""
    return change.kind == "shape" and len(change.shape_before) == len(change.shape)
