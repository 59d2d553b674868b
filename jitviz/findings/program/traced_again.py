"""Functions inside a program that were traced several times with equal inputs.

In: the JSON that `capture.programs.equations` describes.  Out: by line, what was traced there, and how often.

JAX prints an inner program once for all equations that run the same trace: several prints are several traces. Under
`vmap` and `jvp` they may also be what JAX made of one trace, for other axes or arguments; then only so many are counted
as there were function objects. What a transposition made is not counted.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...jaxcompat.texts import names
from .jaxpr import Print, print_of


class Again(NamedTuple):
    """What was traced `n` times at a line with equal inputs; under a transformation, at most `n` times."""

    n: int
    source: str
    name: str
    is_transformed: bool


def find_traced_again(program: dict[str, Any]) -> tuple[Again, ...]:
    """What was traced more than once with equal inputs and an equal program, the least often first."""
    prints: dict[tuple[Any, ...], set[Print]] = defaultdict(set)
    for key, printed in _traces(program, is_transformed=False):
        prints[key].add(printed)
    return tuple(sorted(Again(len(some), *key[:3]) for key, some in prints.items() if len(some) > 1))


def by_line(found: tuple[Again, ...], n_objects: Mapping[str, int]) -> dict[str, tuple[str, int]]:
    """By line, the name of what was traced there most often, and how often. `n_objects` is the number of function
    objects that each line called while it was traced."""
    often = ((min(one.n, n_objects.get(one.source, 1)) if one.is_transformed else one.n, one) for one in found)
    return {one.source: (one.name, n) for n, one in sorted(often) if n > 1}


def _traces(program: dict[str, Any], *, is_transformed: bool) -> Iterator[tuple[tuple[Any, ...], Print]]:
    for one in program.get("equations", ()):
        stack = one.get("stack", "")
        if names.direction_of(stack) == names.BACKWARD:
            continue
        label, is_made = one.get("label"), is_transformed or names.is_transformed(stack)
        name = f"`{label}`" if label else f"the body of `{one['primitive']}`"
        for place, (_, inner) in enumerate(one.get("programs", ())):
            if (label or not is_made) and (printed := print_of(inner)):
                what = tuple(aval for _, aval in inner["inputs"]), tuple(row[1:] for row in printed)
                yield (one.get("source", ""), name, is_made, place, *what), printed
            yield from _traces(inner, is_transformed=is_made)
