"""What one trace read and drew besides its arguments, so that the program has it built in.

In: the functions that a call runs, and its arguments.  Out: `Read`s as they were; what has changed since; draws.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ...jaxcompat import raw
from ...model import Description, Read
from ...model.equality import are_alike
from ...recording.redaction import cleaned
from ..arguments.describe import describe
from ..tokens import token
from .draws import states
from .paths import NOTHING, PLAIN, Path
from .reader import CodeReader
from .values import Draw

_DEPTH = 4  # containers inside containers
_FEW = 64  # entries of a container
_DESCRIBED = 96  # parts of one value
_GONE = Description("jitviz.Nothing", "missing")


class Changed(NamedTuple):
    """What is something else by now. It `is_maybe` if the code that reads it may not have run, or may have read only a
    part of it that is the same."""

    read: Read
    now: Description
    is_maybe: bool


class Reads:
    """What one trace read and drew."""

    def __init__(
        self,
        functions: Sequence[Any],
        statics: Iterable[tuple[str, Any]],
        arguments: Iterable[tuple[str, Any]],
        root: Any = None,
    ) -> None:
        reader = CodeReader(statics)
        first, *bodies = functions
        reader.run_jitted(first, arguments, root)
        for body in bodies:
            reader.run_jitted(body, (), None)
        self._holders, self._found, self._draws = reader.holders, reader.reads(), reader.draws()
        self._seen = {draw.name.rpartition(".")[0] for draw in reader.drawn}
        reader.forget()
        self._states = states()
        values = {path: self._holders.value_at(path) for path in self._found}
        self._marks = {path: mark_of(value) for path, value in values.items()}
        self._was = {path: self._described(path) for path in values}

    def __bool__(self) -> bool:
        return bool(self._marks)

    @property
    def rows(self) -> tuple[Read, ...]:
        """What it read, as it was before the trace."""
        return tuple(_read(path, was) for path, was in self._was.items())

    def forget_changed(self) -> None:
        """The trace is over: forget what it has changed itself, such as a list of what was traced."""
        self._marks = {path: mark for path, mark in self._marks.items() if self._mark(path) == mark}

    def draws(self) -> Iterator[tuple[Draw, bool]]:
        """The trace is over: what it drew, and whether it is sure that the program has it."""
        moved = {name for name, state in states().items() if state != self._states[name]}
        for draw, is_certain in self._draws.items():
            if (of := draw.name.rpartition(".")[0]) in moved or of not in self._states:
                yield draw, is_certain or of in moved
        for name in sorted(moved - self._seen):
            yield Draw("random", name, ""), False

    def changed(self) -> Iterator[Changed]:
        """What is something else by now, and what."""
        told: list[Path] = []
        places = [path for path, mark in self._marks.items() if self._is_there(path) and self._mark(path) != mark]
        for path in sorted(places, key=lambda path: len(path.steps)):
            was, now = self._was[path], self._described(path)
            if not any(path.starts_with(other) for other in told) and not are_alike(was, now):
                told.append(path)
                is_certain, is_whole = self._found[path]
                is_maybe = not is_certain or not (is_whole or _are_all_other(was, now))
                yield Changed(_read(path, was), cleaned(now, is_compared=True), is_maybe)

    def _is_there(self, path: Path) -> bool:
        return self._holders.is_alive(path)

    def _mark(self, path: Path) -> object:
        return mark_of(self._holders.value_at(path))

    def _described(self, path: Path) -> Description:
        (kind, of, name), value = path.words, self._holders.value_at(path.shown)
        if value is NOTHING:
            return _GONE
        return describe(value, f"{of}.{name}" if kind in ("static", "attribute") else name, _DESCRIBED)


def _read(path: Path, was: Description) -> Read:
    return cleaned(Read(*path.words, was), is_compared=True)


def _are_all_other(was: Description, now: Description) -> bool:
    """Whether nothing in a value is what it was."""
    before, after = dict(was.fields), dict(now.fields)
    if was.type != now.type or not before or before.keys() != after.keys():
        return not are_alike(was, now) and not (before and after)
    return all(_are_all_other(part, after[label]) for label, part in before.items())


def mark_of(value: Any, depth: int = _DEPTH) -> object:
    """Another one if the value is another object, a plain one excepted, or if a container holds something else."""
    kind = type(value)
    if kind is str or kind is bytes:
        return kind, len(value), hash(value)
    if kind in PLAIN:
        return kind, repr(value)
    if kind in (tuple, list, dict) and depth and len(value) <= _FEW:
        return kind, tuple(mark_of(part, depth - 1) for part in tuple(raw.items_of(value)))
    return token(value)
