"""The nodes of a graph, and how the equations of one level are grouped.

In: a jaxpr as `capture/programs/equations.py` records it, and the nodes of its equations.  Out: `GraphNode`s.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from ...model import count, shortened, split_source

MOST_WIDE = 16  # parts of one level; more are grouped
_TITLE = 36  # characters of a line that names a group
_MOST_LINES = 20  # of one call
_CALL = re.compile(r"([^\W\d]\w*(?:\.\w+)*)\(.*\)", re.DOTALL)
# A call of one of these makes several equations too, but is not an inlined function of the user.
_LIBRARIES = {"jax", "jnp", "lax", "np", "nn", "numpy"}


@dataclass(frozen=True)
class GraphNode:
    """A node, or with `items` a cluster. `line` is that of the jaxpr (from 0), or -1.

    The `look` of a node is "input", "constant", "output", "operand" (an input of an inner program), "equation" or
    "closed"; that of a cluster is "program", "inlined", "group", or "branch" for one of several programs. `closed` is
    the label and look of the node that a cluster becomes, or None if it cannot be closed by itself.
    """

    id: str
    label: str
    look: str
    tooltip: str = ""
    line: int = -1
    items: "list[GraphNode] | None" = None
    closed: tuple[str, str] | None = None

    @property
    def is_end(self) -> bool:
        """Whether it is a cluster of inputs or outputs."""
        return self.closed is not None and self.closed[1] != "closed"


Program: TypeAlias = dict[str, Any]
Part: TypeAlias = tuple[dict[str, Any], GraphNode]  # an equation with its node, or the first of several that have one


class GraphSources:
    """Where equations come from. `sources` are stretches of files ({"file", "first", "text"}); `inlined` are the names
    of inlined functions by the place of the call ("In [3]:4")."""

    def __init__(self, whole: Program, sources: Sequence[dict[str, Any]], inlined: dict[str, str]) -> None:
        self._frames: list[Any] = whole.get("frames", [])
        self._stacks: list[Any] = whole.get("stacks", [])
        # Many equations have equal places.
        self._paths: dict[int, tuple[str, ...]] = {}
        self._calls: dict[tuple[int, str], str] = {}
        self._lines = {
            (block["file"], block["first"] + number): line
            for block in sources
            for number, line in enumerate(block["text"].split("\n"))
        }
        # Newer JAX keeps an inlined call as an equation with the function's name; then there is nothing to guess.
        self._named = set(_labels(whole)) & set(inlined.values())
        self._inlined = {place: name for place, name in inlined.items() if name not in self._named}

    def look(self, equation: dict[str, Any]) -> str:
        return "inlined" if equation.get("label") in self._named else "program"

    def source(self, equation: dict[str, Any]) -> str:
        """ "In [3]:4", or ""."""
        frame = self._frame(equation.get("at", -1))
        return f"{frame[0]}:{frame[2]}" if frame else str(equation.get("source", ""))

    def path(self, equation: dict[str, Any]) -> tuple[str, ...]:
        """The call stack, outermost first."""
        at = stack = equation.get("at", -1)
        if at not in self._paths:
            frames: list[str] = []
            while stack >= 0:
                frame, stack = self._stacks[stack]
                label, function, line = self._frames[frame][:3]
                frames.append(f"{function} {label}:{line}")
            self._paths[at] = tuple(reversed(frames))
        return self._paths[at] or (self.source(equation),)

    def title(self, call: str, n: int) -> str:
        """The line of a call of the path, with the number of its equations."""
        function, _, place = call.partition(" ")
        text = self._lines.get(split_source(place), "").strip() or function.rpartition(".")[2]
        return f"{shortened(text, _TITLE)}\n{place}, {count(n, 'equation')}"

    def call(self, equation: dict[str, Any]) -> str:
        """The call that inlined an equation, as the source has it, or "" if none did."""
        if equation.get("programs"):
            return ""
        key = equation.get("at", -1), self.source(equation)
        if key not in self._calls:
            self._calls[key] = self._call(*key)
        return self._calls[key]

    def _call(self, stack: int, source: str) -> str:
        frame = self._frame(stack)
        text = self._text_of(frame) if frame else ""
        called = _CALL.fullmatch(text)
        if called and called[1].partition(".")[0] not in _LIBRARIES:
            return f"{' '.join(text.split())} at {source}"
        if text:
            return ""  # an operator or a library call next to the inlined call
        name = self._inlined.get(source)
        return f"{name} at {source}" if name else ""

    def _text_of(self, frame: Sequence[Any]) -> str:
        """The source text of a frame, or ""; columns count bytes."""
        file, _, line, column, end_line, end_column = frame
        if column < 0 or end_column < 0 or end_line < line or end_line - line > _MOST_LINES:
            return ""
        lines = [self._lines.get((file, number), "").encode() for number in range(line, end_line + 1)]
        lines[-1] = lines[-1][:end_column]
        lines[0] = lines[0][column:]
        return b"\n".join(lines).decode(errors="replace")

    def _frame(self, stack: int) -> Any:
        return self._frames[self._stacks[stack][0]] if stack >= 0 else None


def _labels(program: Program) -> Iterator[str]:
    for equation in program["equations"]:
        if "label" in equation:
            yield equation["label"]
        for _, inner in equation.get("programs", ()):
            yield from _labels(inner)


def group_level(level: Sequence[Part], places: GraphSources) -> list[GraphNode]:
    """The nodes of one level: those of an inlined call as one, and at most `MOST_WIDE` altogether."""
    folded: list[Part] = []
    for call, run in groupby(level, lambda part: places.call(part[0])):
        together = list(run)
        if not call or len(together) < 2:
            folded += together
            continue
        title = shortened(call.rpartition(" at ")[0], _TITLE)
        folded.append(_group(together, f"{title}, folded in", call, "inlined"))
    return [node for _, node in _narrow(folded, places, 0)]


def _narrow(parts: Sequence[Part], places: GraphSources, depth: int) -> Sequence[Part]:
    """At most `MOST_WIDE` parts: equations of a line are grouped, the outermost call first; then turns of a loop."""
    if len(parts) <= MOST_WIDE:
        return parts

    def caller(part: Part) -> str:
        path = places.path(part[0])
        return path[depth] if depth < len(path) else ""

    runs = [(call, list(run)) for call, run in groupby(parts, caller)]
    if all(not call for call, _ in runs):
        return _blocks(parts)
    if len(runs) == 1:
        return _narrow(parts, places, depth + 1)
    groups: list[Part] = []
    calls: list[str] = []
    for call, run in runs:
        if call and len(run) > 1:
            title, place = places.title(call, len(run)), call.partition(" ")[2]
            run = [_group(_narrow(run, places, depth + 1), title, place, "group")]
        groups += run
        calls += [call] * len(run)
    return groups if len(groups) <= MOST_WIDE else _blocks(_iterations(groups, calls))


def _iterations(groups: Sequence[Part], calls: Sequence[str]) -> Sequence[Part]:
    """What an unrolled loop made, by iteration; `calls` are the lines of the groups."""
    again = next((call for call, number in Counter(calls).items() if call and number > 1), None)
    starts = [place for place, call in enumerate(calls) if call == again]
    if again is None:
        return groups
    ends = [*starts[1:], 2 * starts[-1] - starts[-2]]  # the last is as long as the one before
    iterations = (
        _group(groups[start:end], f"iteration {number} of {len(starts):,}", "", "group")
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    )
    return [*groups[: starts[0]], *iterations, *groups[ends[-1] :]]


def _blocks(parts: Sequence[Part]) -> Sequence[Part]:
    """Parts in order, if nothing else tells how to group them."""
    if len(parts) <= MOST_WIDE:
        return parts
    size = math.ceil(len(parts) / MOST_WIDE)
    return [
        _group(_blocks(parts[begin : begin + size]), f"{begin + 1:,}. to {begin + size:,}.", "", "group")
        for begin in range(0, len(parts), size)
    ]


def _group(parts: Sequence[Part], title: str, tooltip: str, look: str) -> Part:
    (equation, first), (_, last) = parts[0], parts[-1]
    name, nodes = f"g{first.id}-{last.id}-{len(parts)}", [node for _, node in parts]
    return equation, GraphNode(name, title, look, tooltip, first.line, nodes, (title, "closed"))
