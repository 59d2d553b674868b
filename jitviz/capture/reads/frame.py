"""The frame of one call: its instructions, the same for Python 3.11 to 3.13, its variables, and the ways through them.

In: the code of a function.  Out: each instruction that may run, one after the other; which of them are certain.
"""

import dis
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from types import CodeType
from typing import Any, NamedTuple

from .lookups import Lookups
from .notes import Where
from .values import UNKNOWN, Entries, Parts, Turns, Value

_TURNS = 32  # of a loop
_VISITS = 3  # of an instruction, on paths that may not run
_MOST = 20_000  # bytes of code: longer functions are not read
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
    if len(code.co_code) > _MOST:
        return ()
    found = list(dis.get_instructions(code))
    index_at = {instruction.offset: index for index, instruction in enumerate(found)}
    ops, line = [], code.co_firstlineno
    for instruction in found:
        name = instruction.opname.replace("_FORWARD", "").replace("_BACKWARD", "").replace("_NO_INTERRUPT", "")
        is_jump = instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs
        positions = instruction.positions
        line = positions.lineno if positions is not None and positions.lineno else line
        value = code.co_consts[instruction.arg or 0] if name == "KW_NAMES" else instruction.argval
        arg = instruction.arg or 0
        takes, leaves = _effect(instruction)
        ops.append(Op(name, arg, value, line, index_at.get(instruction.argval, -1) if is_jump else -1, takes, leaves))
    return tuple(ops)


def _effect(instruction: dis.Instruction) -> tuple[int, int]:
    name = instruction.opname
    if name in _TAKES_NOTHING:
        return 0, 0
    net = dis.stack_effect(
        instruction.opcode, instruction.arg if instruction.opcode >= dis.HAVE_ARGUMENT else None, jump=False
    )
    if name.startswith(_LEAVES_NOTHING) or (name.startswith(_LEAVES_NOTHING_FROM) and not name.endswith("_TUPLE")):
        leaves = 0
    elif name.startswith("UNPACK_"):
        leaves = net + 1
    else:
        leaves = _LEAVES.get(name, 1)
    return max(0, leaves - net), leaves


class State:
    """The stack and the variables at one point of one path through the code."""

    def __init__(self, index: int, stack: list[Value], names: dict[str, Value], is_side: bool = False) -> None:
        self.index, self.stack, self.names, self.is_side = index, stack, names, is_side
        self.before = -1  # the index of the instruction before
        self.keywords: tuple[str, ...] = ()  # of the next call

    def fork(self, index: int) -> "State":
        """The same on another path, which may not run."""
        return State(index, list(self.stack), dict(self.names), is_side=True)

    def pop(self, count: int = 1) -> list[Value]:
        """Take values from the stack, the lowest first."""
        taken = self.stack[len(self.stack) - count :] if count else []
        del self.stack[len(self.stack) - len(taken) :]
        return [*[UNKNOWN] * (count - len(taken)), *taken]


class Frame:
    """A call of one function. `free` finds a variable that is not its own."""

    def __init__(
        self, reader: Lookups, code: CodeType, names: dict[str, Value], free: Callable[[str], Value], holder: Any
    ) -> None:
        self.reader, self.code, self.holder = reader, code, holder
        self.callers: list[Where] = []  # empty for what is jitted
        self.returned: list[tuple[Where, Value]] = []
        self._names, self._free = names, free
        self._ops = ops_of(code)
        self._edges: defaultdict[int, set[int]] = defaultdict(set)
        self._exits: set[int] = set()
        self._has_forked = False
        self._open: list[State] = []
        self._visits: Counter[int] = Counter()
        self._made_with: list[dict[str, Value]] = []

    def go(self) -> None:
        """Read the code from its beginning."""
        self._open.append(State(0, [], self._names))
        while self._open:
            state = self._open.pop()
            while 0 <= state.index < len(self._ops) and self.reader.may_go_on():
                self._visits[state.index] += 1
                if state.is_side and self._visits[state.index] > _VISITS:
                    break
                self._step(state)

    def forget(self) -> None:
        """Refer to nothing more: what the code makes is in a cycle with the run that makes it."""
        for names in self._made_with:
            names.clear()
        vars(self).clear()

    def line(self, index: int) -> int:
        """The line of an instruction."""
        return self._ops[index].line

    def is_certain(self, index: int) -> bool:
        """Whether each way through the code, from its beginning to a return, has this instruction on it."""
        if not self._has_forked:
            return True
        seen, todo = {index}, [0]
        while todo:
            at = todo.pop()
            if at in self._exits and at not in seen:
                return False
            if at not in seen:
                seen.add(at)
                todo += self._edges[at]
        return bool(self._exits)

    def turns(self, value: Value, where: Where) -> Turns | None:
        """What a loop over a value gives, if that is known."""
        what = value.what
        if type(what) is Turns:
            return what
        if type(what) is Parts:
            return Turns(what.values[:_TURNS])
        if type(what) is range:
            return Turns(tuple(Value(number) for number in what[:_TURNS]))
        if type(what) in (tuple, list) and len(what) <= _TURNS:
            self.reader.ask(value, "entries", where)
            return Turns(tuple(self.reader.item(value, Value(at), where) for at in range(len(what))))
        if type(what) is Entries:
            return Turns(tuple(map(Value, what.values)))
        if type(what) is dict and len(what) <= _TURNS:
            self.reader.ask(value, "entries", where)
            return Turns(tuple(Value(key) for key in islice(list(what), _TURNS)))
        self.reader.use(where, value)
        return None

    def _step(self, state: State) -> None:
        op, at = self._ops[state.index], state.index
        state.index = at + 1
        is_jump = op.name.startswith(("POP_JUMP_IF_", "JUMP_IF_"))
        method = "_branch" if is_jump else _METHODS.get(op.name, "_other")
        getattr(self, method)(state, op, Where(self, at))
        came_from = state.before if op.name == "FOR_ITER" and state.index == op.target and state.before > at else at
        self._edges[came_from].add(state.index)
        state.before = at


# The instructions that each method is for.
_FOR = {
    "_const": "LOAD_CONST LOAD_SMALL_INT",
    "_load": "LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_LOAD_FAST LOAD_FAST_AND_CLEAR LOAD_DEREF LOAD_CLOSURE"
    " LOAD_CLASSDEREF",
    "_store": "STORE_FAST STORE_DEREF STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST",
    "_delete": "DELETE_FAST DELETE_DEREF",
    "_skip": "RESUME NOP MAKE_CELL COPY_FREE_VARS CACHE PRECALL TO_BOOL DELETE_GLOBAL",
    "_sequence": "BUILD_TUPLE BUILD_LIST",
    "_dict": "BUILD_MAP BUILD_CONST_KEY_MAP",
    "_merge": "DICT_UPDATE DICT_MERGE",
    "_text": "FORMAT_VALUE FORMAT_SIMPLE FORMAT_WITH_SPEC CONVERT_VALUE BUILD_STRING",
    "_super": "LOAD_SUPER_ATTR",
    "_append": "LIST_APPEND LIST_EXTEND SET_ADD SET_UPDATE MAP_ADD",
    "_call": "CALL CALL_KW",
    "_return": "RETURN_VALUE RETURN_CONST",
    "_raise": "RAISE_VARARGS RERAISE",
    "_jump": "JUMP JUMP_ABSOLUTE",
    "_attribute": "LOAD_ATTR LOAD_METHOD",
    "_global": "LOAD_GLOBAL",
    "_name": "LOAD_NAME",
    "_null": "PUSH_NULL",
    "_store_global": "STORE_GLOBAL",
    "_store_attribute": "STORE_ATTR",
    "_store_item": "STORE_SUBSCR",
    "_pop": "POP_TOP",
    "_copy": "COPY",
    "_swap": "SWAP",
    "_item": "BINARY_SUBSCR",
    "_unpack": "UNPACK_SEQUENCE",
    "_function": "MAKE_FUNCTION",
    "_function_attribute": "SET_FUNCTION_ATTRIBUTE",
    "_keywords": "KW_NAMES",
    "_call_with_parts": "CALL_FUNCTION_EX",
    "_yield": "YIELD_VALUE",
    "_import": "IMPORT_NAME",
    "_import_from": "IMPORT_FROM",
    "_compare": "COMPARE_OP",
    "_binary": "BINARY_OP",
    "_is": "IS_OP",
    "_in": "CONTAINS_OP",
    "_not": "UNARY_NOT",
    "_iterator": "GET_ITER",
    "_for": "FOR_ITER",
}
_METHODS = {name: method for method, names in _FOR.items() for name in names.split()}
