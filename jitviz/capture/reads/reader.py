"""The calls of one trace: into code of the user's, which is read, or of a library, which may call what it is given.

In: the functions that a call runs, and its arguments.  Out: what is noted of them.

What a callback reads is left out: it runs with every call.
"""

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...jaxcompat import equinox_internals, jits, raw
from ...jaxcompat.raw import is_a
from .draws import draw_of, is_unseeded, name_of
from .known_calls import result_of
from .lookups import ARRAYS, Lookups, is_users, method_of
from .notes import DEEP, Where
from .paths import NOTHING, PLAIN, Path
from .run import FunctionRun
from .values import TRACED, UNKNOWN, Entries, Instance, Made, Method, Parts, Text, Turns, Value, inside, joined

_CALLBACK = "callback"  # in the name of a function that runs what it is given with every call
_LOGS = ("logging", "warnings")
_FEW = 8  # arguments that a library passes to what it is given
_JITS = (jits.PjitFunction, types.FunctionType)  # what is inside gets the arguments as they are


class CodeReader(Lookups):
    """Reads the code of one trace."""

    def __init__(self, statics: Iterable[tuple[str, Any]]) -> None:
        super().__init__(statics)
        self._open: list[FunctionRun] = []
        self._runs: dict[tuple[object, ...], tuple[FunctionRun, Value]] = {}
        self._kept: list[Any] = []  # what the keys of `_runs` have addresses of

    def forget(self) -> None:
        """Keep nothing of what was read."""
        for run, _ in self._runs.values():
            run.forget()
        self._runs.clear()
        self._kept.clear()
        self._statics.clear()

    def call(
        self,
        callee: Value,
        args: Sequence[Value],
        named: Mapping[str, Value],
        where: Where,
        *,
        is_whole: bool = True,
    ) -> Value:
        """The result of a call. Without `is_whole` there are arguments besides `args` that are not known."""
        what, everything = callee.what, (*args, *named.values())
        if what is print or (what is not NOTHING and name_of(what)[1] in _LOGS):
            return UNKNOWN  # what is only told is not in the program
        if type(what) is not Method:
            self.use(where, callee)
        known = result_of(self, what, args, where) if is_whole and not named else None
        if known is not None:
            return known
        drawn = None if what is NOTHING else draw_of(what)
        if drawn is not None:
            self.use(where, *everything)
            draws = frozenset([self.draw(*drawn, where)])
            return Value(draws=draws.union(*(value.draws for value in everything)))
        if is_unseeded(what, len(everything)):
            return Value(draws=frozenset([self.draw("random", f"{what.__name__}()", where)]))
        return self._call_code(callee, args, named, where)

    def _call_code(
        self, callee: Value, args: Sequence[Value], named: Mapping[str, Value], where: Where | None
    ) -> Value:
        what = callee.what
        if type(what) is Made:
            return self._run_made(what, args, named, where)
        if type(what) is Method:
            function, given = _bound(what, args)
            return self._call_inside(callee, function, given, named, where)
        if is_a(what, types.MethodType):
            root = self.holders.root("attribute", "self", "", what.__self__)
            owner = Value(what.__self__, callee.path or (root and Path(root)))
            return self._call_code(Value(what.__func__), [owner, *args], named, where)
        if is_a(what, functools.partial):
            return self._call_partial(callee, args, named, where)
        *around, function = raw.unwrapped(what, _inside)
        if not all(type(wrapper) in _JITS for wrapper in around):
            args, named = [*map(_as_traced, args)], {name: _as_traced(value) for name, value in named.items()}
        if around and not is_users(function):
            return self._call_code(Value(function), args, named, where)
        return self._call_inside(callee, function, args, named, where)

    def _call_partial(
        self, callee: Value, args: Sequence[Value], named: Mapping[str, Value], where: Where | None
    ) -> Value:
        function, first, more = raw.bound(callee.what)

        def held(name: str, key: Any, part: Any) -> Value:
            path = callee.path and callee.path.then(".", name).then("[", key)
            return self.argument(part) if path is None else Value(part, path)

        given = [held("args", at, part) for at, part in enumerate(raw.items_of(first))]
        kept = {name: held("keywords", name, part) for name, part in raw.items_of(more)}
        path = callee.path and callee.path.then(".", "func")
        return self._call_code(Value(function, path), [*given, *args], {**kept, **named}, where)

    def _call_inside(
        self, callee: Value, function: Any, args: Sequence[Value], named: Mapping[str, Value], where: Where | None
    ) -> Value:
        """FunctionRun a function, make an object of a class, or call an object, if that is code of the user's."""
        if is_users(function):
            return self._run_function(function, args, named, where)
        if is_a(function, type):
            made = Value(Instance(function), draws=joined(*args, *named.values()).draws)
            if not is_users(init := method_of(function, "__init__")):
                return Value(made.what, draws=self._give(callee, args, named, where).draws)
            self._run_function(init, [made, *args], named, where)
            return made
        called = NOTHING if function is NOTHING else method_of(type(function), "__call__")
        if is_users(called) and type(callee.what) is not Method:
            return self._run_function(called, [callee, *args], named, where)
        return self._give(callee, args, named, where)

    def _give(self, callee: Value, args: Sequence[Value], named: Mapping[str, Value], where: Where | None) -> Value:
        """The result of a call of what is not the user's. It may call what it is given."""
        everything, name, home = (*args, *named.values()), *name_of(callee.what)
        mixed = joined(*everything, callee)
        if where is None or _CALLBACK in name:
            return mixed
        if type(callee.what) is Method and is_users(run := _called_by_library(callee.what)):
            self._run_function(run, [callee.what.owner, *[TRACED] * _FEW], {}, where)  # `model.apply(params, x)`
        for part in (part for value in everything for part in inside(value)):
            if part.what is not NOTHING and (drawn := draw_of(part.what)) is not None:
                mixed = joined(mixed, Value(draws=frozenset([self.draw(*drawn, where)])))
            elif _is_callable(part.what) and part.what is not callee.what:
                self._call_code(part, [TRACED] * _FEW, {}, where)
        self.use(where, *everything)
        is_of_jax = home.startswith(("jax.", "jaxlib.")) or home == "jax"
        if mixed.draws and "debug" not in f"{home}.{name}" and (is_of_jax or mixed.is_traced):
            self.reach(mixed.draws, where)
        return TRACED if is_of_jax else mixed

    def _run_made(self, made: Made, args: Sequence[Value], named: Mapping[str, Value], where: Where | None) -> Value:
        names = [*made.code.co_varnames[: made.code.co_argcount]]
        defaults = dict(zip(names[len(names) - len(made.defaults) :], made.defaults, strict=False))
        key = id(made.code), id(made.names)
        return self._run(key, made.code, made.around.free_of(made), made.around.holder, defaults, args, named, where)

    def _run_function(
        self, function: types.FunctionType, args: Sequence[Value], named: Mapping[str, Value], where: Where | None
    ) -> Value:
        closed, name = raw.closure_of(function), function.__name__

        def free(variable: str) -> Value:
            if variable not in closed:
                return UNKNOWN
            return self.variable("closure", name, variable, function, closed[variable])

        given = raw.default_values(function)
        defaults = {key: self.variable("default", name, key, function, value) for key, value in given.items()}
        return self._run((id(function),), function.__code__, free, function, defaults, args, named, where)

    def _run(
        self,
        key: tuple[object, ...],
        code: types.CodeType,
        free: Callable[[str], Value],
        holder: Any,
        defaults: Mapping[str, Value],
        args: Sequence[Value],
        named: Mapping[str, Value],
        where: Where | None,
    ) -> Value:
        """The result of a function, which is read once for all calls with equal arguments."""
        key = (*key, *map(self._key, args), *((name, self._key(value)) for name, value in named.items()))
        known = self._runs.get(key)
        if known is not None:
            run, result = known
        else:
            run, result = FunctionRun(self, code, bound(code, args, named, defaults), free, holder), UNKNOWN
            self._runs[key] = run, UNKNOWN  # of a call inside itself nothing is known
        if where is not None:
            run.callers.append(where)
        if known is None and len(self._open) < DEEP:
            self._open.append(run)
            run.go()
            self._open.pop()
            result = joined(*(value for _, value in run.returned))
            if len(run.returned) == 1:
                result = run.returned[0][1]
            self._runs[key] = run, result
            if where is None or len(run.returned) > 1:
                self._note_returned(run, is_output=where is None)
        return result

    def _note_returned(self, run: FunctionRun, *, is_output: bool) -> None:
        for where, value in run.returned:
            self.use(where, value)
            if is_output:
                self.reach(joined(value).draws - self._draws.keys(), where)

    def _key(self, value: Value) -> object:
        """Equal for arguments with which a function reads the same."""
        what = value.what
        if type(what) in (Parts, Text, Entries):
            return type(what), tuple(map(self._key, inside(value)))
        plain = (type(what), what) if type(what) in PLAIN else None
        if plain is None and what is not NOTHING:
            self._kept.append(what)
        return value.path or plain or (id(what), value.is_traced), value.draws

    def run_jitted(self, function: Any, arguments: Iterable[tuple[str, Any]], root: Any) -> None:
        """Read what is jitted, called with these arguments."""
        named = {name: self.argument(value) for name, value in arguments}
        callee = Value(function) if root is None else self.argument(root)
        self._call_code(callee, (), named, None)


def bound(
    code: types.CodeType, args: Sequence[Value], named: Mapping[str, Value], defaults: Mapping[str, Value]
) -> dict[str, Value]:
    """The parameters of a function, as a call gives them."""
    n, n_named = code.co_argcount, code.co_kwonlyargcount
    parameters = code.co_varnames[: n + n_named]
    names = {**dict.fromkeys(parameters, TRACED), **defaults, **dict(zip(parameters[:n], args, strict=False))}
    names |= {name: value for name, value in named.items() if name in parameters}
    rest = list(code.co_varnames[n + n_named :])
    if code.co_flags & inspect.CO_VARARGS:
        names[rest.pop(0)] = Value(Parts("tuple", tuple(args[n:])))
    if code.co_flags & inspect.CO_VARKEYWORDS:
        names[rest.pop(0)] = joined(*(value for name, value in named.items() if name not in parameters))
    return names


def _bound(method: Method, args: Sequence[Value]) -> tuple[Any, Sequence[Value]]:
    function, owner = method.function, method.owner
    if is_a(function, staticmethod):
        return function.__func__, args
    if is_a(function, classmethod):
        kind = owner.what.kind if type(owner.what) is Instance else type(owner.what)
        return function.__func__, [owner if is_a(owner.what, type) else Value(kind), *args]
    inner = function if type(function) is types.FunctionType else next(reversed([*raw.unwrapped(function, _inside)]))
    return inner, args if is_a(owner.what, type) else [owner, *args]


def _called_by_library(method: Method) -> Any:
    """The `__call__` of an object, which a method that its class has from a library may call."""
    called = NOTHING if type(method.owner.what) is Instance else method_of(type(method.owner.what), "__call__")
    return NOTHING if called is NOTHING else [*raw.unwrapped(called, _inside)][-1]


def _inside(value: Any) -> Any:
    return None if is_users(value) else equinox_internals.wrapped_by(value)


def _is_callable(what: Any) -> bool:
    """Whether something may be called, with code of the user's in it."""
    if what is NOTHING or type(what) in (Parts, Turns, Instance, Entries, Text) or is_a(what, type, *ARRAYS):
        return False
    kinds = (types.FunctionType, types.MethodType, functools.partial)
    return type(what) in (Made, Method) or is_a(what, *kinds) or is_users(method_of(type(what), "__call__"))


def _as_traced(value: Value) -> Value:
    """An argument of a function that is batched or differentiated: its shape is another one."""
    return TRACED if value.path is None and is_a(value.what, *ARRAYS) else value
