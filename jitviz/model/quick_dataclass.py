"""Frozen dataclasses whose classes are made quickly.

In: a class with annotated fields, none with a factory.  Out: the same as from `dataclasses.dataclass(frozen=True)`.

`dataclasses` compiles six methods for each class. jitviz has a hundred such classes, and nobody who loads it waits for
that: here all classes share their methods. A new instance takes about a microsecond more.
"""

import dataclasses
import inspect
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

Row = TypeVar("Row")
T = TypeVar("T")
_KEPT = "_kept"  # the answers that an instance keeps, which a row with another field must not have


def replace(row: Row, **fields: Any) -> Row:
    """`dataclasses.replace` in a tenth of the time, for a row whose class has no `__init__` of its own. It checks no
    names."""
    changed = object.__new__(type(row))
    mine = vars(row) | fields
    mine.pop(_KEPT, None)
    object.__setattr__(changed, "__dict__", mine)
    return changed


def _refuse(self: object, name: str, *_: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change {name!r} of a {type(self).__name__}")


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def state_of(self: Any) -> dict[str, Any]:
    """What is pickled and copied: the fields, all of them read, and no answers that an instance keeps."""
    return {name: getattr(self, name) for name in self.__dataclass_fields__}


def kept_by_it(work: Callable[[Row], T]) -> Callable[[Row], T]:
    """A function of a frozen instance, which keeps the answer: one instance stands in many signatures."""

    def answer(one: Any) -> Any:
        kept = one.__dict__.get(_KEPT)
        if kept is None:
            kept = one.__dict__[_KEPT] = {}
        if work not in kept:
            kept[work] = work(one)
        return kept[work]

    return answer


class _Signature:
    """What `help` and editors show, made when they ask."""

    def __get__(self, instance: object, kind: Any) -> inspect.Signature:
        parameters, of = [], inspect.Parameter
        for row in dataclasses.fields(kind):
            default = of.empty if row.default is dataclasses.MISSING else row.default
            how = of.KEYWORD_ONLY if row.kw_only else of.POSITIONAL_OR_KEYWORD
            parameters.append(of(row.name, how, default=default, annotation=row.type))
        return inspect.Signature(parameters)


def _make(kind: type, *, is_compared: bool, kw_only: bool) -> type:
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(kind)
    rows: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(kind)
    names = tuple(row.name for row in rows if not row.kw_only)
    values = {row.name: row.default for row in rows}
    required = [name for name, value in values.items() if value is dataclasses.MISSING]
    n_required, n_values = len(required), len(values)

    def init(self: Any, *args: Any, **given: Any) -> None:
        mine = self.__dict__
        mine.update(values)  # so that all are in the order of the fields
        mine.update(zip(names, args, strict=False))
        mine.update(given)
        is_lacking = len(args) < n_required and any(mine[name] is dataclasses.MISSING for name in required)
        if is_lacking or len(mine) != n_values or len(args) > len(names):
            raise TypeError(f"{kind.__name__}() takes {', '.join(values)}")

    methods: dict[str, Any] = {"__init__": init, "__setattr__": _refuse, "__delattr__": _refuse}
    methods["__getstate__"] = state_of
    methods |= {"__signature__": _Signature(), "__repr__": vars(kind).get("__repr__", _repr)}
    if is_compared:
        key = attrgetter(*(row.name for row in rows if row.compare))

        def equals(self: object, other: object) -> bool:
            return key(self) == key(other) if type(self) is type(other) else NotImplemented

        methods |= {"__eq__": equals, "__hash__": lambda self: hash(key(self))}
    for name, method in methods.items():
        setattr(kind, name, method)
    return kind


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool, eq: bool = True, kw_only: bool = False) -> Callable[[type], type]:
        """`dataclasses.dataclass`, for frozen classes."""
        assert frozen
        return lambda kind: _make(kind, is_compared=eq, kw_only=kw_only)
