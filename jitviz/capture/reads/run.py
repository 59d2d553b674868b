"""One function as a call would run it, as far as that is known without running it.

In: its code, and what is known of its variables.  Out: `Notes` of what the code uses and stores; calls.

Conditions that are known are decided, so that code that does not run is not read. Of the others both sides are read,
and what only one of them reads is not certain. A loop over something known takes its turns, any other loop one.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...jaxcompat import raw
from ...jaxcompat.raw import is_a
from ..arguments import array_facts
from .frame import Op, State
from .functions import Functions
from .notes import Where
from .paths import NOTHING, PLAIN
from .values import NULL, TRACED, UNKNOWN, Entries, Instance, Made, Method, Parts, Text, Turns, Value, joined
from .variables import KEEPS_ITERATOR

_STAND_INS = (Made, Method, Instance, Parts, Entries, Text, Turns)
_MOST_WHOLE = 2**53
_COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_COMPUTES: dict[int, Callable[[Any, Any], Any]] = {  # by the argument of the instruction
    0: operator.add, 2: operator.floordiv, 5: operator.mul, 6: operator.mod, 10: operator.sub, 11: operator.truediv,
}  # fmt: skip
_IN_PLACE = 13


class FunctionRun(Functions):
    """A call of one function. These are the instructions for comparisons, conditions and loops."""

    def _compare(self, state: State, op: Op, where: Where) -> None:
        left, right = state.pop(2)
        self.reader.use(where, left, right)
        compare = _COMPARES.get(op.value)
        if op.value in ("==", "!=") and (are_equal := _are_equal(left.what, right.what)) is not None:
            state.stack.append(Value(are_equal == (op.value == "==")))
            return
        known = compare is not None and _is_plain(left.what) and _is_plain(right.what)
        state.stack.append(self._computed(compare, left, right) if known else self._mixed(where, left, right))

    def _binary(self, state: State, op: Op, where: Where) -> None:
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

    def _is(self, state: State, op: Op, where: Where) -> None:
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

    def _in(self, state: State, op: Op, where: Where) -> None:
        key, owner = state.pop(2)
        found = self.reader.is_in(key, owner, where)
        state.stack.append(Value(found != bool(op.arg)) if type(found) is bool else joined(key, owner))

    def _not(self, state: State, op: Op, where: Where) -> None:
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
        if type(what) in (Parts, Entries):
            return bool(what.values)
        if type(what) is Text:
            return None
        if type(what) in PLAIN:
            return bool(what)
        if what is NOTHING or is_a(what, np.ndarray) or value.is_traced:
            return None
        kind = what.kind if type(what) is Instance else type(what)
        asks = any(raw.class_attribute(kind, name) is not None for name in ("__bool__", "__len__"))
        return None if asks and type(what) not in (Made, Method) else True

    def _branch(self, state: State, op: Op, where: Where) -> None:
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

    def _jump(self, state: State, op: Op, where: Where) -> None:
        state.index = op.target

    def _iterator(self, state: State, op: Op, where: Where) -> None:
        (value,) = state.pop()
        turns = self.turns(value, where)
        state.stack.append(Value(turns or Turns((joined(value),)), draws=value.draws))

    def _for(self, state: State, op: Op, where: Where) -> None:
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
        if KEEPS_ITERATOR:
            state.stack.append(NULL)
        else:
            state.pop()


def _are_equal(left: Any, right: Any) -> bool | None:
    """Whether two dtypes are one, or two objects that compare by identity; None for anything else."""
    dtypes = array_facts.dtype_name(left), array_facts.dtype_name(right)
    if any(dtypes):
        return dtypes[0] == dtypes[1] if all(dtypes) else None
    is_identity = all(raw.class_attribute(type(what), "__eq__") is object.__eq__ for what in (left, right))
    is_known = not any(what is NOTHING or type(what) in _STAND_INS for what in (left, right))
    return left is right if is_identity and is_known else None


def _is_plain(what: Any) -> bool:
    return type(what) in PLAIN or (type(what) is tuple and all(type(part) in PLAIN for part in what))


def _is_number(what: Any) -> bool:
    return type(what) in (bool, float) or (type(what) is int and abs(what) < _MOST_WHOLE)
