"""The text of a jaxpr as JAX prints it, and the line of each equation.

In: a jaxpr.  Out: a copy of it; its text, with the lines of its equations.
Must never: call the `__repr__` of a value for which a text was given.
"""

import builtins
import itertools
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, SimpleNamespace
from typing import Any, NamedTuple

import jax

from . import private
from .jaxprs import JAXPR_TYPES, constant_values, inner_programs, is_jaxpr, opened
from .raw import items_of

_core, _source_info_util = private.module("jax._src.core"), private.module("jax._src.source_info_util")


class JaxprCopy(NamedTuple):
    """A copy of a jaxpr, with a `Number` for each traceback and without the values of constants. `constants` are the
    variables of the constants. If `may_wait`, the copy keeps no user object alive and may be printed later."""

    jaxpr: Any
    may_wait: bool
    constants: list[Any]
    n_equations: int
    n_inlined: int = 0  # with those of nested jits as often as they are called


class JaxprText(NamedTuple):
    """JAX's own text of a jaxpr, and the line (from 0) on which each equation begins, by its `Number`."""

    text: str
    lines: dict[int, int]


class Number(int):
    """A number in place of the traceback of an equation; it counts from 1, in the order of the equations. Up to jax 0.9
    the printer calls `raw_frames` and reports the line of the frame."""

    traceback: Any

    def raw_frames(self) -> tuple[list[CodeType], list[int]]:
        return [_BLANK.replace(co_firstlineno=int(self))], [2]  # the first instruction that belongs to the line


_BLANK = builtins.compile("0", "an equation", "eval")


def copy_jaxpr(
    jaxpr: Any,
    in_place_of: Callable[[Any], str | None] = lambda _: None,
    holds_more: Callable[[Any], bool] = lambda _: True,
    called_back: Callable[[Mapping[str, Any]], None] = lambda _: None,
) -> tuple[JaxprCopy, list[Any]]:
    """Copy a jaxpr to print and read later; also return the arrays that are constants of it and its inner programs.

    `called_back` gets the parameters of each equation that calls Python.

    `in_place_of` returns the text of a parameter that must not be printed. `holds_more` says whether a parameter may
    keep a user object alive; its text then replaces it, if JAX prints it like any other. If a version does not allow
    such a copy, the jaxpr itself is returned in its place.
    """
    try:
        numbering = _Numbering(in_place_of, holds_more, called_back)
        copy = numbering.of(jaxpr)
    except Exception:
        values = constant_values(jaxpr)
        return JaxprCopy(jaxpr, False, list(opened(jaxpr).constvars)[: len(values)], 0), values
    constants = [var for var, _ in numbering.constants]
    made = JaxprCopy(copy, numbering.may_wait, constants, numbering.count, numbering.inlined)
    return made, [array for _, array in numbering.constants]


def jaxpr_text(copy: JaxprCopy) -> JaxprText:
    """Print a jaxpr and locate its equations in the text. JAX's printer reports the traceback behind each part of a
    line. The copy has numbers in place of tracebacks, so that the text is printed once, exactly as JAX prints it."""
    try:
        text, lines = _numbered_text(copy.jaxpr)
        return JaxprText(text, lines if copy.n_equations else {})  # without a copy, the lines are those of its source
    except Exception:
        return JaxprText(str(copy.jaxpr.pretty_print(use_color=False)), {})


def _numbered_text(jaxpr: Any) -> JaxprText:
    regions: list[list[tuple[int, int, Any]]] = []
    # Without colours, which JAX adds as escape sequences in notebooks and terminals:
    # https://github.com/jax-ml/jax/blob/main/jax/_src/pretty_printer.py
    text: str = jaxpr.pretty_print(use_color=False, source_map=regions)
    if "\n" not in text and opened(jaxpr).eqns:  # give each equation a line of its own, as in longer programs
        regions.clear()
        text = jaxpr.pretty_print(use_color=False, source_map=regions, width=len(text) - 1)
    lines = text.split("\n")
    line_of_equation: dict[int, int] = {}
    if len(regions) == len(lines):  # a parameter that prints as several lines shifts the lines below it
        starts = itertools.accumulate((1 + line.count(_BREAK) for line in lines), initial=0)
        for start, parts in zip(starts, regions, strict=False):
            for _, _, source in parts:
                number = int(source if type(source) is Number else getattr(source, "start_line", 0))
                if number:
                    line_of_equation.setdefault(number, start)
    return JaxprText(text.replace(_BREAK, "\n"), line_of_equation)


_BREAK = "\0"  # in place of a line break in text that is printed as one word


_LEFT_OUT = ("out_trees",)  # by the rule that prints a call of a `custom_vjp` function


class _OneLine(tuple[Any, ...]):
    """A named tuple with jaxprs, in which the printer still finds those that are shared."""

    text: str

    def __new__(cls, parts: Iterable[Any], text: str) -> "_OneLine":
        made = super().__new__(cls, parts)
        made.text = text.replace("\n", _BREAK)
        return made

    def __repr__(self) -> str:
        return self.text


class _Printed(str):
    """The text of a parameter that is not kept. JAX asks the `debug_info` of a function for its name."""

    debug_info: Any = None


def _printed(value: Any) -> _Printed:
    made = _Printed(str(value).replace("\n", _BREAK))
    info = getattr(value, "debug_info", None)
    if info is not None:
        made.debug_info = SimpleNamespace(func_name=info.func_name)
    return made


class _Numbering:
    """Copies jaxprs and numbers their equations. A jaxpr that is shared stays shared in the copy."""

    def __init__(
        self,
        in_place_of: Callable[[Any], str | None],
        holds_more: Callable[[Any], bool],
        called_back: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self.constants: list[tuple[Any, Any]] = []  # (variable, array)
        self.may_wait = True
        self._in_place_of, self._holds_more, self._called_back = in_place_of, holds_more, called_back
        self.count = self.inlined = 0
        self._copies: dict[int, tuple[Any, int]] = {}  # with the equations in it

    def of(self, jaxpr: Any) -> Any:
        inner = opened(jaxpr)
        values = constant_values(jaxpr)
        self.constants += zip(inner.constvars, values, strict=False)
        consts = {"consts": [None] * len(values)}
        copy, inside = self._copies.get(id(inner), (None, 0))
        self.inlined += inside
        if copy is None:
            before = self.inlined
            equations = [self._equation(equation) for equation in inner.eqns]
            self._look_at(inner.outvars)
            copy = inner.replace(eqns=equations, **(consts if inner is jaxpr and values else {}))
            self._copies[id(inner)] = copy, self.inlined - before
        return copy if inner is jaxpr else jaxpr.replace(jaxpr=copy, **consts)

    def _equation(self, equation: Any) -> Any:
        self.count += 1
        self.inlined += 1
        number = Number(self.count)
        number.traceback = equation.source_info.traceback
        info = _source_info_util.SourceInfo(number, equation.source_info.name_stack)
        self._look_at(equation.invars)
        if "callback" in (name := equation.primitive.name) or name == "debug_print":
            self._called_back(equation.params)
        inner = {name for name, _ in inner_programs(equation.params)}
        changed: dict[str, Any] = {}
        for name, value in equation.params.items():
            if name in inner:
                changed[name] = self._programs(value)
            elif (text := self._in_place_of(value)) is not None:
                changed[name] = text
            elif type(value) is not tuple and issubclass(type(value), tuple) and any(map(is_jaxpr, items_of(value))):
                # the printer has no region for the parts of a named tuple
                changed[name] = _OneLine([self.of(part) if is_jaxpr(part) else None for part in value], str(value))
            elif self._holds_more(value):
                changed[name] = printed = _printed(value)
                is_read = equation.primitive in _core.pp_eqn_rules and name not in _LEFT_OUT
                self.may_wait &= not is_read or printed.debug_info is not None
        if not self.may_wait:  # it is printed at once, and JAX's printing rules may read any parameter
            changed = {name: made for name, made in changed.items() if type(made) is not _Printed}
        return equation.replace(source_info=info, **({"params": equation.params | changed} if changed else {}))

    def _look_at(self, atoms: Iterable[Any]) -> None:
        """Note literals that hold a JAX array, which may be the user's. Others hold a number."""
        for atom in atoms:
            if type(atom) is _core.Literal and isinstance(atom.val, _core.Tracer | jax.Array):
                self.may_wait = False

    def _programs(self, value: Any) -> Any:
        return self.of(value) if type(value) in JAXPR_TYPES else type(value)(self.of(part) for part in value)
