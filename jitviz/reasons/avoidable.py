"""Which changes a user would expect to recompile; all others are avoidable. This is the only place that decides it.

In: the changes of each miss, in order.  Out: the same changes, judged: `is_inherent` is the answer, and the facts that
led to it decide about the advice.
Must never: look at signatures, or keep more of an argument than the answer needs.

- A mode or a method is a flag: it has few values, and is meant to have a program for each. A path, a name or a time has
  as many values as there are calls. One change of a string does not show which of the two it is, but the number of
  values that one argument of a function gets does.
- A recompile that a user causes by following the advice is not a mistake. A number that becomes an array in a later
  cell is a mend at once. Other mends show only in hindsight, such as a callable that is now created once: if a property
  changed repeatedly within a cell, then once more in a later cell and never again, that last change is the mend. In a
  file, and within a cell, nothing is a mend.
- Training and evaluation may call one function from two lines, each with its own batch size, and need a program for
  each. One of the lines must be seen to call repeatedly with its size: two single calls show nothing. A short last
  batch comes from a line that used another size before. A size that was left out of those compiled ahead of time is not
  judged by its line.

`jitviz.model.counting` defines what counts as a recompile: if the first attempt failed, the retry is the first compile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..model import Kind, Miss
from ..model.source_places import cell_of
from .change import Change

MOST_OF_A_FLAG = 4  # values
_NUMBERED = 3  # so many strings that differ only by a number are not a flag: "step_1", "step_2", …
_NUMBER = re.compile(r"\d+")
_MOST_LINES = 3  # that each use one shape
_NO_MENDS: tuple[Kind, ...] = ("first", "transform", "config_context", "cache_cleared", "unexplained")


@dataclass
class _Argument:
    """What one argument of a function, or one leaf of it, has been so far.

    `mend` is the miss that seems to have mended it, and `became_array` the one at which it became an array in a later
    cell. Of each line there are up to two shapes, and no more lines than it takes to excuse none.
    """

    strings: set[str] = field(default_factory=set)
    has_changed_in_cell: bool = False
    mend: int | None = None
    became_array: int | None = None
    shapes: dict[str, set[tuple[int, ...]]] = field(default_factory=dict)  # by the line that called

    @property
    def has_many_strings(self) -> bool:
        n, numbered = len(self.strings), {_NUMBER.sub("#", text) for text in self.strings}
        return n > MOST_OF_A_FLAG or (n >= _NUMBERED and len(numbered) == 1)

    def add_shape(self, line: str, shape: tuple[int, ...]) -> None:
        if len(self.shapes) <= _MOST_LINES and len(shapes := self.shapes.setdefault(line, set())) < 2:
            shapes.add(shape)

    def has_one_shape_at(self, line: str) -> bool:
        if not line or len(self.shapes) > _MOST_LINES or len(self.shapes.get(line, ())) != 1:
            return False
        has_loop = any(len(shapes) > 1 for shapes in self.shapes.values())
        return not (has_loop and cell_of(line))  # a cell may run that loop again


class Expectations:
    """What users expect, by all misses so far. `is_repeated` says whether a line has called more than once."""

    def __init__(self, is_repeated: Callable[[str], bool]) -> None:
        self._is_repeated = is_repeated
        self._arguments: dict[tuple[str, str], _Argument] = {}  # by lineage and path
        self._sized_by_calls: set[int] = set()  # misses of a call whose size another call did not have

    def add(self, number: int, before: Miss | None, miss: Miss, changes: Sequence[Change]) -> None:
        """Take the changes of miss `number` into account, which was compared with the miss `before`."""
        cells = cell_of(before.source if before is not None else ""), cell_of(miss.source)
        for change in changes:
            argument = self._arguments.setdefault((miss.function_info.lineage, change.path), _Argument())
            if not argument.has_many_strings:
                argument.strings |= change.strings
            if "" not in cells and miss.stage == "call" and change.kind not in _NO_MENDS:
                is_later = cells[0] != cells[1]
                argument.mend = number if is_later and argument.has_changed_in_cell else None
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
        if change.flag == "yes" and change.strings and argument.has_many_strings:
            change = replace(change, flag="many")
        if number in (argument.mend, argument.became_array):
            change = replace(change, is_mended=True)
        if self._has_one_shape(number, miss, change) and any(map(self._is_repeated, argument.shapes)):
            change = replace(change, is_only_shape=True)
        return replace(change, is_inherent=_is_inherent(miss, change))

    def is_open(self, number: int, miss: Miss, changes: Sequence[Change]) -> bool:
        """Whether the next call may change the judgement of these changes, even if it is a hit."""
        return any(self._has_one_shape(number, miss, change) for change in changes)

    def _has_one_shape(self, number: int, miss: Miss, change: Change) -> bool:
        argument = self._arguments[miss.function_info.lineage, change.path]
        return number in self._sized_by_calls and _is_size(change) and argument.has_one_shape_at(miss.source)


def _is_inherent(miss: Miss, change: Change) -> bool:
    """Whether any user would expect this change to recompile.

    Ahead-of-time compiles are intended. A number is not inherent even if it is small: step counters, lengths and
    learning rates are the usual mistake, and one change does not distinguish them from a number of layers.
    """
    if miss.stage != "call":
        return change.kind != "first"
    if change.kind in ("transform", "config_context"):
        return True
    if change.kind in ("static_value", "treedef"):
        return change.flag == "yes"
    is_other_function = change.kind == "new_function" and change.event in ("options", "edited")
    return is_other_function or change.is_mended or change.is_only_shape


def _is_size(change: Change) -> bool:
    """Whether only sizes changed, not the number of axes."""
    return change.kind == "shape" and len(change.shape_before) == len(change.shape)
