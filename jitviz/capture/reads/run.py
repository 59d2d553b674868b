"""One function as a call would run it, as far as that is known without running it.

In: its code, and what is known of its variables.  Out: `Notes` of what the code uses and stores; calls.
Must never: run user code.

Conditions that are known are decided, so that code that does not run is not read. Of the others both sides are read,
and what only one of them reads is not certain. A loop over something known takes its turns, any other loop one.
"""

import operator
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import islice
from types import CodeType
from typing import Any

import numpy as np

from ...jaxcompat import raw
from ...jaxcompat.raw import is_a
from .bytecode import Op, ops_of
from .lookups import Lookups
from .notes import Where
from .paths import NOTHING, PLAIN
from .values import NULL, TRACED, UNKNOWN, Instance, Made, Method, Parts, Turns, Value, inside, joined

_VISITS = 3  # of an instruction, on paths that may not run
_TURNS = 32  # of a loop
_MOST_WHOLE = 2**53
_COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_COMPUTES: dict[int, Callable[[Any, Any], Any]] = {  # by the argument of the instruction
    0: operator.add, 2: operator.floordiv, 5: operator.mul, 6: operator.mod, 10: operator.sub, 11: operator.truediv,
}  # fmt: skip
_IN_PLACE = 13
_CALLEE_FIRST = sys.version_info >= (3, 13)  # on the stack, before NULL
_KEEPS_ITERATOR = sys.version_info >= (3, 12)  # after a loop, for `END_FOR`


class _State:
    """The stack and the variables at one point of one path through the code."""

    def __init__(self, index: int, stack: list[Value], names: dict[str, Value], is_side: bool = False) -> None:
        self.index, self.stack, self.names, self.is_side = index, stack, names, is_side
        self.before = -1  # the index of the instruction before
        self.keywords: tuple[str, ...] = ()  # of the next call

    def fork(self, index: int) -> "_State":
        """The same on another path, which may not run."""
        return _State(index, list(self.stack), dict(self.names), is_side=True)

    def pop(self, count: int = 1) -> list[Value]:
        """Take values from the stack, the lowest first."""
        taken = self.stack[len(self.stack) - count :] if count else []
        del self.stack[len(self.stack) - len(taken) :]
        return [*[UNKNOWN] * (count - len(taken)), *taken]


class FunctionRun:
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
        self._open: list[_State] = []
        self._visits: Counter[int] = Counter()
        self._made_with: list[dict[str, Value]] = []

    def go(self) -> None:
        """Read the code from its beginning."""
        self._open.append(_State(0, [], self._names))
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

    def _step(self, state: _State) -> None:
        op, at = self._ops[state.index], state.index
        state.index = at + 1
        is_jump = op.name.startswith(("POP_JUMP_IF_", "JUMP_IF_"))
        method = "_branch" if is_jump else _METHODS.get(op.name, "_other")
        getattr(self, method)(state, op, Where(self, at))
        came_from = state.before if op.name == "FOR_ITER" and state.index == op.target and state.before > at else at
        self._edges[came_from].add(state.index)
        state.before = at

    # -- values -------------------------------------------------------------------------------------------------

    def _other(self, state: _State, op: Op, where: Where) -> None:
        """Any other instruction uses what it takes, and leaves what is drawn or traced as that is."""
        taken = state.pop(op.takes)
        self.reader.use(where, *taken)
        left = joined(*taken)
        if left.draws and left.is_traced:
            self.reader.reach(left.draws, where)
        state.stack += [left] * op.leaves

    def _skip(self, state: _State, op: Op, where: Where) -> None:
        pass

    def _const(self, state: _State, op: Op, where: Where) -> None:
        state.stack.append(Value(op.value))

    def _load(self, state: _State, op: Op, where: Where) -> None:
        for name in op.value if type(op.value) is tuple else (op.value,):
            state.stack.append(self._variable(state, name))

    def _variable(self, state: _State, name: str) -> Value:
        found = state.names.get(name)
        return self._free(name) if found is None else found

    def _global(self, state: _State, op: Op, where: Where) -> None:
        self._push_callee(state, self.reader.global_of(self.holder, op.value), bool(op.arg & 1))

    def _name(self, state: _State, op: Op, where: Where) -> None:
        state.stack.append(self.reader.global_of(self.holder, op.value))

    def _push_callee(self, state: _State, value: Value, is_called: bool) -> None:
        pushed = [value] if not is_called else [value, NULL] if _CALLEE_FIRST else [NULL, value]
        state.stack += pushed

    def _null(self, state: _State, op: Op, where: Where) -> None:
        state.stack.append(NULL)

    def _store(self, state: _State, op: Op, where: Where) -> None:
        names = op.value if type(op.value) is tuple else (op.value,)
        if op.name == "STORE_FAST_LOAD_FAST":
            state.names[names[0]] = state.pop()[0]
            state.stack.append(self._variable(state, names[1]))
            return
        for name in names:
            state.names[name] = state.pop()[0]
            if op.name == "STORE_DEREF" and name in self.code.co_freevars:
                self.reader.store(self._free(name))

    def _delete(self, state: _State, op: Op, where: Where) -> None:
        state.names.pop(op.value, None)

    def _store_global(self, state: _State, op: Op, where: Where) -> None:
        self.reader.store(self.reader.global_of(self.holder, op.value))
        state.pop()

    def _store_attribute(self, state: _State, op: Op, where: Where) -> None:
        _, owner = state.pop(2)
        self.reader.store(self.reader.attribute(owner, op.value, where, is_stored=True))

    def _store_item(self, state: _State, op: Op, where: Where) -> None:
        _, owner, key = state.pop(3)
        self.reader.store(self.reader.item(owner, key, where, is_stored=True))

    def _pop(self, state: _State, op: Op, where: Where) -> None:
        state.pop()

    def _copy(self, state: _State, op: Op, where: Where) -> None:
        state.stack.append(state.stack[-op.arg] if op.arg <= len(state.stack) else UNKNOWN)

    def _swap(self, state: _State, op: Op, where: Where) -> None:
        if op.arg <= len(state.stack):
            state.stack[-1], state.stack[-op.arg] = state.stack[-op.arg], state.stack[-1]

    def _attribute(self, state: _State, op: Op, where: Where) -> None:
        (owner,) = state.pop()
        is_called = op.name == "LOAD_METHOD" or (_KEEPS_ITERATOR and bool(op.arg & 1))
        self._push_callee(state, self.reader.attribute(owner, op.value, where), is_called)

    def _item(self, state: _State, op: Op, where: Where) -> None:
        owner, key = state.pop(2)
        state.stack.append(self.reader.item(owner, key, where))

    def _sequence(self, state: _State, op: Op, where: Where) -> None:
        values = tuple(state.pop(op.arg))
        state.stack.append(Value(Parts("tuple" if op.name == "BUILD_TUPLE" else "list", values)))

    def _append(self, state: _State, op: Op, where: Where) -> None:
        """A list gets one more value; other containers, and more at once, are known by what went into them."""
        taken = state.pop(op.takes)
        at = len(state.stack) - op.arg
        if at < 0:
            return
        held = state.stack[at]
        if op.name == "LIST_APPEND" and type(held.what) is Parts:
            state.stack[at] = Value(held.what._replace(values=(*held.what.values, *taken)))
            return
        if op.name == "LIST_EXTEND" and type(held.what) is Parts and (turns := self.turns(taken[0], where)):
            state.stack[at] = Value(held.what._replace(values=(*held.what.values, *turns.values)))
            return
        self.reader.use(where, *taken, *inside(held))
        state.stack[at] = joined(held, *taken)

    def _unpack(self, state: _State, op: Op, where: Where) -> None:
        (value,) = state.pop()
        turns = self.turns(value, where)
        parts = turns.values if turns and len(turns.values) == op.arg else (joined(value),) * op.arg
        state.stack += reversed(parts)

    # -- functions ----------------------------------------------------------------------------------------------

    def _function(self, state: _State, op: Op, where: Where) -> None:
        (code,) = state.pop()
        extra = state.pop((op.arg & 15).bit_count()) if not _CALLEE_FIRST else []
        is_code = type(code.what) is CodeType
        defaults = extra[0] if op.arg & 1 and extra else UNKNOWN
        state.stack.append(Value(self._made(state, code.what, defaults)) if is_code else UNKNOWN)

    def _made(self, state: _State, code: CodeType, defaults: Value) -> Made:
        known = defaults.what
        values = known.values if type(known) is Parts else tuple(map(Value, known)) if type(known) is tuple else ()
        self._made_with.append(state.names)
        return Made(code, self, state.names, values)

    def _function_attribute(self, state: _State, op: Op, where: Where) -> None:
        value, function = state.pop(2)
        if op.arg == 1 and type(function.what) is Made:
            made = function.what
            function = Value(self._made(state, made.code, value))
        state.stack.append(function)

    def free_of(self, made: Made) -> Callable[[str], Value]:
        """How a function that this code makes finds the variables around it."""
        return lambda name: made.names[name] if name in made.names else self._free(name)

    def _keywords(self, state: _State, op: Op, where: Where) -> None:
        state.keywords = op.value

    def _call(self, state: _State, op: Op, where: Where) -> None:
        if op.name == "CALL_KW":
            names = state.pop()[0].what
            state.keywords = names if type(names) is tuple else ()
        given = state.pop(op.arg)
        keywords, state.keywords = state.keywords, ()
        callee, first = self._callee(state)
        args = [*first, *given[: len(given) - len(keywords)]]
        named = dict(zip(keywords, given[len(given) - len(keywords) :], strict=False)) if keywords else {}
        state.stack.append(self.reader.call(callee, args, named, where))

    def _callee(self, state: _State) -> tuple[Value, list[Value]]:
        lower, upper = state.pop(2)
        if _CALLEE_FIRST:
            return lower, [] if upper is NULL else [upper]
        return (upper, []) if lower is NULL else (lower, [upper])

    def _call_with_parts(self, state: _State, op: Op, where: Where) -> None:
        named = state.pop() if op.arg & 1 else []
        (given,) = state.pop()
        callee, first = self._callee(state)
        turns = self.turns(given, where)
        self.reader.use(where, *named)
        args = [*first, *(turns.values if turns else ())]
        state.stack.append(self.reader.call(callee, args, {}, where, is_whole=bool(turns) and not named))

    def _return(self, state: _State, op: Op, where: Where) -> None:
        self.returned.append((where, Value(op.value) if op.name == "RETURN_CONST" else state.pop()[0]))
        self._exits.add(where.at)
        state.index = -1

    def _raise(self, state: _State, op: Op, where: Where) -> None:
        state.index = -1

    def _yield(self, state: _State, op: Op, where: Where) -> None:
        self.returned.append((where, state.pop()[0]))
        state.stack.append(UNKNOWN)

    def _import(self, state: _State, op: Op, where: Where) -> None:
        level, names = state.pop(2)
        is_absolute = level.what == 0 if type(level.what) is int else False
        name = op.value if names.what is not None else op.value.partition(".")[0]
        state.stack.append(self.reader.module(name) if is_absolute else UNKNOWN)

    def _import_from(self, state: _State, op: Op, where: Where) -> None:
        state.stack.append(self.reader.attribute(state.stack[-1] if state.stack else UNKNOWN, op.value, where))

    # -- conditions and loops -----------------------------------------------------------------------------------

    def _compare(self, state: _State, op: Op, where: Where) -> None:
        left, right = state.pop(2)
        self.reader.use(where, left, right)
        compare = _COMPARES.get(op.value)
        known = compare is not None and _is_plain(left.what) and _is_plain(right.what)
        state.stack.append(self._computed(compare, left, right) if known else self._mixed(where, left, right))

    def _binary(self, state: _State, op: Op, where: Where) -> None:
        left, right = state.pop(2)
        self.reader.use(where, left, right)
        compute = _COMPUTES.get(op.arg % _IN_PLACE)
        known = compute is not None and _is_number(left.what) and _is_number(right.what)
        state.stack.append(self._computed(compute, left, right) if known else self._mixed(where, left, right))

    def _computed(self, compute: Any, left: Value, right: Value) -> Value:
        try:
            return Value(compute(left.what, right.what), draws=left.draws | right.draws)
        except Exception:  # the code would raise, too
            return UNKNOWN

    def _mixed(self, where: Where, *values: Value) -> Value:
        mixed = joined(*values)
        if mixed.draws and mixed.is_traced:
            self.reader.reach(mixed.draws, where)
        return mixed

    def _is(self, state: _State, op: Op, where: Where) -> None:
        left, right = state.pop(2)
        if right.what is None or left.what is None:
            other = left if right.what is None else right
            is_none = self._is_none(other, where)
            state.stack.append(UNKNOWN if is_none is None else Value(is_none != bool(op.arg)))
            return
        self.reader.use(where, left, right)
        is_known = not any(value.what is NOTHING or type(value.what) in PLAIN for value in (left, right))
        state.stack.append(Value((left.what is right.what) != bool(op.arg)) if is_known else UNKNOWN)

    def _is_none(self, value: Value, where: Where) -> bool | None:
        self.reader.ask(value, "is None", where)
        return None if value.what is NOTHING else value.what is None

    def _in(self, state: _State, op: Op, where: Where) -> None:
        key, owner = state.pop(2)
        found = self.reader.is_in(key, owner, where)
        state.stack.append(Value(found != bool(op.arg)) if type(found) is bool else joined(key, owner))

    def _not(self, state: _State, op: Op, where: Where) -> None:
        (value,) = state.pop()
        truth = self._truth(value, where)
        state.stack.append(Value(not truth) if truth is not None else joined(value))

    def _truth(self, value: Value, where: Where) -> bool | None:
        """Whether the value counts as true, if that is known without asking it."""
        what = value.what
        if type(what) in (tuple, list, dict, set, frozenset):
            self.reader.ask(value, "bool", where)
            return bool(what)
        self.reader.use(where, value)
        if type(what) is Parts:
            return bool(what.values)
        if type(what) in PLAIN:
            return bool(what)
        if what is NOTHING or is_a(what, np.ndarray) or value.is_traced:
            return None
        kind = what.kind if type(what) is Instance else type(what)
        asks = any(raw.class_attribute(kind, name) is not None for name in ("__bool__", "__len__"))
        return None if asks and type(what) not in (Made, Method) else True

    def _branch(self, state: _State, op: Op, where: Where) -> None:
        (value,) = state.pop()
        wanted = op.name.rpartition("IF_")[2]
        keeps = wanted.endswith("_OR_POP")
        if "NONE" in wanted:
            truth, jumps_if = self._is_none(value, where), "NOT" not in wanted
        else:
            truth, jumps_if = self._truth(value, where), wanted.startswith("TRUE")
        if value.draws:
            self.reader.decide(value.draws, where)
        if truth is None and op.target >= 0:
            self._has_forked = True
            side = state.fork(op.target)
            side.before = where.at
            side.stack += [value] * keeps
            self._edges[where.at].add(op.target)
            self._open.append(side)
        elif truth is jumps_if:
            state.index = op.target
            state.stack += [value] * keeps

    def _jump(self, state: _State, op: Op, where: Where) -> None:
        state.index = op.target

    def _iterator(self, state: _State, op: Op, where: Where) -> None:
        (value,) = state.pop()
        turns = self.turns(value, where)
        state.stack.append(Value(turns or Turns((joined(value),)), draws=value.draws))

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
        if type(what) is dict and len(what) <= _TURNS:
            self.reader.ask(value, "entries", where)
            return Turns(tuple(Value(key) for key in islice(list(what), _TURNS)))
        self.reader.use(where, value)
        return None

    def _for(self, state: _State, op: Op, where: Where) -> None:
        top = state.stack[-1] if state.stack else UNKNOWN
        turns = top.what if type(top.what) is Turns else Turns((TRACED,))
        if turns.n_given < len(turns.values):
            if top.draws:
                self.reader.decide(top.draws, where)
            state.stack[-1:] = [
                Value(turns._replace(n_given=turns.n_given + 1), draws=top.draws),
                turns.values[turns.n_given],
            ]
            return
        state.index = op.target
        if _KEEPS_ITERATOR:
            state.stack.append(NULL)
        else:
            state.pop()


def _is_plain(what: Any) -> bool:
    return type(what) in PLAIN or (type(what) is tuple and all(type(part) in PLAIN for part in what))


def _is_number(what: Any) -> bool:
    return type(what) in (bool, float) or (type(what) is int and abs(what) < _MOST_WHOLE)


# The instructions that each method is for.
_FOR = {
    "_const": "LOAD_CONST LOAD_SMALL_INT",
    "_load": "LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_LOAD_FAST LOAD_FAST_AND_CLEAR LOAD_DEREF LOAD_CLOSURE"
    " LOAD_CLASSDEREF",
    "_store": "STORE_FAST STORE_DEREF STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST",
    "_delete": "DELETE_FAST DELETE_DEREF",
    "_skip": "RESUME NOP MAKE_CELL COPY_FREE_VARS CACHE PRECALL TO_BOOL DELETE_GLOBAL",
    "_sequence": "BUILD_TUPLE BUILD_LIST",
    "_append": "LIST_APPEND LIST_EXTEND SET_ADD SET_UPDATE MAP_ADD DICT_UPDATE DICT_MERGE",
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
