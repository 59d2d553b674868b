"""From a line of Python to the lines of the program texts, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from jitviz.recording import Recording
from jitviz.views.program import shape_links, shape_listing
from jitviz.views.schema import DIRECTIONS, Links, ListingName, Origins

from . import programs

Pane = Literal["jaxpr", "stablehlo", "hlo"]
PANES: tuple[Pane, ...] = ("jaxpr", "stablehlo", "hlo")


@dataclass(frozen=True)
class Panes:
    recording: Recording
    compile: int
    label: str = programs.LABEL

    @cached_property
    def links(self) -> Links:
        return shape_links(self.recording, self.compile)

    def lines(self, pane: ListingName) -> list[str]:
        return shape_listing(self.recording, self.compile, pane).split("\n")

    def origins(self, pane: Pane) -> Origins:
        return {"jaxpr": self.links.jaxpr, "stablehlo": self.links.stablehlo, "hlo": self.links.hlo}[pane]

    def stack_lines(self, stack: int) -> tuple[int, ...]:
        """The lines of the tested file in a stack, outermost first."""
        links, lines = self.links, []
        while stack >= 0:
            frame = links.stacks.frame[stack]
            if links.files[links.frames.file[frame]] == self.label:
                lines.append(links.frames.line[frame])
            stack = links.stacks.parent[stack]
        return tuple(reversed(lines))

    def below(self, python_line: int, pane: Pane, direction: str | None = None) -> list[str]:
        """The lines of a text that come from a line of Python, or from functions that it calls."""
        origins, text = self.origins(pane), self.lines(pane)
        found = {
            line
            for line, stack, way in zip(origins.line, origins.stack, origins.direction, strict=True)
            if python_line in self.stack_lines(stack) and direction in (None, DIRECTIONS[way])
        }
        return [text[line] for line in sorted(found)]

    def above(self, pane: Pane, pattern: str) -> set[tuple[int, ...]]:
        """The stacks of all matching lines of a text, as lines of Python."""
        origins, text = self.origins(pane), self.lines(pane)
        numbers = {number for number, line in enumerate(text) if re.search(pattern, line)}
        assert numbers, f"no line of the {pane} matches {pattern}"
        return {
            self.stack_lines(stack) for line, stack in zip(origins.line, origins.stack, strict=True) if line in numbers
        }
