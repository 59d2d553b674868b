"""What one run of a program costs, in words.

In: `Cost` and `Memory`.  Out: short texts, "" for what is not known.
Must never: show two numbers for one thing without what differs between them.
"""

from __future__ import annotations

from ..model import Cost, Memory
from .words import quantity, size


def tell_flops(cost: Cost, noun: str = "") -> str:
    """ "1.0 billion (10 million by XLA's estimate, which counts a loop body once)", with `noun` behind the number."""
    known = [quantity(number) for number in (cost.jaxpr_flops, cost.flops) if number is not None]
    if not known:
        return ""
    if known[0] == known[-1]:
        return known[0] + noun + (" (each loop body counted once)" if cost.has_loop else "")
    why = ", which counts a loop body once" if cost.has_loop else " of the optimized program"
    return f"{known[0]}{noun} ({known[1]} by XLA's estimate{why})"


def tell_moved(cost: Cost) -> str:
    if cost.bytes_accessed is None:
        return ""
    return size(cost.bytes_accessed) + (" (each loop body counted once)" if cost.has_loop else "")


def tell_intensity(cost: Cost) -> str:
    """By XLA's estimates, which count a loop body once in both."""
    if cost.flops is None or not cost.bytes_accessed:
        return ""
    intensity = cost.flops / cost.bytes_accessed
    return f"{f'{intensity:.2g}' if intensity < 99.5 else quantity(intensity)} operations per byte"


def tell_cost(cost: Cost) -> str:
    moved = f"{size(cost.bytes_accessed)} moved" if cost.bytes_accessed is not None else ""
    pieces = (tell_flops(cost, " floating-point operations"), moved, tell_intensity(cost))
    return ", ".join(filter(None, pieces))


def tell_memory(memory: Memory) -> str:
    kinds = (
        ("arguments", memory.argument),
        ("outputs", memory.output),
        ("temporaries", memory.temporary),
        ("shared by both", memory.alias),
        ("code", memory.generated_code),
    )
    return ", ".join(f"{name} {size(nbytes)}" for name, nbytes in kinds if nbytes)
