"""Bringing a call to its normal form: keywords become positions where they can.

In: a signature, then `args` and `kwargs`.  Out: a flat list of values and the layout that calls a function with them.
Must never: pass on what nobody gave; a parameter that was left out is the function's business. Or be slower for the
usual call, one that gives every parameter by position, than comparing two numbers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, TypeAlias

from .memo import Memo


@dataclass(frozen=True, eq=False)  # compared by identity: it is part of the key that is looked up at every call
class Layout:
    """What a flat list of values stands for, in the order of the parameters.

    `positional` are names of single parameters, then come `extra[1]` values of `*extra[0]`, then the parameters given
    by keyword, and last the items of `**options[0]`, sorted by name. A `Binder` makes each layout once.
    """

    positional: tuple[str, ...]
    extra: tuple[str, int]
    keywords: tuple[str, ...]
    options: tuple[str, tuple[str, ...]]

    @property
    def count(self) -> int:
        """How many values are given by position."""
        return len(self.positional) + self.extra[1]

    def call(self, fun: Callable[..., Any], values: Sequence[Any]) -> Any:
        """What `fun` returns for these values."""
        count = self.count
        return fun(*values[:count], **dict(zip(self.keywords + self.options[1], values[count:], strict=True)))

    def arguments(self, values: Sequence[Any]) -> dict[str, Any]:
        """Value by parameter name, in the order of the parameters; all leaves are those of `values`, in order."""
        source: Iterator[Any] = iter(values)
        found = {name: next(source) for name in self.positional}
        if self.extra[1]:
            found[self.extra[0]] = tuple(next(source) for _ in range(self.extra[1]))
        found |= {name: next(source) for name in self.keywords}
        if self.options[1]:
            found[self.options[0]] = {name: next(source) for name in self.options[1]}
        return found


_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_Shape: TypeAlias = tuple[tuple[str, ...], tuple[str, int], tuple[str, ...], tuple[str, tuple[str, ...]]]


@dataclass(frozen=True)
class _Form:
    """One way of writing a call: where in `(*args, *kwargs.values())` each value of the layout is found."""

    layout: Layout
    order: tuple[int, ...]


class Binder:
    """Normal forms for one signature.

    `arity` is the number of arguments of a call that is in normal form as it stands, and `complete` the layout of that
    call; `arity` is -1 where there is none.
    """

    def __init__(self, name: str, signature: inspect.Signature) -> None:
        self.name = name
        self.signature = signature
        self._layouts: Memo[_Shape, Layout] = Memo(lambda shape: Layout(*shape))
        self._forms: Memo[tuple[int | str, ...], _Form] = Memo(self._make_form)
        is_plain = all(parameter.kind in _POSITIONAL for parameter in signature.parameters.values())
        self.arity = len(signature.parameters) if is_plain else -1
        self.complete = self._layouts[tuple(signature.parameters) if is_plain else (), ("", 0), (), ("", ())]

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Layout, Sequence[Any]]:
        """The layout and the values of a call.

        Raises:
            TypeError: the function cannot be called like this.
        """
        form = self._forms[len(args), *kwargs]
        pool = (*args, *kwargs.values())
        return form.layout, tuple([pool[index] for index in form.order])

    def _make_form(self, key: tuple[Any, ...]) -> _Form:
        count, *names = key
        try:
            bound = self.signature.bind(*range(count), **{name: count + i for i, name in enumerate(names)})
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None
        given = bound.arguments
        positional: list[str] = []
        extra, keywords, options = ("", 0), list[str](), ("", tuple[str, ...]())
        order: list[int] = []
        has_gap = False  # after a parameter that is left out, the rest can only be given by keyword
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is Parameter.VAR_POSITIONAL:
                extra = (name, len(given.get(name, ())))
                order += given.get(name, ())
            elif parameter.kind is Parameter.VAR_KEYWORD:
                options = (name, tuple(sorted(given.get(name, ()))))
                order += [given[name][key] for key in options[1]]
            elif name not in given:
                has_gap = True
            else:
                order.append(given[name])
                (positional if parameter.kind in _POSITIONAL and not has_gap else keywords).append(name)
        return _Form(self._layouts[tuple(positional), extra, tuple(keywords), options], tuple(order))


def signature_of(fun: Callable[..., Any]) -> inspect.Signature:
    """The signature of `fun`; `(*args, **kwargs)` for the built-in functions that tell none."""
    try:
        return inspect.signature(fun)
    except ValueError:
        return inspect.Signature(
            [Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)]
        )
