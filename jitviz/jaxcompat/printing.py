"""A jaxpr as JAX prints it, and on which line each equation stands.

In: a jaxpr.  Out: its text, with the lines of its equations.
Must never: print with the user's `__repr__` what a text was given for; or raise because a version lacks a name.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from jax._src import source_info_util as _source_info_util

from ..raw import items_of
from .jaxprs import JAXPR_TYPES, constant_values, inner_programs, is_jaxpr, opened


class JaxprText(NamedTuple):
    """JAX's own text of a jaxpr; the line from 0 on which each equation begins, by the address of the equation; and
    the arrays that are constants of it or of a program inside."""

    text: str
    lines: dict[int, int]
    constants: list[Any]


def jaxpr_text(jaxpr: Any, in_place_of: Callable[[Any], str | None] = lambda _: None) -> JaxprText:
    """What a jaxpr looks like, and where in that its equations are.

    JAX's printer tells which stretch of a line came from which traceback. What is printed is a copy of the jaxpr whose
    equations have a number in its place, so that the text is made once and stays as JAX makes it. Where a version does
    not take such a copy, no line is known. `in_place_of` gives the text for a parameter that is not to be printed.
    """
    try:
        return _numbered_text(jaxpr, in_place_of)
    except Exception:
        return JaxprText(str(jaxpr.pretty_print(use_color=False)), {}, constant_values(jaxpr))


def _numbered_text(jaxpr: Any, in_place_of: Callable[[Any], str | None]) -> JaxprText:
    regions: list[list[tuple[int, int, Any]]] = []
    copied = _Numbering(in_place_of)
    copy = copied.of(jaxpr)
    # without the colours that JAX gives it in notebooks and terminals: escape sequences are no part of it
    text: str = copy.pretty_print(use_color=False, source_map=regions)
    if "\n" not in text and opened(jaxpr).eqns:  # each equation has a line of its own, as in longer programs
        regions.clear()
        text = copy.pretty_print(use_color=False, source_map=regions, width=len(text) - 1)
    lines = text.split("\n")
    found: dict[int, int] = {}
    if len(regions) == len(lines):  # a parameter that prints as several lines shifts what stands below it
        starts = itertools.accumulate((1 + line.count(_BREAK) for line in lines), initial=0)
        for start, parts in zip(starts, regions, strict=False):
            for _, _, source in parts:
                number = source if type(source) is _Number else getattr(source, "start_line", 0)
                found.setdefault(copied.addresses[number], start)
    return JaxprText(text.replace(_BREAK, "\n"), found, copied.constants)


_BREAK = "\0"  # stands for the end of a line in what is printed as one word


class _OneLine(tuple[Any, ...]):
    """Jaxprs in a named tuple, which the printer still looks for those that are shared in."""

    text: str

    def __new__(cls, value: tuple[Any, ...]) -> _OneLine:
        made = super().__new__(cls, value)
        made.text = str(value).replace("\n", _BREAK)
        return made

    def __repr__(self) -> str:
        return self.text


class _Number(int):
    """Stands for a traceback. Up to jax 0.9 the printer asks it for a frame; only the line of that comes back."""

    def raw_frames(self) -> tuple[list[CodeType], list[int]]:
        return [_BLANK.replace(co_firstlineno=int(self))], [2]  # the first instruction that is the line's own


_BLANK = builtins.compile("0", "an equation", "eval")


class _Numbering:
    """Copies jaxprs: those that were shared are shared in the copy. `addresses` are those of the equations copied."""

    def __init__(self, in_place_of: Callable[[Any], str | None]) -> None:
        self.addresses: list[int] = [0]  # lines of code count from 1; 0 is of what was not copied
        self.constants: list[Any] = []
        self._in_place_of = in_place_of
        self._copies: dict[int, Any] = {}

    def of(self, jaxpr: Any) -> Any:
        self.constants += constant_values(jaxpr)
        inner = opened(jaxpr)
        copy = self._copies.get(id(inner))
        if copy is None:
            copy = self._copies[id(inner)] = inner.replace(eqns=[self._equation(equation) for equation in inner.eqns])
        return copy if inner is jaxpr else jaxpr.replace(jaxpr=copy)

    def _equation(self, equation: Any) -> Any:
        info = _source_info_util.SourceInfo(_Number(len(self.addresses)), equation.source_info.name_stack)
        self.addresses.append(id(equation))
        inner = {name for name, _ in inner_programs(equation.params)}
        copied: dict[str, Any] = {}
        for name, value in equation.params.items():
            if name in inner:
                copied[name] = self._programs(value)
            elif (text := self._in_place_of(value)) is not None:
                copied[name] = text
            elif type(value) is not tuple and issubclass(type(value), tuple) and any(map(is_jaxpr, items_of(value))):
                copied[name] = _OneLine(value)  # no part of a named tuple has a region
        return equation.replace(source_info=info, **({"params": equation.params | copied} if copied else {}))

    def _programs(self, value: Any) -> Any:
        return self.of(value) if type(value) in JAXPR_TYPES else type(value)(self.of(part) for part in value)
