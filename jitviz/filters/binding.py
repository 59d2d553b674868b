"""The normal form of a call: keyword arguments become positional wherever possible.

In: a signature, then `args` and `kwargs`.  Out: a flat list of values, and the layout to call a function with them.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, TypeAlias

from .memo import Memo


@dataclass(frozen=True, eq=False)  # compared by identity: it is part of the key that is looked up at every call
class Layout:
    """The meaning of a flat list of values, in the order of the parameters.

    First come the parameters named in `positional`, then `extra[1]` values of `*extra[0]`, then the parameters passed
    by keyword, and last the items of `**options[0]`, sorted by name. A `Binder` makes each layout once.
    """

    positional: tuple[str, ...]
    extra: tuple[str, int]
    keywords: tuple[str, ...]
    options: tuple[str, tuple[str, ...]]

    @property
    def count(self) -> int:
        """How many values are passed by position."""
        return len(self.positional) + self.extra[1]

    def call(self, fun: Callable[..., Any], values: Sequence[Any]) -> Any:
        """Call `fun` with these values."""
        count = self.count
        return fun(*values[:count], **dict(zip(self.keywords + self.options[1], values[count:], strict=True)))

    def arguments(self, values: Sequence[Any]) -> dict[str, Any]:
        """The values by parameter name, in the order of the parameters. Leaves keep the order they have in `values`."""
        source: Iterator[Any] = iter(values)
        found = {name: next(source) for name in self.positional}
        if self.extra[1]:
            found[self.extra[0]] = tuple(next(source) for _ in range(self.extra[1]))
        found |= {name: next(source) for name in self.keywords}
        if self.options[1]:
            found[self.options[0]] = {name: next(source) for name in self.options[1]}
        return found


_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
# One way to write a call: the layout, and where in `(*args, *kwargs.values())` each of its values is found.
_Form: TypeAlias = tuple[Layout, tuple[int, ...]]


class Binder:
    """The normal forms of calls to one signature."""

    def __init__(self, name: str, signature: inspect.Signature) -> None:
        self.name = name
        self.signature = signature
        self._layouts: Memo[tuple[Any, ...], Layout] = Memo(lambda parts: Layout(*parts))
        self._forms: Memo[tuple[int | str, ...], _Form] = Memo(self._make_form)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Layout, Sequence[Any]]:
        """The layout and the values of a call.

        Raises:
            TypeError: the function does not take these arguments.
        """
        layout, order = self._forms[len(args), *kwargs]
        given = (*args, *kwargs.values())
        return layout, tuple([given[index] for index in order])

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
        has_gap = False  # after an omitted parameter, the rest can only be passed by keyword
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
        return self._layouts[tuple(positional), extra, tuple(keywords), options], tuple(order)


def signature_of(fun: Callable[..., Any]) -> inspect.Signature:
    """The signature of `fun`; `(*args, **kwargs)` for built-in functions that have none."""
    try:
        return inspect.signature(fun)
    except ValueError:
        return inspect.Signature(
            [Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)]
        )
