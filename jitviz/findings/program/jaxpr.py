"""The equations of a program, each with its place in the source, its constants, and the functions inside it that were
traced several times with equal inputs.

In: the JSON that `capture.programs.equations` describes.  Out: `Equation` rows, inner programs included, in order;
`Constant`s; by line, what was traced there, and how often.
Must never: rely on a field that the JSON may leave out, or count an inner program twice if several equations run it.

Under `vmap` and `jvp`, several traces may be what JAX made of one, for other axes or arguments; then only so many are
counted as there were function objects. What a transposition made is not counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...jaxcompat.texts import names
from ...jaxcompat.texts.array_types import size_of
from ...jaxcompat.texts.locations import Chain
from ...jaxcompat.texts.names import direction_of
from .places import NOWHERE, Places

# Constants from this size on are worth a warning, since each version has its own copy of them.
LARGE_NBYTES = 1_000_000


@dataclass(frozen=True)
class Constant:
    """An array that was closed over and is part of the program."""

    name: str  # its name in the function, or ""
    aval: str  # JAX's short form ("f32[3,4]")
    nbytes: int  # its size


class Equation(NamedTuple):
    """One equation."""

    line: int  # in the jaxpr's text, from 0, or -1
    stack: int  # its number in `Places`
    direction: int  # forward or backward
    name: str  # name stack and primitive: "loss/while/body/dot_general"
    primitive: str
    avals: tuple[str, ...]  # of its outputs: ("f32[3]",)
    is_repeat: bool  # part of an inner program that was read before: several equations can run the same one
    is_again: bool = False  # it computes what an earlier one has computed


def equations_in(program: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The equations of a program, each followed by those inside it, as `read_equations` has them."""
    for equation in program.get("equations", ()):
        yield equation
        for _, inner in equation.get("programs", ()):
            yield from equations_in(inner)


def labels_in(program: Mapping[str, Any]) -> Iterator[str]:
    """The names of the functions that a program runs, at any depth."""
    return (equation["label"] for equation in equations_in(program) if equation.get("label"))


def constants_of(program: dict[str, Any]) -> list[Constant]:
    """The constant arrays of a program and of its inner programs, the largest first."""
    return sorted(_constants(program, set()), key=lambda constant: -constant.nbytes)


def _constants(program: dict[str, Any], counted: set[int]) -> Iterator[Constant]:
    if not _is_new(program, counted):
        return
    for _, aval, name in program.get("constants", ()):
        yield Constant(name, aval, int(size_of(aval)))
    for equation in program.get("equations", ()):
        for _, inner in equation.get("programs", ()):
            yield from _constants(inner, counted)


def _is_new(program: dict[str, Any], seen: set[int]) -> bool:
    """Whether no other equation runs the trace of a program, of those seen; from now on it is one of them."""
    trace: int = program.get("trace", -1 - len(seen))
    is_new = trace not in seen
    seen.add(trace)
    return is_new


def read_equations(program: dict[str, Any], places: Places, transform: str = "") -> list[Equation]:
    """All equations of a program and of its inner programs."""
    return list(_JaxprReader(program, places, transform).program(program, NOWHERE, ""))


def chains_of(program: Mapping[str, Any], places: Places) -> list[Chain]:
    """The frames of each stack of an outermost program, the outermost first."""
    frames = [places.frame(*row) for row in program.get("frames", ())]
    chains: list[Chain] = []
    for number, parent in program.get("stacks", ()):
        frame = frames[number]
        outer = chains[parent] if parent >= 0 else ()
        chains.append(outer if frame is None else (*outer, frame))
    return chains


class _JaxprReader:
    def __init__(self, top: dict[str, Any], places: Places, transform: str) -> None:
        self._places, self._transform = places, transform
        self._seen: set[int] = set()
        self._chains = chains_of(top, places)

    def program(self, program: dict[str, Any], outer: int, path: str) -> Iterator[Equation]:
        """The equations of a program that an equation at stack `outer` with the name `path` runs."""
        is_repeat = not _is_new(program, self._seen)
        for equation in program["equations"]:
            yield from self._equation(equation, is_repeat, outer, path)

    def _equation(self, equation: dict[str, Any], is_repeat: bool, outer: int, path: str) -> Iterator[Equation]:
        at, primitive, line = equation.get("at"), equation["primitive"], equation.get("line", -1)
        stack = outer if at is None else self._places.join(outer, self._chains[at])
        own = equation.get("stack", "")
        above = f"{path}/{own}" if path and own else path or own
        name = f"{above}/{primitive}" if above else primitive
        avals = tuple([aval for _, aval in equation["out"]])
        direction = direction_of(above, self._transform)
        yield Equation(line, stack, direction, name, primitive, avals, is_repeat, "again" in equation)
        programs = equation.get("programs", ())
        label = f"{primitive}({equation['label']})" if equation.get("label") else primitive
        for _, program in programs:
            yield from self.program(program, stack, f"{above}/{label}" if above else label)


class Branches(NamedTuple):
    """The branches of a `switch` on the user's own line that have equal operations, and their equations."""

    source: str
    n: int
    n_made: int


def alike_branches(program: dict[str, Any], top: dict[str, Any], seen: set[int]) -> Iterator[Branches]:
    """Those of each `switch` in a program of an outermost one, without the traces `seen`."""
    for equation in program.get("equations", ()):
        inner = [branch for _, branch in equation.get("programs", ()) if _is_new(branch, seen)]
        is_own = (
            "at" in equation
            and "{0}:{2}".format(*top["frames"][top["stacks"][equation["at"]][0]]) == equation["source"]
        )
        if equation["primitive"] == names.BRANCHES and is_own:
            ((operations, n),) = Counter(map(tuple, map(_operations, inner))).most_common(1) or (((), 0),)
            yield Branches(equation["source"], n, n * len(operations))
        for branch in inner:
            yield from alike_branches(branch, top, seen)


def _operations(program: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The primitive of each equation and the avals of its outputs, at any depth."""
    for equation in program.get("equations", ()):
        yield equation["primitive"], *(aval for _, aval in equation["out"])
        for _, inner in equation.get("programs", ()):
            yield from _operations(inner)


class Again(NamedTuple):
    """What was traced `n` times at a line with equal inputs; under a transformation, at most `n` times."""

    n: int
    source: str
    name: str
    is_transformed: bool


def _what(equation: dict[str, Any]) -> tuple[str, ...]:
    """The primitive and the literals of an equation; variables are v0, v1, ..."""
    literals = (name for name in equation["in"] if not (name[:1] == "v" and name[1:].isdecimal()))
    return equation["primitive"], *literals


def find_traced_again(program: dict[str, Any]) -> tuple[Again, ...]:
    """What was traced more than once with equal inputs and an equal program, the least often first."""
    traces: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for key, trace in _traces(program, is_transformed=False):
        traces[key].add(trace)
    return tuple(sorted(Again(len(some), *key[:3]) for key, some in traces.items() if len(some) > 1))


def by_line(found: tuple[Again, ...], n_objects: Mapping[str, int]) -> dict[str, tuple[str, int]]:
    """By line, the name of what was traced there most often, and how often. `n_objects` is the number of function
    objects that each line called while it was traced."""
    often = (
        (min(repeat.n, n_objects.get(repeat.source, 1)) if repeat.is_transformed else repeat.n, repeat)
        for repeat in found
    )
    return {repeat.source: (repeat.name, n) for n, repeat in sorted(often) if n > 1}


def _traces(program: dict[str, Any], *, is_transformed: bool) -> Iterator[tuple[tuple[Any, ...], int]]:
    for equation in program.get("equations", ()):
        stack = equation.get("stack", "")
        if names.direction_of(stack) == names.BACKWARD:
            continue
        label, is_made = equation.get("label"), is_transformed or names.is_transformed(stack)
        name = f"`{label}`" if label else f"the body of `{equation['primitive']}`"
        for place, (_, inner) in enumerate(equation.get("programs", ())):
            if (label or not is_made) and "trace" in inner and inner["equations"]:
                what = tuple(aval for _, aval in inner["inputs"]), tuple(map(_what, inner["equations"]))
                yield (equation.get("source", ""), name, is_made, place, *what), inner["trace"]
            yield from _traces(inner, is_transformed=is_made)
