"""How the programs of two versions differ, and what follows for the recompile between them.

In: nothing.  Out: frozen dataclasses.
Must never: import jax, or compute anything.
"""

from typing import Literal

from .quick_dataclass import dataclass


@dataclass(frozen=True)
class ProgramDifference:
    """What two StableHLO modules differ in, without names and locations.

    "same": in nothing. "numbers": in literal numbers alone. "sizes": in the sizes of arrays alone. "form": the
    operations and their order are equal, but arrays have another dtype or rank, or a constant is an input. "other": in
    more than that. "unseen": the program calls Python, and its text does not say which function.
    """

    kind: Literal["same", "numbers", "sizes", "form", "other", "unseen"]
    numbers: tuple[tuple[str, str], ...] = ()  # the literals that differ, each pair once: ("0.1", "0.2")
    is_arithmetic: bool = False  # of "numbers": each use of each of them could be that of an input
    sizes: tuple[tuple[int, int], ...] = ()  # of "sizes": (128, 104)
    words: str = ""  # of "form", "other" and "unseen": "60 operations instead of 40"; what else needs the numbers


Verdict = Literal["avoidable", "expected", "maybe"]


@dataclass(frozen=True)
class Judgement:
    """Whether a recompile was avoidable; "maybe" where that cannot be decided, and where a program was not kept."""

    verdict: Verdict = "maybe"
    words: str = ""  # how the programs differ: "the same program as version 1"; "" if that is not known
    difference: ProgramDifference | None = None  # None if a program is not known, or was compared with nothing
