"""Functions inside a program that were traced several times with equal inputs.

In: the JSON that `capture.programs.equations` describes.  Out: by line, what was traced there, and how often.

JAX prints an inner program once for all equations that run the same trace: several prints are several traces. Under a
transformation they may also be what JAX made of one trace, and are not counted.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from .jaxpr import Print, print_of


def find_traced_again(program: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """By line, the name of what was traced there most often with equal inputs and an equal program, and how often."""
    prints: dict[tuple[Any, ...], set[Print]] = defaultdict(set)
    for key, printed in _traces(program):
        prints[key].add(printed)
    often = sorted((len(some), *key[:2]) for key, some in prints.items() if len(some) > 1)
    return {source: (name, n) for n, source, name in often}


def _traces(program: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], Print]]:
    for one in program.get("equations", ()):
        if any(f"{name}(" in one.get("stack", "") for name in ("jvp", "transpose", "vmap")):
            continue
        label = one.get("label")
        name = f"`{label}`" if label else f"the body of `{one['primitive']}`"
        for place, (_, inner) in enumerate(one.get("programs", ())):
            if printed := print_of(inner):
                what = tuple(aval for _, aval in inner["inputs"]), tuple(row[1:] for row in printed)
                yield (one.get("source", ""), name, place, *what), printed
            yield from _traces(inner)
