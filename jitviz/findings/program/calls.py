"""Functions that stand in a program many times because Python called them so often, outside the loops that were told.

In: the equations of a program, and how often lines called functions while it was traced.  Out: `CalledOften`.
Must never: take calls that make other equations for copies.

A call site is a stack that calls a function. Two are alike if most of what each makes comes from every call of the
other, too.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ...jaxcompat.texts.names import BACKWARD
from .jaxpr import Equation, chains_of, equations_in
from .places import NOWHERE, Places

_ENOUGH = 0.8
_LEAST = 10  # equations of a call
_Function: TypeAlias = tuple[int, int]  # the numbers of a file, and of the name of a function in it
_Call: TypeAlias = tuple[_Function, int]  # a function, and the stack that calls it


class CalledOften(NamedTuple):
    """A function, the stacks that call it, how often in all, how many of these calls had inputs of their own, and what
    they made. If they are `chained`, one takes what an earlier one returned."""

    name: str
    sites: tuple[int, ...]
    calls: int
    inputs: int
    made: tuple[Equation, ...]
    is_chained: bool


class _CallingStack(NamedTuple):
    """The calls of one function by one stack, the positions of what they made in the equations, and its kinds: the
    frames below the site, primitives and avals of which each call makes at least one."""

    stack: int
    calls: int
    made: list[int]
    kinds: frozenset[Any]


class ProgramCalls:
    """All calls in a program."""

    def __init__(self, program: Mapping[str, Any], places: Places, equations: Sequence[Equation]) -> None:
        self._program, self._places, self._equations = program, places, equations
        chains, self._often = chains_of(program, places), Counter[_Call]()
        for at, file, name, calls in program.get("calls", ()):
            self._often[(places.files[file], places.functions[name]), places.join(NOWHERE, chains[at])] += calls
        self._frames, self._outer = places.stacks()

    def find(self, is_told: Callable[[int], bool], is_large: Callable[[int, int], bool]) -> Iterator[CalledOften]:
        """Functions that were called often, those that made most first. `is_told` says of a stack whether it is in what
        is told already, and `is_large` of a number of calls and of equations whether they are worth it."""
        names, reported = list(self._places.functions), set[_Call]()
        for function, made in self._made().items():
            sites = [site for site in made if not is_told(site) and reported.isdisjoint(self._around(site))]
            alike = _alike([self._site(function, site, made[site]) for site in sites])
            calls, n_made = sum(site.calls for site in alike), sum(len(site.made) for site in alike)
            if is_large(calls, n_made) and n_made >= _LEAST * calls:
                reported |= {(function, site.stack) for site in alike}
                yield self._told(names[function[1]], alike)

    def _made(self) -> dict[_Function, dict[int, list[int]]]:
        """What each function made, by the stacks that call it; of those that made as much, the outermost first."""
        below, found = defaultdict[int, list[int]](list), dict[_Function, dict[int, list[int]]]()
        for position, equation in enumerate(self._equations):
            below[equation.stack].append(position)
        for stack, made in below.items():
            for function, site in dict(self._around(stack)).items():
                found.setdefault(function, {}).setdefault(site, []).extend(made)
        return dict(sorted(found.items(), key=lambda item: -sum(map(len, item[1].values()))))

    def _around(self, stack: int) -> list[_Call]:
        """The calls that a stack is in, outer ones first, but of a recursion the outermost last."""
        found = list[_Call]()
        while stack != NOWHERE and self._outer[stack] != NOWHERE:
            frame = self._places.frames[self._frames[stack]]
            found.append(((frame.file, frame.function), self._outer[stack]))
            stack = self._outer[stack]
        return found

    def _site(self, function: _Function, stack: int, made: list[int]) -> _CallingStack:
        calls, depth = self._often.get((function, stack), 1), len(self._places.chain(stack))
        rows = (self._equations[position] for position in made)
        kinds = Counter((self._places.chain(row.stack)[depth:], row.primitive, row.avals) for row in rows)
        of_each = frozenset(kind for kind, n in kinds.items() if n >= calls)
        is_alike = sum(kinds[kind] for kind in of_each) >= _ENOUGH * len(made)
        return _CallingStack(stack, calls, sorted(made), of_each if is_alike else frozenset())

    def _told(self, name: str, sites: Sequence[_CallingStack]) -> CalledOften:
        call_of = dict(self._numbered(sites))
        new = {call for position, call in call_of.items() if not self._equations[position].is_again}
        return CalledOften(
            name,
            tuple(site.stack for site in sites),
            sum(site.calls for site in sites),
            len(new),
            tuple(self._equations[position] for site in sites for position in site.made),
            any(_takes_earlier(self._program, call_of)),
        )

    def _numbered(self, sites: Sequence[_CallingStack]) -> Iterator[tuple[int, int]]:
        """The positions of what Python traced in the calls, each with the number of its call."""
        first = 0
        for site in sites:
            own = [
                at
                for at in site.made
                if not self._equations[at].is_repeat and self._equations[at].direction != BACKWARD
            ]
            yield from ((at, first + index * site.calls // len(own)) for index, at in enumerate(own))
            first += site.calls


def _alike(sites: Sequence[_CallingStack]) -> list[_CallingStack]:
    """The most that are like one of them."""
    alike = (
        [other for other in sites if _are_alike(site, other)] for site in {site.kinds: site for site in sites}.values()
    )
    return max(alike, key=lambda some: sum(len(site.made) for site in some), default=[])


def _are_alike(site: _CallingStack, other: _CallingStack) -> bool:
    most = max(len(site.kinds), len(other.kinds))
    return most > 0 and len(site.kinds & other.kinds) >= _ENOUGH * most


def _takes_earlier(program: Mapping[str, Any], call_of: Mapping[int, int]) -> Iterator[bool]:
    """Whether a call takes what another one has made, of each equation in a call."""
    made_by = defaultdict[str, int](int)  # of variables: the calls that they depend on, as bits
    for position, equation in enumerate(equations_in(program)):
        takes = 0
        for name in equation["in"]:
            takes |= made_by[name]
        own = 1 << call_of[position] if position in call_of else 0
        yield own > 0 and takes & ~own > 0
        made_by |= {name: takes | own for name, _ in equation["out"]}
