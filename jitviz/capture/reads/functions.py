"""The instructions that make functions, call them and return from them.

In: an instruction, and the stack before it.  Out: the stack after it, with what the call returns.
"""

from collections.abc import Callable
from types import CodeType

from .draws import name_of
from .frame import Op, State
from .notes import Where
from .values import NULL, UNKNOWN, Entries, Made, Parts, Super, Value
from .variables import CALLEE_FIRST, Variables


class Functions(Variables):
    """The instructions for functions and modules."""

    def _function(self, state: State, op: Op, where: Where) -> None:
        (code,) = state.pop()
        extra = state.pop((op.arg & 15).bit_count()) if not CALLEE_FIRST else []
        is_code = type(code.what) is CodeType
        defaults = extra[0] if op.arg & 1 and extra else UNKNOWN
        state.stack.append(Value(self._made(state, code.what, defaults)) if is_code else UNKNOWN)

    def _made(self, state: State, code: CodeType, defaults: Value) -> Made:
        known = defaults.what
        values = known.values if type(known) is Parts else tuple(map(Value, known)) if type(known) is tuple else ()
        self._made_with.append(state.names)
        return Made(code, self, state.names, values)

    def _function_attribute(self, state: State, op: Op, where: Where) -> None:
        value, function = state.pop(2)
        if op.arg == 1 and type(function.what) is Made:
            made = function.what
            function = Value(self._made(state, made.code, value))
        state.stack.append(function)

    def free_of(self, made: Made) -> Callable[[str], Value]:
        """How a function that this code makes finds the variables around it."""
        return lambda name: made.names[name] if name in made.names else self._free(name)

    def _keywords(self, state: State, op: Op, where: Where) -> None:
        state.keywords = op.value

    def _call(self, state: State, op: Op, where: Where) -> None:
        if op.name == "CALL_KW":
            names = state.pop()[0].what
            state.keywords = names if type(names) is tuple else ()
        given = state.pop(op.arg)
        keywords, state.keywords = state.keywords, ()
        callee, first = self._callee(state)
        if callee.what is super and not given and self.code.co_varnames:  # Python 3.11
            owner = self._variable(state, self.code.co_varnames[0])
            state.stack.append(Value(Super(self._free("__class__").what, owner)))
            return
        args = [*first, *given[: len(given) - len(keywords)]]
        named = dict(zip(keywords, given[len(given) - len(keywords) :], strict=False)) if keywords else {}
        result = self.reader.call(callee, args, named, where)
        if result.draws and name_of(callee.what)[0] == "shuffle":  # which returns nothing
            self._draw_into(state, where, result)
        state.stack.append(result)

    def _draw_into(self, state: State, where: Where, drawn: Value) -> None:
        """The variable that a call was given last holds what the call has drawn."""
        op = next(op for op in reversed(self._ops[: where.at]) if op.name != "PRECALL")
        name = op.value[-1] if type(op.value) is tuple else op.value
        if op.name == "LOAD_GLOBAL":
            self.reader.draw_into(self.reader.global_of(self.holder, name), drawn)
        elif op.name.startswith(("LOAD_FAST", "LOAD_DEREF")):
            state.names[name] = drawn

    def _callee(self, state: State) -> tuple[Value, list[Value]]:
        lower, upper = state.pop(2)
        if CALLEE_FIRST:
            return lower, [] if upper is NULL else [upper]
        return (upper, []) if lower is NULL else (lower, [upper])

    def _call_with_parts(self, state: State, op: Op, where: Where) -> None:
        named = state.pop() if op.arg & 1 else []
        (given,) = state.pop()
        callee, first = self._callee(state)
        turns = self.turns(given, where)
        entries = named[0].what.values if named and type(named[0].what) is Entries else None
        if named and entries is None:
            self.reader.use(where, *named)
        args = [*first, *(turns.values if turns else ())]
        is_whole = bool(turns) and (not named or entries is not None)
        state.stack.append(self.reader.call(callee, args, entries or {}, where, is_whole=is_whole))

    def _return(self, state: State, op: Op, where: Where) -> None:
        self.returned.append((where, Value(op.value) if op.name == "RETURN_CONST" else state.pop()[0]))
        self._exits.add(where.at)
        state.index = -1

    def _raise(self, state: State, op: Op, where: Where) -> None:
        state.index = -1

    def _yield(self, state: State, op: Op, where: Where) -> None:
        self.returned.append((where, state.pop()[0]))
        state.stack.append(UNKNOWN)

    def _import(self, state: State, op: Op, where: Where) -> None:
        level, names = state.pop(2)
        is_absolute = level.what == 0 if type(level.what) is int else False
        name = op.value if names.what is not None else op.value.partition(".")[0]
        state.stack.append(self.reader.module(name) if is_absolute else UNKNOWN)

    def _import_from(self, state: State, op: Op, where: Where) -> None:
        state.stack.append(self.reader.attribute(state.stack[-1] if state.stack else UNKNOWN, op.value, where))
