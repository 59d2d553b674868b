"""Locations as MLIR writes them: files, names, call sites, and fused locations.

In: a module's text, in which lines that begin with `#loc` name locations.  Out: `Location`s; the text without them.
"""

import re
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeAlias

from .labels import QUOTED, unescaped_mlir

_ALIAS = re.compile(r"#loc\d*(?= = loc\()")
_REFERENCE = re.compile(r"#loc\d*")
_STRING = re.compile(QUOTED)
_POSITION = re.compile(r":(\d+):(\d+)(?: to (?:(\d+))?:(\d+))?")
_METADATA = re.compile(r"<(?:[^<>\"]|\"(?:[^\"\\]|\\.)*\")*>")

_NESTED = r"[^()\"\n]++"
for _ in range(4):  # places inside places: loc(callsite("f"("f.py":1:2) at fused["x", #loc1]))
    _NESTED = rf"(?:[^()\"\n]++|{QUOTED}|\({_NESTED}\))*+"
# Strings are matched as well, so that a location inside one stays.
_LOCATION = re.compile(rf"({QUOTED})| loc\({_NESTED}\)")
_AT_END = re.compile(r"(?m) loc\(#loc\d*\)$")  # as most are; no string ends there

Chain: TypeAlias = tuple[int, ...]  # numbers of frames, outermost first


class PlaceNumbers(Protocol):
    """Numbers the places in a text; None for a place that is never shown."""

    def frame(self, file: str, function: str, line: int, column: int, end_line: int, end_column: int) -> int | None: ...


class Location(NamedTuple):
    """Call stacks, outermost frame first, and the name stack with the primitive, or ""."""

    chains: tuple[Chain, ...]
    name: str


_UNKNOWN = Location((), "")


def plain_stablehlo(text: str) -> str:
    """The text of a module without locations, as `str(module)` prints it; a text without any is returned unchanged."""
    if "loc(" not in text:
        return text
    return (_plain if len(text) < _LONG else _plain.__wrapped__)(text)


_LONG = 1_000_000  # characters; shorter texts are kept for a while: each is shown, linked and compared with others


@lru_cache(maxsize=4)
def _plain(text: str) -> str:
    lines = _AT_END.sub("", "\n".join(strip_aliases(text))).split("\n")
    return "\n".join(_LOCATION.sub(r"\1", line) if " loc(" in line else line for line in lines)


def strip_aliases(text: str) -> list[str]:
    """The lines of a module without those that name locations, numbered as in its plain text."""
    return [line for line in text.split("\n") if not line.startswith("#loc")]


class Locations:
    """The named locations of one module, parsed on demand."""

    def __init__(self, text: str, places: PlaceNumbers) -> None:
        self._places = places
        self._read: dict[str, Location] = {}
        self._written: dict[str, str] = {}
        for line in text.split("\n"):
            if line.startswith("#loc") and (alias := _ALIAS.match(line)):
                self._written[alias[0]] = line[alias.end() + 7 : -1]

    def read(self, written: str) -> Location:
        """Parse the location in `loc(written)`."""
        if (known := self._read.get(written)) is None:
            self._read[written] = _UNKNOWN  # in case a location refers to itself
            known = self._read[written] = self._parse(written, 0)[0]
        return known

    def _parse(self, text: str, at: int) -> tuple[Location, int]:
        """Parse a location at position `at`; return it and the position after it."""
        if alias := _REFERENCE.match(text, at):
            inner = self._written.get(alias[0], "unknown")
            return self.read(inner), alias.end()
        if text.startswith("callsite(", at):
            callee, end = self._parse(text, at + 9)
            caller, end = self._parse(text, end + 4)  # " at "
            chains = tuple(outer + inner for outer in caller.chains or ((),) for inner in callee.chains or ((),))
            return Location(chains, callee.name), end + 1
        if text.startswith("fused", at):
            return self._fused(text, at + 5)
        if string := _STRING.match(text, at):
            return self._named(text, unescaped_mlir(string[0]), string.end())
        return _UNKNOWN, len(text)

    def _named(self, text: str, string: str, end: int) -> tuple[Location, int]:
        """Parse a file with a position, or a name with its location."""
        if position := _POSITION.match(text, end):
            return self._file(string, "", position), position.end()
        if not text.startswith("(", end):
            return Location((), string), end
        alias = _REFERENCE.match(text, end + 1)
        inner = self._written.get(alias[0], "") if alias else text[end + 1 :]
        if (file := _STRING.match(inner)) and (position := _POSITION.match(inner, file.end())):
            # The name of a file location is a function, unless JAX is configured to leave call stacks out.
            is_function = not ("/" in string or "(" in string)
            location = self._file(unescaped_mlir(file[0]), string if is_function else "", position)
            _, end = self._parse(text, end + 1)
            return (location if is_function else location._replace(name=string)), end + 1
        location, end = self._parse(text, end + 1)
        return location._replace(name=string), end + 1

    def _file(self, file: str, function: str, position: re.Match[str]) -> Location:
        line, column = int(position[1]), int(position[2])
        end_line, end_column = int(position[3] or line), int(position[4] or -1)
        number = self._places.frame(file, function, line, column, end_line, end_column)
        return Location(((),) if number is None else ((number,),), "")

    def _fused(self, text: str, at: int) -> tuple[Location, int]:
        if metadata := _METADATA.match(text, at):
            at = metadata.end()
        chains: dict[Chain, None] = {}
        name = ""
        while at < len(text) and text[at] in "[,":
            at += 1 + (text.startswith(", ", at))
            part, at = self._parse(text, at)
            chains.update(dict.fromkeys(part.chains))
            name = name or part.name
        return Location(tuple(chains), name), at + 1
