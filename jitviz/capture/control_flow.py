"""Which way the instructions of a code object lead, and its loops.

In: code objects, and offsets of instructions.  Out: loops; whether one instruction leads to another.
"""

import dis
import sys
from bisect import bisect_right
from collections.abc import Collection
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

_ENDS = ("RETURN", "RAISE", "RERAISE")
_ALWAYS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE")
_BACKWARD = frozenset(number for name, number in dis.opmap.items() if "JUMP_BACKWARD" in name)


class LoopCode(NamedTuple):
    """The first and the last instruction of a loop, the line where it begins, and the column of what it iterates over,
    up to Python 3.11 its own; -1 of a `while`."""

    first: int
    last: int
    line: int
    column: int = -1

    def holds(self, offset: int) -> bool:
        return self.first <= offset <= self.last


@lru_cache(maxsize=4096)
def loops_of(code: CodeType) -> tuple[LoopCode, ...]:
    """The loops of a code object, outer ones first; `while` and `for` alike."""
    if _BACKWARD.isdisjoint(code.co_code[::2]):
        return ()
    found: dict[int, LoopCode] = {}
    places: dict[int, tuple[int, int]] = {}
    for one in dis.get_instructions(code):
        line, column = (one.positions.lineno, one.positions.col_offset) if one.positions else (None, None)
        column = -1 if column is None or one.opname != "FOR_ITER" else column
        places[one.offset] = line or sys.maxsize, column
        if one.opcode in _BACKWARD:
            (begins, column), (ends, _) = places[one.argval], places[one.offset]
            found[one.argval] = LoopCode(one.argval, one.offset, min(begins, ends), column)
    return tuple(sorted(found.values(), key=lambda loop: (loop.first, -loop.last)))


@lru_cache(maxsize=4096)
def _successors(code: CodeType) -> dict[int, tuple[int, ...]]:
    instructions = list(dis.get_instructions(code))
    followed: dict[int, tuple[int, ...]] = {}
    for place, one in enumerate(instructions):
        after = () if place + 1 == len(instructions) else (instructions[place + 1].offset,)
        if one.opname.startswith(_ENDS):
            after = ()
        elif one.opcode in dis.hasjrel or one.opcode in dis.hasjabs:
            after = (one.argval,) if one.opname in _ALWAYS else (*after, one.argval)
        followed[one.offset] = after
    return followed


@lru_cache(maxsize=1 << 14)
def instruction_at(code: CodeType, offset: int) -> int:
    """Where an instruction begins; the frames of a traceback may name the last of its bytes."""
    starts = [*_successors(code)]
    return starts[bisect_right(starts, offset) - 1]


def leads(code: CodeType, start: int, end: int, avoiding: Collection[int] = (), *, is_forward: bool = False) -> bool:
    """Whether the instruction after `start` can lead to `end`, without those to avoid; if forward, in the same turn of
    all loops that hold `end`."""
    return _leads(code, start, end, frozenset(avoiding), is_forward)


@lru_cache(maxsize=1 << 14)
def _leads(code: CodeType, start: int, end: int, avoiding: frozenset[int], is_forward: bool) -> bool:
    successors = _successors(code)
    heads = {loop.first for loop in loops_of(code) if loop.holds(end)} if is_forward else set()
    waiting, seen = [start], set(avoiding)
    while waiting:
        at = waiting.pop()
        for after in successors[at]:
            if after <= at and after in heads:
                continue
            if after == end:
                return True
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return False


@lru_cache(maxsize=4096)
def is_call(code: CodeType, offset: int) -> bool:
    """Whether an instruction calls a function, rather than computing with an operator."""
    return any(one.offset == offset and one.opname.startswith("CALL") for one in dis.get_instructions(code))
