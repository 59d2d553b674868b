"""What the code of one trace reads, and draws, besides its arguments.

In: the functions that a call runs, its arguments, its static values.  Out: paths, with whether each is certain; draws.
Must never: run user code, or follow a name into a library.

What a callback reads is left out: it runs with every call. So is what the code stores, such as a counter of traces.
"""

import builtins
import functools
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from ...jaxcompat import equinox_internals, jits, raw
from ...jaxcompat.raw import is_a
from ...model import ReadKind
from ..sources import is_library, location
from .draws import draw_of, is_unseeded, name_of
from .known_calls import result_of
from .paths import NOTHING, PLAIN, Holders, Path, attribute, globals_of, holds, item
from .run import Run, Where
from .values import TRACED, UNKNOWN, Draw, DrawKind, Instance, Made, Method, Parts, Turns, Value, inside, joined

MOST = 256  # paths of one trace
_STEPS = 40_000  # instructions of one trace
_DEEP = 40  # calls inside calls
_CALLBACK = "callback"  # in the name of a function that runs what it is given with every call
_ARRAYS = (jax.Array, np.ndarray, jax.core.Tracer)
_FEW = 8  # arguments that a library passes to what it is given
_JITS = (jits.PjitFunction, types.FunctionType)  # what is inside gets the arguments as they are


class _Use(NamedTuple):
    """A use of a path. It `is_whole` if all that is there was used, as far as that is known."""

    where: Where
    is_whole: bool


class Reader:
    """Reads the code of one trace. `statics` are the static values among its arguments, with their paths."""

    def __init__(self, statics: Iterable[tuple[str, Any]]) -> None:
        self.holders = Holders()
        self._uses: dict[Path, list[_Use]] = {}
        self._draws: dict[Draw, list[tuple[Where, bool]]] = {}  # where each reaches the program; whether by its value
        self._stored: list[Path] = []
        self._steps = _STEPS
        self._open: list[Run] = []
        self._runs: dict[tuple[object, ...], tuple[Run, Value]] = {}
        self._kept: list[Any] = []  # what the keys of `_runs` have addresses of
        self._statics = {id(value): (path, value) for path, value in statics if type(value) not in PLAIN}

    def may_go_on(self) -> bool:
        """Count one instruction; False after very many."""
        self._steps -= 1
        return self._steps > 0

    def forget(self) -> None:
        """Keep nothing of what was read."""
        for run, _ in self._runs.values():
            run.forget()
        self._runs.clear()
        self._kept.clear()
        self._statics.clear()

    # -- what was found -----------------------------------------------------------------------------------------

    def reads(self) -> dict[Path, tuple[bool, bool]]:
        """The paths that were used, with whether that is certain, and whether all that is there was used."""
        found = {}
        for path, uses in self._uses.items():
            if not any(path.starts_with(stored) for stored in self._stored):
                certain = [use for use in uses if self._is_certain(use.where)]
                found[path] = bool(certain), any(use.is_whole for use in certain or uses)
        return found

    def draws(self) -> dict[Draw, bool]:
        """What reaches the program, with whether that is certain."""
        return {
            draw: any(by_value and self._is_certain(where) for where, by_value in reached)
            for draw, reached in self._draws.items()
        }

    def _is_certain(self, where: Where, depth: int = _DEEP) -> bool:
        run, at = where
        is_its = not run.callers or any(self._is_certain(caller, depth - 1) for caller in run.callers if depth)
        return is_its and run.is_certain(at)

    # -- uses ---------------------------------------------------------------------------------------------------

    def use(self, where: Where, *values: Value, is_whole: bool = True) -> None:
        """Note that code uses all that is known of these values."""
        for value in values:
            for part in inside(value):
                if part.path is not None and not raw.namespace(part.what) and type(part.what) is not Method:
                    self._note(part.path, where, is_whole and type(part.what) is not dict)

    def ask(self, value: Value, how: Any, where: Where) -> None:
        """Note that code asks for the length of a value, for its type, or whether it is None."""
        if value.path is not None:
            self._note(value.path.then(how), where, True)

    def _note(self, path: Path, where: Where, is_whole: bool) -> None:
        uses = self._uses.get(path)
        if uses is not None:
            uses.append(_Use(where, is_whole))
        elif len(self._uses) < MOST:
            self._uses[path] = [_Use(where, is_whole)]

    def store(self, value: Value) -> None:
        """Note that the code stores something at a path."""
        if value.path is not None:
            self._stored.append(value.path)

    def reach(self, draws: Iterable[Draw], where: Where) -> None:
        """Note that what was drawn becomes part of the program."""
        for draw in draws:
            self._draws.setdefault(draw, []).append((where, True))

    def decide(self, draws: Iterable[Draw], where: Where) -> None:
        """Note that what was drawn decides which code runs."""
        for draw in draws:
            if draw.kind != "clock":
                self._draws.setdefault(draw, []).append((where, draw.kind == "random"))

    # -- values -------------------------------------------------------------------------------------------------

    def global_of(self, holder: Any, name: str) -> Value:
        """A variable of a module, or a built-in."""
        names = globals_of(holder)
        if name not in names:
            return Value(vars(builtins).get(name, NOTHING))
        module = sys.modules.get(str(names.get("__name__")))
        owner = module if raw.namespace(module) is names else holder
        return self._variable("global", str(names.get("__name__")), name, owner, names[name])

    def _variable(self, kind: ReadKind, of: str, name: str, holder: Any, what: Any) -> Value:
        root = self.holders.root(kind, of, name, holder)
        return self._read(what, None if root is None else Path(root))

    def _read(self, what: Any, path: Path | None) -> Value:
        """What is at a path; modules of libraries are not the user's, and so have none."""
        is_traced = is_a(what, *_ARRAYS) and path is None
        return Value(what, None if _is_of_library(what) else path, is_traced=is_traced)

    def module(self, name: str) -> Value:
        """A module that the code imports."""
        found = sys.modules.get(name, NOTHING)
        root = None if found is NOTHING else self.holders.root("attribute", name, "", found)
        return self._read(found, None if root is None else Path(root))

    def argument(self, value: Any, path: str = "") -> Value:
        """A part of an argument. It is in the key, but for what is inside a static value."""
        static = self._statics.get(id(value))
        if static is not None and static[1] is value:
            root = self.holders.root("static", static[0], "", value)
            return Value(value, None if root is None else Path(root))
        return Value(value, is_traced=is_a(value, *_ARRAYS))

    def attribute(self, owner: Value, name: str, where: Where, *, is_stored: bool = False) -> Value:
        """An attribute as the code asks for it."""
        what = owner.what
        if owner.draws or what is NOTHING or type(what) in (Made, Method, Parts, Turns):
            return Value(draws=owner.draws, is_traced=owner.is_traced)
        found = NOTHING if type(what) is Instance else attribute(what, name)
        if found is not NOTHING or is_stored:
            return self._part(owner, found, owner.path and owner.path.then(".", name))
        kind = what.kind if type(what) is Instance else what if is_a(what, type) else type(what)
        method = _method(kind, name)
        if method is NOTHING:
            if not is_a(what, *_ARRAYS):
                self.use(where, owner, is_whole=False)
            return joined(owner)
        if type(method) is property:
            return self._of_property(method, owner, where)
        return Value(Method(method, owner, name), owner.path, is_traced=owner.is_traced)

    def _of_property(self, method: property, owner: Value, where: Where) -> Value:
        function: Any = method.fget
        if _is_users(function):
            return self._run_function(function, [owner], {}, where)
        self.use(where, owner, is_whole=False)
        return joined(owner)

    def _part(self, owner: Value, found: Any, path: Path | None) -> Value:
        if owner.path is None and not raw.namespace(owner.what) and not is_a(owner.what, type):
            return self.argument(found)
        return self._read(found, path)

    def item(self, owner: Value, key: Value, where: Where, *, is_stored: bool = False) -> Value:
        """An item as the code asks for it."""
        if key.draws and (owner.is_traced or is_a(owner.what, jax.Array)):
            self.reach(key.draws, where)
        parts = owner.what.values if type(owner.what) is Parts else ()
        if type(key.what) is int and -len(parts) <= key.what < len(parts):
            return parts[key.what]
        if owner.what is os.environ:
            return Value(draws=frozenset([self._draw("outside", "os.environ", where)]))
        found = item(owner.what, key.what) if owner.what is not NOTHING and key.what is not NOTHING else NOTHING
        self.use(where, key)
        if found is not NOTHING or (is_stored and type(key.what) in PLAIN):
            return self._part(owner, found, owner.path and owner.path.then("[", key.what))
        if not is_stored:
            self.use(where, owner, is_whole=is_a(owner.what, *_ARRAYS))
        return Value(path=owner.path) if is_stored else joined(owner, key)

    def is_in(self, key: Value, owner: Value, where: Where) -> Any:
        """Whether a container has a key, or NOTHING if that is not known."""
        self.use(where, key)
        found = holds(owner.what, key.what) if owner.what is not NOTHING and key.what is not NOTHING else NOTHING
        if found is NOTHING:
            self.use(where, owner, is_whole=False)
        elif owner.path is not None:
            self._note(owner.path.then("in", key.what), where, True)
        return found

    # -- calls --------------------------------------------------------------------------------------------------

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
        if type(what) is not Method:
            self.use(where, callee)
        known = result_of(self, what, args, where) if is_whole and not named else None
        if known is not None:
            return known
        drawn = None if what is NOTHING else draw_of(what)
        if drawn is not None:
            self.use(where, *everything)
            draws = frozenset([self._draw(*drawn, where)])
            return Value(draws=draws.union(*(value.draws for value in everything)))
        if is_unseeded(what, len(everything)):
            return Value(draws=frozenset([self._draw("random", f"{what.__name__}()", where)]))
        return self._call_code(callee, args, named, where)

    def _draw(self, kind: DrawKind, name: str, where: Where) -> Draw:
        return Draw(kind, name, location(where.run.code.co_filename, where.run.line(where.at)))

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
            function, first, more = raw.bound(what)
            given = [*map(self.argument, raw.items_of(first)), *args]
            named = {**{name: self.argument(part) for name, part in raw.items_of(more)}, **named}
            return self._call_code(Value(function), given, named, where)
        *around, function = raw.unwrapped(what, _inside)
        if not all(type(wrapper) in _JITS for wrapper in around):
            args, named = [*map(_as_traced, args)], {name: _as_traced(value) for name, value in named.items()}
        if around and not _is_users(function):
            return self._call_code(Value(function), args, named, where)
        return self._call_inside(callee, function, args, named, where)

    def _call_inside(
        self, callee: Value, function: Any, args: Sequence[Value], named: Mapping[str, Value], where: Where | None
    ) -> Value:
        """Run a function, make an object of a class, or call an object, if that is code of the user's."""
        if _is_users(function):
            return self._run_function(function, args, named, where)
        if is_a(function, type):
            made = Value(Instance(function), draws=joined(*args, *named.values()).draws)
            if _is_users(init := _method(function, "__init__")):
                self._run_function(init, [made, *args], named, where)
            else:
                self._give(callee, args, named, where)
            return made
        called = NOTHING if function is NOTHING else _method(type(function), "__call__")
        if _is_users(called) and type(callee.what) is not Method:
            return self._run_function(called, [callee, *args], named, where)
        return self._give(callee, args, named, where)

    def _give(self, callee: Value, args: Sequence[Value], named: Mapping[str, Value], where: Where | None) -> Value:
        """The result of a call of what is not the user's. It may call what it is given."""
        everything, name, home = (*args, *named.values()), *name_of(callee.what)
        mixed = joined(*everything, callee)
        if where is None or _CALLBACK in name:
            return mixed
        for value in everything:
            for part in inside(value):
                if _is_callable(part.what) and part.what is not callee.what:
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
            return self._variable("closure", name, variable, function, closed[variable])

        given = raw.default_values(function)
        defaults = {key: self._variable("default", name, key, function, value) for key, value in given.items()}
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
            run, result = Run(self, code, bound(code, args, named, defaults), free, holder), UNKNOWN
            self._runs[key] = run, UNKNOWN  # of a call inside itself nothing is known
        if where is not None:
            run.callers.append(where)
        if known is None and len(self._open) < _DEEP:
            self._open.append(run)
            run.go()
            self._open.pop()
            result = run.returned[0] if len(run.returned) == 1 else joined(*run.returned)
            if len(run.returned) > 1:
                self.use(Where(run, 0), *run.returned)
            self._runs[key] = run, result
        return result

    def _key(self, value: Value) -> object:
        """Equal for arguments with which a function reads the same."""
        what = value.what
        if type(what) is Parts:
            return tuple(map(self._key, what.values))
        plain = (type(what), what) if type(what) in PLAIN else None
        if plain is None and what is not NOTHING:
            self._kept.append(what)
        return value.path or plain or (id(what), value.is_traced), value.draws

    def run_jitted(self, function: Any, arguments: Iterable[tuple[str, Any]], root: Any) -> None:
        """Read what is jitted, called with these arguments."""
        named = {name: self.argument(value) for name, value in arguments}
        callee = Value(function) if root is None else self.argument(root)
        returned = self._call_code(callee, (), named, None)
        if self._runs:
            run, _ = next(iter(self._runs.values()))
            self.use(Where(run, 0), returned)
            self.reach(joined(returned).draws, Where(run, 0))


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
        kind = owner.what.kind if type(owner.what) is Instance else owner.what
        return function.__func__, [Value(kind if is_a(kind, type) else type(kind)), *args]
    inner = function if type(function) is types.FunctionType else next(reversed([*raw.unwrapped(function, _inside)]))
    return inner, args if is_a(owner.what, type) else [owner, *args]


def _method(kind: type, name: str) -> Any:
    """What a class defines under a name; NOTHING if it does not."""
    found = raw.class_attribute(kind, name, NOTHING)
    if found is not NOTHING and raw.type_name(type(found)).startswith("equinox."):  # it wraps the methods of a module
        found = raw.attributes(found).get("method", found)
    return found


def _inside(value: Any) -> Any:
    return None if _is_users(value) else equinox_internals.wrapped_by(value)


def _is_users(function: Any) -> bool:
    return type(function) is types.FunctionType and not is_library(function.__code__.co_filename)


def _is_callable(what: Any) -> bool:
    """Whether something may be called, with code of the user's in it."""
    if what is NOTHING or type(what) in (Parts, Turns, Instance) or is_a(what, type, *_ARRAYS):
        return False
    kinds = (types.FunctionType, types.MethodType, functools.partial)
    return type(what) in (Made, Method) or is_a(what, *kinds) or _is_users(_method(type(what), "__call__"))


def _is_of_library(what: Any) -> bool:
    names = raw.namespace(what)
    return bool(names) and (type(file := names.get("__file__")) is not str or is_library(file))


def _as_traced(value: Value) -> Value:
    """An argument of a function that is batched or differentiated: its shape is another one."""
    return TRACED if value.path is None and is_a(value.what, *_ARRAYS) else value
