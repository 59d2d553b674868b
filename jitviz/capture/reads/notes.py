"""What the code of one trace used, as it is noted while the code is read.

In: uses, stores and draws, each with the instruction.  Out: paths, with whether each is certain; draws.

What the code stores, such as a counter of traces, it does not read.
"""

from collections.abc import Iterable
from types import CodeType
from typing import NamedTuple, Protocol

from ...jaxcompat import raw
from .paths import How, Path
from .values import Draw, Method, Turns, Value, inside

MOST = 256  # paths of one trace
DEEP = 40  # calls inside calls


class AnyRun(Protocol):
    """A call of one function, see `run`. `callers` is empty for what is jitted."""

    code: CodeType
    callers: "list[Where]"

    def line(self, at: int) -> int:
        """The line of an instruction."""

    def is_certain(self, at: int) -> bool:
        """Whether each way through the code has this instruction on it."""

    def turns(self, value: Value, where: "Where") -> Turns | None:
        """What a loop over a value gives, if that is known."""


class Where(NamedTuple):
    """An instruction of a run."""

    run: AnyRun
    at: int  # its index


class _PathUse(NamedTuple):
    """A use of a path. It `is_whole` if all that is there was used, as far as that is known."""

    where: Where
    is_whole: bool


class Notes:
    """What one trace used."""

    def __init__(self) -> None:
        self._uses: dict[Path, list[_PathUse]] = {}
        self._draws: dict[Draw, list[tuple[Where, bool]]] = {}  # where each reaches the program; whether by its value
        self._stored: list[Path] = []

    # -- what was found -----------------------------------------------------------------------------------------

    def reads(self) -> dict[Path, tuple[bool, bool]]:
        """The paths that were used, with whether that is certain, and whether all that is there was used."""
        found = {}
        for path, uses in self._uses.items():
            if not any(path.starts_with(stored) for stored in self._stored):
                certain = [use for use in uses if self._is_certain(use.where)]
                found[path] = bool(certain), any(use.is_whole for use in certain or uses)
        return found

    def draws(self) -> dict[Draw, bool]:
        """What reaches the program, with whether that is certain."""
        return {
            draw: any(by_value and self._is_certain(where) for where, by_value in reached)
            for draw, reached in self._draws.items()
        }

    def _is_certain(self, where: Where, depth: int = DEEP) -> bool:
        run, at = where
        is_its = not run.callers or any(self._is_certain(caller, depth - 1) for caller in run.callers if depth)
        return is_its and run.is_certain(at)

    # -- uses ---------------------------------------------------------------------------------------------------

    def use(self, where: Where, *values: Value, is_whole: bool = True) -> None:
        """Note that code uses all that is known of these values."""
        for value in values:
            for part in inside(value):
                if part.path is not None and not raw.namespace(part.what) and type(part.what) is not Method:
                    self._note(part.path, where, is_whole and type(part.what) is not dict)

    def ask(self, value: Value, how: How, where: Where) -> None:
        """Note that code asks for the length of a value, for its type, or whether it is None."""
        if value.path is not None:
            self._note(value.path.then(how), where, True)

    def _note(self, path: Path, where: Where, is_whole: bool) -> None:
        uses = self._uses.get(path)
        if uses is not None:
            uses.append(_PathUse(where, is_whole))
        elif len(self._uses) < MOST:
            self._uses[path] = [_PathUse(where, is_whole)]

    def store(self, value: Value) -> None:
        """Note that the code stores something at a path."""
        if value.path is not None:
            self._stored.append(value.path)

    def reach(self, draws: Iterable[Draw], where: Where) -> None:
        """Note that what was drawn becomes part of the program."""
        for draw in draws:
            self._draws.setdefault(draw, []).append((where, True))

    def decide(self, draws: Iterable[Draw], where: Where) -> None:
        """Note that what was drawn decides which code runs."""
        for draw in draws:
            if draw.kind != "clock":
                self._draws.setdefault(draw, []).append((where, draw.kind == "random"))
