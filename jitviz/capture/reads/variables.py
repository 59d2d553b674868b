"""The instructions that load, store and move values.

In: an instruction, and the stack before it.  Out: the stack after it; what is used and stored is noted.
"""

import sys

from .frame import Frame, Op, State
from .notes import Where
from .paths import PLAIN
from .values import NULL, UNKNOWN, Entries, Parts, Super, Text, Value, inside, joined

CALLEE_FIRST = sys.version_info >= (3, 13)  # on the stack, before NULL
KEEPS_ITERATOR = sys.version_info >= (3, 12)  # after a loop, for `END_FOR`


class Variables(Frame):
    """The instructions for variables, attributes, items and sequences."""

    def _other(self, state: State, op: Op, where: Where) -> None:
        """Any other instruction uses what it takes, and leaves what is drawn or traced as that is."""
        taken = state.pop(op.takes)
        self.reader.use(where, *taken)
        left = joined(*taken)
        if left.draws and left.is_traced:
            self.reader.reach(left.draws, where)
        state.stack += [left] * op.leaves

    def _skip(self, state: State, op: Op, where: Where) -> None:
        pass

    def _const(self, state: State, op: Op, where: Where) -> None:
        state.stack.append(Value(op.value))

    def _load(self, state: State, op: Op, where: Where) -> None:
        for name in op.value if type(op.value) is tuple else (op.value,):
            state.stack.append(self._variable(state, name))

    def _variable(self, state: State, name: str) -> Value:
        found = state.names.get(name)
        return self._free(name) if found is None else found

    def _global(self, state: State, op: Op, where: Where) -> None:
        self._push_callee(state, self.reader.global_of(self.holder, op.value), bool(op.arg & 1))

    def _name(self, state: State, op: Op, where: Where) -> None:
        state.stack.append(self.reader.global_of(self.holder, op.value))

    def _push_callee(self, state: State, value: Value, is_called: bool) -> None:
        pushed = [value] if not is_called else [value, NULL] if CALLEE_FIRST else [NULL, value]
        state.stack += pushed

    def _null(self, state: State, op: Op, where: Where) -> None:
        state.stack.append(NULL)

    def _store(self, state: State, op: Op, where: Where) -> None:
        names = op.value if type(op.value) is tuple else (op.value,)
        if op.name == "STORE_FAST_LOAD_FAST":
            state.names[names[0]] = state.pop()[0]
            state.stack.append(self._variable(state, names[1]))
            return
        for name in names:
            state.names[name] = state.pop()[0]
            if op.name == "STORE_DEREF" and name in self.code.co_freevars:
                self.reader.store(self._free(name))

    def _delete(self, state: State, op: Op, where: Where) -> None:
        state.names.pop(op.value, None)

    def _store_global(self, state: State, op: Op, where: Where) -> None:
        self.reader.store(self.reader.global_of(self.holder, op.value))
        state.pop()

    def _store_attribute(self, state: State, op: Op, where: Where) -> None:
        _, owner = state.pop(2)
        self.reader.store(self.reader.attribute(owner, op.value, where, is_stored=True))

    def _store_item(self, state: State, op: Op, where: Where) -> None:
        _, owner, key = state.pop(3)
        self.reader.store(self.reader.item(owner, key, where, is_stored=True))

    def _pop(self, state: State, op: Op, where: Where) -> None:
        state.pop()

    def _copy(self, state: State, op: Op, where: Where) -> None:
        state.stack.append(state.stack[-op.arg] if op.arg <= len(state.stack) else UNKNOWN)

    def _swap(self, state: State, op: Op, where: Where) -> None:
        if op.arg <= len(state.stack):
            state.stack[-1], state.stack[-op.arg] = state.stack[-op.arg], state.stack[-1]

    def _attribute(self, state: State, op: Op, where: Where) -> None:
        (owner,) = state.pop()
        is_called = op.name == "LOAD_METHOD" or (KEEPS_ITERATOR and bool(op.arg & 1))
        self._push_callee(state, self.reader.attribute(owner, op.value, where), is_called)

    def _item(self, state: State, op: Op, where: Where) -> None:
        owner, key = state.pop(2)
        state.stack.append(self.reader.item(owner, key, where))

    def _sequence(self, state: State, op: Op, where: Where) -> None:
        values = tuple(state.pop(op.arg))
        state.stack.append(Value(Parts("tuple" if op.name == "BUILD_TUPLE" else "list", values)))

    def _dict(self, state: State, op: Op, where: Where) -> None:
        if op.name == "BUILD_MAP":
            taken = state.pop(2 * op.arg)
            keys, values = [key.what for key in taken[::2]], taken[1::2]
        else:
            (names,), values = state.pop(), state.pop(op.arg)
            keys = list(names.what) if type(names.what) is tuple else []
        are_known = len(keys) == op.arg and all(type(key) in PLAIN for key in keys)
        made = Value(Entries(dict(zip(keys, values, strict=True)))) if are_known else joined(*values)
        if not are_known:
            self.reader.use(where, *values)
        state.stack.append(made)

    def _merge(self, state: State, op: Op, where: Where) -> None:
        """A dict that the code makes gets the entries of another one."""
        other, at = state.stack[-1] if state.stack else UNKNOWN, len(state.stack) - 1 - op.arg
        turns = self.turns(other, where) if at >= 0 and type(other.what) in (dict, Entries) else None
        if turns is None or type(state.stack[at].what) is not Entries:
            self._append(state, op, where)
            return
        state.pop()
        more = {key.what: self.reader.item(other, key, where) for key in turns.values}
        state.stack[at] = Value(Entries({**state.stack[at].what.values, **more}))

    def _text(self, state: State, op: Op, where: Where) -> None:
        state.stack.append(Value(Text(tuple(state.pop(op.takes)))))

    def _super(self, state: State, op: Op, where: Where) -> None:
        _, kind, owner = state.pop(3)
        found = self.reader.attribute(Value(Super(kind.what, owner)), op.value, where)
        self._push_callee(state, found, bool(op.arg & 1))

    def _append(self, state: State, op: Op, where: Where) -> None:
        """A list gets one more value; other containers, and more at once, are known by what went into them."""
        taken = state.pop(op.takes)
        at = len(state.stack) - op.arg
        if at < 0:
            return
        container = state.stack[at]
        if op.name == "LIST_APPEND" and type(container.what) is Parts:
            state.stack[at] = Value(container.what._replace(values=(*container.what.values, *taken)))
            return
        if op.name == "LIST_EXTEND" and type(container.what) is Parts and (turns := self.turns(taken[0], where)):
            state.stack[at] = Value(container.what._replace(values=(*container.what.values, *turns.values)))
            return
        self.reader.use(where, *taken, *inside(container))
        state.stack[at] = joined(container, *taken)

    def _unpack(self, state: State, op: Op, where: Where) -> None:
        (value,) = state.pop()
        turns = self.turns(value, where)
        parts = turns.values if turns and len(turns.values) == op.arg else (joined(value),) * op.arg
        state.stack += reversed(parts)
