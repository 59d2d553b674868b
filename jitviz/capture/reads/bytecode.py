"""The instructions of a function, the same for Python 3.11 to 3.13.

In: a code object.  Out: `Op`s, with jumps as indices, and what each takes from the stack and leaves there.
"""

import dis
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

MOST = 20_000  # bytes of code: longer functions are not read
# What leaves nothing on the stack; anything else leaves one value, unless listed in `_LEAVES`.
_LEAVES_NOTHING = ("STORE_", "DELETE_", "POP_", "RETURN_", "RAISE", "RERAISE", "END_", "SETUP_ANNOTATIONS", "JUMP")
_LEAVES_NOTHING_FROM = ("LIST_", "SET_ADD", "SET_UPDATE", "MAP_ADD", "DICT_")
_LEAVES = {"BEFORE_WITH": 2, "GET_LEN": 1, "UNPACK_EX": -1}
_TAKES_NOTHING = (
    *("RESUME", "NOP", "MAKE_CELL", "COPY_FREE_VARS", "CACHE", "PRECALL", "TO_BOOL", "EXTENDED_ARG", "KW_NAMES"),
    *("PUSH_EXC_INFO", "CHECK_EXC_MATCH", "GEN_START", "INTERPRETER_EXIT", "NOT_TAKEN"),
)


class Op(NamedTuple):
    name: str  # without "_FORWARD" and "_BACKWARD"
    arg: int
    value: Any  # the name or the constant
    line: int
    target: int  # the index that it may jump to, or -1
    takes: int
    leaves: int


@lru_cache(maxsize=4096)
def ops_of(code: CodeType) -> tuple[Op, ...]:
    """The instructions of a function; none if it is too long."""
    if len(code.co_code) > MOST:
        return ()
    found = list(dis.get_instructions(code))
    index_at = {one.offset: index for index, one in enumerate(found)}
    ops, line = [], code.co_firstlineno
    for one in found:
        name = one.opname.replace("_FORWARD", "").replace("_BACKWARD", "").replace("_NO_INTERRUPT", "")
        is_jump = one.opcode in dis.hasjrel or one.opcode in dis.hasjabs
        positions = one.positions
        line = positions.lineno if positions is not None and positions.lineno else line
        value = code.co_consts[one.arg or 0] if name == "KW_NAMES" else one.argval
        arg = one.arg or 0
        takes, leaves = _effect(one)
        ops.append(Op(name, arg, value, line, index_at.get(one.argval, -1) if is_jump else -1, takes, leaves))
    return tuple(ops)


def _effect(one: dis.Instruction) -> tuple[int, int]:
    name = one.opname
    if name in _TAKES_NOTHING:
        return 0, 0
    net = dis.stack_effect(one.opcode, one.arg if one.opcode >= dis.HAVE_ARGUMENT else None, jump=False)
    if name.startswith(_LEAVES_NOTHING) or (name.startswith(_LEAVES_NOTHING_FROM) and not name.endswith("_TUPLE")):
        leaves = 0
    elif name.startswith("UNPACK_"):
        leaves = net + 1
    else:
        leaves = _LEAVES.get(name, 1)
    return max(0, leaves - net), leaves
