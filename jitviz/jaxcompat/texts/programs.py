"""Programs compared as texts: whether two StableHLO modules are the same, or what they differ in.

In: the texts of modules, with or without locations.  Out: a fingerprint; a `ProgramDifference`.
"""

from __future__ import annotations

from hashlib import blake2b

from .module_lines import read_program


def fingerprint(text: str) -> str:
    """32 hexadecimal digits that are equal for programs that differ only in names, locations or the order of functions.

    They are the same in every process, run and checkout.
    """
    program = read_program(text)
    return blake2b(repr((program.header, program.digests().get(program.main))).encode(), digest_size=16).hexdigest()
